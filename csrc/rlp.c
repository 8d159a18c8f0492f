#include "rlp.h"

#include <string.h>

rlp_verdict rlp_read_header(
    const uint8_t *data, size_t position, size_t end, rlp_verdict outside, size_t *start,
    size_t *stop
)
{
    const unsigned prefix = data[position];
    const size_t left = end - position - 1; /* bytes after the prefix */
    if (prefix < RLP_STRING) {
        *start = position;
        *stop = position + 1;
        return RLP_GOOD;
    }
    const unsigned kind = prefix < RLP_LIST ? RLP_STRING : RLP_LIST;
    uint64_t size = prefix - kind;
    size_t width = 0;
    if (size > 55) {
        width = (size_t)size - 55;
        if (width > left)
            return outside;
        if (data[position + 1] == 0)
            return RLP_LEADING_ZERO_LENGTH;
        size = 0;
        for (size_t index = 0; index < width; index++)
            size = size << 8 | data[position + 1 + index];
        if (size < 56)
            return RLP_NON_CANONICAL_LENGTH;
    }
    if (size > left - width)
        return outside;
    *start = position + 1 + width;
    *stop = *start + (size_t)size;
    if (prefix == 0x81 && data[*start] < RLP_STRING)
        return RLP_NON_CANONICAL_BYTE;
    return RLP_GOOD;
}

uint8_t *rlp_write_header(uint8_t *out, unsigned kind, size_t size)
{
    if (size < 56) {
        *out++ = (uint8_t)(kind + size);
        return out;
    }
    const size_t width = rlp_header_size(size) - 1;
    *out++ = (uint8_t)(kind + 55 + width);
    for (size_t index = width; index-- > 0;)
        *out++ = (uint8_t)(size >> 8 * index);
    return out;
}

uint8_t *rlp_write_string(uint8_t *out, const uint8_t *data, size_t size)
{
    if (size != 1 || data[0] >= RLP_STRING)
        out = rlp_write_header(out, RLP_STRING, size);
    if (size > 0)
        memcpy(out, data, size);
    return out + size;
}
