/* Encoding and hashing the nodes of a lasting trie. */
#include <stdlib.h>

#include "mpt_levels.h"
#include "mpt_root.h"
#include "rlp.h"

/* From this many children on a branch keeps its encoding. */
#define FULL 8u

static size_t payload_size(const mpt_node *node)
{
    if (node->kind == MPT_LEAF)
        return mpt_path_size(mpt_as_leaf(node)->nibbles)
               + rlp_string_size(mpt_leaf_value(node), mpt_as_leaf(node)->value_size);
    if (node->kind == MPT_EXTENSION)
        return mpt_path_size(mpt_as_extension(node)->nibbles)
               + mpt_as_extension(node)->child->item_size;
    const mpt_branch *branch = mpt_as_branch(node);
    size_t size = 1;
    if (branch->value != NULL)
        size = rlp_string_size(branch->value, branch->value_size);
    for (unsigned nibble = 0; nibble < 16; nibble++)
        size += branch->children[nibble] == NULL ? 1 : branch->children[nibble]->item_size;
    return size;
}

static uint8_t *write_item(uint8_t *out, const mpt_node *node)
{
    if (node == NULL) {
        *out = RLP_STRING;
        return out + 1;
    }
    memcpy(out, node->item, node->item_size);
    return out + node->item_size;
}

static void write_node(uint8_t *out, const mpt_node *node, size_t payload)
{
    out = rlp_write_header(out, RLP_LIST, payload);
    if (node->kind == MPT_BRANCH) {
        const mpt_branch *branch = mpt_as_branch(node);
        for (unsigned nibble = 0; nibble < 16; nibble++)
            out = write_item(out, branch->children[nibble]);
        if (branch->value == NULL)
            *out = RLP_STRING;
        else
            rlp_write_string(out, branch->value, branch->value_size);
        return;
    }
    const mpt_path own = mpt_path_of(node);
    out = mpt_write_path(
        out, own.bytes, own.start, own.start + own.count, node->kind == MPT_LEAF
    );
    if (node->kind == MPT_LEAF)
        rlp_write_string(out, mpt_leaf_value(node), mpt_as_leaf(node)->value_size);
    else
        write_item(out, mpt_as_extension(node)->child);
}

const uint8_t *mpt_node_digest(const mpt_node *node)
{
    return node->item_size == MPT_MOST_ITEM ? node->item + 1 : NULL;
}

size_t mpt_node_size(const mpt_node *node)
{
    const size_t payload = payload_size(node);
    return rlp_header_size(payload) + payload;
}

void mpt_node_write(const mpt_node *node, uint8_t *out)
{
    write_node(out, node, payload_size(node));
}

static unsigned count_bits(unsigned mask)
{
    unsigned count = 0;
    for (; mask != 0; mask &= mask - 1)
        count++;
    return count;
}

/* The size of the encoding of a branch with *count* hashes and no value. */
static size_t full_payload(unsigned count)
{
    return 17 + (size_t)count * (MPT_MOST_ITEM - 1);
}

/* Write the items of the children that have changed into the encoding that is kept. */
static bool patch_encoding(mpt_branch *branch, unsigned mask)
{
    uint8_t *out = branch->encoding + rlp_header_size(full_payload(count_bits(mask)));
    for (unsigned nibble = 0; nibble < 16; nibble++) {
        const bool is_here = (mask >> nibble & 1u) != 0;
        if (is_here && (branch->changed >> nibble & 1u) != 0) {
            const mpt_node *child = branch->children[nibble];
            if (child->item_size != MPT_MOST_ITEM)
                return false;
            memcpy(out, child->item, MPT_MOST_ITEM);
        }
        out += is_here ? MPT_MOST_ITEM : 1;
    }
    return true;
}

/*
 * Bring the kept encoding of a branch up to date, or make one; false if the branch is not
 * such that one is kept.
 */
static bool renew_encoding(mpt_branch *branch, unsigned mask)
{
    const unsigned count = count_bits(mask);
    if (branch->encoding != NULL && branch->encoded == mask)
        return patch_encoding(branch, mask);
    if (count < FULL || branch->value != NULL)
        return false;
    for (unsigned nibble = 0; nibble < 16; nibble++)
        if ((mask >> nibble & 1u) != 0
            && branch->children[nibble]->item_size != MPT_MOST_ITEM)
            return false;
    if (branch->encoding == NULL && (branch->encoding = mpt_kept_copy(NULL)) == NULL)
        return false;
    write_node(branch->encoding, &branch->node, full_payload(count));
    branch->encoded = mask;
    return true;
}

static void become_hash(mpt_node *node)
{
    node->item[0] = MPT_HASH_PREFIX;
    node->item_size = MPT_MOST_ITEM;
}

