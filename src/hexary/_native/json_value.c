/* Values of fields read from JSON, by the layouts of their kinds. */
#include "hex.h"
#include "instances.h"
#include "record_json.h"
#include "text.h"

/* Bytes that are read on the C stack; those of a bloom filter are that many. */
#define USUAL_BYTES 256

/* ---- bytes, numbers and booleans ---- */

/* Find the digits of a text; false where they are not those of whole bytes. */
static bool digits_of(PyObject *value, const char **digits, size_t *size)
{
    *digits = text_of(value, size);
    if (*digits == NULL)
        return false;
    if (is_prefixed(*digits, *size)) {
        *digits += 2;
        *size -= 2;
    }
    return *size % 2 == 0;
}

static PyObject *instance(const json_kind *self, const uint8_t *data, size_t size)
{
    PyTypeObject *cls = (PyTypeObject *)self->object;
    return self->can_be_filled ? bytes_instance_filled(cls, data, size)
                               : bytes_instance(cls, data, size);
}

static PyObject *read_bytes(const json_kind *self, PyObject *value)
{
    const char *digits;
    size_t size;
    uint8_t usual[USUAL_BYTES];
    if (!digits_of(value, &digits, &size))
        return NULL;
    size /= 2;
    if (size < (size_t)self->smallest
        || (self->largest >= 0 && size > (size_t)self->largest))
        return NULL;
    const bool is_plain = self->object == (PyObject *)&PyBytes_Type;
    if (!is_plain && size <= USUAL_BYTES)
        return hex_read(digits, size, usual) ? instance(self, usual, size) : NULL;
    PyObject *plain = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (plain == NULL)
        return NULL;
    uint8_t *out = (uint8_t *)PyBytes_AsString(plain);
    if (!hex_read(digits, size, out))
        Py_CLEAR(plain);
    if (plain == NULL || is_plain)
        return plain;
    PyObject *made = instance(self, out, size);
    Py_DECREF(plain);
    return made;
}

/* Return the number that a text or an int is, or NULL, perhaps without an error. */
static PyObject *number_of(PyObject *value, Py_ssize_t most_characters)
{
    int overflow;
    if (PyUnicode_CheckExact(value)) {
        if (most_characters >= 0 && PyUnicode_GetLength(value) > most_characters)
            return NULL;
        return quantity_of_text(value);
    }
    if (!PyLong_CheckExact(value))
        return NULL;
    const long long small = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow < 0 || (overflow == 0 && small < 0) ? NULL : new_reference(value);
}

static PyObject *read_uint(const json_kind *self, PyObject *value)
{
    PyObject *number = number_of(value, self->largest);
    if (number == NULL)
        return NULL;
    if (self->most != NULL && PyObject_RichCompareBool(number, self->most, Py_LE) != 1) {
        Py_DECREF(number);
        return NULL;
    }
    if (self->object == (PyObject *)&PyLong_Type)
        return number;
    return int_instance((PyTypeObject *)self->object, number);
}

/* Characters of the text of a boolean that the definition looks at. */
#define BOOLEAN_TEXT 64

static PyObject *read_bool(PyObject *value)
{
    if (PyBool_Check(value))
        return new_reference(value);
    PyObject *number = number_of(value, BOOLEAN_TEXT);
    if (number == NULL)
        return NULL;
    int overflow;
    const long long small = PyLong_AsLongLongAndOverflow(number, &overflow);
    Py_DECREF(number);
    return overflow == 0 && small <= 1 ? PyBool_FromLong((long)small) : NULL;
}

/* ---- what holds other values ---- */

