/*
 * RLP: decoding to bytes and lists, encoding from them, and sizes of encodings.
 *
 * Where an argument is not what it should be, or an object has no encoding, the pure twin
 * is called and raises: its verdicts are the definition.  Faults in encoded bytes are
 * found here, so that refusing hostile bytes is as fast as accepting good ones.
 */
#include "binding.h"

#include <string.h>

#include "rlp.h"

static const char *const reasons[RLP_VERDICTS] = {
    [RLP_EMPTY_INPUT] = "EMPTY_INPUT",
    [RLP_TRUNCATED] = "TRUNCATED",
    [RLP_OVERRUN] = "OVERRUN",
    [RLP_TRAILING_BYTES] = "TRAILING_BYTES",
    [RLP_NON_CANONICAL_BYTE] = "NON_CANONICAL_BYTE",
    [RLP_NON_CANONICAL_LENGTH] = "NON_CANONICAL_LENGTH",
    [RLP_LEADING_ZERO_LENGTH] = "LEADING_ZERO_LENGTH",
    [RLP_TOO_DEEP] = "TOO_DEEP",
    [RLP_TOO_MANY_ITEMS] = "TOO_MANY_ITEMS",
};

/* An array on the C stack that moves to the heap when it is full. */
#define GROW(array, first, capacity, top)                                  \
    ((top) < (capacity)                                                    \
     || grow((void **)&(array), (first), &(capacity), sizeof *(array)))

static bool grow(void **array, const void *first, size_t *capacity, size_t width)
{
    if (*capacity > SIZE_MAX / 2 / width) {
        PyErr_NoMemory();
        return false;
    }
    const size_t size = *capacity * width;
    void *larger = PyMem_Realloc(*array == first ? NULL : *array, 2 * size);
    if (larger == NULL) {
        PyErr_NoMemory();
        return false;
    }
    if (*array == first)
        memcpy(larger, first, size);
    *array = larger;
    *capacity *= 2;
    return true;
}

/* ---- decoding ---- */

typedef struct open_list {
    size_t base; /* where its items begin on the stack of items */
    size_t end;  /* where its payload ends */
} open_list;

#define FIRST_ITEMS 128
#define FIRST_LISTS 32

typedef struct decoder {
    const uint8_t *data;
    size_t size;
    size_t max_depth;
    size_t max_items;
    PyObject **items; /* items of open lists, each with a reference */
    size_t item_count, item_capacity;
    open_list *lists;
    size_t list_count, list_capacity;
    PyObject *first_items[FIRST_ITEMS];
    open_list first_lists[FIRST_LISTS];
} decoder;

static bool push_item(decoder *self, PyObject *item)
{
    if (item == NULL)
        return false;
    if (!GROW(self->items, self->first_items, self->item_capacity, self->item_count)) {
        Py_DECREF(item);
        return false;
    }
    self->items[self->item_count++] = item;
    return true;
}

static bool push_string(decoder *self, size_t start, size_t stop)
{
    return push_item(
        self, PyBytes_FromStringAndSize(
                  (const char *)self->data + start, (Py_ssize_t)(stop - start)
              )
    );
}

static bool open_one(decoder *self, size_t end)
{
    if (!GROW(self->lists, self->first_lists, self->list_capacity, self->list_count))
        return false;
    self->lists[self->list_count].base = self->item_count;
    self->lists[self->list_count].end = end;
    self->list_count++;
    return true;
}

static bool close_one(decoder *self)
{
    const size_t base = self->lists[--self->list_count].base;
    const size_t count = self->item_count - base;
    PyObject *list = PyList_New((Py_ssize_t)count);
    if (list == NULL)
        return false;
    for (size_t index = 0; index < count; index++)
        PyList_SetItem(list, (Py_ssize_t)index, self->items[base + index]);
    self->item_count = base;
    return push_item(self, list);
}

/*
 * Read the item at *position*: on success it is the only one on the stack and *stop* is
 * behind it.  A verdict names the offset; RLP_VERDICTS means that an exception is set.
 */
static rlp_verdict decode_item(decoder *self, size_t position, size_t *offset, size_t *stop)
{
    const uint8_t *data = self->data;
    size_t left = self->max_items, end = self->size;
    rlp_verdict outside = RLP_TRUNCATED;
    *offset = position;
    if (position == end)
        return RLP_EMPTY_INPUT;
    do {
        size_t start, after;
        *offset = position;
        if (left-- == 0)
            return RLP_TOO_MANY_ITEMS;
        const rlp_verdict verdict =
            rlp_read_header(data, position, end, outside, &start, &after);
        if (verdict != RLP_GOOD)
            return verdict;
        outside = RLP_OVERRUN; /* for all but the outermost item */
        if (data[position] < RLP_LIST) {
            if (!push_string(self, start, after))
                return RLP_VERDICTS;
            position = after;
        } else {
            if (self->list_count >= self->max_depth)
                return RLP_TOO_DEEP;
            if (!open_one(self, after))
                return RLP_VERDICTS;
            position = start;
            end = after;
        }
        while (self->list_count > 0 && position == end) {
            if (!close_one(self))
                return RLP_VERDICTS;
            if (self->list_count > 0)
                end = self->lists[self->list_count - 1].end;
        }
    } while (self->list_count > 0);
    *stop = position;
    return RLP_GOOD;
}

