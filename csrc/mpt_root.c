#include "mpt_root.h"

#include <stdlib.h>
#include <string.h>

#include "rlp.h"

void mpt_divide(const mpt_pair *pairs, size_t count, mpt_parts *parts)
{
    const mpt_pair *last = &pairs[count - 1];
    size_t index = 0;
    parts->depth =
        mpt_shared_nibbles(pairs->key, pairs->key_size, last->key, last->key_size);
    parts->key = last->key;
    parts->value = NULL;
    if (2 * pairs->key_size == parts->depth) {
        parts->value = pairs;
        index = 1;
    }
    for (unsigned nibble = 0; nibble < 16; nibble++) {
        parts->starts[nibble] = index;
        size_t end = count; /* the first pair above the nibble is in [index, end] */
        while (index < end) {
            const size_t middle = index + (end - index) / 2;
            if (mpt_nibble(pairs[middle].key, parts->depth) <= nibble)
                index = middle + 1;
            else
                end = middle;
        }
    }
    parts->starts[16] = count;
}

mpt_status mpt_join(
    const keccak_kernel *kernel, const mpt_parts *parts, const mpt_item items[16],
    uint8_t root[KECCAK256_SIZE], keccak_tally *tally
)
{
    const mpt_pair *value = parts->value;
    size_t payload =
        value == NULL ? 1 : rlp_string_size(value->value, value->value_size);
    for (unsigned nibble = 0; nibble < 16; nibble++)
        payload += items[nibble].size > 0 ? items[nibble].size : 1;
    size_t size = rlp_header_size(payload) + payload;
    uint8_t *encoding = malloc(size);
    if (encoding == NULL)
        return MPT_NO_MEMORY;
    uint8_t *out = rlp_write_header(encoding, RLP_LIST, payload);
    for (unsigned nibble = 0; nibble < 16; nibble++) {
        if (items[nibble].size == 0)
            *out++ = RLP_STRING;
        else
            memcpy(out, items[nibble].bytes, items[nibble].size);
        out += items[nibble].size;
    }
    if (value == NULL)
        *out = RLP_STRING;
    else
        rlp_write_string(out, value->value, value->value_size);
    keccak256(kernel, encoding, size, root);
    if (parts->depth > 0) {
        mpt_item below = {.size = (uint8_t)mpt_item_size(size)};
        if (mpt_is_embedded(size)) {
            memcpy(below.bytes, encoding, size);
        } else {
            keccak_tally_message(tally, size);
            below.bytes[0] = MPT_HASH_PREFIX;
            memcpy(below.bytes + 1, root, KECCAK256_SIZE);
        }
        free(encoding);
        payload = mpt_path_size(parts->depth) + below.size;
        size = rlp_header_size(payload) + payload;
        encoding = malloc(size);
        if (encoding == NULL)
            return MPT_NO_MEMORY;
        out = rlp_write_header(encoding, RLP_LIST, payload);
        out = mpt_write_path(out, parts->key, 0, parts->depth, 0);
        memcpy(out, below.bytes, below.size);
        keccak256(kernel, encoding, size, root);
    }
    keccak_tally_message(tally, size);
    free(encoding);
    return MPT_GOOD;
}

const uint8_t mpt_empty_root[KECCAK256_SIZE] = {
    0x56, 0xe8, 0x1f, 0x17, 0x1b, 0xcc, 0x55, 0xa6, 0xff, 0x83, 0x45,
    0xe6, 0x92, 0xc0, 0xf8, 0x6e, 0x5b, 0x48, 0xe0, 0x1b, 0x99, 0x6c,
    0xad, 0xc0, 0x01, 0x62, 0x2f, 0xb5, 0xe3, 0x63, 0xb4, 0x21,
};

mpt_status mpt_root(
    mpt_builder *self, const keccak_kernel *kernel, const mpt_pair *pairs, size_t count,
    uint8_t root[KECCAK256_SIZE], keccak_tally *tally
)
{
    const mpt_wanted wanted = {pairs, count, root};
    if (count > 0)
        return mpt_build_roots(self, kernel, &wanted, 1, tally);
    memcpy(root, mpt_empty_root, KECCAK256_SIZE);
    return MPT_GOOD;
}
