/* Keccak: single messages, batches and running hashes. */
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

/*
 * A running hash.  Small inputs are absorbed under the GIL; a large one without it, under
 * the lock, so that what other threads do to the hash meanwhile waits for its end.
 */
typedef struct running {
    PyObject_HEAD
    keccak_state hash;
    PyThread_type_lock lock; /* NULL until the first large input */
} running;

static running *running_new(PyTypeObject *type)
{
    if (type == NULL) {
        raise_taken_down();
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return (running *)allocate(type, 0); /* filled with zeros */
}

/* Wait until no other thread is in the hash, which can be so only if there is a lock. */
static void running_enter(running *self)
{
    if (self->lock == NULL || PyThread_acquire_lock(self->lock, NOWAIT_LOCK))
        return;
    /* Whoever has the lock needs the GIL before the lock is released. */
    Py_BEGIN_ALLOW_THREADS
    PyThread_acquire_lock(self->lock, WAIT_LOCK);
    Py_END_ALLOW_THREADS
}

static void running_leave(running *self)
{
    if (self->lock != NULL)
        PyThread_release_lock(self->lock);
}

PyObject *binding_start256(PyObject *module, PyObject *unused)
{
    module_state *state = state_of(module);
    running *self = running_new(state->running_type);
    (void)unused;
    if (self != NULL)
        keccak256_start(&self->hash, state->kernel);
    return (PyObject *)self;
}

PyObject *binding_start512(PyObject *module, PyObject *unused)
{
    module_state *state = state_of(module);
    running *self = running_new(state->running_type);
    (void)unused;
    if (self != NULL)
        keccak512_start(&self->hash, state->kernel);
    return (PyObject *)self;
}

static PyObject *running_update(
    PyObject *object, PyTypeObject *type, PyObject *const *arguments, Py_ssize_t count,
    PyObject *names
)
{
    running *self = (running *)object;
    module_state *state = PyType_GetModuleState(type);
    borrowed input;
    if (state == NULL)
        return NULL;
    if (count != 1 || (names != NULL && PyTuple_Size(names) > 0)) {
        PyErr_SetString(PyExc_TypeError, "update takes data alone");
        return NULL;
    }
    if (!borrow(state, arguments[0], "data", &input)) {
        borrowed_release(&input);
        return NULL;
    }
    if (input.size >= LARGE_INPUT && self->lock == NULL)
        self->lock = PyThread_allocate_lock(); /* if there is none: under the GIL */
    running_enter(self);
    if (input.size < LARGE_INPUT || self->lock == NULL) {
        keccak_update(&self->hash, input.data, input.size);
    } else {
        Py_BEGIN_ALLOW_THREADS
        keccak_update(&self->hash, input.data, input.size);
        Py_END_ALLOW_THREADS
    }
    running_leave(self);
    borrowed_release(&input);
    Py_RETURN_NONE;
}

static PyObject *running_digest(PyObject *object, PyObject *unused)
{
    running *self = (running *)object;
    PyObject *digest = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)self->hash.digest_size);
    (void)unused;
    if (digest == NULL)
        return NULL;
    running_enter(self);
    keccak_digest(&self->hash, (uint8_t *)PyBytes_AsString(digest));
    running_leave(self);
    return digest;
}

static PyObject *running_copy(PyObject *object, PyObject *unused)
{
    running *self = (running *)object;
    running *other = running_new(Py_TYPE(object));
    (void)unused;
    if (other == NULL)
        return NULL;
    running_enter(self);
    other->hash = self->hash;
    running_leave(self);
    return (PyObject *)other;
}

static void running_free(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    if (((running *)object)->lock != NULL)
        PyThread_free_lock(((running *)object)->lock);
    release(object);
    Py_DECREF(type); /* an instance of a heap type holds it */
}

static PyMethodDef running_methods[] = {
    {"update", (PyCFunction)(void (*)(void))running_update,
     METH_METHOD | METH_FASTCALL | METH_KEYWORDS,
     "update($self, data, /)\n--\n\nAbsorb data."},
    {"digest", running_digest, METH_NOARGS,
     "digest($self, /)\n--\n\nReturn the digest of all bytes absorbed until now."},
    {"copy", running_copy, METH_NOARGS,
     "copy($self, /)\n--\n\nReturn an independent state with the same bytes."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot running_slots[] = {
    {Py_tp_dealloc, running_free},
    {Py_tp_methods, running_methods},
    {Py_tp_doc, "A running hash; start256 and start512 make one."},
    {0, NULL},
};

PyType_Spec running_spec = {
    .name = "hexary._native.accelerator.Running",
    .basicsize = sizeof(running),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION
             | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = running_slots,
};
