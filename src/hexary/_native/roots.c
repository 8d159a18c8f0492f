/* Root hashes of whole collections. */
#include "roots.h"

#include <stdlib.h>
#include <string.h>

#include "integer.h"
#include "rlp.h"

/* From this many pairs on it is worth while to start threads. */
#define WORTH_THREADS 2000

typedef struct work {
    const keccak_kernel *kernel;
    mpt_pair *pairs;
    size_t count;
    preparation to_do;
    uint8_t *hashed_keys;
    unsigned threads;
    mpt_builder *builder;
    keccak_tally tally;
    uint8_t root[KECCAK256_SIZE];
} work;

/* The parts of a root that several threads build. */
typedef struct shared_parts {
    const work *task;
    mpt_parts parts;
    mpt_item items[16];
    unsigned next;  /* the first part that nobody has taken */
    unsigned at_work;
    mpt_status status;
    keccak_tally tally;
    PyThread_type_lock lock; /* for the four above */
    PyThread_type_lock done; /* free when nobody is at work */
} shared_parts;

static void build_parts(shared_parts *shared, mpt_builder *builder)
{
    keccak_tally tally = {0, 0, 0};
    mpt_status status = MPT_GOOD;
    for (;;) {
        PyThread_acquire_lock(shared->lock, 1);
        const unsigned part = shared->next++;
        PyThread_release_lock(shared->lock);
        if (part >= 16 || status != MPT_GOOD)
            break;
        const size_t start = shared->parts.starts[part];
        const size_t count = shared->parts.starts[part + 1] - start;
        if (count > 0)
            status = mpt_build(
                builder, shared->task->kernel, shared->task->pairs + start, count,
                shared->parts.depth + 1, &shared->items[part], &tally
            );
    }
    PyThread_acquire_lock(shared->lock, 1);
    keccak_tally_add(&shared->tally, &tally);
    if (status != MPT_GOOD)
        shared->status = status;
    if (--shared->at_work == 0)
        PyThread_release_lock(shared->done);
    PyThread_release_lock(shared->lock);
}

static void other_thread(void *argument)
{
    shared_parts *shared = argument;
    mpt_builder *builder = mpt_builder_new();
    if (builder == NULL) {
        PyThread_acquire_lock(shared->lock, 1);
        shared->status = MPT_NO_MEMORY;
        if (--shared->at_work == 0)
            PyThread_release_lock(shared->done);
        PyThread_release_lock(shared->lock);
        return;
    }
    build_parts(shared, builder);
    mpt_builder_free(builder);
}

/* Find the root with several threads; without locks or threads, with this one alone. */
static mpt_status root_in_threads(work *task)
{
    shared_parts shared;
    memset(&shared, 0, sizeof shared);
    shared.task = task;
    shared.lock = PyThread_allocate_lock();
    shared.done = PyThread_allocate_lock();
    if (shared.lock != NULL && shared.done != NULL) {
        mpt_divide(task->pairs, task->count, &shared.parts);
        shared.at_work = 1;
        PyThread_acquire_lock(shared.done, 1);
        for (unsigned other = 1; other < task->threads && other < 16; other++) {
            PyThread_acquire_lock(shared.lock, 1);
            shared.at_work++;
            PyThread_release_lock(shared.lock);
            if (PyThread_start_new_thread(other_thread, &shared)
                == (unsigned long)-1) {
                PyThread_acquire_lock(shared.lock, 1);
                shared.at_work--;
                PyThread_release_lock(shared.lock);
                break;
            }
        }
        build_parts(&shared, task->builder);
        PyThread_acquire_lock(shared.done, 1);
        /* The last one may still hold the lock that it told us with. */
        PyThread_acquire_lock(shared.lock, 1);
        PyThread_release_lock(shared.lock);
        PyThread_release_lock(shared.done);
        if (shared.status == MPT_GOOD)
            shared.status = mpt_join(
                task->kernel, &shared.parts, shared.items, task->root, &shared.tally
            );
        keccak_tally_add(&task->tally, &shared.tally);
    } else {
        shared.status = MPT_NO_MEMORY;
    }
    if (shared.lock != NULL)
        PyThread_free_lock(shared.lock);
    if (shared.done != NULL)
        PyThread_free_lock(shared.done);
    return shared.status;
}

