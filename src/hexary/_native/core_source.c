/* Nodes of which a core knows only the hash: asking its source for them. */
#include "core.h"

#include <string.h>

void core_raise(mpt_status status)
{
    if (status == MPT_NO_MEMORY)
        PyErr_NoMemory();
    else
        PyErr_Format(PyExc_SystemError, "the core of a trie has failed: %d", (int)status);
}

int core_is_hash_node(module_state *state, PyObject *object)
{
    PyObject *type = state->helpers[HELPER_HASH_NODE];
    if (type == NULL) {
        raise_taken_down();
        return -1;
    }
    return PyObject_IsInstance(object, type);
}

PyObject *core_call_helper(module_state *state, enum helper helper, PyObject *arguments)
{
    PyObject *function = state->helpers[helper];
    PyObject *result = NULL;
    if (arguments == NULL)
        return NULL;
    if (function == NULL) {
        raise_taken_down();
    } else {
        Py_INCREF(function);
        result = PyObject_Call(function, arguments, NULL);
        Py_DECREF(function);
    }
    Py_DECREF(arguments);
    return result;
}

void core_refuse_child(module_state *state, const uint8_t *digest, PyObject *path)
{
    PyObject *answer = core_call_helper(
        state, HELPER_REFUSE_CHILD,
        Py_BuildValue("(y#O)", (const char *)digest, (Py_ssize_t)KECCAK256_SIZE, path)
    );
    if (answer != NULL)
        PyErr_SetString(PyExc_SystemError, "a child that is no branch was not refused");
    Py_XDECREF(answer);
}

static void raise_missing(module_state *state, PyObject *digest, PyObject *path)
{
    PyObject *error = core_call_helper(
        state, HELPER_MISSING_NODE, Py_BuildValue("(OO)", digest, path)
    );
    if (error != NULL)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
}

PyObject *core_ask(
    module_state *state, PyObject *source, PyObject *digest, PyObject *path
)
{
    if (source == NULL) {
        raise_missing(state, digest, path);
        return NULL;
    }
    return PyObject_CallMethodObjArgs(source, state->name_node, digest, path, NULL);
}

/* Read an encoding, and raise what the source says of it if it is no node. */
static mpt_node *read_encoding(
    module_state *state, PyObject *source, PyObject *digest, PyObject *path,
    PyObject *encoding
)
{
    const uint8_t *data;
    size_t size;
    mpt_node *node = NULL;
    if (!core_bytes(encoding, &data, &size))
        return NULL;
    const mpt_status status = mpt_node_read(data, size, &node);
    if (status == MPT_NO_MEMORY) {
        PyErr_NoMemory();
    } else if (status != MPT_GOOD) {
        PyObject *answer = core_ask(state, source, digest, path);
        if (answer != NULL)
            PyErr_SetString(PyExc_SystemError, "a node was not understood");
        Py_XDECREF(answer);
    }
    return node;
}

PyObject *core_fetch(
    module_state *state, PyObject *source, const uint8_t *digest, PyObject *path,
    mpt_node **node
)
{
    PyObject *encoding = NULL;
    PyObject *reference =
        PyBytes_FromStringAndSize((const char *)digest, KECCAK256_SIZE);
    *node = NULL;
    if (reference != NULL && source == NULL)
        raise_missing(state, reference, path);
    else if (reference != NULL)
        encoding = PyObject_CallMethodObjArgs(
            source, state->name_encoding, reference, path, NULL
        );
    if (encoding != NULL) {
        *node = read_encoding(state, source, reference, path, encoding);
        if (*node == NULL)
            Py_CLEAR(encoding);
    }
    Py_XDECREF(reference);
    return encoding;
}

PyObject *core_path(mpt_path whole, size_t count, const uint8_t *more, size_t more_count)
{
    if (count > (size_t)PY_SSIZE_T_MAX - more_count)
        return PyErr_NoMemory();
    PyObject *path = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count + more_count));
    if (path == NULL)
        return NULL;
    uint8_t *out = (uint8_t *)PyBytes_AsString(path);
    for (size_t index = 0; index < count; index++)
        out[index] = (uint8_t)mpt_nibble(whole.bytes, whole.start + index);
    if (more_count > 0)
        memcpy(out + count, more, more_count);
    return path;
}

PyObject *core_view(PyObject **nibbles, mpt_path whole, size_t count)
{
    if (*nibbles == NULL) {
        PyObject *path = core_path(whole, whole.count, NULL, 0);
        if (path != NULL)
            *nibbles = PyMemoryView_FromObject(path);
        Py_XDECREF(path);
    }
    if (*nibbles == NULL)
        return NULL;
    return PySequence_GetSlice(*nibbles, 0, (Py_ssize_t)count);
}

bool core_open(
    module_state *state, PyObject *source, mpt_way *way, const uint8_t *hidden,
    PyObject *path, PyObject **encoding
)
{
    mpt_node *node;
    mpt_status status = MPT_NO_MEMORY;
    uint8_t digest[KECCAK256_SIZE];
    if (path == NULL)
        return false;
    memcpy(digest, hidden, sizeof digest);
    PyObject *fetched = core_fetch(state, source, digest, path, &node);
    if (fetched != NULL) {
        status = mpt_way_open(way, node);
        if (status == MPT_NOT_BRANCH)
            core_refuse_child(state, digest, path);
        else if (status != MPT_GOOD)
            core_raise(status);
    }
    Py_DECREF(path);
    if (status == MPT_GOOD && encoding != NULL) {
        Py_XDECREF(*encoding);
        *encoding = fetched;
    } else {
        Py_XDECREF(fetched);
    }
    return status == MPT_GOOD;
}

bool core_find(
    module_state *state, PyObject *source, mpt_way *way, const uint8_t **value,
    size_t *value_size
)
{
    PyObject *nibbles = NULL;
    bool good = true;
    while (good && mpt_way_find(way, value, value_size) == MPT_HIDDEN)
        good = core_open(
            state, source, way, way->hidden, core_view(&nibbles, way->whole, way->depth),
            NULL
        );
    Py_XDECREF(nibbles);
    return good;
}
