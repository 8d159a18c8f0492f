/* The nodes of a trie, level by level. */
#ifndef HEXARY_MPT_LEVELS_H
#define HEXARY_MPT_LEVELS_H

#include "mpt_node.h"

/* How much memory comes at a time. */
#define MPT_LINE 64u

/*
 * A node that tries share may be in several levels, but in each of them once: the number of
 * the last one, from 1 on, is in a shared node until the levels are freed.
 */
typedef struct mpt_levels {
    mpt_nodes list; /* without references: the topmost level, the one below, … */
    size_t *ends;   /* of the levels in it */
    size_t count, room;
} mpt_levels;

/* Add a node to the level that is being filled, unless it is there. */
bool mpt_levels_add(mpt_levels *levels, mpt_node *node);

/* Add the children of *node* that belong to the levels. */
typedef bool mpt_choose_children(mpt_levels *levels, mpt_node *node);

/* Fill in the levels below the first one, which is in the list already. */
mpt_status mpt_levels_fill(mpt_levels *levels, mpt_choose_children *choose);
void mpt_levels_free(mpt_levels *levels);

/*
 * Ask for the memory of nodes that come after *index* in a list that ends at *end*, and of
 * their children that have changed; or of all that their encodings are made of.
 */
void mpt_fetch_children(mpt_node *const *nodes, size_t index, size_t end);
void mpt_fetch_items(mpt_node *const *nodes, size_t index, size_t end);

#endif
