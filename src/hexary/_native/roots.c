/* Root hashes of whole collections. */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

#include "mpt_root.h"
#include "rlp.h"

#if defined(__GNUC__) || defined(__clang__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

/* How many elements ahead. */
#define FETCHED 8

/* Pairs that were read from Python objects, each held by a reference of its own. */
typedef struct collection {
    mpt_pair *pairs;
    size_t count, capacity;
    PyObject **held; /* two for each pair; NULL where there is nothing to hold */
    size_t bytes;
} collection;

static void collection_free(collection *self)
{
    for (size_t index = 0; self->held != NULL && index < 2 * self->count; index++) {
        if (2 * self->count - index > 2 * FETCHED)
            PREFETCH(self->held[index + 2 * FETCHED]);
        Py_XDECREF(self->held[index]);
    }
    PyMem_Free(self->held);
    PyMem_Free(self->pairs);
}

static bool collection_reserve(collection *self, size_t capacity)
{
    if (capacity <= self->capacity)
        return true;
    if (capacity > (size_t)PY_SSIZE_T_MAX / sizeof *self->pairs / 2) {
        PyErr_NoMemory();
        return false;
    }
    mpt_pair *pairs = PyMem_Realloc(self->pairs, capacity * sizeof *pairs);
    if (pairs != NULL)
        self->pairs = pairs;
    PyObject **held = PyMem_Realloc(self->held, 2 * capacity * sizeof *held);
    if (held != NULL)
        self->held = held;
    if (pairs == NULL || held == NULL) {
        PyErr_NoMemory();
        return false;
    }
    self->capacity = capacity;
    return true;
}

/* Return a new reference to the bytes of *object*, as the pure `plain_bytes` reads them. */
static PyObject *hold_bytes(module_state *state, PyObject *object, const char *argument)
{
    if (PyBytes_Check(object)) {
        Py_INCREF(object);
        return object;
    }
    PyObject *plain = PyObject_CallFunction(
        state->helpers[HELPER_PLAIN_BYTES], "Os", object, argument
    );
    if (plain != NULL && !PyBytes_Check(plain)) {
        PyErr_SetString(PyExc_SystemError, "plain_bytes returned no bytes");
        Py_CLEAR(plain);
    }
    return plain;
}

static bool set_key(collection *self, mpt_pair *pair, PyObject *key)
{
    char *data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(key, &data, &size) < 0)
        return false;
    pair->key = (const uint8_t *)data;
    pair->key_size = (size_t)size;
    self->bytes += (size_t)size;
    return true;
}

static bool set_value(collection *self, mpt_pair *pair, PyObject *value)
{
    char *data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(value, &data, &size) < 0)
        return false;
    pair->value = (const uint8_t *)data;
    pair->value_size = (size_t)size;
    self->bytes += (size_t)size;
    return true;
}

/* Add a pair of bytes that *owner*, which does not change, keeps alive. */
static bool collection_add_owned(
    collection *self, PyObject *owner, PyObject *key, PyObject *value
)
{
    mpt_pair *pair = &self->pairs[self->count];
    Py_INCREF(owner);
    self->held[2 * self->count] = owner;
    self->held[2 * self->count + 1] = NULL;
    self->count++;
    return set_key(self, pair, key) && set_value(self, pair, value);
}

/* Add a pair; *key* is NULL where the caller fills it in. */
static bool collection_add(
    module_state *state, collection *self, PyObject *key, PyObject *value,
    const char *value_argument
)
{
    if (self->count == self->capacity
        && !collection_reserve(self, self->capacity == 0 ? 64 : 2 * self->capacity))
        return false;
    PyObject *held_key = NULL, *held_value = NULL;
    if (key != NULL && (held_key = hold_bytes(state, key, "key")) == NULL)
        return false;
    if ((held_value = hold_bytes(state, value, value_argument)) == NULL) {
        Py_XDECREF(held_key);
        return false;
    }
    mpt_pair *pair = &self->pairs[self->count];
    pair->key = NULL;
    pair->key_size = 0;
    self->held[2 * self->count] = held_key;
    self->held[2 * self->count + 1] = held_value;
    self->count++;
    return (held_key == NULL || set_key(self, pair, held_key))
           && set_value(self, pair, held_value);
}

/* Whether reading has gone well, has met something for the pure twin, or failed. */
typedef enum reading { READ, LEFT_TO_PURE, READ_FAILED } reading;

