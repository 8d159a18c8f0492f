/*
 * RLP: encoding, and sizes of encodings.
 *
 * An object that has no encoding is left to the pure twin, which raises: its verdicts are
 * the definition.
 */
#include "integer.h"

#include <string.h>

#include "rlp.h"

/*
 * Encodings are written from the last byte to the first: when a list's items are done
 * its size is known, and its header goes in front of them.
 */

typedef struct source {
    PyObject *owner;  /* the caller's object, with a reference */
    PyObject *items;  /* its items as a list or tuple, with a reference */
    Py_ssize_t index; /* the items from this index on are done */
    size_t done;      /* bytes written before its last item */
} source;

#define FIRST_BYTES 1024
#define FIRST_SOURCES 32

typedef struct encoder {
    module_state *state;
    uint8_t *bytes; /* NULL if only the size is wanted */
    size_t capacity;
    size_t written;
    source *sources;
    size_t source_count, source_capacity;
    size_t landmark; /* index of the source that others are compared with */
    uint8_t first_bytes[FIRST_BYTES];
    source first_sources[FIRST_SOURCES];
} encoder;

/* Whether the encoder has gone on, has met something for the pure twin, or an error. */
typedef enum progress { GONE_ON, FOR_THE_PURE_TWIN, FAILED } progress;

static progress make_room(encoder *self, size_t size)
{
    if (size > (size_t)PY_SSIZE_T_MAX - self->written) {
        PyErr_NoMemory();
        return FAILED;
    }
    if (self->bytes == NULL || size <= self->capacity - self->written)
        return GONE_ON;
    size_t capacity = self->capacity;
    while (capacity - self->written < size)
        capacity = capacity <= SIZE_MAX / 2 ? 2 * capacity : SIZE_MAX;
    uint8_t *larger = PyMem_Malloc(capacity);
    if (larger == NULL) {
        PyErr_NoMemory();
        return FAILED;
    }
    memcpy(
        larger + capacity - self->written, self->bytes + self->capacity - self->written,
        self->written
    );
    if (self->bytes != self->first_bytes)
        PyMem_Free(self->bytes);
    self->bytes = larger;
    self->capacity = capacity;
    return GONE_ON;
}

/* Put *size* bytes in front of what is written. */
static progress put(encoder *self, const uint8_t *data, size_t size)
{
    const progress made = make_room(self, size);
    if (made != GONE_ON)
        return made;
    self->written += size;
    if (self->bytes != NULL && size > 0)
        memcpy(self->bytes + self->capacity - self->written, data, size);
    return GONE_ON;
}

static progress put_header(encoder *self, unsigned kind, size_t size)
{
    uint8_t header[RLP_MOST_HEADER];
    return put(self, header, (size_t)(rlp_write_header(header, kind, size) - header));
}

static progress put_string(encoder *self, const uint8_t *data, size_t size)
{
    const bool is_header_less = size == 1 && data[0] < RLP_STRING;
    const progress made = put(self, data, size);
    if (made != GONE_ON || is_header_less)
        return made;
    return put_header(self, RLP_STRING, size);
}

/* Put the string of an object that holds bytes. */
static progress put_buffer(encoder *self, PyObject *object)
{
    borrowed input;
    progress made = FAILED;
    if (borrow(self->state, object, "obj", &input))
        made = put_string(self, input.data, input.size);
    borrowed_release(&input);
    return made;
}

/* Call the pure function that knows all types; a record depends on where it stands. */
static PyObject *call_plain_form(const encoder *self, PyObject *object)
{
    return PyObject_CallFunction(
        self->state->helpers[HELPER_PLAIN_FORM], "On", object,
        (Py_ssize_t)self->source_count
    );
}

static progress put_raw(encoder *self, PyObject *object)
{
    PyObject *encoded = PyObject_GetAttr(object, self->state->name_encoded);
    progress made = FAILED;
    char *data;
    Py_ssize_t size;
    if (encoded != NULL && PyBytes_AsStringAndSize(encoded, &data, &size) == 0)
        made = put(self, (const uint8_t *)data, (size_t)size);
    Py_XDECREF(encoded);
    return made;
}

static progress put_integer(encoder *self, PyObject *object)
{
    int overflow;
    const long long small = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow < 0 || (overflow == 0 && small < 0))
        return FOR_THE_PURE_TWIN; /* negative */
    uint8_t digits[8];
    unsigned count = 0;
    if (overflow == 0) {
        for (unsigned long long rest = (unsigned long long)small; rest > 0; rest >>= 8)
            digits[7 - count++] = (uint8_t)rest;
        return put_string(self, digits + 8 - count, count);
    }
    mpt_number large;
    if (integer_read(self->state, object, &large))
        return put_string(self, large.digits, large.size);
    if (PyErr_Occurred())
        return FAILED;
    PyObject *form = call_plain_form(self, object);
    if (form == NULL)
        return FAILED;
    const progress made = put_buffer(self, form);
    Py_DECREF(form);
    return made;
}

static void leave(encoder *self)
{
    const source *left = &self->sources[--self->source_count];
    Py_DECREF(left->owner);
    Py_DECREF(left->items);
}

