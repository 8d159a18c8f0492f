/*
 * RLP: decoding to bytes and lists.
 *
 * Where an argument is not what it should be the pure twin is called and raises.  Faults
 * in encoded bytes are found here, so that refusing hostile bytes is as fast as accepting
 * good ones.
 */
#include "binding.h"

#include "integer.h"
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
    PyObject *given = integer_of(value);
    if (given == NULL)
        return false;
    int overflow;
    const long long number = PyLong_AsLongLongAndOverflow(given, &overflow);
    Py_DECREF(given);
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