static mpt_status do_work(work *task)
{
    if (task->to_do == HASH_AND_ARRANGE) {
        keccak_batch *batch = malloc(sizeof *batch);
        if (batch == NULL)
            return MPT_NO_MEMORY;
        keccak_batch_start(batch, task->kernel);
        for (size_t index = 0; index < task->count; index++) {
            mpt_pair *pair = &task->pairs[index];
            uint8_t *digest = task->hashed_keys + index * KECCAK256_SIZE;
            keccak_batch_add(batch, pair->key, pair->key_size, digest);
            pair->key = digest;
            pair->key_size = KECCAK256_SIZE;
        }
        keccak_batch_flush(batch);
        task->tally = batch->tally;
        free(batch);
    }
    if (task->to_do != NOTHING) {
        const mpt_status status = mpt_arrange(task->pairs, &task->count);
        if (status != MPT_GOOD)
            return status;
    }
    if (task->threads > 1 && task->count >= WORTH_THREADS)
        return root_in_threads(task);
    return mpt_root(
        task->builder, task->kernel, task->pairs, task->count, task->root, &task->tally
    );
}

mpt_builder *take_builder(module_state *state)
{
    mpt_builder *builder = state->builder != NULL ? state->builder : mpt_builder_new();
    state->builder = NULL;
    return builder;
}

bool finish_building(
    module_state *state, mpt_builder *builder, mpt_status status,
    const keccak_tally *tally
)
{
    if (state->builder == NULL)
        state->builder = builder;
    else
        mpt_builder_free(builder);
    keccak_tally_add(&state->tally, tally);
    if (status != MPT_GOOD)
        PyErr_NoMemory();
    return status == MPT_GOOD;
}

PyObject *finish_root(
    module_state *state, mpt_builder *builder, mpt_status status,
    const uint8_t root[KECCAK256_SIZE], const keccak_tally *tally
)
{
    if (!finish_building(state, builder, status, tally))
        return NULL;
    return PyObject_CallFunction(
        state->helpers[HELPER_HASH], "y#", (const char *)root, (Py_ssize_t)KECCAK256_SIZE
    );
}

PyObject *root_of(
    module_state *state, mpt_pair *pairs, size_t count, size_t bytes,
    preparation to_do, unsigned threads
)
{
    const bool hash_keys = to_do == HASH_AND_ARRANGE;
    work task;
    memset(&task, 0, sizeof task);
    task.kernel = state->kernel;
    task.pairs = pairs;
    task.count = count;
    task.to_do = to_do;
    task.threads = threads;
    task.builder = take_builder(state);
    if (hash_keys && count <= SIZE_MAX / KECCAK256_SIZE)
        task.hashed_keys = malloc(count * KECCAK256_SIZE + 1);
    mpt_status status = MPT_NO_MEMORY;
    if (task.builder != NULL && (!hash_keys || task.hashed_keys != NULL)) {
        PyThreadState *saved = bytes < LARGE_INPUT ? NULL : PyEval_SaveThread();
        status = do_work(&task);
        if (saved != NULL)
            PyEval_RestoreThread(saved);
    }
    free(task.hashed_keys);
    return finish_root(state, task.builder, status, task.root, &task.tally);
}

bool read_threads(PyObject *const *values, PyObject *names, unsigned *threads)
{
    const Py_ssize_t named = names == NULL ? 0 : PyTuple_Size(names);
    *threads = 1;
    if (named == 0)
        return true;
    if (named != 1
        || PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "threads") != 0)
        return false;
    PyObject *given = integer_of(values[0]);
    if (given == NULL)
        return false;
    int overflow;
    const long number = PyLong_AsLongAndOverflow(given, &overflow);
    Py_DECREF(given);
    if (overflow != 0 || number < 1)
        return false;
    *threads = number < 16 ? (unsigned)number : 16;
    return true;
}

static PyObject *root_twin(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names,
    enum twin twin
)
{
    module_state *state = state_of(module);
    unsigned threads;
    if (count != 1 || !read_threads(arguments + count, names, &threads))
        return call_pure(state, twin, arguments, count, names);
    collection pairs;
    memset(&pairs, 0, sizeof pairs);
    PyObject *root = NULL;
    const reading done = collection_read(state, &pairs, arguments[0]);
    preparation to_do = pairs.is_arranged ? NOTHING : ARRANGE;
    if (twin == TWIN_SECURE_TRIE_ROOT)
        to_do = HASH_AND_ARRANGE;
    if (done == READ)
        root = root_of(state, pairs.pairs, pairs.count, pairs.bytes, to_do, threads);
    collection_free(&pairs);
    if (done == LEFT_TO_PURE)
        root = call_pure(state, twin, arguments, count, names);
    return root;
}

PyObject *binding_trie_root(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    return root_twin(module, arguments, count, names, TWIN_TRIE_ROOT);
}

PyObject *binding_secure_trie_root(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    return root_twin(module, arguments, count, names, TWIN_SECURE_TRIE_ROOT);
}

/* ---- a part of a trie ---- */

/* Whether all keys of arranged pairs have a beginning of *depth* nibbles in common. */
static bool is_subtree(const collection *self, size_t depth)
{
    if (self->count == 0 || !self->is_arranged)
        return false;
    const mpt_pair *first = self->pairs, *last = &self->pairs[self->count - 1];
    return mpt_shared_nibbles(first->key, first->key_size, last->key, last->key_size)
           >= depth;
}

