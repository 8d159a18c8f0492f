/* Keccak: single messages and batches. */
#include "binding.h"

#include <string.h>

/* Raise the error that the pure twin raises for *object*. */
static void refuse(module_state *state, PyObject *object, const char *argument)
{
    PyObject *to_buffer = state->helpers[HELPER_TO_BUFFER];
    PyObject *answer = NULL;
    if (to_buffer != NULL)
        answer = PyObject_CallFunction(to_buffer, "Os", object, argument);
    if (answer != NULL || !PyErr_Occurred())
        PyErr_Format(
            PyExc_TypeError, "%s must be bytes, bytearray or memoryview", argument
        );
    Py_XDECREF(answer);
}

static bool borrow_bytes(PyObject *object, borrowed *out)
{
    char *data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(object, &data, &size) < 0)
        return false;
    out->data = (const uint8_t *)data;
    out->size = (size_t)size;
    return true;
}

bool borrow(module_state *state, PyObject *object, const char *argument, borrowed *out)
{
    out->owner = NULL;
    out->buffer.obj = NULL;
    if (PyBytes_Check(object))
        return borrow_bytes(object, out);
    if (!PyByteArray_Check(object) && !PyMemoryView_Check(object)) {
        refuse(state, object, argument);
        return false;
    }
    if (PyByteArray_Check(object) && !PyByteArray_CheckExact(object)) {
        /* Whatever its class makes of buffers, these are the bytes that it holds. */
        out->owner = PyBytes_FromStringAndSize(
            PyByteArray_AsString(object), PyByteArray_Size(object)
        );
        return out->owner != NULL && borrow_bytes(out->owner, out);
    }
    if (PyObject_GetBuffer(object, &out->buffer, PyBUF_FULL_RO) < 0) {
        out->buffer.obj = NULL;
        if (PyErr_ExceptionMatches(PyExc_ValueError)) { /* a view that was released */
            PyErr_Clear();
            refuse(state, object, argument);
        }
        return false;
    }
    if (PyBuffer_IsContiguous(&out->buffer, 'C')) {
        /* Nothing may be nowhere, but callers count on an address. */
        out->data = out->buffer.buf != NULL ? out->buffer.buf : (const uint8_t *)"";
        out->size = (size_t)out->buffer.len;
        return true;
    }
    PyBuffer_Release(&out->buffer);
    out->buffer.obj = NULL;
    out->owner = PyObject_CallMethodObjArgs(object, state->name_tobytes, NULL);
    return out->owner != NULL && borrow_bytes(out->owner, out);
}

void borrowed_release(borrowed *out)
{
    if (out->buffer.obj != NULL)
        PyBuffer_Release(&out->buffer);
    Py_XDECREF(out->owner);
}

typedef void one_shot(const keccak_kernel *, const uint8_t *, size_t, uint8_t *);

/* Hash what the caller keeps; a small input is not worth the release of the GIL. */
static inline PyObject *digest_of_bytes(
    const keccak_kernel *kernel, const uint8_t *data, size_t size, one_shot *function,
    Py_ssize_t digest_size
)
{
    uint8_t digest[KECCAK512_SIZE];
    if (size < LARGE_INPUT) {
        function(kernel, data, size, digest);
    } else {
        Py_BEGIN_ALLOW_THREADS
        function(kernel, data, size, digest);
        Py_END_ALLOW_THREADS
    }
    return PyBytes_FromStringAndSize((const char *)digest, digest_size);
}

static inline PyObject *digest_of(
    PyObject *module, PyObject *object, one_shot *function, Py_ssize_t digest_size
)
{
    module_state *state = state_of(module);
    borrowed input;
    if (PyBytes_CheckExact(object)) {
        /* By far the most frequent: nothing to hold, nothing to release. */
        return borrow_bytes(object, &input)
                   ? digest_of_bytes(
                         state->kernel, input.data, input.size, function, digest_size
                     )
                   : NULL;
    }
    PyObject *digest = NULL;
    if (borrow(state, object, "data", &input))
        digest = digest_of_bytes(
            state->kernel, input.data, input.size, function, digest_size
        );
    borrowed_release(&input);
    return digest;
}

PyObject *binding_keccak256(PyObject *module, PyObject *data)
{
    return digest_of(module, data, keccak256, KECCAK256_SIZE);
}

PyObject *binding_keccak512(PyObject *module, PyObject *data)
{
    return digest_of(module, data, keccak512, KECCAK512_SIZE);
}

/* How many messages are held at a time. */
#define ROUND 256

