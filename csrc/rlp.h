/*
 * RLP (Yellow Paper, appendix B): headers of items, and a check of whole encodings.
 *
 * hexary.rlp's docstring explains the encoding and hexary.rlp.decoding's the order of the
 * verdicts, which are the same here.
 */
#ifndef HEXARY_RLP_H
#define HEXARY_RLP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RLP_STRING 0x80u
#define RLP_LIST 0xc0u

/* The largest header: a prefix and eight bytes of length. */
#define RLP_MOST_HEADER 9u

/* The rules that bytes may break, as hexary.errors.DecodeReason has them. */
typedef enum rlp_verdict {
    RLP_GOOD,
    RLP_EMPTY_INPUT,
    RLP_TRUNCATED,
    RLP_OVERRUN,
    RLP_TRAILING_BYTES,
    RLP_NON_CANONICAL_BYTE,
    RLP_NON_CANONICAL_LENGTH,
    RLP_LEADING_ZERO_LENGTH,
    RLP_TOO_DEEP,
    RLP_TOO_MANY_ITEMS,
    RLP_VERDICTS
} rlp_verdict;

/*
 * Find the payload of the item at *position*, which is below *end*.
 *
 * *outside* is the verdict on an item that goes beyond *end*.
 */
rlp_verdict rlp_read_header(
    const uint8_t *data, size_t position, size_t end, rlp_verdict outside, size_t *start,
    size_t *stop
);

/* The size of the header of a payload of *size* bytes that is not a byte of its own. */
static inline size_t rlp_header_size(size_t size)
{
    size_t header = 1;
    if (size >= 56)
        for (; size > 0; size >>= 8)
            header++;
    return header;
}

/* The size of the encoding of a string. */
static inline size_t rlp_string_size(const uint8_t *data, size_t size)
{
    return size == 1 && data[0] < RLP_STRING ? 1 : rlp_header_size(size) + size;
}

/* Write the header of a string (*kind* RLP_STRING) or list; return what follows it. */
uint8_t *rlp_write_header(uint8_t *out, unsigned kind, size_t size);

/* Write the encoding of a string; return what follows it. */
uint8_t *rlp_write_string(uint8_t *out, const uint8_t *data, size_t size);

#endif
