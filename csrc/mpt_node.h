/* Nodes of a lasting trie, for the files that work on them. */
#ifndef HEXARY_MPT_NODE_H
#define HEXARY_MPT_NODE_H

#include <string.h>

#include "mpt_trie.h"

enum mpt_kind { MPT_LEAF, MPT_EXTENSION, MPT_BRANCH, MPT_HASH };

struct mpt_node {
    union {
        size_t references;
        mpt_node *next; /* while it is being freed */
    } life;
    uint8_t kind;
    uint8_t start;     /* of a leaf's or extension's path: 0 or 1 */
    uint8_t item_size; /* 0 while the item is not known */
    uint8_t item[MPT_MOST_ITEM];
    uint32_t level; /* see mpt_levels.h; 0 elsewhere */
};

typedef struct mpt_leaf {
    mpt_node node;
    size_t nibbles;
    size_t value_size;
    uint8_t bytes[]; /* its path, then its value */
} mpt_leaf;

/* What hangs below an extension is a branch, or hidden. */
typedef struct mpt_extension {
    mpt_node node;
    size_t nibbles;
    mpt_node *child;
    uint8_t bytes[];
} mpt_extension;

/*
 * A full branch keeps its encoding, with the hashes of its children in it: when one child
 * changes, the others need not be read, which are all over the memory.
 */
struct mpt_branch {
    mpt_node node;
    uint32_t changed;  /* a bit for each child whose item may not be known */
    uint32_t encoded;  /* a bit for each child in the encoding */
    uint8_t *encoding; /* NULL if it is not kept; with room for its padding */
    uint8_t *value;    /* NULL if no key ends here */
    size_t value_size;
    mpt_node *children[16];
};

#define MPT_ALL_CHILDREN 0xffffu

/* The place of a branch's value after its children. */
#define MPT_VALUE 16u

/* Casts through an integer leave alone whether the node may be changed. */
static inline mpt_leaf *mpt_as_leaf(const mpt_node *node)
{
    return (mpt_leaf *)(uintptr_t)node;
}

static inline mpt_extension *mpt_as_extension(const mpt_node *node)
{
    return (mpt_extension *)(uintptr_t)node;
}

static inline mpt_branch *mpt_as_branch(const mpt_node *node)
{
    return (mpt_branch *)(uintptr_t)node;
}

static inline size_t mpt_path_bytes(size_t start, size_t nibbles)
{
    return start / 2 + nibbles / 2 + (start % 2 + nibbles % 2 + 1) / 2;
}

/* The empty path. */
static inline mpt_path mpt_no_path(void)
{
    const mpt_path none = {NULL, 0, 0};
    return none;
}

static inline mpt_path mpt_path_of(const mpt_node *node)
{
    mpt_path own = mpt_no_path();
    if (node->kind == MPT_LEAF) {
        own.bytes = mpt_as_leaf(node)->bytes;
        own.start = node->start;
        own.count = mpt_as_leaf(node)->nibbles;
    } else if (node->kind == MPT_EXTENSION) {
        own.bytes = mpt_as_extension(node)->bytes;
        own.start = node->start;
        own.count = mpt_as_extension(node)->nibbles;
    }
    return own;
}

/* Where a leaf has its value. */
static inline uint8_t *mpt_leaf_place(const mpt_node *node)
{
    mpt_leaf *leaf = mpt_as_leaf(node);
    return leaf->bytes + mpt_path_bytes(node->start, leaf->nibbles);
}

static inline const uint8_t *mpt_leaf_value(const mpt_node *node)
{
    return mpt_leaf_place(node);
}

static inline unsigned mpt_path_nibble(mpt_path path, size_t index)
{
    return mpt_nibble(path.bytes, path.start + index);
}

/* The part of a path from *index* on, of *count* nibbles. */
static inline mpt_path mpt_path_part(mpt_path whole, size_t index, size_t count)
{
    const mpt_path part = {whole.bytes, whole.start + index, count};
    return part;
}

static inline mpt_path mpt_path_from(mpt_path whole, size_t index)
{
    return mpt_path_part(whole, index, whole.count - index);
}

/* How many leading nibbles two paths share. */
size_t mpt_path_shared(mpt_path one, mpt_path other);

/* A leaf whose path is *head* and then *tail*; *start* 0 or 1 as its depth is even. */
mpt_node *mpt_leaf_new(
    size_t start, mpt_path head, mpt_path tail, const uint8_t *value, size_t value_size
);

/* An extension likewise; it takes over a reference to *child*, if it is made. */
mpt_node *mpt_extension_new(size_t start, mpt_path head, mpt_path tail, mpt_node *child);

mpt_branch *mpt_branch_new(void);

/* Give a branch another value; none if *value* is NULL. */
bool mpt_branch_put_value(mpt_branch *branch, const uint8_t *value, size_t value_size);

static inline unsigned mpt_branch_mask(const mpt_branch *branch)
{
    unsigned mask = 0;
    for (unsigned nibble = 0; nibble < 16; nibble++)
        mask |= (unsigned)(branch->children[nibble] != NULL) << nibble;
    return mask;
}

/* The lowest bit of a number that is not zero. */
static inline unsigned mpt_lowest_bit(unsigned bits)
{
#if defined(__GNUC__) || defined(__clang__)
    return (unsigned)__builtin_ctz(bits);
#else
    unsigned lowest = 0;
    while ((bits >> lowest & 1u) == 0)
        lowest++;
    return lowest;
#endif
}

/*
 * What a branch has besides *taken*: a bit for each child, and that of MPT_VALUE for its
 * value.
 */
static inline unsigned mpt_branch_besides(const mpt_branch *branch, unsigned taken)
{
    const unsigned value = (unsigned)(branch->value != NULL) << MPT_VALUE;
    return (mpt_branch_mask(branch) | value) & ~(1u << taken);
}

/* Make the branch or extension at *slot*, of which the item is forgotten, one's own. */
bool mpt_node_own(mpt_node **slot);

/* The encodings that branches keep. */
uint8_t *mpt_kept_copy(const uint8_t *encoding);

#endif
