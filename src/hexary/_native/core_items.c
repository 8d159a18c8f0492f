/* Iterating over a core. */
#include "core.h"

#include <string.h>

/* Goes over the trie as it was when the iterator was asked for. */
typedef struct items_iterator {
    core_head head;
    PyObject *source; /* or NULL */
    mpt_iterator iterator;
    uint8_t *bounds; /* the memory of all of them */
    bool is_done;
    bool is_running;
} items_iterator;

/* Unpack the nibbles of a key into *out*, if it is one; return what follows them. */
static uint8_t *unpack(uint8_t *out, PyObject *key)
{
    const uint8_t *data;
    size_t size;
    if (key == NULL || !core_bytes(key, &data, &size))
        return out;
    for (size_t index = 0; index < 2 * size; index++)
        *out++ = (uint8_t)mpt_nibble(data, index);
    return out;
}

static bool start(items_iterator *self, mpt_node *root, PyObject *const keys[3], bool reverse)
{
    size_t total = 1;
    for (unsigned index = 0; index < 3; index++)
        if (keys[index] != NULL)
            total += 2 * (size_t)PyBytes_Size(keys[index]);
    self->bounds = PyMem_Malloc(total);
    if (self->bounds == NULL) {
        PyErr_NoMemory();
        return false;
    }
    mpt_bounds bounds;
    uint8_t *at = self->bounds;
    bounds.head = at;
    at = unpack(at, keys[0]);
    bounds.head_size = (size_t)(at - bounds.head);
    bounds.low = at;
    at = unpack(at, keys[1]);
    bounds.low_size = (size_t)(at - bounds.low);
    bounds.high = keys[2] == NULL ? NULL : at;
    bounds.high_size = (size_t)(unpack(at, keys[2]) - at);
    mpt_iterator_start(&self->iterator, root, &bounds, reverse);
    return true;
}

PyObject *core_items(
    PyObject *object, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    static const char *const accepted[] = {"prefix", "start", "stop", "reverse"};
    PyObject *values[4] = {NULL, NULL, NULL, NULL};
    const Py_ssize_t named = names == NULL ? 0 : PyTuple_Size(names);
    bool good = count == 0;
    for (Py_ssize_t index = 0; good && index < named; index++) {
        PyObject *name = PyTuple_GetItem(names, index);
        unsigned place = 0;
        while (place < 4 && PyUnicode_CompareWithASCIIString(name, accepted[place]) != 0)
            place++;
        good = place < 4;
        if (good)
            values[place] = arguments[index];
    }
    for (unsigned place = 0; good && place < 3; place++) {
        if (values[place] == Py_None)
            values[place] = NULL;
        good = values[place] == NULL || PyBytes_Check(values[place]);
    }
    if (!good) {
        PyErr_SetString(
            PyExc_TypeError, "items takes prefix, start and stop as bytes, and reverse"
        );
        return NULL;
    }
    const int is_reverse = values[3] == NULL ? 0 : PyObject_IsTrue(values[3]);
    if (is_reverse < 0)
        return NULL;
    core *self = as_core(object);
    PyTypeObject *type = core_state(object)->items_type;
    if (type == NULL) {
        raise_taken_down();
        return NULL;
    }
    items_iterator *made = core_allocate(type, self->head.module);
    if (made == NULL)
        return NULL;
    Py_XINCREF(self->source);
    made->source = self->source;
    if (!start(made, self->root, values, is_reverse > 0))
        Py_CLEAR(made);
    return (PyObject *)made;
}

static int items_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((items_iterator *)object)->head.module);
    Py_VISIT(((items_iterator *)object)->source);
    return 0;
}

static int items_clear(PyObject *object)
{
    Py_CLEAR(((items_iterator *)object)->source);
    return 0;
}

static void items_free(PyObject *object)
{
    items_iterator *self = (items_iterator *)object;
    PyObject_GC_UnTrack(object);
    items_clear(object);
    mpt_iterator_free(&self->iterator);
    PyMem_Free(self->bounds);
    core_deallocate(object);
}

/* Open the node that the iteration has come to. */
static bool open_next(module_state *state, items_iterator *self)
{
    uint8_t digest[KECCAK256_SIZE];
    mpt_node *node;
    bool good = false;
    memcpy(digest, mpt_node_digest(self->iterator.next), sizeof digest);
    PyObject *path = PyBytes_FromStringAndSize(
        (const char *)self->iterator.path, (Py_ssize_t)self->iterator.size
    );
    if (path == NULL)
        return false;
    PyObject *known = core_fetch(state, self->source, digest, path, &node);
    if (known != NULL) {
        good = mpt_iterator_open(&self->iterator, node) == MPT_GOOD;
        if (!good)
            core_refuse_child(state, digest, path);
    }
    Py_XDECREF(known);
    Py_DECREF(path);
    return good;
}

/* Raise what the pure code raises for a key that is not whole bytes. */
static void refuse_key(module_state *state, const items_iterator *self)
{
    PyObject *answer = core_call_helper(
        state, HELPER_KEY_AT,
        Py_BuildValue(
            "(y#)", (const char *)self->iterator.path, (Py_ssize_t)self->iterator.size
        )
    );
    if (answer != NULL)
        PyErr_SetString(PyExc_SystemError, "half a byte was not refused");
    Py_XDECREF(answer);
}

static PyObject *pair_of(const items_iterator *self)
{
    const mpt_iterator *at = &self->iterator;
    PyObject *key = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(at->size / 2));
    PyObject *value = PyBytes_FromStringAndSize(
        (const char *)at->value, (Py_ssize_t)at->value_size
    );
    PyObject *pair = NULL;
    if (key != NULL && value != NULL) {
        uint8_t *out = (uint8_t *)PyBytes_AsString(key);
        for (size_t index = 0; index < at->size / 2; index++)
            out[index] = (uint8_t)(at->path[2 * index] << 4 | at->path[2 * index + 1]);
        pair = PyTuple_Pack(2, key, value);
    }
    Py_XDECREF(key);
    Py_XDECREF(value);
    return pair;
}

static PyObject *next_pair(module_state *state, items_iterator *self)
{
    for (;;) {
        const mpt_status status = mpt_iterator_next(&self->iterator);
        if (status == MPT_GOOD)
            return pair_of(self);
        if (status == MPT_HIDDEN) {
            if (!open_next(state, self))
                return NULL;
            continue;
        }
        if (status == MPT_HALF_A_BYTE)
            refuse_key(state, self);
        else if (status != MPT_END)
            core_raise(status);
        return NULL;
    }
}

static PyObject *items_next(PyObject *object)
{
    items_iterator *self = (items_iterator *)object;
    if (self->is_done)
        return NULL;
    if (self->is_running) { /* in another thread, or in the source that it has asked */
        PyErr_SetString(PyExc_ValueError, "iterator already executing");
        return NULL;
    }
    self->is_running = true;
    PyObject *pair = next_pair(core_state(object), self);
    self->is_running = false;
    if (pair == NULL) {
        self->is_done = true;
        mpt_iterator_free(&self->iterator);
    }
    return pair;
}

static PyType_Slot items_slots[] = {
    {Py_tp_dealloc, items_free},
    {Py_tp_traverse, items_traverse},
    {Py_tp_clear, items_clear},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, items_next},
    {0, NULL},
};

PyType_Spec items_spec = {
    .name = "hexary._native.accelerator.CoreItems",
    .basicsize = sizeof(items_iterator),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION
             | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = items_slots,
};
