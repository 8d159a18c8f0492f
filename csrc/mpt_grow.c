/* Making a lasting trie of many pairs at once. */
#include <stdlib.h>

#include "mpt_array.h"
#include "mpt_levels.h"

/* A branch that gets more children yet. */
typedef struct growing_branch {
    mpt_branch *branch;
    size_t depth; /* nibbles from the root to it */
} growing_branch;

/* The branches on the way to the last pair, the topmost first. */
typedef struct growing_trie {
    growing_branch *branches;
    size_t count, capacity;
    mpt_node *top; /* when no branch is left */
} growing_trie;

static growing_branch *innermost(const growing_trie *self)
{
    return self->count == 0 ? NULL : &self->branches[self->count - 1];
}

static mpt_status open_branch(growing_trie *self, size_t depth)
{
    if (!MPT_RESERVE(self, branches, capacity, self->count))
        return MPT_NO_MEMORY;
    mpt_branch *made = mpt_branch_new();
    if (made == NULL)
        return MPT_NO_MEMORY;
    const growing_branch opened = {made, depth};
    self->branches[self->count++] = opened;
    return MPT_GOOD;
}

/* A part of a pair's key. */
static mpt_path part_of(const mpt_pair *pair, size_t start, size_t stop)
{
    const mpt_path part = {pair->key, start, stop - start};
    return part;
}

/* Hang a pair below the innermost branch, or make it the top where there is none. */
static mpt_status hang_pair(growing_trie *self, const mpt_pair *pair)
{
    const growing_branch *above = innermost(self);
    const size_t nibbles = 2 * pair->key_size;
    if (above != NULL && nibbles == above->depth)
        return mpt_branch_put_value(above->branch, pair->value, pair->value_size)
                   ? MPT_GOOD
                   : MPT_NO_MEMORY;
    const size_t start = above == NULL ? 0 : above->depth + 1;
    mpt_node *leaf = mpt_leaf_new(
        start % 2, part_of(pair, start, nibbles), mpt_no_path(), pair->value,
        pair->value_size
    );
    if (leaf == NULL)
        return MPT_NO_MEMORY;
    if (above == NULL)
        self->top = leaf;
    else
        above->branch->children[mpt_nibble(pair->key, start - 1)] = leaf;
    return MPT_GOOD;
}

/* Hang a branch that is complete, with the extension to it, where it belongs. */
static mpt_status hang_branch(
    growing_trie *self, growing_branch closed, const mpt_pair *pair
)
{
    const growing_branch *above = innermost(self);
    const size_t start = above == NULL ? 0 : above->depth + 1;
    mpt_node *node = &closed.branch->node;
    if (start < closed.depth) {
        node = mpt_extension_new(
            start % 2, part_of(pair, start, closed.depth), mpt_no_path(), node
        );
        if (node == NULL) {
            mpt_node_release(&closed.branch->node);
            return MPT_NO_MEMORY;
        }
    }
    if (above == NULL)
        self->top = node;
    else
        above->branch->children[mpt_nibble(pair->key, start - 1)] = node;
    return MPT_GOOD;
}

/*
 * Close the branches that are deeper than *after*, which is what *pair* shares with the
 * next one; all of them if there is no next one.
 */
static mpt_status close_branches(
    growing_trie *self, const mpt_pair *pair, size_t after, bool is_last
)
{
    mpt_status status = MPT_GOOD;
    while (status == MPT_GOOD && self->count > 0
           && (is_last || innermost(self)->depth > after)) {
        const growing_branch closed = self->branches[--self->count];
        const growing_branch *above = innermost(self);
        if (!is_last && (above == NULL || above->depth < after))
            status = open_branch(self, after);
        if (status == MPT_GOOD)
            status = hang_branch(self, closed, pair);
        else
            mpt_node_release(&closed.branch->node);
    }
    return status;
}

static mpt_status grow(growing_trie *self, const mpt_pair *pairs, size_t count)
{
    mpt_status status = MPT_GOOD;
    for (size_t index = 0; index < count && status == MPT_GOOD; index++) {
        const mpt_pair *pair = &pairs[index];
        const bool is_last = index + 1 == count;
        size_t after = 0;
        if (index % MPT_FETCHED == 0)
            mpt_fetch_pairs(pairs + index, count - index);
        if (!is_last) {
            after = mpt_shared_nibbles(
                pair->key, pair->key_size, pair[1].key, pair[1].key_size
            );
            if (self->count == 0 || innermost(self)->depth < after)
                status = open_branch(self, after);
        }
        if (status == MPT_GOOD)
            status = hang_pair(self, pair);
        if (status == MPT_GOOD)
            status = close_branches(self, pair, after, is_last);
    }
    return status;
}

mpt_status mpt_trie_grow(mpt_node **root, const mpt_pair *pairs, size_t count)
{
    growing_trie self = {NULL, 0, 0, NULL};
    const mpt_status status = grow(&self, pairs, count);
    if (status == MPT_GOOD)
        *root = self.top;
    while (self.count > 0)
        mpt_node_release(&self.branches[--self.count].branch->node);
    free(self.branches);
    return status;
}
