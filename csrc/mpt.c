#include "mpt.h"

#include <string.h>

#include "rlp.h"

static size_t shared_bytes(const uint8_t *first, const uint8_t *second, size_t size)
{
    size_t index = 0;
    for (; size - index >= 8; index += 8) {
        uint64_t one, other;
        memcpy(&one, first + index, 8);
        memcpy(&other, second + index, 8);
        if (one != other)
            break;
    }
    while (index < size && first[index] == second[index])
        index++;
    return index;
}

size_t mpt_shared_nibbles(
    const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size
)
{
    const size_t size = first_size < second_size ? first_size : second_size;
    const size_t same = shared_bytes(first, second, size);
    if (same == size)
        return 2 * same;
    return 2 * same + ((first[same] ^ second[same]) < 16);
}

int mpt_compare_keys(
    const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size
)
{
    const size_t size = first_size < second_size ? first_size : second_size;
    const int order = size == 0 ? 0 : memcmp(first, second, size);
    if (order != 0)
        return order;
    return (first_size > second_size) - (first_size < second_size);
}

size_t mpt_path_size(size_t nibbles)
{
    const size_t size = nibbles / 2 + 1;
    /* One byte of hex-prefix is below 0x80 and stands for itself. */
    return size == 1 ? 1 : rlp_header_size(size) + size;
}

uint8_t *mpt_write_path(
    uint8_t *out, const uint8_t *key, size_t start, size_t stop, unsigned is_leaf
)
{
    const size_t nibbles = stop - start;
    const size_t size = nibbles / 2 + 1;
    const unsigned flag = is_leaf ? 0x20u : 0;
    if (size > 1)
        out = rlp_write_header(out, RLP_STRING, size);
    if (nibbles % 2 != 0)
        *out++ = (uint8_t)(flag | 0x10u | mpt_nibble(key, start++));
    else
        *out++ = (uint8_t)flag;
    if (start % 2 == 0) {
        if (stop > start)
            memcpy(out, key + start / 2, (stop - start) / 2);
        return out + (stop - start) / 2;
    }
    for (; start < stop; start += 2)
        *out++ = (uint8_t)(mpt_nibble(key, start) << 4 | mpt_nibble(key, start + 1));
    return out;
}