static reading add_element(module_state *state, collection *self, PyObject *element)
{
    PyObject *key, *value;
    bool good;
    if (PyTuple_CheckExact(element) && PyTuple_Size(element) == 2) {
        key = PyTuple_GetItem(element, 0);
        value = PyTuple_GetItem(element, 1);
    } else if (PyList_CheckExact(element) && PyList_Size(element) == 2) {
        key = PyList_GetItem(element, 0);
        value = PyList_GetItem(element, 1);
    } else {
        return LEFT_TO_PURE;
    }
    if (PyTuple_CheckExact(element) && PyBytes_Check(key) && PyBytes_Check(value)
        && self->count < self->capacity)
        return collection_add_owned(self, element, key, value) ? READ : READ_FAILED;
    /* Reading a bytearray runs code, which could let go of what is borrowed. */
    Py_INCREF(key);
    Py_INCREF(value);
    good = collection_add(state, self, key, value, "value");
    Py_DECREF(key);
    Py_DECREF(value);
    return good ? READ : READ_FAILED;
}

static reading read_dict(module_state *state, collection *self, PyObject *pairs)
{
    PyObject *key, *value;
    Py_ssize_t position = 0;
    if (!collection_reserve(self, (size_t)PyDict_Size(pairs)))
        return READ_FAILED;
    while (PyDict_Next(pairs, &position, &key, &value)) {
        if (!PyBytes_Check(key) || !PyBytes_Check(value))
            return LEFT_TO_PURE;
        if (!collection_add(state, self, key, value, "value"))
            return READ_FAILED;
    }
    return READ;
}

/* Ask for the memory of elements that come soon, which is all over the heap. */
static void fetch_ahead(PyObject *pairs, bool is_list, Py_ssize_t index)
{
    const Py_ssize_t size = is_list ? PyList_Size(pairs) : PyTuple_Size(pairs);
    if (index + 2 * FETCHED >= size)
        return;
    PREFETCH(
        is_list ? PyList_GetItem(pairs, index + 2 * FETCHED)
                : PyTuple_GetItem(pairs, index + 2 * FETCHED)
    );
    PyObject *element = is_list ? PyList_GetItem(pairs, index + FETCHED)
                                : PyTuple_GetItem(pairs, index + FETCHED);
    if (PyTuple_CheckExact(element) && PyTuple_Size(element) == 2) {
        PREFETCH(PyTuple_GetItem(element, 0));
        PREFETCH(PyTuple_GetItem(element, 1));
    }
}

static reading read_list(module_state *state, collection *self, PyObject *pairs)
{
    const bool is_list = PyList_Check(pairs);
    reading done = READ;
    if (!collection_reserve(
            self, (size_t)(is_list ? PyList_Size(pairs) : PyTuple_Size(pairs))
        ))
        return READ_FAILED;
    for (Py_ssize_t index = 0; done == READ; index++) {
        if (index >= (is_list ? PyList_Size(pairs) : PyTuple_Size(pairs)))
            break;
        PyObject *element =
            is_list ? PyList_GetItem(pairs, index) : PyTuple_GetItem(pairs, index);
        fetch_ahead(pairs, is_list, index);
        Py_INCREF(element);
        done = add_element(state, self, element);
        Py_DECREF(element);
    }
    return done;
}

/* Read what only the pure `pairs_of` understands. */
static reading read_iterable(module_state *state, collection *self, PyObject *pairs)
{
    PyObject *checked = PyObject_CallFunctionObjArgs(
        state->helpers[HELPER_PAIRS_OF], pairs, NULL
    );
    PyObject *iterator = checked == NULL ? NULL : PyObject_GetIter(checked);
    reading done = iterator == NULL ? READ_FAILED : READ;
    Py_XDECREF(checked);
    while (done == READ) {
        PyObject *element = PyIter_Next(iterator);
        if (element == NULL) {
            if (PyErr_Occurred())
                done = READ_FAILED;
            break;
        }
        done = add_element(state, self, element);
        if (done == LEFT_TO_PURE) {
            /* Items of a mapping of its own kind. */
            PyObject *pair = PySequence_Tuple(element);
            done = READ_FAILED;
            if (pair != NULL && PyTuple_Size(pair) == 2)
                done = add_element(state, self, pair);
            else if (pair != NULL)
                PyErr_SetString(PyExc_ValueError, "an item of the mapping is no pair");
            Py_XDECREF(pair);
        }
        Py_DECREF(element);
    }
    Py_XDECREF(iterator);
    return done;
}

static reading read_pairs(module_state *state, collection *self, PyObject *pairs)
{
    if (PyDict_CheckExact(pairs))
        return read_dict(state, self, pairs);
    if (PyList_CheckExact(pairs) || PyTuple_CheckExact(pairs))
        return read_list(state, self, pairs);
    return read_iterable(state, self, pairs);
}