static PyObject *item_of(module_state *state, const collection *pairs, size_t depth)
{
    mpt_item item;
    keccak_tally tally = {0, 0, 0};
    mpt_status status = MPT_NO_MEMORY;
    mpt_builder *builder = take_builder(state);
    if (builder != NULL) {
        const keccak_kernel *kernel = state->kernel; /* the GIL guards the state */
        PyThreadState *saved = pairs->bytes < LARGE_INPUT ? NULL : PyEval_SaveThread();
        status = mpt_build(
            builder, kernel, pairs->pairs, pairs->count, depth, &item, &tally
        );
        if (saved != NULL)
            PyEval_RestoreThread(saved);
    }
    if (!finish_building(state, builder, status, &tally))
        return NULL;
    return PyBytes_FromStringAndSize((const char *)item.bytes, item.size);
}

PyObject *binding_subtree_item(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    module_state *state = state_of(module);
    if (count != 2 || names != NULL || !PyList_CheckExact(arguments[0])
        || !PyLong_Check(arguments[1]))
        return call_pure(state, TWIN_SUBTREE_ITEM, arguments, count, names);
    int overflow;
    const long depth = PyLong_AsLongAndOverflow(arguments[1], &overflow);
    collection pairs;
    memset(&pairs, 0, sizeof pairs);
    PyObject *item = NULL;
    reading done = collection_read(state, &pairs, arguments[0]);
    if (done == READ && (depth < 0 || !is_subtree(&pairs, (size_t)depth)))
        done = LEFT_TO_PURE;
    if (done == READ_FAILED && PyErr_ExceptionMatches(PyExc_TypeError)) {
        /* The pure twin trusts its caller, and has errors of its own for others. */
        PyErr_Clear();
        done = LEFT_TO_PURE;
    }
    if (done == READ)
        item = item_of(state, &pairs, (size_t)depth);
    collection_free(&pairs);
    if (done == LEFT_TO_PURE)
        item = call_pure(state, TWIN_SUBTREE_ITEM, arguments, count, names);
    return item;
}

/* ---- values by index ---- */

static bool add_value(
    module_state *state, collection *self, PyObject *value, size_t index
)
{
    char argument[40] = "values";
    if (!PyBytes_Check(value))
        PyOS_snprintf(argument, sizeof argument, "values[%zu]", index);
    return collection_add(state, self, NULL, value, argument);
}

static bool read_values(module_state *state, collection *self, PyObject *values)
{
    PyObject *checked = PyObject_CallFunctionObjArgs(
        state->helpers[HELPER_VALUES_OF], values, NULL
    );
    PyObject *iterator = checked == NULL ? NULL : PyObject_GetIter(checked);
    bool good = iterator != NULL;
    Py_XDECREF(checked);
    for (size_t index = 0; good; index++) {
        PyObject *value = PyIter_Next(iterator);
        if (value == NULL) {
            good = !PyErr_Occurred();
            break;
        }
        good = add_value(state, self, value, index);
        Py_DECREF(value);
    }
    Py_XDECREF(iterator);
    return good;
}

/* The longest RLP of an index: a header of one byte, and eight. */
#define INDEX_SIZE 9u

/* Make the RLP of each pair's index its key. */
static void write_index_keys(collection *self, uint8_t *keys)
{
    for (size_t index = 0; index < self->count; index++) {
        uint8_t digits[8];
        size_t count = 0;
        for (size_t rest = index; rest > 0; rest >>= 8)
            digits[7 - count++] = (uint8_t)rest;
        uint8_t *key = keys + index * INDEX_SIZE;
        self->pairs[index].key = key;
        self->pairs[index].key_size =
            (size_t)(rlp_write_string(key, digits + 8 - count, count) - key);
    }
}

PyObject *binding_ordered_trie_root(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    module_state *state = state_of(module);
    unsigned threads;
    if (count != 1 || !read_threads(arguments + count, names, &threads))
        return call_pure(state, TWIN_ORDERED_TRIE_ROOT, arguments, count, names);
    collection pairs;
    memset(&pairs, 0, sizeof pairs);
    PyObject *root = NULL;
    uint8_t *keys = NULL;
    if (read_values(state, &pairs, arguments[0])) {
        keys = PyMem_Malloc(pairs.count * INDEX_SIZE + 1);
        if (keys == NULL) {
            PyErr_NoMemory();
        } else {
            write_index_keys(&pairs, keys);
            root = root_of(
                state, pairs.pairs, pairs.count, pairs.bytes, ARRANGE, threads
            );
        }
    }
    PyMem_Free(keys);
    collection_free(&pairs);
    return root;
}
