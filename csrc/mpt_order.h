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

/* Eight bytes as a number, whose order is theirs. */
static inline uint64_t mpt_eight_bytes(const uint8_t *bytes)
{
    uint64_t number = 0;
    for (unsigned index = 0; index < 8; index++)
        number = number << 8 | bytes[index];
    return number;
}

/* Whether the first key is smaller than the second one. */
static inline bool mpt_is_before(const mpt_pair *first, const mpt_pair *second)
{
    if (first->key_size >= 8 && second->key_size >= 8) {
        const uint64_t one = mpt_eight_bytes(first->key);
        const uint64_t other = mpt_eight_bytes(second->key);
        if (one != other)
            return one < other;
    }
    return mpt_compare_keys(
        first->key, first->key_size, second->key, second->key_size
    ) < 0;
}

/*
 * Bring *count* pairs into the order of a trie, in place: sorted by key; of equal keys the
 * last one; none whose value is empty.  *count* becomes the number that is left.
 */
mpt_status mpt_arrange(mpt_pair *pairs, size_t *count);

/*
 * How many pairs at a time their bytes are fetched, that many ahead.  Each may be on a page
 * of its own, and it is finding the pages that takes long; a processor finds several at
 * once, but only if it is asked at once.
 */
#define MPT_FETCHED 32u

/* Ask for the bytes of pairs that come soon, of the *left* ones at *pairs*. */
MPT_ALWAYS_INLINE void mpt_fetch_pairs(const mpt_pair *pairs, size_t left)
{
    const size_t end = left < 2 * MPT_FETCHED ? left : 2 * MPT_FETCHED;
    for (size_t index = MPT_FETCHED; index < end; index++) {
        const mpt_pair *pair = &pairs[index];
        MPT_PREFETCH(pair->key);
        MPT_PREFETCH(pair->value);
        MPT_PREFETCH(pair->value + pair->value_size / 2);
        MPT_PREFETCH(pair->value + pair->value_size - 1);
    }
}

#endif
