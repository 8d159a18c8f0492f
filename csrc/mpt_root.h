/* The root hash of many pairs, built at once or in parts that threads can share. */
#ifndef HEXARY_MPT_ROOT_H
#define HEXARY_MPT_ROOT_H

#include "mpt_build.h"

/* The root hash of the trie without keys: keccak-256 of the RLP of the empty string. */
extern const uint8_t mpt_empty_root[KECCAK256_SIZE];

/*
 * The topmost branch of a trie, to be built in parts: the pairs below nibble n are those
 * from starts[n] up to starts[n + 1].
 */
typedef struct mpt_parts {
    size_t depth;
    const uint8_t *key; /* one of the keys, for the path to the branch */
    const mpt_pair *value; /* of the key that ends at the branch, or NULL */
    size_t starts[17];
} mpt_parts;

/* Divide two or more arranged pairs. */
void mpt_divide(const mpt_pair *pairs, size_t count, mpt_parts *parts);

/* Find the root hash from the items of the parts, of size 0 where there are no pairs. */
mpt_status mpt_join(
    const keccak_kernel *kernel, const mpt_parts *parts, const mpt_item items[16],
    uint8_t root[KECCAK256_SIZE], keccak_tally *tally
);

/* Find the root hash of arranged pairs, none included. */
mpt_status mpt_root(
    mpt_builder *builder, const keccak_kernel *kernel, const mpt_pair *pairs, size_t count,
    uint8_t root[KECCAK256_SIZE], keccak_tally *tally
);

#endif
