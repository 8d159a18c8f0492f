/*
 * Merkle-Patricia tries (Yellow Paper, appendices C and D): keys, their order, and paths
 * in hex-prefix form.
 */
#ifndef HEXARY_MPT_H
#define HEXARY_MPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Ask for memory that is read soon, wherever it is.  GCC takes a function that does no more
 * than that for one that does nothing, and may leave out its calls: inline it always.
 */
#if defined(__GNUC__) || defined(__clang__)
#define MPT_PREFETCH(address) __builtin_prefetch(address)
#define MPT_ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define MPT_PREFETCH(address) ((void)(address))
#define MPT_ALWAYS_INLINE static inline
#endif

typedef enum mpt_status {
    MPT_GOOD,
    MPT_NO_MEMORY,
    MPT_HIDDEN,     /* a node is needed of which only the hash is known */
    MPT_NOT_BRANCH, /* what stands behind the hash below an extension is no branch */
    MPT_MALFORMED,  /* bytes that are no node */
    MPT_HALF_A_BYTE, /* a key that ends in the middle of a byte */
    MPT_END
} mpt_status;

/* A node whose encoding is shorter than this is embedded in its parent. */
#define MPT_EMBEDDED_BELOW 32u

/* The largest RLP item by which a parent holds a child: a hash with its prefix. */
#define MPT_MOST_ITEM 33u
#define MPT_HASH_PREFIX 0xa0u

/* Whether a parent holds a node with an encoding of this size as it is. */
static inline bool mpt_is_embedded(size_t encoding_size)
{
    return encoding_size < MPT_EMBEDDED_BELOW;
}

/* The size of the RLP item by which a parent holds a node with an encoding of this size. */
static inline size_t mpt_item_size(size_t encoding_size)
{
    return mpt_is_embedded(encoding_size) ? encoding_size : MPT_MOST_ITEM;
}

static inline unsigned mpt_nibble(const uint8_t *key, size_t index)
{
    return index % 2 == 0 ? key[index / 2] >> 4 : key[index / 2] & 15u;
}

/* How many leading nibbles two keys share. */
size_t mpt_shared_nibbles(
    const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size
);

/* Compare keys as Python compares bytes: negative, zero or positive. */
int mpt_compare_keys(
    const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size
);

/*
 * A path in hex-prefix form, as an RLP string: its size, and writing the nibbles of a key
 * from *start* up to *stop*.  A leaf's path ends where the key ends.
 */
size_t mpt_path_size(size_t nibbles);
uint8_t *mpt_write_path(
    uint8_t *out, const uint8_t *key, size_t start, size_t stop, unsigned is_leaf
);

#endif
