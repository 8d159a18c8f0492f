/* Reading pairs of keys and values from Python objects. */
#include "roots.h"

/* How many elements at a time: a processor looks for several pages at once. */
#define FETCHED 24u

/* What stands this far behind is on the next line of a cache. */
#define NEXT_LINE 64

void collection_free(collection *self)
{
    for (size_t index = 0; index < self->held_count; index++) {
        if (index % FETCHED == 0)
            for (size_t far = index + FETCHED; far < index + 2 * FETCHED; far++)
                if (far < self->held_count)
                    MPT_PREFETCH(self->held[far]);
        Py_DECREF(self->held[index]);
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

/* Whether *object* is bytes; most are of that very class, which is told at once. */
static inline bool is_bytes(PyObject *object)
{
    return PyBytes_CheckExact(object) || PyBytes_Check(object);
}

/* Return a new reference to the bytes of *object*, as the pure `plain_bytes` reads them. */
static PyObject *hold_bytes(module_state *state, PyObject *object, const char *argument)
{
    if (is_bytes(object)) {
        Py_INCREF(object);
        return object;
    }
    PyObject *plain = PyObject_CallFunction(
        state->helpers[HELPER_PLAIN_BYTES], "Os", object, argument
    );
    if (plain != NULL && !is_bytes(plain)) {
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

bool collection_add(
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
    if (held_key != NULL)
        self->held[self->held_count++] = held_key;
    self->held[self->held_count++] = held_value;
    self->count++;
    self->is_arranged = false;
    return (held_key == NULL || set_key(self, pair, held_key))
           && set_value(self, pair, held_value);
}

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
        if (!is_bytes(key) || !is_bytes(value))
            return LEFT_TO_PURE;
        if (!collection_add(state, self, key, value, "value"))
            return READ_FAILED;
    }
    return READ;
}

/* A list or a tuple, and its size before any code could change it. */
typedef struct sequence {
    PyObject *object;
    bool is_list;
    size_t size;
} sequence;

static inline PyObject *element_at(const sequence *from, size_t index)
{
    return from->is_list ? PyList_GetItem(from->object, (Py_ssize_t)index)
                         : PyTuple_GetItem(from->object, (Py_ssize_t)index);
}

/* Keys and values of pairs that were taken and are not read yet. */
typedef struct taken_pairs {
    PyObject *keys[2 * FETCHED];
    PyObject *values[2 * FETCHED];
} taken_pairs;

/* Hold some elements, and find what is in them; *limit* becomes the first odd one. */
static void take_pairs(
    collection *self, const sequence *from, size_t start, size_t *limit,
    taken_pairs *taken
)
{
    for (size_t index = start; index < start + FETCHED && index < *limit; index++) {
        PyObject *element = element_at(from, index);
        if (!PyTuple_CheckExact(element) || Py_SIZE(element) != 2) {
            *limit = index;
            return;
        }
        Py_INCREF(element);
        self->held[self->held_count++] = element;
        PyObject *key = PyTuple_GetItem(element, 0);
        PyObject *value = PyTuple_GetItem(element, 1);
        MPT_PREFETCH(key);
        MPT_PREFETCH((const char *)key + NEXT_LINE);
        MPT_PREFETCH(value);
        taken->keys[index % (2 * FETCHED)] = key;
        taken->values[index % (2 * FETCHED)] = value;
    }
}

/* Read some pairs that were taken, likewise. */
static void read_taken(
    collection *self, size_t start, size_t *limit, const taken_pairs *taken
)
{
    for (size_t index = start; index < start + FETCHED && index < *limit; index++) {
        PyObject *key = taken->keys[index % (2 * FETCHED)];
        PyObject *value = taken->values[index % (2 * FETCHED)];
        mpt_pair *pair = &self->pairs[index];
        if (!is_bytes(key) || !is_bytes(value) || !set_key(self, pair, key)
            || !set_value(self, pair, value)) {
            *limit = index;
            return;
        }
        if (self->is_arranged)
            self->is_arranged = pair->value_size > 0
                                && (index == 0 || mpt_is_before(pair - 1, pair));
    }
}

/*
 * Read pairs up to the first that is not a tuple of bytes.
 *
 * Elements and what is in them are all over the heap: first the memory of some elements is
 * asked for, then that of what is in the elements before, and then those before are read.
 * A tuple does not change, so that holding it holds what is in it.
 */
static void read_plain_pairs(collection *self, const sequence *from)
{
    taken_pairs taken;
    size_t limit = from->size;
    self->is_arranged = true;
    for (size_t next = 0; next < limit + 2 * FETCHED; next += FETCHED) {
        for (size_t far = next; far < next + FETCHED && far < limit; far++)
            MPT_PREFETCH(element_at(from, far));
        if (next >= FETCHED)
            take_pairs(self, from, next - FETCHED, &limit, &taken);
        if (next >= 2 * FETCHED)
            read_taken(self, next - 2 * FETCHED, &limit, &taken);
    }
    while (self->held_count > limit)
        Py_DECREF(self->held[--self->held_count]);
    self->count = limit;
}

static reading read_list(module_state *state, collection *self, PyObject *pairs)
{
    const bool is_list = PyList_Check(pairs);
    const Py_ssize_t size = is_list ? PyList_Size(pairs) : PyTuple_Size(pairs);
    const sequence from = {pairs, is_list, (size_t)size};
    reading done = READ;
    if (!collection_reserve(self, from.size))
        return READ_FAILED;
    read_plain_pairs(self, &from);
    while (done == READ) {
        const size_t index = self->count;
        if (index >= (size_t)(is_list ? PyList_Size(pairs) : PyTuple_Size(pairs)))
            break;
        PyObject *element = element_at(&from, index);
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
            PyErr_SetString(PyExc_SystemError, "pairs_of yielded no pair");
            done = READ_FAILED;
        }
        Py_DECREF(element);
    }
    Py_XDECREF(iterator);
    return done;
}

reading collection_read(module_state *state, collection *self, PyObject *pairs)
{
    if (PyDict_CheckExact(pairs))
        return read_dict(state, self, pairs);
    if (PyList_CheckExact(pairs) || PyTuple_CheckExact(pairs))
        return read_list(state, self, pairs);
    return read_iterable(state, self, pairs);
}
