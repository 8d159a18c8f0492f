/* Text to bytes and numbers. */
#include "text.h"

#include "hex.h"
#include "integer.h"

/* Digits of what fits into 64 bits, whatever they are. */
#define MOST_DECIMAL 19

const char *text_of(PyObject *object, size_t *size)
{
    Py_ssize_t length;
    if (!PyUnicode_CheckExact(object))
        return NULL;
    const char *text = PyUnicode_AsUTF8AndSize(object, &length);
    if (text != NULL)
        *size = (size_t)length;
    else if (PyErr_ExceptionMatches(PyExc_UnicodeError))
        PyErr_Clear();
    return text;
}

static bool is_word(PyObject *value, const char *word)
{
    return PyUnicode_CheckExact(value)
           && PyUnicode_CompareWithASCIIString(value, word) == 0;
}

/* Read the keyword `odd`, the only one that is taken here. */
static bool read_odd(PyObject *const *values, PyObject *names, bool *pad)
{
    *pad = false;
    if (names == NULL || PyTuple_Size(names) == 0)
        return true;
    if (PyTuple_Size(names) != 1 || !is_word(PyTuple_GetItem(names, 0), "odd"))
        return false;
    *pad = is_word(values[0], "pad");
    return *pad || is_word(values[0], "refuse");
}

/* Return the bytes, or NULL without an error where there is something to refuse. */
static PyObject *parse_bytes(PyObject *text, bool pad)
{
    size_t size;
    const char *digits = text_of(text, &size);
    if (digits == NULL)
        return NULL;
    if (is_prefixed(digits, size)) {
        digits += 2;
        size -= 2;
    }
    const size_t odd = size % 2;
    if (odd && !pad)
        return NULL;
    PyObject *data = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(size / 2 + odd));
    if (data == NULL)
        return NULL;
    uint8_t *out = (uint8_t *)PyBytes_AsString(data);
    uint64_t first = 0;
    bool good = true;
    if (odd) {
        good = hex_read_number(digits, 1, &first);
        *out++ = (uint8_t)first;
    }
    if (!good || !hex_read(digits + odd, size / 2, out))
        Py_CLEAR(data);
    return data;
}

PyObject *binding_parse_bytes(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    bool pad;
    if (count == 1 && read_odd(arguments + 1, names, &pad)) {
        PyObject *data = parse_bytes(arguments[0], pad);
        if (data != NULL || PyErr_Occurred())
            return data;
    }
    return call_pure(state_of(module), TWIN_PARSE_BYTES, arguments, count, names);
}

PyObject *quantity_of_text(PyObject *text)
{
    size_t size;
    uint64_t number;
    const char *digits = text_of(text, &size);
    if (digits == NULL)
        return NULL;
    if (is_prefixed(digits, size))
        return size == 2 ? NULL : integer_of_digits(digits + 2, size - 2);
    if (size == 0 || size > MOST_DECIMAL || (digits[0] == '0' && size > 1))
        return NULL;
    return hex_read_decimal(digits, size, &number) ? PyLong_FromUnsignedLongLong(number)
                                                   : NULL;
}

PyObject *binding_parse_quantity(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    if (count == 1 && (names == NULL || PyTuple_Size(names) == 0)) {
        PyObject *number = quantity_of_text(arguments[0]);
        if (number != NULL || PyErr_Occurred())
            return number;
    }
    return call_pure(state_of(module), TWIN_PARSE_QUANTITY, arguments, count, names);
}
