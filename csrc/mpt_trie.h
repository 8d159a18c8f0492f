/*
 * A lasting Merkle-Patricia trie: an ordered map from keys to values that knows its root.
 *
 * A trie is a pointer to its topmost node, NULL if it is empty.  Nodes are counted: one
 * that a single trie holds is changed in place, one that several share is copied first,
 * so that copying a trie takes one reference.  A node keeps the RLP item by which its
 * parent holds it until something below it changes.
 *
 * Of a stored subtree only the hash may be known, which is a *hidden* node.  Where a way
 * leads to one, an operation stops with MPT_HIDDEN, and the caller gets the node and opens
 * it.  What is opened becomes part of a trie only where something below it changes.
 *
 * Nothing here recurses along the trie, and nothing locks: a caller lets one thread in at
 * a time.
 */
#ifndef HEXARY_MPT_TRIE_H
#define HEXARY_MPT_TRIE_H

#include "keccak_batch.h"
#include "mpt_order.h"

typedef struct mpt_node mpt_node;
typedef struct mpt_branch mpt_branch;

void mpt_node_retain(mpt_node *node);
void mpt_node_release(mpt_node *node);

/* A hidden node; NULL without memory. */
mpt_node *mpt_node_hide(const uint8_t digest[KECCAK256_SIZE]);

bool mpt_node_is_hidden(const mpt_node *node);

/* Read a node from its encoding, of which exactly the canonical form is taken. */
mpt_status mpt_node_read(const uint8_t *data, size_t size, mpt_node **node);

/* The hash by which a parent holds a settled node, NULL if it is embedded. */
const uint8_t *mpt_node_digest(const mpt_node *node);

/* The encoding of a settled node that is not hidden: its size, and writing it. */
size_t mpt_node_size(const mpt_node *node);
void mpt_node_write(const mpt_node *node, uint8_t *out);

/* Nibbles inside packed bytes. */
typedef struct mpt_path {
    const uint8_t *bytes;
    size_t start;
    size_t count;
} mpt_path;

/* Some nodes, each with a reference. */
typedef struct mpt_nodes {
    mpt_node **nodes;
    size_t count, capacity;
} mpt_nodes;

/* Add a node, of which the list takes over a reference if it has memory. */
bool mpt_nodes_add(mpt_nodes *list, mpt_node *node);
void mpt_nodes_free(mpt_nodes *list);

/*
 * A way from the root along a path.  The trie must not change while it is in use, unless
 * the caller holds a reference to its root.
 */
typedef struct mpt_way {
    mpt_path whole;
    size_t depth;          /* nibbles above the node */
    mpt_node *node;        /* where the way has come to, NULL if there is nothing */
    bool is_below_extension;
    mpt_nodes opened;      /* in the order in which they were needed */
    const uint8_t *hidden; /* the hash of the node that is needed */
    /* The last branch above, and the child that the way takes there (16: its value). */
    const mpt_branch *branch;
    size_t branch_depth;
    unsigned taken;
} mpt_way;

void mpt_way_start(mpt_way *way, mpt_node *root, mpt_path whole);
void mpt_way_free(mpt_way *way);

/* Go one node further; false if this node is where the way ends. */
bool mpt_way_step(mpt_way *way);

/*
 * Go on to where the path ends; MPT_HIDDEN where a node is needed, whose path is what lies
 * above.  *value* is NULL if no key ends there, and stays until the trie changes.
 */
mpt_status mpt_way_find(mpt_way *way, const uint8_t **value, size_t *value_size);

/* Go on to the node that stands exactly where the path ends; else it is NULL. */
mpt_status mpt_way_reach(mpt_way *way);

/*
 * Look whether removing the value that the way has found leaves a branch with one child:
 * MPT_HIDDEN if that has to be opened, with its nibble.
 */
mpt_status mpt_way_sibling(mpt_way *way, const uint8_t **hidden, unsigned *nibble);

/* Put *node*, of which the way takes over a reference, in place of the hidden one. */
mpt_status mpt_way_open(mpt_way *way, mpt_node *node);

/*
 * Put a value of one byte or more at a key.
 *
 * *opened* holds the nodes behind the hashes on the way, in their order; those that are
 * used become part of the trie.  On failure nothing changes.
 */
mpt_status mpt_trie_set(
    mpt_node **root, mpt_path key, const uint8_t *value, size_t value_size,
    mpt_nodes *opened, bool *added
);

/* Remove a key that is there, likewise; the node last opened may be the sibling. */
mpt_status mpt_trie_remove(mpt_node **root, mpt_path key, mpt_nodes *opened);

/*
 * Set or remove, where the value is empty, the pairs one after the other in a trie without
 * hidden nodes; *growth* is how many keys there are more.  On failure some are done.
 */
mpt_status mpt_trie_update(
    mpt_node **root, const mpt_pair *pairs, size_t count, ptrdiff_t *growth
);

/* Make a trie of arranged pairs (mpt_arrange); *root*, which is empty, stays so on failure. */
mpt_status mpt_trie_grow(mpt_node **root, const mpt_pair *pairs, size_t count);

/*
 * Find the items of all nodes of some tries, hashing what changed level by level, the
 * lowest first; *tally* grows by what was hashed.
 */
mpt_status mpt_settle(
    mpt_node *const *roots, size_t count, const keccak_kernel *kernel, keccak_tally *tally
);

/* Find the root hash. */
mpt_status mpt_trie_hash(
    mpt_node *root, const keccak_kernel *kernel, uint8_t digest[KECCAK256_SIZE],
    keccak_tally *tally
);

/*
 * List the nodes of a settled trie that are neither hidden nor embedded, the deepest level
 * first and the root, in any case, last.
 */
mpt_status mpt_trie_nodes(mpt_node *root, mpt_nodes *list);

/* Bounds of an iteration, as nibbles of a byte each. */
typedef struct mpt_bounds {
    const uint8_t *head; /* what all keys begin with */
    size_t head_size;
    const uint8_t *low; /* the smallest key */
    size_t low_size;
    const uint8_t *high; /* keys are before this one; NULL for no bound */
    size_t high_size;
} mpt_bounds;

typedef struct mpt_frame mpt_frame;

/* An iteration over keys and values in key order, or backwards. */
typedef struct mpt_iterator {
    mpt_bounds bounds;
    bool is_reverse;
    mpt_frame *frames; /* the branches above */
    size_t count, capacity;
    uint8_t *path; /* nibbles of a byte each */
    size_t size, room;
    mpt_node *next; /* the node to look at, with a reference; NULL: the next child */
    bool is_below_extension;
    mpt_node *holder; /* of the value, with a reference */
    const uint8_t *value;
    size_t value_size;
} mpt_iterator;

/* Begin; *bounds* points to memory of the caller. */
void mpt_iterator_start(
    mpt_iterator *iterator, mpt_node *root, const mpt_bounds *bounds, bool is_reverse
);
void mpt_iterator_free(mpt_iterator *iterator);

/*
 * Go on to the next value: its key is `path`.  MPT_END after the last; MPT_HIDDEN where
 * *next* has to be opened, which stands at `path`.
 */
mpt_status mpt_iterator_next(mpt_iterator *iterator);

/* Put *node*, of which the iterator takes over a reference, in place of the hidden one. */
mpt_status mpt_iterator_open(mpt_iterator *iterator, mpt_node *node);

#endif
