/* Reading pairs of keys and values from Python objects. */
#include "roots.h"

#if defined(__GNUC__) || defined(__clang__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

/* How many elements at a time: a processor looks for several pages at once. */
#define FETCHED 24

void collection_free(collection *self)
{
    for (size_t index = 0; self->held != NULL && index < 2 * self->count; index++) {
        if (index % (2 * FETCHED) == 0)
            for (size_t far = index + 2 * FETCHED; far < index + 4 * FETCHED; far++)
                if (far < 2 * self->count)
                    PREFETCH(self->held[far]);
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
    self->held[2 * self->count] = held_key;
    self->held[2 * self->count + 1] = held_value;
    self->count++;
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
    if (PyTuple_CheckExact(element) && is_bytes(key) && is_bytes(value)
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
        if (!is_bytes(key) || !is_bytes(value))
            return LEFT_TO_PURE;
        if (!collection_add(state, self, key, value, "value"))
            return READ_FAILED;
    }
    return READ;
}

/*
 * Ask for the memory of elements that come soon, which is all over the heap: first of the
 * elements, then of what is in them.
 */
static void fetch_ahead(PyObject *pairs, bool is_list, Py_ssize_t index)
{
    const Py_ssize_t size = is_list ? PyList_Size(pairs) : PyTuple_Size(pairs);
    for (Py_ssize_t far = index + 2 * FETCHED; far < index + 3 * FETCHED; far++)
        if (far < size)
            PREFETCH(is_list ? PyList_GetItem(pairs, far) : PyTuple_GetItem(pairs, far));
    for (Py_ssize_t near = index + FETCHED; near < index + 2 * FETCHED; near++) {
        if (near >= size)
            break;
        PyObject *element =
            is_list ? PyList_GetItem(pairs, near) : PyTuple_GetItem(pairs, near);
        if (PyTuple_CheckExact(element) && PyTuple_Size(element) == 2) {
            PREFETCH(PyTuple_GetItem(element, 0));
            PREFETCH(PyTuple_GetItem(element, 1));
        }
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
        if (index % FETCHED == 0)
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
