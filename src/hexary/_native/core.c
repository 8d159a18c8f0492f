/* The core of a mutable trie, as hexary.trie.core has it in Python. */
#include "binding.h"

#include <string.h>

#include "mpt_trie.h"

typedef struct core {
    PyObject_HEAD
    mpt_node *root;
} core;

/* Iterates over the trie as it was when the iterator was asked for. */
typedef struct core_items {
    PyObject_HEAD
    mpt_node *root;
    PyObject *prefix; /* bytes */
    PyObject *low;    /* bytes, or NULL: keys from this one on */
    PyObject *high;   /* bytes, or NULL: keys before this one */
    bool is_reverse;
    bool is_done;
    mpt_found found; /* the key that came last, from the second pair on */
    bool has_last;
} core_items;

static void *allocate(PyTypeObject *type)
{
    allocfunc function = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return function(type, 0);
}

static void deallocate(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static bool bytes_of(PyObject *object, const uint8_t **data, size_t *size)
{
    char *start;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(object, &start, &length) < 0)
        return false;
    *data = (const uint8_t *)start;
    *size = (size_t)length;
    return true;
}

static PyObject *core_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    if (PyTuple_Size(arguments) > 0 || (names != NULL && PyDict_Size(names) > 0)) {
        PyErr_SetString(PyExc_TypeError, "a core is made empty");
        return NULL;
    }
    return allocate(type);
}

static void core_free(PyObject *object)
{
    mpt_node_release(((core *)object)->root);
    deallocate(object);
}

static PyObject *core_copy(PyObject *object, PyObject *unused)
{
    core *other = allocate(Py_TYPE(object));
    (void)unused;
    if (other != NULL) {
        other->root = ((core *)object)->root;
        mpt_node_retain(other->root);
    }
    return (PyObject *)other;
}

static PyObject *core_root_hash(
    PyObject *object, PyTypeObject *type, PyObject *const *arguments, Py_ssize_t count,
    PyObject *names
)
{
    module_state *state = PyType_GetModuleState(type);
    uint8_t digest[KECCAK256_SIZE];
    (void)arguments;
    if (state == NULL)
        return NULL;
    if (count != 0 || (names != NULL && PyTuple_Size(names) > 0)) {
        PyErr_SetString(PyExc_TypeError, "root_hash takes no arguments");
        return NULL;
    }
    if (mpt_trie_hash(((core *)object)->root, state->kernel, digest, &state->tally)
        != MPT_GOOD)
        return PyErr_NoMemory();
    return PyObject_CallFunction(
        state->helpers[HELPER_HASH], "y#", (const char *)digest,
        (Py_ssize_t)KECCAK256_SIZE
    );
}

static PyObject *core_get(PyObject *object, PyObject *key)
{
    const uint8_t *data, *value;
    size_t size, value_size;
    if (!bytes_of(key, &data, &size))
        return NULL;
    if (!mpt_trie_get(((core *)object)->root, data, size, &value, &value_size))
        Py_RETURN_NONE;
    return PyBytes_FromStringAndSize((const char *)value, (Py_ssize_t)value_size);
}

static PyObject *core_set(
    PyObject *object, PyObject *const *arguments, Py_ssize_t count
)
{
    const uint8_t *data, *value;
    size_t size, value_size;
    bool added;
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "set takes a key and a value");
        return NULL;
    }
    if (!bytes_of(arguments[0], &data, &size)
        || !bytes_of(arguments[1], &value, &value_size))
        return NULL;
    if (value_size == 0) {
        PyErr_SetString(PyExc_ValueError, "a value is one byte or more");
        return NULL;
    }
    if (mpt_trie_set(&((core *)object)->root, data, size, value, value_size, &added)
        != MPT_GOOD)
        return PyErr_NoMemory();
    return PyBool_FromLong(added);
}

static PyObject *core_delete(PyObject *object, PyObject *key)
{
    const uint8_t *data;
    size_t size;
    bool removed;
    if (!bytes_of(key, &data, &size))
        return NULL;
    if (mpt_trie_delete(&((core *)object)->root, data, size, &removed) != MPT_GOOD)
        return PyErr_NoMemory();
    return PyBool_FromLong(removed);
}

/* ---- iteration ---- */

static bool take_bytes(PyObject *value, const char *name, PyObject **into)
{
    if (value == NULL || value == Py_None)
        return true;
    if (!PyBytes_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be bytes", name);
        return false;
    }
    Py_INCREF(value);
    *into = value;
    return true;
}

static PyObject *core_items_of(
    PyObject *object, PyTypeObject *type, PyObject *const *arguments, Py_ssize_t count,
    PyObject *names
)
{
    static const char *const accepted[] = {"prefix", "start", "stop", "reverse"};
    PyObject *values[4] = {NULL, NULL, NULL, NULL};
    module_state *state = PyType_GetModuleState(type);
    if (state == NULL)
        return NULL;
    bool good = count == 0;
    for (Py_ssize_t index = 0; good && names != NULL && index < PyTuple_Size(names);
         index++) {
        unsigned place = 0;
        while (place < 4
               && PyUnicode_CompareWithASCIIString(
                      PyTuple_GetItem(names, index), accepted[place]
                  ) != 0)
            place++;
        good = place < 4;
        if (good)
            values[place] = arguments[index];
    }
    if (!good) {
        PyErr_SetString(PyExc_TypeError, "items takes prefix, start, stop and reverse");
        return NULL;
    }
    const int is_reverse = values[3] == NULL ? 0 : PyObject_IsTrue(values[3]);
    core_items *made = is_reverse < 0 ? NULL : allocate(state->items_type);
    if (made == NULL)
        return NULL;
    made->is_reverse = is_reverse > 0;
    made->root = ((core *)object)->root;
    mpt_node_retain(made->root);
    if (!take_bytes(values[0], "prefix", &made->prefix)
        || !take_bytes(values[1], "start", &made->low)
        || !take_bytes(values[2], "stop", &made->high))
        Py_CLEAR(made);
    return (PyObject *)made;
}

