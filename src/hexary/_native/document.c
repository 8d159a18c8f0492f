/* JSON documents to Python's objects. */
#include "binding.h"

#include <string.h>

#include "json.h"

/* Keys that were met, for there are many of few kinds; a power of two. */
#define KNOWN_KEYS 256
#define MOST_KEY 64

typedef struct known_key {
    PyObject *key;
    const char *text; /* where it stands in the document */
    size_t size;
} known_key;

/* A document that is being made: what is open, from the outside in. */
typedef struct document {
    json_reader reader;
    PyObject *open[JSON_MOST_DEPTH]; /* owned until each is put into the one before it */
    PyObject *keys[JSON_MOST_DEPTH]; /* under which the next value of an object goes */
    unsigned depth;
    PyObject *whole; /* the value of the document, when it is complete */
    known_key known[KNOWN_KEYS];
} document;

static size_t key_place(const char *text, size_t size)
{
    uint32_t sum = 2166136261u;
    for (size_t index = 0; index < size; index++)
        sum = (sum ^ (unsigned char)text[index]) * 16777619u;
    return (sum ^ sum >> 16) % KNOWN_KEYS;
}

/* Return the key or string that was read; NULL, perhaps without an error. */
static PyObject *text_of(const document *self)
{
    const json_reader *reader = &self->reader;
    PyObject *text = NULL;
    size_t size;
    if (!reader->escaped)
        return PyUnicode_FromStringAndSize(reader->text, (Py_ssize_t)reader->size);
    char *plain = PyMem_Malloc(reader->size);
    if (plain == NULL)
        return PyErr_NoMemory();
    if (json_unescape(reader, plain, &size))
        text = PyUnicode_FromStringAndSize(plain, (Py_ssize_t)size);
    PyMem_Free(plain);
    return text;
}

static PyObject *large_integer_of(const document *self)
{
    char digits[JSON_MOST_DIGITS + 2]; /* and a sign */
    memcpy(digits, self->reader.text, self->reader.size);
    digits[self->reader.size] = '\0';
    return PyLong_FromString(digits, NULL, 10);
}

/* Return a new reference to the key that was read. */
static PyObject *key_of(document *self)
{
    const size_t size = self->reader.size;
    if (size > MOST_KEY || self->reader.escaped)
        return text_of(self);
    known_key *known = &self->known[key_place(self->reader.text, size)];
    if (known->key == NULL || known->size != size
        || memcmp(known->text, self->reader.text, size) != 0) {
        Py_XDECREF(known->key);
        known->key = text_of(self);
        known->text = self->reader.text;
        known->size = size;
    }
    Py_XINCREF(known->key);
    return known->key;
}

/* Put a value where it belongs; it is released. False where a key occurs twice. */
static bool put_value(document *self, PyObject *value)
{
    bool good = value != NULL;
    if (self->depth == 0) {
        self->whole = value;
        return good;
    }
    PyObject *owner = self->open[self->depth - 1];
    PyObject **key = &self->keys[self->depth - 1];
    if (good && *key == NULL) {
        good = PyList_Append(owner, value) == 0;
    } else if (good) {
        const Py_ssize_t before = PyDict_Size(owner);
        good = PyDict_SetItem(owner, *key, value) == 0 && PyDict_Size(owner) > before;
        Py_CLEAR(*key);
    }
    Py_XDECREF(value);
    return good;
}

static bool open_container(document *self, PyObject *container)
{
    if (container == NULL)
        return false;
    self->keys[self->depth] = NULL;
    self->open[self->depth++] = container;
    return true;
}

static PyObject *constant(PyObject *value)
{
    Py_INCREF(value);
    return value;
}

static bool take_event(document *self, json_event event)
{
    switch (event) {
    case JSON_OBJECT:
        return open_container(self, PyDict_New());
    case JSON_ARRAY:
        return open_container(self, PyList_New(0));
    case JSON_CLOSED:
        self->depth--;
        return put_value(self, self->open[self->depth]);
    case JSON_KEY:
        self->keys[self->depth - 1] = key_of(self);
        return self->keys[self->depth - 1] != NULL;
    case JSON_STRING:
        return put_value(self, text_of(self));
    case JSON_INTEGER:
        return put_value(self, PyLong_FromLongLong(self->reader.integer));
    case JSON_LARGE_INTEGER:
        return put_value(self, large_integer_of(self));
    case JSON_TRUE:
        return put_value(self, constant(Py_True));
    case JSON_FALSE:
        return put_value(self, constant(Py_False));
    case JSON_NULL:
        return put_value(self, constant(Py_None));
    default:
        return false;
    }
}

/* Return the value of a document, or NULL, perhaps without an error. */
static PyObject *read_document(const char *text, size_t size)
{
    document *self = PyMem_Calloc(1, sizeof *self);
    if (self == NULL)
        return PyErr_NoMemory();
    json_start(&self->reader, text, size);
    json_event event = json_next(&self->reader);
    while (event != JSON_DONE && take_event(self, event))
        event = json_next(&self->reader);
    PyObject *whole = self->whole;
    if (event != JSON_DONE)
        Py_CLEAR(whole);
    while (self->depth > 0) {
        self->depth--;
        Py_XDECREF(self->open[self->depth]);
        Py_XDECREF(self->keys[self->depth]);
    }
    for (size_t index = 0; index < KNOWN_KEYS; index++)
        Py_XDECREF(self->known[index].key);
    PyMem_Free(self);
    return whole;
}

PyObject *binding_decode_json(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    Py_ssize_t size;
    if (count == 1 && names == NULL && PyUnicode_CheckExact(arguments[0])) {
        const char *text = PyUnicode_AsUTF8AndSize(arguments[0], &size);
        PyObject *value = text == NULL ? NULL : read_document(text, (size_t)size);
        if (value != NULL || PyErr_ExceptionMatches(PyExc_MemoryError))
            return value;
        PyErr_Clear();
    }
    return call_pure(state_of(module), TWIN_DECODE_JSON, arguments, count, names);
}
