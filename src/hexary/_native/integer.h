#ifndef HEXARY_INTEGER_H
#define HEXARY_INTEGER_H

#include "binding.h"

#include "mpt_state.h"

/* The numbers of an account. */
#define BITS_OF_NONCE 64
#define BITS_OF_BALANCE 256

/*
 * Return the int of *size* hex digits, one or more, which a NUL follows; NULL, without an
 * error, if a character is no digit.
 */
PyObject *integer_of_digits(const char *digits, size_t size);

/*
 * Return the int of *size* decimal digits, one or more, which a NUL follows; NULL, without an
 * error, if a character is no digit, or the first of several digits is 0 and not all are.
 */
PyObject *integer_of_decimal(const char *digits, size_t size);

/* Return the int of *size* bytes, MPT_WORD at most, big-endian. */
PyObject *integer_of_bytes(const uint8_t *bytes, size_t size);

/* Return the int of *size* bytes, however many, big-endian, by a method of int. */
PyObject *integer_of_any(module_state *state, const uint8_t *bytes, size_t size);

/*
 * Return the plain int that *object* is, where a number is wanted: an int, or what has
 * `__index__`, but no bool and no bytes, as `hexary.integer.int_of` has it; NULL, without an
 * error, if it is none.
 */
PyObject *integer_of(PyObject *object);

/*
 * Read an int, or an instance of a subclass; false if it is not of 256 bits, with an error
 * only if there is no memory.
 */
bool integer_read(module_state *state, PyObject *object, mpt_number *number);

/* What reading needs of Python, kept in the module's state; false with an error. */
bool integer_set_up(module_state *state);
void integer_take_down(module_state *state);

#endif
