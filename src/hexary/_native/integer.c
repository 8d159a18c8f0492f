/* Ints of up to 256 bits, which the limited API reads and makes only as text. */
#include "integer.h"

#include <string.h>

#include "hex.h"

/* Digits of what fits into 64 bits. */
#define MOST_DIGITS 16

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

/* Read an int of more than 63 bits, or a negative one. */
static bool read_large(PyObject *object, mpt_number *number)
{
    uint8_t bytes[MPT_WORD];
    bool good = false;
    PyObject *text = PyNumber_ToBase(object, 16);
    Py_ssize_t size = 0;
    const char *digits = text == NULL ? NULL : PyUnicode_AsUTF8AndSize(text, &size);
    if (digits != NULL && digits[0] == '0' && size - 2 <= 2 * (Py_ssize_t)MPT_WORD) {
        const size_t count = (size_t)size - 2;
        char padded[2 * MPT_WORD];
        memset(padded, '0', sizeof padded);
        memcpy(padded + sizeof padded - count, digits + 2, count);
        good = hex_read(padded, MPT_WORD, bytes);
        mpt_number_set(number, bytes, MPT_WORD);
    }
    PyErr_Clear();
    Py_XDECREF(text);
    return good;
}

bool integer_read(PyObject *object, mpt_number *number)
{
    int overflow;
    uint8_t bytes[8];
    const long long small = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0)
        return overflow > 0 && read_large(object, number);
    if (small < 0)
        return false;
    for (unsigned index = 0; index < 8; index++)
        bytes[index] = (uint8_t)((unsigned long long)small >> (56 - 8 * index));
    mpt_number_set(number, bytes, sizeof bytes);
    return true;
}
