/* Pairs of key and value in the order of a trie: sorted, without duplicates. */
#ifndef HEXARY_MPT_ORDER_H
#define HEXARY_MPT_ORDER_H

#include "mpt.h"

/* A key and its value, in memory of the caller. */
typedef struct mpt_pair {
    const uint8_t *key;
    const uint8_t *value;
    size_t key_size;
    size_t value_size;
} mpt_pair;

/*
 * Bring *count* pairs into the order of a trie, in place: sorted by key; of equal keys the
 * last one; none whose value is empty.  *count* becomes the number that is left.
 */
mpt_status mpt_arrange(mpt_pair *pairs, size_t *count);

#endif