/* Return the values of a list as another: each of the next kind, if *step* is 1, not 0. */
static PyObject *read_items(
    module_state *state, const json_kind *kinds, size_t step, PyObject *value
)
{
    const Py_ssize_t count = PyList_Size(value);
    PyObject *items = PyList_New(0);
    for (Py_ssize_t index = 0; items != NULL && index < count; index++) {
        /* A function of the user's own may have changed the list. */
        PyObject *given = PyList_Size(value) == count ? PyList_GetItem(value, index) : NULL;
        PyObject *item = NULL;
        if (given != NULL) {
            Py_INCREF(given);
            item = json_read_value(state, &kinds[step * (size_t)index], given);
            Py_DECREF(given);
        }
        if (item == NULL || PyList_Append(items, item) < 0)
            Py_CLEAR(items);
        Py_XDECREF(item);
    }
    return items;
}

/* Return the items of a list as a tuple, or as they are; *items* is released. */
static PyObject *in_container(PyObject *items, PyObject *container)
{
    if (items == NULL || container == (PyObject *)&PyList_Type)
        return items;
    PyObject *made = PyList_AsTuple(items);
    Py_DECREF(items);
    return made;
}

static PyObject *read_sequence(module_state *state, const json_kind *self, PyObject *value)
{
    if (!PyList_CheckExact(value))
        return NULL;
    if (PyList_Size(value) == 0 && self->object == (PyObject *)&PyTuple_Type)
        return PyTuple_New(0);
    return in_container(read_items(state, self->inner, 0, value), self->object);
}

static PyObject *read_tuple(module_state *state, const json_kind *self, PyObject *value)
{
    if (!PyList_CheckExact(value) || (size_t)PyList_Size(value) != self->count)
        return NULL;
    return in_container(
        read_items(state, self->inner, 1, value), (PyObject *)&PyTuple_Type
    );
}

static PyObject *read_optional(module_state *state, const json_kind *self, PyObject *value)
{
    /* What a subclass of str equals is its own affair. */
    if (PyUnicode_Check(value) && !PyUnicode_CheckExact(value))
        return NULL;
    if (value == Py_None
        || (PyUnicode_Check(value)
            && (PyUnicode_CompareWithASCIIString(value, "") == 0
                || PyUnicode_CompareWithASCIIString(value, "0x") == 0)))
        return new_reference(Py_None);
    return json_read_value(state, self->inner, value);
}

/* All members but the last are bytes of one size, so no other text can be meant. */
static PyObject *read_choice(module_state *state, const json_kind *self, PyObject *value)
{
    size_t chosen = self->count - 1;
    if (PyUnicode_Check(value)) {
        const char *digits;
        size_t size;
        if (!PyUnicode_CheckExact(value))
            return NULL;
        if (digits_of(value, &digits, &size)) {
            for (size_t index = chosen; index-- > 0;)
                if (size / 2 == (size_t)self->inner[index].smallest)
                    chosen = index;
        } else if (digits == NULL) {
            return NULL;
        }
    }
    return json_read_value(state, &self->inner[chosen], value);
}

static PyObject *read_inner_record(
    module_state *state, const json_kind *self, PyObject *value
)
{
    const json_reader *inner = json_reader_of(state, self->object);
    if (inner != NULL)
        return json_read_record(state, inner, value);
    PyObject *record = PyObject_CallFunctionObjArgs(self->object, value, NULL);
    if (record != NULL && (PyObject *)Py_TYPE(record) != self->most)
        Py_CLEAR(record);
    return record;
}

PyObject *json_read_value(
    module_state *state, const json_kind *self, PyObject *value
)
{
    switch (self->word) {
    case WORD_BYTES:
        return read_bytes(self, value);
    case WORD_UINT:
        return read_uint(self, value);
    case WORD_BOOL:
        return read_bool(value);
    case WORD_SEQUENCE:
        return read_sequence(state, self, value);
    case WORD_TUPLE:
        return read_tuple(state, self, value);
    case WORD_OPTIONAL:
        return read_optional(state, self, value);
    case WORD_CHOICE:
        return read_choice(state, self, value);
    case WORD_RECORD:
        return read_inner_record(state, self, value);
    default:
        return PyObject_CallFunctionObjArgs(self->object, value, NULL);
    }
}
