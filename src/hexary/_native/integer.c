/* Ints of up to 256 bits, which the limited API reads and makes only as text. */
#include "integer.h"

#include <string.h>

#include "hex.h"

/* Digits of what fits into 64 bits. */
#define MOST_DIGITS 16
#define MOST_DECIMAL 19

PyObject *integer_of_digits(const char *digits, size_t size)
{
    uint64_t number;
    while (size > 1 && *digits == '0') {
        digits++;
        size--;
    }
    if (size <= MOST_DIGITS)
        return hex_read_number(digits, size, &number) ? PyLong_FromUnsignedLongLong(number)
                                                      : NULL;
    return hex_check(digits, size) ? PyLong_FromString(digits, NULL, 16) : NULL;
}

PyObject *integer_of_decimal(const char *digits, size_t size)
{
    uint64_t number;
    const size_t zeros = strspn(digits, "0");
    if (strspn(digits, "0123456789") != size || (zeros > 0 && size > 1 && zeros < size))
        return NULL;
    if (size <= MOST_DECIMAL && hex_read_decimal(digits, size, &number))
        return PyLong_FromUnsignedLongLong(number);
    return PyLong_FromString(digits, NULL, 10);
}

PyObject *integer_of_bytes(const uint8_t *bytes, size_t size)
{
    static const char alphabet[] = "0123456789abcdef";
    char digits[2 * MPT_WORD + 1];
    for (size_t index = 0; index < size; index++) {
        digits[2 * index] = alphabet[bytes[index] >> 4];
        digits[2 * index + 1] = alphabet[bytes[index] & 15];
    }
    digits[2 * size] = '\0';
    return integer_of_digits(digits, 2 * size);
}

PyObject *integer_of_any(module_state *state, const uint8_t *bytes, size_t size)
{
    uint64_t number = 0;
    if (size > sizeof number) {
        PyObject *digits =
            PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)size);
        if (digits == NULL)
            return NULL;
        PyObject *made = PyObject_CallFunctionObjArgs(
            state->from_bytes, digits, state->word_order, NULL
        );
        Py_DECREF(digits);
        return made;
    }
    for (size_t index = 0; index < size; index++)
        number = number << 8 | bytes[index];
    return PyLong_FromUnsignedLongLong(number);
}

bool integer_set_up(module_state *state)
{
    state->to_bytes = PyObject_GetAttrString((PyObject *)&PyLong_Type, "to_bytes");
    state->from_bytes = PyObject_GetAttrString((PyObject *)&PyLong_Type, "from_bytes");
    state->word_size = PyLong_FromLong(MPT_WORD);
    state->word_order = PyUnicode_InternFromString("big");
    return state->to_bytes != NULL && state->from_bytes != NULL && state->word_size != NULL
           && state->word_order != NULL;
}

void integer_take_down(module_state *state)
{
    Py_CLEAR(state->to_bytes);
    Py_CLEAR(state->from_bytes);
    Py_CLEAR(state->word_size);
    Py_CLEAR(state->word_order);
}

PyObject *integer_of(PyObject *object)
{
    if (PyLong_CheckExact(object)) {
        Py_INCREF(object);
        return object;
    }
    if (PyBool_Check(object) || PyBytes_Check(object) || !PyIndex_Check(object))
        return NULL;
    PyObject *number = PyNumber_Index(object);
    if (number == NULL)
        PyErr_Clear(); /* the pure twin, which decides then, has it again */
    return number;
}

/* Read an int of more than 63 bits, by the method of int itself. */
static bool read_large(module_state *state, PyObject *object, mpt_number *number)
{
    PyObject *bytes = PyObject_CallFunctionObjArgs(
        state->to_bytes, object, state->word_size, state->word_order, NULL
    );
    if (bytes == NULL) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError))
            PyErr_Clear();
        return false;
    }
    mpt_number_set(number, (const uint8_t *)PyBytes_AsString(bytes), MPT_WORD);
    Py_DECREF(bytes);
    return true;
}

bool integer_read(module_state *state, PyObject *object, mpt_number *number)
{
    int overflow;
    uint8_t bytes[8];
    const long long small = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0)
        return overflow > 0 && read_large(state, object, number);
    if (small < 0)
        return false;
    for (unsigned index = 0; index < 8; index++)
        bytes[index] = (uint8_t)((unsigned long long)small >> (56 - 8 * index));
    mpt_number_set(number, bytes, sizeof bytes);
    return true;
}
