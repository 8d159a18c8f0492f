#include "mpt_node.h"

void mpt_way_start(mpt_way *way, mpt_node *root, mpt_path whole)
{
    memset(way, 0, sizeof *way);
    way->whole = whole;
    way->node = root;
}

void mpt_way_free(mpt_way *way)
{
    mpt_nodes_free(&way->opened);
}

bool mpt_way_step(mpt_way *way)
{
    const mpt_node *node = way->node;
    const mpt_path rest = mpt_path_from(way->whole, way->depth);
    if (node->kind == MPT_BRANCH) {
        if (rest.count == 0)
            return false;
        way->branch = mpt_as_branch(node);
        way->branch_depth = way->depth;
        way->taken = mpt_path_nibble(rest, 0);
        way->node = mpt_as_branch(node)->children[way->taken];
        way->depth++;
        way->is_below_extension = false;
        return true;
    }
    if (node->kind != MPT_EXTENSION)
        return false;
    const mpt_path own = mpt_path_of(node);
    if (own.count > rest.count || mpt_path_shared(own, rest) < own.count)
        return false;
    way->node = mpt_as_extension(node)->child;
    way->depth += own.count;
    way->is_below_extension = true;
    return true;
}

/* Whether the way stands before a node of which only the hash is known. */
static bool is_stopped(mpt_way *way)
{
    if (way->node == NULL || way->node->kind != MPT_HASH)
        return false;
    way->hidden = way->node->item + 1;
    return true;
}

mpt_status mpt_way_find(mpt_way *way, const uint8_t **value, size_t *value_size)
{
    *value = NULL;
    *value_size = 0;
    while (way->node != NULL) {
        if (is_stopped(way))
            return MPT_HIDDEN;
        if (mpt_way_step(way))
            continue;
        const mpt_path rest = mpt_path_from(way->whole, way->depth);
        if (way->node->kind == MPT_BRANCH) {
            way->branch = mpt_as_branch(way->node);
            way->branch_depth = way->depth;
            way->taken = MPT_VALUE;
            *value = way->branch->value;
            *value_size = way->branch->value_size;
        } else if (way->node->kind == MPT_LEAF) {
            const mpt_path own = mpt_path_of(way->node);
            if (own.count == rest.count && mpt_path_shared(own, rest) == own.count) {
                *value = mpt_leaf_value(way->node);
                *value_size = mpt_as_leaf(way->node)->value_size;
            }
        }
        break;
    }
    return MPT_GOOD;
}

mpt_status mpt_way_reach(mpt_way *way)
{
    while (way->node != NULL) {
        if (is_stopped(way))
            return MPT_HIDDEN;
        if (way->depth == way->whole.count)
            break;
        if (!mpt_way_step(way))
            way->node = NULL;
    }
    return MPT_GOOD;
}

mpt_status mpt_way_sibling(mpt_way *way, const uint8_t **hidden, unsigned *nibble)
{
    if (way->branch == NULL)
        return MPT_GOOD; /* the only key */
    const unsigned left = mpt_branch_besides(way->branch, way->taken);
    if (left == 0 || (left & (left - 1)) != 0 || left == 1u << MPT_VALUE)
        return MPT_GOOD;
    *nibble = mpt_lowest_bit(left);
    const mpt_node *child = way->branch->children[*nibble];
    if (child->kind != MPT_HASH)
        return MPT_GOOD;
    *hidden = child->item + 1;
    way->is_below_extension = false;
    return MPT_HIDDEN;
}

mpt_status mpt_way_open(mpt_way *way, mpt_node *node)
{
    mpt_status status = MPT_GOOD;
    if (way->is_below_extension && node->kind != MPT_BRANCH)
        status = MPT_NOT_BRANCH;
    else if (!mpt_nodes_add(&way->opened, node))
        status = MPT_NO_MEMORY;
    if (status == MPT_GOOD)
        way->node = node;
    else
        mpt_node_release(node);
    return status;
}
