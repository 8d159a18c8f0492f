/*
 * JSON texts (RFC 8259), read event by event.
 *
 * Only what most documents are made of is read: no fractions and exponents, no halves of
 * surrogate pairs, no integer of more than 640 digits, no depth over 256.  Whatever else
 * there is, right or wrong, is JSON_REFUSED, and whoever calls has another reader for it.
 */
#ifndef HEXARY_JSON_H
#define HEXARY_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_MOST_DEPTH 256u
#define JSON_MOST_DIGITS 640u

typedef enum json_event {
    JSON_REFUSED,
    JSON_DONE,
    JSON_OBJECT, /* begins; keys follow, each with its value */
    JSON_ARRAY,
    JSON_CLOSED, /* the innermost array or object */
    JSON_KEY,
    JSON_STRING,
    JSON_INTEGER,
    JSON_LARGE_INTEGER, /* of more than 18 digits: there is only its text */
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL
} json_event;

typedef struct json_reader {
    const char *next;
    const char *end;
    unsigned depth;
    unsigned state;
    bool in_object[JSON_MOST_DEPTH];

    /* What the last event is about. */
    const char *text; /* of a key, a string (between the quotes) or a large integer */
    size_t size;
    bool escaped; /* whether the key or string has escapes */
    int64_t integer;
} json_reader;

/* Start to read a text, UTF-8, which stays where it is. */
void json_start(json_reader *reader, const char *text, size_t size);

json_event json_next(json_reader *reader);

/*
 * Write the last key or string without its escapes, as UTF-8, which is never longer.
 *
 * False if an escape is none, or half of a surrogate pair.
 */
bool json_unescape(const json_reader *reader, char *out, size_t *size);

#endif