static void items_free(PyObject *object)
{
    core_items *self = (core_items *)object;
    mpt_node_release(self->root);
    Py_XDECREF(self->prefix);
    Py_XDECREF(self->low);
    Py_XDECREF(self->high);
    mpt_found_free(&self->found);
    deallocate(object);
}

/* A bound: no key if data is NULL. */
typedef struct bound {
    const uint8_t *data;
    size_t size;
} bound;

static bound bound_of(PyObject *object)
{
    bound out = {NULL, 0};
    if (object != NULL)
        (void)bytes_of(object, &out.data, &out.size);
    return out;
}

static bool is_before(bound one, bound other)
{
    return mpt_compare_keys(one.data, one.size, other.data, other.size) < 0;
}

static bool begins_with(bound key, bound prefix)
{
    return key.size >= prefix.size
           && (prefix.size == 0 || memcmp(key.data, prefix.data, prefix.size) == 0);
}

/* Find the first pair, or in reverse the last one, that the bounds admit. */
static mpt_status find_first(core_items *self)
{
    const bound prefix = bound_of(self->prefix);
    if (!self->is_reverse) {
        bound low = bound_of(self->low);
        if (low.data == NULL || (prefix.data != NULL && is_before(low, prefix)))
            low = prefix;
        if (low.data == NULL)
            low.data = (const uint8_t *)"";
        return mpt_trie_first_from(self->root, low.data, low.size, &self->found);
    }
    /* Keys with the prefix are before the smallest one that is larger than all these. */
    bound high = bound_of(self->high);
    uint8_t *after = NULL;
    bound end = {NULL, prefix.size};
    while (end.size > 0 && prefix.data[end.size - 1] == 0xff)
        end.size--;
    if (end.size > 0) {
        after = PyMem_Malloc(end.size);
        if (after == NULL)
            return MPT_NO_MEMORY;
        memcpy(after, prefix.data, end.size);
        after[end.size - 1]++;
        end.data = after;
        if (high.data == NULL || is_before(end, high))
            high = end;
    }
    const mpt_status status =
        mpt_trie_last_before(self->root, high.data, high.size, &self->found);
    PyMem_Free(after);
    return status;
}

static mpt_status find_next(core_items *self)
{
    /* The search writes the new key where the last one is. */
    const size_t size = self->found.key_size;
    uint8_t *last = PyMem_Malloc(size + 1);
    mpt_status status;
    if (last == NULL)
        return MPT_NO_MEMORY;
    if (size > 0)
        memcpy(last, self->found.key, size);
    last[size] = 0; /* no key lies between a key and the same with a zero byte */
    if (self->is_reverse)
        status = mpt_trie_last_before(self->root, last, size, &self->found);
    else
        status = mpt_trie_first_from(self->root, last, size + 1, &self->found);
    PyMem_Free(last);
    return status;
}

static PyObject *items_next(PyObject *object)
{
    core_items *self = (core_items *)object;
    if (self->is_done)
        return NULL;
    const mpt_status status = self->has_last ? find_next(self) : find_first(self);
    self->has_last = true;
    if (status != MPT_GOOD)
        return PyErr_NoMemory();
    const bound key = {self->found.key, self->found.key_size};
    const bound low = bound_of(self->low), high = bound_of(self->high);
    if (self->found.value == NULL || !begins_with(key, bound_of(self->prefix))
        || (low.data != NULL && is_before(key, low))
        || (high.data != NULL && !is_before(key, high))) {
        self->is_done = true;
        return NULL;
    }
    return Py_BuildValue(
        "(y#y#)", key.size == 0 ? "" : (const char *)key.data, (Py_ssize_t)key.size,
        (const char *)self->found.value, (Py_ssize_t)self->found.value_size
    );
}

#define METHOD(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef core_methods[] = {
    {"copy", core_copy, METH_NOARGS,
     "copy($self, /)\n--\n\nReturn an independent core, in constant time."},
    {"root_hash", METHOD(core_root_hash), METH_METHOD | METH_FASTCALL | METH_KEYWORDS,
     "root_hash($self, /)\n--\n\nReturn the root hash."},
    {"get", core_get, METH_O,
     "get($self, key, /)\n--\n\nReturn the value at key, None if it is absent."},
    {"set", METHOD(core_set), METH_FASTCALL,
     "set($self, key, value, /)\n--\n\nPut value at key; return whether it is new."},
    {"delete", core_delete, METH_O,
     "delete($self, key, /)\n--\n\nRemove key; return whether it was there."},
    {"items", METHOD(core_items_of), METH_METHOD | METH_FASTCALL | METH_KEYWORDS,
     "items($self, /, *, prefix=b'', start=None, stop=None, reverse=False)\n--\n\n"
     "Iterate over keys and values in key order, or backwards."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot core_slots[] = {
    {Py_tp_new, core_new},
    {Py_tp_dealloc, core_free},
    {Py_tp_methods, core_methods},
    {Py_tp_doc, "An ordered map from bytes to bytes that knows its root hash."},
    {0, NULL},
};

PyType_Spec core_spec = {
    .name = "hexary._native.accelerator.Core",
    .basicsize = sizeof(core),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = core_slots,
};

static PyType_Slot items_slots[] = {
    {Py_tp_dealloc, items_free},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, items_next},
    {0, NULL},
};

PyType_Spec items_spec = {
    .name = "hexary._native.accelerator.CoreItems",
    .basicsize = sizeof(core_items),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION
             | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = items_slots,
};
