/* Many changes at once. */
#include "mpt_levels.h"
#include "mpt_order.h"

/*
 * How many ways are gone side by side before the changes on them are made.  On the way
 * down a large trie each node is far from the one above, and one has to be there before
 * the next is known; side by side, the memory of several is on its way at a time.
 */
#define SIDE_BY_SIDE 24u

MPT_ALWAYS_INLINE void fetch_node(const mpt_node *node, unsigned nibble)
{
    MPT_PREFETCH(node);
    if (node != NULL)
        MPT_PREFETCH((const char *)node + offsetof(mpt_branch, children)
                     + nibble * sizeof(mpt_node *));
}

/* Go one node further down; NULL where the way ends. */
static const mpt_node *next_below(const mpt_node *node, const mpt_pair *pair, size_t *depth)
{
    const size_t nibbles = 2 * pair->key_size;
    if (node->kind == MPT_BRANCH && *depth < nibbles) {
        node = mpt_as_branch(node)->children[mpt_nibble(pair->key, (*depth)++)];
    } else if (node->kind == MPT_EXTENSION) {
        if (mpt_as_extension(node)->nibbles > nibbles - *depth)
            return NULL;
        *depth += mpt_as_extension(node)->nibbles;
        node = mpt_as_extension(node)->child;
    } else {
        if (node->kind == MPT_LEAF) /* its value is about to be written */
            for (unsigned line = 1; line < 3; line++)
                MPT_PREFETCH((const char *)node + line * MPT_LINE);
        return NULL;
    }
    fetch_node(node, *depth < nibbles ? mpt_nibble(pair->key, *depth) : 0);
    return node;
}

static void fetch_ways(const mpt_node *root, const mpt_pair *pairs, size_t count)
{
    const mpt_node *nodes[SIDE_BY_SIDE];
    size_t depths[SIDE_BY_SIDE];
    for (size_t index = 0; index < count; index++) {
        nodes[index] = root;
        depths[index] = 0;
    }
    for (bool is_under_way = true; is_under_way;) {
        is_under_way = false;
        for (size_t index = 0; index < count; index++) {
            if (nodes[index] == NULL)
                continue;
            nodes[index] = next_below(nodes[index], &pairs[index], &depths[index]);
            is_under_way = true;
        }
    }
}

static mpt_status put(mpt_node **root, const mpt_pair *pair, ptrdiff_t *growth)
{
    const mpt_path path = {pair->key, 0, 2 * pair->key_size};
    bool added;
    if (pair->value_size > 0) {
        const mpt_status status =
            mpt_trie_set(root, path, pair->value, pair->value_size, NULL, &added);
        *growth += status == MPT_GOOD && added;
        return status;
    }
    mpt_way way;
    const uint8_t *value;
    size_t value_size;
    mpt_way_start(&way, *root, path);
    mpt_status status = mpt_way_find(&way, &value, &value_size);
    if (status == MPT_GOOD && value != NULL) {
        status = mpt_trie_remove(root, path, NULL);
        *growth -= status == MPT_GOOD;
    }
    return status;
}

mpt_status mpt_trie_update(
    mpt_node **root, const mpt_pair *pairs, size_t count, ptrdiff_t *growth
)
{
    *growth = 0;
    for (size_t done = 0; done < count;) {
        const size_t left = count - done;
        const size_t end = done + (left < SIDE_BY_SIDE ? left : SIDE_BY_SIDE);
        for (size_t far = end; far < count && far < end + SIDE_BY_SIDE; far++) {
            MPT_PREFETCH(pairs[far].key);
            MPT_PREFETCH(pairs[far].value);
        }
        if (*root != NULL)
            fetch_ways(*root, pairs + done, end - done);
        for (; done < end; done++) {
            const mpt_status status = put(root, &pairs[done], growth);
            if (status != MPT_GOOD)
                return status;
        }
    }
    return MPT_GOOD;
}
