/*
 * RLP: walk any bytes as an encoding, with a stack of our own as the binding's decoder
 * has one.  A header that is accepted is the one that the library writes for its payload,
 * the payload is inside what encloses it, and a string that is accepted is the string
 * that the library writes.
 */
#include "fuzz.h"

#include "rlp.h"

#define DEEPEST 64

static void check_item(const uint8_t *data, size_t position, size_t start, size_t stop)
{
    const size_t payload = stop - start;
    uint8_t header[RLP_MOST_HEADER];
    if (data[position] >= RLP_LIST) {
        const size_t written = (size_t)(rlp_write_header(header, RLP_LIST, payload) - header);
        expect(written == rlp_header_size(payload), "the size of a list's header");
        expect(written == start - position
                   && memcmp(header, data + position, written) == 0,
               "the header of a list");
        return;
    }
    const size_t size = rlp_string_size(data + start, payload);
    expect(size == stop - position, "the size of a string");
    uint8_t *encoded = malloc(size);
    if (encoded == NULL)
        abort();
    expect(rlp_write_string(encoded, data + start, payload) == encoded + size,
           "where a string ends");
    expect(memcmp(encoded, data + position, size) == 0, "the encoding of a string");
    free(encoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t ends[DEEPEST];
    size_t depth = 0, position = 0, end = size;
    while (position < end) {
        size_t start = 0, stop = 0;
        const rlp_verdict outside = depth == 0 ? RLP_TRUNCATED : RLP_OVERRUN;
        const rlp_verdict verdict =
            rlp_read_header(data, position, end, outside, &start, &stop);
        if (verdict != RLP_GOOD) {
            expect(verdict == outside || verdict == RLP_NON_CANONICAL_BYTE
                       || verdict == RLP_NON_CANONICAL_LENGTH
                       || verdict == RLP_LEADING_ZERO_LENGTH,
                   "the verdicts on a header");
            return 0;
        }
        expect(position <= start && start <= stop && stop <= end && position < stop,
               "a payload inside what encloses it");
        check_item(data, position, start, stop);
        if (data[position] < RLP_LIST) {
            position = stop;
        } else {
            if (depth == DEEPEST)
                return 0;
            ends[depth++] = end;
            position = start;
            end = stop;
        }
        while (depth > 0 && position == end)
            end = ends[--depth];
    }
    return 0;
}