/* Messages that are hashed together; each is held by a reference of its own. */
typedef struct round_of {
    PyObject *held[ROUND];
    const uint8_t *data[ROUND];
    size_t sizes[ROUND];
    unsigned count;
    size_t bytes;
} round_of;

static void round_release(round_of *messages)
{
    for (unsigned index = 0; index < messages->count; index++)
        Py_DECREF(messages->held[index]);
    messages->count = 0;
    messages->bytes = 0;
}

/* Hold *object* as bytes; *position* is its index in the caller's items. */
static bool round_take(
    module_state *state, round_of *messages, PyObject *object, Py_ssize_t position
)
{
    PyObject *held = object;
    if (PyBytes_Check(object)) {
        Py_INCREF(held);
    } else {
        char argument[40];
        borrowed input;
        PyOS_snprintf(argument, sizeof argument, "items[%zd]", position);
        if (!borrow(state, object, argument, &input)) {
            borrowed_release(&input);
            return false;
        }
        /* A copy: whoever yields one bytearray again and again may change it. */
        held = PyBytes_FromStringAndSize((const char *)input.data, (Py_ssize_t)input.size);
        borrowed_release(&input);
        if (held == NULL)
            return false;
    }
    borrowed message;
    if (!borrow_bytes(held, &message)) {
        Py_DECREF(held);
        return false;
    }
    messages->held[messages->count] = held;
    messages->data[messages->count] = message.data;
    messages->sizes[messages->count] = message.size;
    messages->count++;
    messages->bytes += message.size;
    return true;
}

/* Hash the messages of a round and append their digests to the list *digests*. */
static bool round_hash(
    module_state *state, keccak_batch *batch, round_of *messages, PyObject *digests
)
{
    uint8_t *where[ROUND];
    for (unsigned index = 0; index < messages->count; index++) {
        PyObject *digest = PyBytes_FromStringAndSize(NULL, KECCAK256_SIZE);
        if (digest == NULL || PyList_Append(digests, digest) < 0) {
            Py_XDECREF(digest);
            return false;
        }
        Py_DECREF(digest); /* the list keeps it */
        where[index] = (uint8_t *)PyBytes_AsString(digest);
    }
    keccak_batch_start(batch, state->kernel); /* another thread may choose another one */
    PyThreadState *saved = messages->bytes < LARGE_INPUT ? NULL : PyEval_SaveThread();
    for (unsigned index = 0; index < messages->count; index++)
        keccak_batch_add(
            batch, messages->data[index], messages->sizes[index], where[index]
        );
    keccak_batch_flush(batch);
    if (saved != NULL)
        PyEval_RestoreThread(saved);
    round_release(messages);
    return true;
}

static bool hash_items(
    module_state *state, keccak_batch *batch, round_of *messages, PyObject *items,
    PyObject *digests
)
{
    const bool is_list = PyList_CheckExact(items);
    const bool is_tuple = PyTuple_CheckExact(items);
    PyObject *iterator = NULL;
    if (!is_list && !is_tuple) {
        iterator = PyObject_CallFunctionObjArgs(
            state->helpers[HELPER_TO_ITEMS], items, NULL
        );
        if (iterator == NULL)
            return false;
    }
    bool good = true;
    Py_ssize_t position = 0;
    while (good) {
        PyObject *item = NULL;
        if (is_list) {
            /* The list may shrink while the GIL is released. */
            if (position < PyList_Size(items))
                item = PyList_GetItem(items, position);
            Py_XINCREF(item);
        } else if (is_tuple) {
            if (position < PyTuple_Size(items))
                item = PyTuple_GetItem(items, position);
            Py_XINCREF(item);
        } else {
            item = PyIter_Next(iterator);
        }
        if (item == NULL)
            break;
        good = round_take(state, messages, item, position++);
        Py_DECREF(item);
        if (good && messages->count == ROUND)
            good = round_hash(state, batch, messages, digests);
    }
    Py_XDECREF(iterator);
    return good && !PyErr_Occurred()
           && (messages->count == 0 || round_hash(state, batch, messages, digests));
}

PyObject *binding_keccak256_many(PyObject *module, PyObject *items)
{
    PyObject *digests = PyList_New(0);
    keccak_batch *batch = PyMem_Malloc(sizeof *batch);
    round_of messages;
    messages.count = 0;
    messages.bytes = 0;
    bool good = digests != NULL && batch != NULL;
    if (good)
        good = hash_items(state_of(module), batch, &messages, items, digests);
    else if (!PyErr_Occurred())
        PyErr_NoMemory();
    round_release(&messages);
    PyMem_Free(batch);
    if (!good)
        Py_CLEAR(digests);
    return digests;
}
