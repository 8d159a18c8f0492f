/*
 * A lasting Merkle-Patricia trie: an ordered map from keys to values that knows its root.
 *
 * A trie is a pointer to its topmost node, NULL if it is empty.  Nodes are counted: one
 * that a single trie holds is changed in place, one that several share is copied first,
 * so that copying a trie takes one reference.  A node keeps the RLP item by which its
 * parent holds it until something below it changes.
 *
 * Nothing here recurses, and nothing locks: a caller lets one thread in at a time.
 */
#ifndef HEXARY_MPT_TRIE_H
#define HEXARY_MPT_TRIE_H

#include <stdbool.h>

#include "keccak_batch.h"
#include "mpt.h"

typedef struct mpt_node mpt_node;

void mpt_node_retain(mpt_node *node);
void mpt_node_release(mpt_node *node);

/* Find the value at a key; *value* stays until the trie changes. */
bool mpt_trie_get(
    const mpt_node *root, const uint8_t *key, size_t key_size, const uint8_t **value,
    size_t *value_size
);

/* Put a value of one byte or more at a key; on failure nothing changes. */
mpt_status mpt_trie_set(
    mpt_node **root, const uint8_t *key, size_t key_size, const uint8_t *value,
    size_t value_size, bool *added
);

/* Remove a key; on failure nothing changes. */
mpt_status mpt_trie_delete(
    mpt_node **root, const uint8_t *key, size_t key_size, bool *removed
);

/* Find the root hash; only what changed is hashed, level by level. */
mpt_status mpt_trie_hash(
    mpt_node *root, const keccak_kernel *kernel, uint8_t digest[KECCAK256_SIZE],
    keccak_tally *tally
);

/* A key and its value, as a search finds them. */
typedef struct mpt_found {
    uint8_t *key; /* freed by `mpt_found_free` */
    size_t key_size;
    size_t capacity;
    const uint8_t *value; /* NULL if there is no such key */
    size_t value_size;
} mpt_found;

/* Find the smallest key that is not before *key*. */
mpt_status mpt_trie_first_from(
    const mpt_node *root, const uint8_t *key, size_t key_size, mpt_found *found
);

/* Find the largest key that is before *key*, or of all if *key* is NULL. */
mpt_status mpt_trie_last_before(
    const mpt_node *root, const uint8_t *key, size_t key_size, mpt_found *found
);

void mpt_found_free(mpt_found *found);

#endif