/* Find the item of a node whose children have theirs, when the batch is flushed. */
static mpt_status settle(keccak_batch *batch, mpt_node *node)
{
    if (node->kind == MPT_BRANCH) {
        mpt_branch *branch = mpt_as_branch(node);
        const unsigned mask = mpt_branch_mask(branch);
        const bool is_kept = renew_encoding(branch, mask);
        branch->changed = 0;
        if (is_kept) {
            const size_t whole = full_payload(count_bits(mask));
            keccak_batch_add_in_place(
                batch, branch->encoding, rlp_header_size(whole) + whole, node->item + 1
            );
            become_hash(node);
            return MPT_GOOD;
        }
        free(branch->encoding);
        branch->encoding = NULL;
    }
    const size_t payload = payload_size(node);
    const size_t size = rlp_header_size(payload) + payload;
    if (mpt_is_embedded(size)) {
        write_node(node->item, node, payload);
        node->item_size = (uint8_t)size;
        return MPT_GOOD;
    }
    const size_t blocks = keccak256_blocks(size);
    if (blocks <= KECCAK_BATCH_BLOCKS) {
        write_node(keccak_batch_slot(batch, blocks), node, payload);
        keccak_batch_commit(batch, size, node->item + 1);
    } else {
        uint8_t *encoding = malloc(size);
        if (encoding == NULL)
            return MPT_NO_MEMORY;
        write_node(encoding, node, payload);
        keccak_batch_give(batch, encoding, size, node->item + 1);
    }
    become_hash(node);
    return MPT_GOOD;
}

static bool choose_changed(mpt_levels *levels, mpt_node *node)
{
    if (node->kind == MPT_EXTENSION) {
        mpt_node *child = mpt_as_extension(node)->child;
        return child->item_size > 0 || mpt_levels_add(levels, child);
    }
    if (node->kind == MPT_BRANCH) {
        const mpt_branch *branch = mpt_as_branch(node);
        for (unsigned left = branch->changed; left != 0; left &= left - 1) {
            mpt_node *child = branch->children[mpt_lowest_bit(left)];
            if (child != NULL && child->item_size == 0 && !mpt_levels_add(levels, child))
                return false;
        }
    }
    return true;
}

static mpt_status settle_levels(mpt_levels *levels, keccak_batch *batch)
{
    mpt_status status = mpt_levels_fill(levels, choose_changed);
    mpt_node **nodes = levels->list.nodes;
    for (size_t level = levels->count; level-- > 0 && status == MPT_GOOD;) {
        const size_t end = levels->ends[level];
        const size_t start = level == 0 ? 0 : levels->ends[level - 1];
        for (size_t index = start; index < end && status == MPT_GOOD; index++) {
            mpt_fetch_items(nodes, index, end);
            nodes[index]->level = 0;
            /* A node that several tries share may have been in a lower level as well. */
            if (nodes[index]->item_size == 0)
                status = settle(batch, nodes[index]);
        }
        keccak_batch_flush(batch);
        if (status == MPT_GOOD)
            levels->list.count = start; /* these are done with */
    }
    return status;
}

mpt_status mpt_settle(
    mpt_node *const *roots, size_t count, const keccak_kernel *kernel, keccak_tally *tally
)
{
    mpt_levels levels = {{NULL, 0, 0}, NULL, 0, 0};
    mpt_status status = MPT_GOOD;
    for (size_t index = 0; index < count && status == MPT_GOOD; index++)
        if (roots[index] != NULL && roots[index]->item_size == 0
            && !mpt_levels_add(&levels, roots[index]))
            status = MPT_NO_MEMORY;
    if (status == MPT_GOOD && levels.list.count > 0) {
        keccak_batch *batch = malloc(sizeof *batch);
        status = batch == NULL ? MPT_NO_MEMORY : MPT_GOOD;
        if (batch != NULL) {
            keccak_batch_start(batch, kernel);
            status = settle_levels(&levels, batch);
            keccak_tally_add(tally, &batch->tally);
            free(batch);
        }
    }
    mpt_levels_free(&levels);
    return status;
}

mpt_status mpt_trie_hash(
    mpt_node *root, const keccak_kernel *kernel, uint8_t digest[KECCAK256_SIZE],
    keccak_tally *tally
)
{
    if (root == NULL) {
        memcpy(digest, mpt_empty_root, KECCAK256_SIZE);
        return MPT_GOOD;
    }
    const mpt_status status = mpt_settle(&root, 1, kernel, tally);
    if (status != MPT_GOOD)
        return status;
    if (root->item_size == MPT_MOST_ITEM) {
        memcpy(digest, root->item + 1, KECCAK256_SIZE);
    } else {
        /* Embedded nowhere, so hashed after all. */
        keccak256(kernel, root->item, root->item_size, digest);
        keccak_tally_message(tally, root->item_size);
    }
    return MPT_GOOD;
}