/* ---- work without the GIL ---- */

/* From this many pairs on it is worth while to start threads. */
#define WORTH_THREADS 2000

typedef struct work {
    const keccak_kernel *kernel;
    mpt_pair *pairs;
    size_t count;
    bool hash_keys; /* else they are as they should be */
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
    PyThread_type_lock lock; /* for the three above */
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
    shared->tally.calls += tally.calls;
    shared->tally.bytes += tally.bytes;
    shared->tally.permutations += tally.permutations;
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
        task->tally.calls += shared.tally.calls;
        task->tally.bytes += shared.tally.bytes;
        task->tally.permutations += shared.tally.permutations;
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
    if (task->hash_keys) {
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
    const mpt_status status = mpt_arrange(task->pairs, &task->count);
    if (status != MPT_GOOD)
        return status;
    if (task->threads > 1 && task->count >= WORTH_THREADS)
        return root_in_threads(task);
    return mpt_root(
        task->builder, task->kernel, task->pairs, task->count, task->root, &task->tally
    );
}

/* Find the root of *count* pairs of *bytes* bytes, and return it as a Hash. */
static PyObject *root_of(
    module_state *state, mpt_pair *pairs, size_t count, size_t bytes, bool hash_keys,
    unsigned threads
)
{
    work task;
    memset(&task, 0, sizeof task);
    task.kernel = state->kernel;
    task.pairs = pairs;
    task.count = count;
    task.hash_keys = hash_keys;
    task.threads = threads;
    /* One builder is kept; whoever finds none, as it is in use, makes one. */
    task.builder = state->builder != NULL ? state->builder : mpt_builder_new();
    state->builder = NULL;
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
    if (state->builder == NULL)
        state->builder = task.builder;
    else
        mpt_builder_free(task.builder);
    state->tally.calls += task.tally.calls;
    state->tally.bytes += task.tally.bytes;
    state->tally.permutations += task.tally.permutations;
    if (status != MPT_GOOD)
        return PyErr_NoMemory();
    return PyObject_CallFunction(
        state->helpers[HELPER_HASH], "y#", (const char *)task.root,
        (Py_ssize_t)KECCAK256_SIZE
    );
}

/* Read `threads=`, the only keyword; anything odd is left to the pure twin. */
static bool read_threads(PyObject *const *values, PyObject *names, unsigned *threads)
{
    const Py_ssize_t named = names == NULL ? 0 : PyTuple_Size(names);
    *threads = 1;
    if (named == 0)
        return true;
    if (named != 1
        || PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "threads") != 0
        || !PyLong_Check(values[0]))
        return false;
    int overflow;
    const long number = PyLong_AsLongAndOverflow(values[0], &overflow);
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
    const reading done = read_pairs(state, &pairs, arguments[0]);
    if (done == READ)
        root = root_of(
            state, pairs.pairs, pairs.count, pairs.bytes, twin == TWIN_SECURE_TRIE_ROOT,
            threads
        );
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
            root = root_of(state, pairs.pairs, pairs.count, pairs.bytes, false, threads);
        }
    }
    PyMem_Free(keys);
    collection_free(&pairs);
    return root;
}

/* ---- packed keys and values ---- */

/* Where the pieces of a buffer are. */
typedef struct pieces {
    borrowed data;
    Py_buffer offsets; /* held if its obj is not NULL; else all are of one size */
    size_t size;
    size_t count;
} pieces;

/* Whether nobody can change the bytes that a buffer was borrowed from. */
static bool is_constant(const borrowed *data)
{
    if (data->buffer.obj == NULL)
        return true; /* bytes, or a copy */
    if (!PyMemoryView_Check(data->buffer.obj))
        return false;
    PyObject *below = PyObject_GetAttrString(data->buffer.obj, "obj");
    const bool is_bytes = below != NULL && PyBytes_Check(below);
    if (below == NULL)
        PyErr_Clear();
    Py_XDECREF(below);
    return is_bytes;
}

/*
 * Copy what another thread could change while the GIL is released: the builder computes
 * sizes first and writes later.
 */
static bool make_constant(borrowed *data)
{
    if (is_constant(data))
        return true;
    PyObject *copy = PyBytes_FromStringAndSize(
        (const char *)data->data, (Py_ssize_t)data->size
    );
    PyBuffer_Release(&data->buffer);
    data->buffer.obj = NULL;
    data->owner = copy;
    if (copy == NULL)
        return false;
    data->data = (const uint8_t *)PyBytes_AsString(copy);
    return true;
}

