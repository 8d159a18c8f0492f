/*
 * Building the subtree of many pairs, of which nothing but its RLP item is left.
 *
 * Sorted, neighbouring keys tell the shape of the trie (see hexary.trie.root).  One pass
 * over the pairs lays out the encodings of all branches and extensions, with holes where
 * the hashes of children belong; leaves are hashed on the way, the other nodes level by
 * level, the lowest first, whenever enough of them wait.  So memory is bounded and stays
 * in the processor's cache, whatever the number of pairs.
 */
#ifndef HEXARY_MPT_BUILD_H
#define HEXARY_MPT_BUILD_H

#include "keccak_batch.h"
#include "mpt_order.h"

typedef struct mpt_builder mpt_builder;

/* A builder may be used again and again, by one thread at a time; NULL without memory. */
mpt_builder *mpt_builder_new(void);
void mpt_builder_free(mpt_builder *builder);

/* The RLP item by which a parent holds a subtree. */
typedef struct mpt_item {
    uint8_t bytes[MPT_MOST_ITEM];
    uint8_t size;
} mpt_item;

/*
 * Find the item of the subtree of one or more arranged pairs whose keys share the first
 * *depth* nibbles at least, and whose parent takes the last of these.
 *
 * *tally* grows by what was hashed.
 */
mpt_status mpt_build(
    mpt_builder *builder, const keccak_kernel *kernel, const mpt_pair *pairs, size_t count,
    size_t depth, mpt_item *item, keccak_tally *tally
);

/* A trie whose root hash is wanted. */
typedef struct mpt_wanted {
    const mpt_pair *pairs; /* arranged */
    size_t count;          /* of the pairs, one or more */
    uint8_t *root;
} mpt_wanted;

/*
 * Find the root hashes of *count* tries, of all of them together: small tries have few nodes
 * in a level, but many small tries have enough to hash side by side.
 */
mpt_status mpt_build_roots(
    mpt_builder *builder, const keccak_kernel *kernel, const mpt_wanted *wanted,
    size_t count, keccak_tally *tally
);

#endif
