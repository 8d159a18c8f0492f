#include "mpt_levels.h"

#include <stdlib.h>

#include "mpt_array.h"

/* How many nodes ahead of the work their memory is asked for. */
#define AHEAD 8

bool mpt_levels_add(mpt_levels *levels, mpt_node *node)
{
    const uint32_t level = (uint32_t)(levels->count + 1);
    /* What one parent alone holds is not met again; a caller may name a top node twice. */
    const bool may_be_met = node->life.references > 1 || level == 1;
    if (may_be_met && node->level == level)
        return true;
    if (!mpt_nodes_add(&levels->list, node))
        return false;
    if (may_be_met)
        node->level = level;
    return true;
}

static bool end_level(mpt_levels *levels)
{
    if (!MPT_RESERVE(levels, ends, room, levels->count))
        return false;
    levels->ends[levels->count++] = levels->list.count;
    return true;
}

mpt_status mpt_levels_fill(mpt_levels *levels, mpt_choose_children *choose)
{
    size_t next = 0;
    while (next < levels->list.count) {
        const size_t end = levels->list.count;
        if (!end_level(levels))
            return MPT_NO_MEMORY;
        for (; next < end; next++) {
            mpt_fetch_children(levels->list.nodes, next, end);
            if (!choose(levels, levels->list.nodes[next]))
                return MPT_NO_MEMORY;
        }
    }
    return MPT_GOOD;
}

void mpt_levels_free(mpt_levels *levels)
{
    for (size_t index = 0; index < levels->list.count; index++)
        levels->list.nodes[index]->level = 0;
    free(levels->list.nodes);
    free(levels->ends);
    memset(levels, 0, sizeof *levels);
}

/* Ask for a node, or for that part of it which ends with its item. */
MPT_ALWAYS_INLINE void fetch_node(const mpt_node *node, size_t size)
{
    for (size_t at = 0; at < size; at += MPT_LINE)
        MPT_PREFETCH((const char *)node + at);
    MPT_PREFETCH((const char *)node + size - 1);
}

void mpt_fetch_children(mpt_node *const *nodes, size_t index, size_t end)
{
    if (end - index > 2 * AHEAD)
        fetch_node(nodes[index + 2 * AHEAD], sizeof(mpt_branch));
    if (end - index <= AHEAD || nodes[index + AHEAD]->kind != MPT_BRANCH)
        return;
    const mpt_branch *branch = mpt_as_branch(nodes[index + AHEAD]);
    for (unsigned left = branch->changed; left != 0; left &= left - 1)
        MPT_PREFETCH(branch->children[mpt_lowest_bit(left)]);
}

void mpt_fetch_items(mpt_node *const *nodes, size_t index, size_t end)
{
    if (end - index > 2 * AHEAD)
        fetch_node(nodes[index + 2 * AHEAD], sizeof(mpt_branch));
    if (end - index <= AHEAD || nodes[index + AHEAD]->kind != MPT_BRANCH)
        return;
    const mpt_branch *branch = mpt_as_branch(nodes[index + AHEAD]);
    unsigned left = branch->changed;
    if (branch->encoding == NULL)
        left = mpt_branch_mask(branch);
    else
        for (unsigned at = 0; at < 4 * KECCAK256_RATE; at += MPT_LINE)
            MPT_PREFETCH(branch->encoding + at);
    for (; left != 0; left &= left - 1)
        if (branch->children[mpt_lowest_bit(left)] != NULL)
            fetch_node(branch->children[mpt_lowest_bit(left)], sizeof(mpt_node));
}

static bool is_stored(const mpt_node *node)
{
    return node != NULL && node->kind != MPT_HASH && mpt_node_digest(node) != NULL;
}

/* Nothing below an embedded node is stored by itself. */
static bool choose_stored(mpt_levels *levels, mpt_node *node)
{
    if (node->kind == MPT_EXTENSION) {
        mpt_node *child = mpt_as_extension(node)->child;
        return !is_stored(child) || mpt_levels_add(levels, child);
    }
    if (node->kind == MPT_BRANCH)
        for (unsigned nibble = 0; nibble < 16; nibble++) {
            mpt_node *child = mpt_as_branch(node)->children[nibble];
            if (is_stored(child) && !mpt_levels_add(levels, child))
                return false;
        }
    return true;
}

mpt_status mpt_trie_nodes(mpt_node *root, mpt_nodes *list)
{
    mpt_levels levels = {{NULL, 0, 0}, NULL, 0, 0};
    mpt_status status = MPT_GOOD;
    if (root == NULL || root->kind == MPT_HASH)
        return MPT_GOOD;
    if (!mpt_levels_add(&levels, root))
        status = MPT_NO_MEMORY;
    if (status == MPT_GOOD)
        status = mpt_levels_fill(&levels, choose_stored);
    for (size_t level = levels.count; level-- > 0 && status == MPT_GOOD;) {
        size_t index = level == 0 ? 0 : levels.ends[level - 1];
        for (; index < levels.ends[level] && status == MPT_GOOD; index++) {
            if (mpt_nodes_add(list, levels.list.nodes[index]))
                mpt_node_retain(levels.list.nodes[index]);
            else
                status = MPT_NO_MEMORY;
        }
    }
    mpt_levels_free(&levels);
    return status;
}