/* Go into *owner*, whose items are those of *items*, itself or a copy. */
static progress enter(encoder *self, PyObject *owner, PyObject *items)
{
    if (!GROW(
            self->sources, self->first_sources, self->source_capacity, self->source_count
        ))
        return FAILED;
    source *entered = &self->sources[self->source_count];
    Py_INCREF(owner);
    Py_INCREF(items);
    entered->owner = owner;
    entered->items = items;
    entered->index = PyList_Check(items) ? PyList_Size(items) : PyTuple_Size(items);
    entered->done = self->written;
    /*
     * A list inside itself comes back again and again.  Comparing with one list that
     * is open, a later one each time that the depth has doubled, finds it (Brent).
     */
    if (self->source_count > 0 && self->sources[self->landmark].owner == owner) {
        self->source_count++;
        return FOR_THE_PURE_TWIN;
    }
    if (self->source_count >= 2 * self->landmark)
        self->landmark = self->source_count;
    self->source_count++;
    return GONE_ON;
}

static progress put_other(encoder *self, PyObject *object)
{
    PyObject *form = call_plain_form(self, object);
    if (form == NULL)
        return FAILED;
    progress made = FOR_THE_PURE_TWIN;
    if (PyList_CheckExact(form) || PyTuple_CheckExact(form))
        made = enter(self, object, form);
    else if (PyBytes_CheckExact(form))
        made = put_buffer(self, form);
    else if ((PyObject *)Py_TYPE(form) == self->state->helpers[HELPER_RAW])
        made = put_raw(self, form);
    Py_DECREF(form);
    return made;
}

static progress put_item(encoder *self, PyObject *object)
{
    if (PyBytes_Check(object)) {
        char *data;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(object, &data, &size) < 0)
            return FAILED;
        return put_string(self, (const uint8_t *)data, (size_t)size);
    }
    if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) {
        return enter(self, object, object);
    }
    if (PyLong_Check(object))
        return put_integer(self, object);
    if ((PyObject *)Py_TYPE(object) == self->state->helpers[HELPER_RAW])
        return put_raw(self, object);
    if (PyByteArray_Check(object) || PyMemoryView_Check(object))
        return put_buffer(self, object);
    return put_other(self, object);
}

/* Write the encoding of *object*. */
static progress encode_object(encoder *self, PyObject *object)
{
    progress made = put_item(self, object);
    while (made == GONE_ON && self->source_count > 0) {
        source *inner = &self->sources[self->source_count - 1];
        if (inner->index == 0) {
            made = put_header(self, RLP_LIST, self->written - inner->done);
            leave(self);
            if (self->landmark >= self->source_count)
                self->landmark = self->source_count > 0 ? self->source_count - 1 : 0;
            continue;
        }
        inner->index--;
        PyObject *item;
        if (PyTuple_Check(inner->items)) {
            item = PyTuple_GetItem(inner->items, inner->index);
        } else {
            /* Foreign code may have shortened the list. */
            if (inner->index >= PyList_Size(inner->items))
                return FOR_THE_PURE_TWIN;
            item = PyList_GetItem(inner->items, inner->index);
        }
        if (item == NULL)
            return FAILED;
        Py_INCREF(item);
        made = put_item(self, item);
        Py_DECREF(item);
    }
    return made;
}

static PyObject *encode_twin(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names,
    enum twin twin
)
{
    module_state *state = state_of(module);
    encoder self;
    if (count != 1 || names != NULL)
        return call_pure(state, twin, arguments, count, names);
    self.state = state;
    self.bytes = twin == TWIN_ENCODE ? self.first_bytes : NULL;
    self.capacity = FIRST_BYTES;
    self.written = 0;
    self.sources = self.first_sources;
    self.source_count = 0;
    self.source_capacity = FIRST_SOURCES;
    self.landmark = 0;
    progress made = encode_object(&self, arguments[0]);
    PyObject *result = NULL;
    if (made == GONE_ON && self.bytes != NULL)
        result = PyBytes_FromStringAndSize(
            (const char *)self.bytes + self.capacity - self.written,
            (Py_ssize_t)self.written
        );
    else if (made == GONE_ON)
        result = PyLong_FromSize_t(self.written);
    while (self.source_count > 0)
        leave(&self);
    if (self.sources != self.first_sources)
        PyMem_Free(self.sources);
    if (self.bytes != self.first_bytes)
        PyMem_Free(self.bytes);
    if (made == FAILED && PyErr_ExceptionMatches(PyExc_Exception)
        && !PyErr_ExceptionMatches(PyExc_MemoryError)) {
        /* Something before it may be at fault too, and comes first. */
        PyErr_Clear();
        made = FOR_THE_PURE_TWIN;
    }
    if (made == FOR_THE_PURE_TWIN)
        result = call_pure(state, twin, arguments, count, names);
    return result;
}

PyObject *binding_encode(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    return encode_twin(module, arguments, count, names, TWIN_ENCODE);
}

PyObject *binding_encoded_size(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    return encode_twin(module, arguments, count, names, TWIN_ENCODED_SIZE);
}
