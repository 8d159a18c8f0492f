#ifndef HEXARY_TEXT_H
#define HEXARY_TEXT_H

#include "binding.h"

/*
 * Look at the characters of a str, which a NUL follows, without copying; NULL if it is none
 * or holds half of a surrogate pair, with an error only if there is no memory.
 *
 * Characters beyond ASCII take several bytes here, none of which is a digit.
 */
const char *text_of(PyObject *object, size_t *size);

/* Return the number, or NULL without an error where there is something to refuse. */
PyObject *quantity_of_text(PyObject *text);

static inline bool is_prefixed(const char *text, size_t size)
{
    return size >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

#endif
