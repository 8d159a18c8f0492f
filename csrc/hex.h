/* Text of hex digits, two for each byte. */
#ifndef HEXARY_HEX_H
#define HEXARY_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return whether all of *size* characters are hex digits, of either case. */
bool hex_check(const char *digits, size_t size);

/*
 * Read hex digits, two for each of *size* bytes.
 *
 * False if a character is none; then *out* holds anything.
 */
bool hex_read(const char *digits, size_t size, uint8_t *out);

/* Read *size* characters, 16 at most, as a number; false if one is no hex digit. */
bool hex_read_number(const char *digits, size_t size, uint64_t *number);

/* Read *size* characters, 19 at most, as a decimal number; false if one is no digit. */
bool hex_read_decimal(const char *digits, size_t size, uint64_t *number);

#endif