/* Read one buffer and its offsets; false where the pure twin has to decide. */
static bool pieces_read(
    module_state *state, pieces *self, PyObject *data, PyObject *offsets
)
{
    if (!PyBytes_Check(data) && !PyByteArray_Check(data) && !PyMemoryView_Check(data))
        return false;
    if (!borrow(state, data, "data", &self->data) || !make_constant(&self->data)) {
        PyErr_Clear();
        return false;
    }
    if (PyLong_Check(offsets)) {
        const Py_ssize_t size = PyLong_AsSsize_t(offsets);
        if (size == -1 && PyErr_Occurred())
            PyErr_Clear();
        if (size < 1 || self->data.size % (size_t)size != 0)
            return false;
        self->size = (size_t)size;
        self->count = self->data.size / self->size;
        return true;
    }
    if (!PyMemoryView_Check(offsets))
        return false;
    if (PyObject_GetBuffer(offsets, &self->offsets, PyBUF_FULL_RO) < 0) {
        PyErr_Clear();
        self->offsets.obj = NULL;
        return false;
    }
    const Py_buffer *view = &self->offsets;
    if (view->itemsize != 8 || view->ndim != 1 || !PyBuffer_IsContiguous(view, 'C')
        || view->format == NULL
        || (strcmp(view->format, "Q") != 0 && strcmp(view->format, "L") != 0))
        return false;
    const size_t places = (size_t)view->len / 8;
    self->count = places == 0 ? 0 : places - 1;
    uint64_t before = 0;
    for (size_t index = 0; index < places; index++) {
        uint64_t place;
        memcpy(&place, (const uint8_t *)view->buf + 8 * index, 8);
        if (place < before || place > self->data.size)
            return false;
        before = place;
    }
    return true;
}

static const uint8_t *piece(const pieces *self, size_t index, size_t *size)
{
    if (self->offsets.obj == NULL) {
        *size = self->size;
        return self->data.data + index * self->size;
    }
    uint64_t places[2];
    memcpy(places, (const uint8_t *)self->offsets.buf + 8 * index, sizeof places);
    *size = (size_t)(places[1] - places[0]);
    return self->data.data + places[0];
}

static void pieces_release(pieces *self)
{
    borrowed_release(&self->data);
    if (self->offsets.obj != NULL)
        PyBuffer_Release(&self->offsets);
}

PyObject *binding_packed_trie_root(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    module_state *state = state_of(module);
    const Py_ssize_t named = names == NULL ? 0 : PyTuple_Size(names);
    PyObject *key_offsets = NULL, *value_offsets = NULL;
    unsigned threads = 1;
    bool good = count == 2;
    for (Py_ssize_t index = 0; good && index < named; index++) {
        PyObject *name = PyTuple_GetItem(names, index);
        PyObject *value = arguments[count + index];
        if (PyUnicode_CompareWithASCIIString(name, "key_offsets") == 0) {
            key_offsets = value;
        } else if (PyUnicode_CompareWithASCIIString(name, "value_offsets") == 0) {
            value_offsets = value;
        } else {
            PyObject *alone = PyTuple_Pack(1, name);
            if (alone == NULL)
                return NULL;
            good = read_threads(&value, alone, &threads);
            Py_DECREF(alone);
        }
    }
    pieces keys, values;
    memset(&keys, 0, sizeof keys);
    memset(&values, 0, sizeof values);
    good = good && key_offsets != NULL && value_offsets != NULL
           && pieces_read(state, &keys, arguments[0], key_offsets)
           && pieces_read(state, &values, arguments[1], value_offsets)
           && keys.count == values.count;
    PyObject *root = NULL;
    if (good) {
        mpt_pair *pairs = NULL;
        if (keys.count < (size_t)PY_SSIZE_T_MAX / sizeof *pairs)
            pairs = PyMem_Malloc(keys.count * sizeof *pairs + 1);
        if (pairs == NULL) {
            PyErr_NoMemory();
        } else {
            for (size_t index = 0; index < keys.count; index++) {
                mpt_pair *pair = &pairs[index];
                pair->key = piece(&keys, index, &pair->key_size);
                pair->value = piece(&values, index, &pair->value_size);
            }
            root = root_of(
                state, pairs, keys.count, keys.data.size + values.data.size, false, threads
            );
        }
        PyMem_Free(pairs);
    }
    pieces_release(&keys);
    pieces_release(&values);
    if (!good)
        return call_pure(state, TWIN_PACKED_TRIE_ROOT, arguments, count, names);
    return root;
}