static void decoder_start(decoder *self, const borrowed *input)
{
    self->data = input->data;
    self->size = input->size;
    self->items = self->first_items;
    self->item_count = 0;
    self->item_capacity = FIRST_ITEMS;
    self->lists = self->first_lists;
    self->list_count = 0;
    self->list_capacity = FIRST_LISTS;
}

static void decoder_end(decoder *self)
{
    while (self->item_count > 0)
        Py_DECREF(self->items[--self->item_count]);
    if (self->items != self->first_items)
        PyMem_Free(self->items);
    if (self->lists != self->first_lists)
        PyMem_Free(self->lists);
}

/* Raise the error for *verdict* by the pure function `fault`. */
static void raise_fault(
    module_state *state, rlp_verdict verdict, const borrowed *input, size_t offset
)
{
    const size_t left = input->size - offset;
    PyObject *error = PyObject_CallFunction(
        state->helpers[HELPER_FAULT], "sny#", reasons[verdict], (Py_ssize_t)offset,
        (const char *)input->data + offset, (Py_ssize_t)(left < 32 ? left : 32)
    );
    if (error == NULL)
        return;
    PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DECREF(error);
}

/* Read a limit; anything but a natural number is left to the pure twin. */
static bool read_limit(PyObject *value, size_t *limit)
{
    int overflow;
    if (!PyLong_Check(value))
        return false;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow < 0 || (overflow == 0 && number < 0))
        return false;
    *limit = SIZE_MAX;
    if (overflow == 0 && (unsigned long long)number < SIZE_MAX)
        *limit = (size_t)number;
    return true;
}

#define DEFAULT_MAX_DEPTH 1024

static bool read_limits(
    decoder *self, PyObject *const *values, PyObject *names, Py_ssize_t count
)
{
    for (Py_ssize_t index = 0; index < count; index++) {
        PyObject *name = PyTuple_GetItem(names, index);
        if (PyUnicode_CompareWithASCIIString(name, "max_depth") == 0) {
            if (!read_limit(values[index], &self->max_depth))
                return false;
        } else if (PyUnicode_CompareWithASCIIString(name, "max_items") == 0) {
            if (values[index] != Py_None && !read_limit(values[index], &self->max_items))
                return false;
        } else {
            return false;
        }
    }
    return true;
}

static bool is_bytes_like(PyObject *object)
{
    return PyBytes_Check(object) || PyByteArray_Check(object)
           || PyMemoryView_Check(object);
}

/* Decode from *position*; the caller says whether bytes may follow the item. */
static PyObject *decode_at(
    module_state *state, decoder *self, PyObject *object, size_t position, bool whole,
    bool with_rest, bool with_stop
)
{
    borrowed input;
    PyObject *result = NULL;
    if (!borrow(state, object, "data", &input)) {
        borrowed_release(&input);
        return NULL;
    }
    decoder_start(self, &input);
    size_t offset, stop = 0;
    rlp_verdict verdict = decode_item(self, position, &offset, &stop);
    if (verdict == RLP_GOOD && whole && stop != input.size) {
        verdict = RLP_TRAILING_BYTES;
        offset = stop;
    }
    if (verdict == RLP_GOOD) {
        PyObject *item = self->items[--self->item_count];
        if (with_rest)
            result = Py_BuildValue(
                "(Ny#)", item, (const char *)input.data + stop,
                (Py_ssize_t)(input.size - stop)
            );
        else if (with_stop)
            result = Py_BuildValue("(Nn)", item, (Py_ssize_t)stop);
        else
            result = item;
    } else if (verdict != RLP_VERDICTS) {
        raise_fault(state, verdict, &input, offset);
    }
    decoder_end(self);
    borrowed_release(&input);
    return result;
}

static PyObject *decode_twin(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names,
    enum twin twin
)
{
    module_state *state = state_of(module);
    const Py_ssize_t named = names == NULL ? 0 : PyTuple_Size(names);
    decoder self;
    self.max_depth = DEFAULT_MAX_DEPTH;
    self.max_items = SIZE_MAX;
    if (count != 1 || !is_bytes_like(arguments[0])
        || !read_limits(&self, arguments + count, names, named))
        return call_pure(state, twin, arguments, count, names);
    const bool whole = twin == TWIN_DECODE;
    return decode_at(state, &self, arguments[0], 0, whole, !whole, false);
}

PyObject *binding_decode(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    return decode_twin(module, arguments, count, names, TWIN_DECODE);
}

PyObject *binding_decode_prefix(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    return decode_twin(module, arguments, count, names, TWIN_DECODE_PREFIX);
}

PyObject *binding_decode_item(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    module_state *state = state_of(module);
    decoder self;
    size_t position;
    self.max_items = SIZE_MAX;
    if (count != 4 || names != NULL || !PyBytes_CheckExact(arguments[0])
        || !read_limit(arguments[1], &position)
        || position > (size_t)PyBytes_Size(arguments[0])
        || !read_limit(arguments[2], &self.max_depth)
        || (arguments[3] != Py_None && !read_limit(arguments[3], &self.max_items)))
        return call_pure(state, TWIN_DECODE_ITEM, arguments, count, names);
    return decode_at(state, &self, arguments[0], position, false, false, true);
}

/* ---- encoding ---- */

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
