#include "mpt_build.h"

#include <stdlib.h>
#include <string.h>

#include "mpt_array.h"
#include "rlp.h"

#define NO_PAIR SIZE_MAX

/* Waiting nodes are hashed when they take this much: a part of a second-level cache. */
#define MOST_WAITING ((size_t)256 * 1024)

#define BLOCK_SIZE ((size_t)64 * 1024)

/* A laid out node of 32 bytes or more that waits to be hashed. */
typedef struct node {
    struct node *next; /* of the same level */
    uint8_t *hole;     /* where its hash goes, NULL until its parent is laid out */
    size_t size;
    /* the encoding follows, with room for its padding */
} node;

/* A child of an open branch. */
typedef struct child {
    size_t pair;   /* of a leaf; NO_PAIR for other nodes */
    node *waiting; /* NULL unless the node waits */
    size_t level;  /* of the waiting node: above all that waits below it */
    uint8_t nibble;
    uint8_t item_size;
    uint8_t item[MPT_MOST_ITEM]; /* unless it is a leaf or waits */
} child;

/* A branch that gets more children yet. */
typedef struct open_branch {
    size_t depth; /* nibbles from the root to it */
    size_t base;  /* its first child */
    size_t value; /* the pair whose key ends here, or NO_PAIR */
} open_branch;

typedef struct block {
    struct block *next;
    size_t size;
    size_t used;
} block;

struct mpt_builder {
    const mpt_pair *pairs;
    size_t top; /* where the topmost node's path starts */

    child *children;
    size_t child_count, child_capacity;
    open_branch *branches;
    size_t branch_count, branch_capacity;

    node **levels; /* waiting nodes; those of a level need only lower ones */
    size_t level_count, level_capacity;
    size_t waiting; /* bytes of waiting nodes */

    block *blocks; /* the first one is in use */
    block *spare;

    keccak_batch batch;
};

/* ---- memory ---- */

/* Return *size* bytes that stay where they are until `forget_nodes`. */
static void *allocate(mpt_builder *self, size_t size)
{
    if (size > SIZE_MAX - 2 * BLOCK_SIZE)
        return NULL;
    size = (size + 15) / 16 * 16;
    if (self->blocks == NULL || self->blocks->size - self->blocks->used < size) {
        block *taken = self->spare;
        if (taken != NULL && size <= taken->size) {
            self->spare = taken->next;
        } else {
            const size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
            taken = malloc(sizeof *taken + room);
            if (taken == NULL)
                return NULL;
            taken->size = room;
        }
        taken->used = 0;
        taken->next = self->blocks;
        self->blocks = taken;
    }
    uint8_t *start = (uint8_t *)(self->blocks + 1) + self->blocks->used;
    self->blocks->used += size;
    return start;
}

/* Give all blocks back, and keep the ordinary ones for later. */
static void forget_nodes(mpt_builder *self)
{
    while (self->blocks != NULL) {
        block *given = self->blocks;
        self->blocks = given->next;
        if (given->size == BLOCK_SIZE) {
            given->next = self->spare;
            self->spare = given;
        } else {
            free(given);
        }
    }
    self->waiting = 0;
    self->level_count = 0;
}

mpt_builder *mpt_builder_new(void)
{
    mpt_builder *self = malloc(sizeof *self);
    if (self != NULL)
        memset(self, 0, offsetof(mpt_builder, batch));
    return self;
}

void mpt_builder_free(mpt_builder *self)
{
    if (self == NULL)
        return;
    forget_nodes(self);
    while (self->spare != NULL) {
        block *given = self->spare;
        self->spare = given->next;
        free(given);
    }
    free(self->children);
    free(self->branches);
    free(self->levels);
    free(self);
}

/* ---- leaves ---- */

static size_t leaf_payload(const mpt_pair *pair, size_t start)
{
    return mpt_path_size(2 * pair->key_size - start)
           + rlp_string_size(pair->value, pair->value_size);
}

static uint8_t *write_leaf(uint8_t *out, const mpt_pair *pair, size_t start)
{
    out = rlp_write_header(out, RLP_LIST, leaf_payload(pair, start));
    out = mpt_write_path(out, pair->key, start, 2 * pair->key_size, 1);
    return rlp_write_string(out, pair->value, pair->value_size);
}

static size_t leaf_size(const mpt_pair *pair, size_t start)
{
    const size_t payload = leaf_payload(pair, start);
    return rlp_header_size(payload) + payload;
}

/* Hash a leaf; the digest goes to *hole* at the latest when the batch is flushed. */
static mpt_status hash_leaf(
    mpt_builder *self, const mpt_pair *pair, size_t start, uint8_t *hole
)
{
    const size_t size = leaf_size(pair, start);
    const size_t blocks = keccak256_blocks(size);
    if (blocks <= KECCAK_BATCH_BLOCKS) {
        write_leaf(keccak_batch_slot(&self->batch, blocks), pair, start);
        keccak_batch_commit(&self->batch, size, hole);
        return MPT_GOOD;
    }
    uint8_t *encoding = malloc(size);
    if (encoding == NULL)
        return MPT_NO_MEMORY;
    write_leaf(encoding, pair, start);
    keccak_batch_give(&self->batch, encoding, size, hole);
    return MPT_GOOD;
}

/* ---- nodes above leaves ---- */

/* Push a child onto the stack. */
static mpt_status push_child(mpt_builder *self, const child *pushed)
{
    if (!MPT_RESERVE(self, children, child_capacity, self->child_count))
        return MPT_NO_MEMORY;
    self->children[self->child_count++] = *pushed;
    return MPT_GOOD;
}

/*
 * Return where to write the encoding, of *size* bytes, of the node that *made* becomes:
 * into its item if it is embedded, else into a new waiting node.
 */
static uint8_t *place_node(mpt_builder *self, child *made, size_t size, size_t level)
{
    made->pair = NO_PAIR;
    made->waiting = NULL;
    made->level = 0;
    made->item_size = (uint8_t)mpt_item_size(size);
    if (mpt_is_embedded(size))
        return made->item;
    if (!MPT_RESERVE(self, levels, level_capacity, level))
        return NULL;
    while (self->level_count <= level)
        self->levels[self->level_count++] = NULL;
    const size_t room = keccak256_blocks(size) * KECCAK256_RATE;
    if (room < size)
        return NULL;
    node *waiting = allocate(self, sizeof *waiting + room);
    if (waiting == NULL)
        return NULL;
    waiting->hole = NULL;
    waiting->size = size;
    waiting->next = self->levels[level];
    self->levels[level] = waiting;
    self->waiting += sizeof *waiting + room;
    made->waiting = waiting;
    made->level = level;
    return (uint8_t *)(waiting + 1);
}

/* Write the item by which the parent holds *held*; a leaf's path starts at *start*. */
static mpt_status write_item(
    mpt_builder *self, const child *held, size_t start, uint8_t **out
)
{
    mpt_status status = MPT_GOOD;
    uint8_t *at = *out;
    *out = at + held->item_size;
    if (held->pair != NO_PAIR) {
        const mpt_pair *pair = &self->pairs[held->pair];
        if (held->item_size < MPT_MOST_ITEM) {
            write_leaf(at, pair, start);
        } else {
            *at = MPT_HASH_PREFIX;
            status = hash_leaf(self, pair, start, at + 1);
        }
    } else if (held->waiting != NULL) {
        *at = MPT_HASH_PREFIX;
        held->waiting->hole = at + 1;
    } else {
        memcpy(at, held->item, held->item_size);
    }
    return status;
}

static size_t level_above(size_t level, const child *below)
{
    const size_t above = below->waiting != NULL ? below->level + 1 : 0;
    return above > level ? above : level;
}

/* Lay out *branch*, whose children are on top of the stack, as the child *made*. */
static mpt_status lay_out_branch(mpt_builder *self, const open_branch *branch, child *made)
{
    const child *held = self->children + branch->base;
    const size_t count = self->child_count - branch->base;
    const mpt_pair *value =
        branch->value == NO_PAIR ? NULL : &self->pairs[branch->value];
    const size_t value_size =
        value == NULL ? 1 : rlp_string_size(value->value, value->value_size);
    size_t payload = 16 - count, level = 0;
    for (size_t index = 0; index < count; index++) {
        payload += held[index].item_size;
        level = level_above(level, &held[index]);
    }
    if (value_size > SIZE_MAX / 2)
        return MPT_NO_MEMORY;
    payload += value_size;
    uint8_t *out = place_node(self, made, rlp_header_size(payload) + payload, level);
    if (out == NULL)
        return MPT_NO_MEMORY;
    out = rlp_write_header(out, RLP_LIST, payload);
    unsigned nibble = 0;
    for (size_t index = 0; index < count; index++) {
        for (; nibble < held[index].nibble; nibble++)
            *out++ = RLP_STRING;
        const mpt_status status = write_item(self, &held[index], branch->depth + 1, &out);
        if (status != MPT_GOOD)
            return status;
        nibble++;
    }
    for (; nibble < 16; nibble++)
        *out++ = RLP_STRING;
    if (value == NULL)
        *out = RLP_STRING;
    else
        rlp_write_string(out, value->value, value->value_size);
    return MPT_GOOD;
}

/* Turn the branch *made* into the extension that leads to it, over nibbles of *key*. */
static mpt_status lay_out_extension(
    mpt_builder *self, const uint8_t *key, size_t start, size_t stop, child *made
)
{
    const child below = *made;
    const size_t payload = mpt_path_size(stop - start) + below.item_size;
    uint8_t *out = place_node(
        self, made, rlp_header_size(payload) + payload, level_above(0, &below)
    );
    if (out == NULL)
        return MPT_NO_MEMORY;
    out = rlp_write_header(out, RLP_LIST, payload);
    out = mpt_write_path(out, key, start, stop, 0);
    return write_item(self, &below, 0, &out);
}

/* Hash all nodes that wait, the lower levels first, and forget them. */
static void hash_waiting(mpt_builder *self)
{
    for (size_t index = 0; index < self->child_count; index++) {
        child *held = &self->children[index];
        if (held->waiting != NULL) {
            held->item[0] = MPT_HASH_PREFIX;
            held->waiting->hole = held->item + 1;
            held->waiting = NULL;
            held->level = 0;
        }
    }
    keccak_batch_flush(&self->batch);
    for (size_t level = 0; level < self->level_count; level++) {
        for (node *each = self->levels[level]; each != NULL; each = each->next)
            keccak_batch_add_in_place(
                &self->batch, (uint8_t *)(each + 1), each->size, each->hole
            );
        keccak_batch_flush(&self->batch);
    }
    forget_nodes(self);
}

/* ---- the pass over the pairs ---- */

static mpt_status open_one(mpt_builder *self, size_t depth, size_t base)
{
    if (!MPT_RESERVE(self, branches, branch_capacity, self->branch_count))
        return MPT_NO_MEMORY;
    const open_branch opened = {depth, base, NO_PAIR};
    self->branches[self->branch_count++] = opened;
    return MPT_GOOD;
}

/* Add pair *index* to the innermost open branch. */
static mpt_status add_pair(mpt_builder *self, size_t index)
{
    open_branch *branch = &self->branches[self->branch_count - 1];
    const mpt_pair *pair = &self->pairs[index];
    if (2 * pair->key_size == branch->depth) {
        branch->value = index;
        return MPT_GOOD;
    }
    child leaf;
    leaf.pair = index;
    leaf.waiting = NULL;
    leaf.level = 0;
    leaf.nibble = (uint8_t)mpt_nibble(pair->key, branch->depth);
    leaf.item_size = (uint8_t)mpt_item_size(leaf_size(pair, branch->depth + 1));
    return push_child(self, &leaf);
}

/*
 * Close the branches that are deeper than *after*, which is what pair *index* shares with
 * the next one; *is_last* if there is no next one.
 */
static mpt_status close_branches(mpt_builder *self, size_t index, size_t after, bool is_last)
{
    const uint8_t *key = self->pairs[index].key;
    while (self->branch_count > 0
           && (is_last || self->branches[self->branch_count - 1].depth > after)) {
        const open_branch closed = self->branches[--self->branch_count];
        child made;
        mpt_status status = lay_out_branch(self, &closed, &made);
        if (status != MPT_GOOD)
            return status;
        self->child_count = closed.base;
        if (!is_last
            && (self->branch_count == 0
                || self->branches[self->branch_count - 1].depth < after)) {
            status = open_one(self, after, closed.base);
            if (status != MPT_GOOD)
                return status;
        }
        size_t start = self->top;
        if (self->branch_count > 0)
            start = self->branches[self->branch_count - 1].depth + 1;
        if (start < closed.depth) {
            status = lay_out_extension(self, key, start, closed.depth, &made);
            if (status != MPT_GOOD)
                return status;
        }
        made.nibble = start > 0 ? (uint8_t)mpt_nibble(key, start - 1) : 0;
        status = push_child(self, &made);
        if (status != MPT_GOOD)
            return status;
        if (self->waiting > MOST_WAITING)
            hash_waiting(self);
    }
    return MPT_GOOD;
}

static mpt_status build(mpt_builder *self, size_t count)
{
    const mpt_pair *pairs = self->pairs;
    mpt_status status = MPT_GOOD;
    size_t before = 0;
    bool is_first = true;
    for (size_t index = 0; index < count && status == MPT_GOOD; index++) {
        const bool is_last = index + 1 == count;
        size_t after = 0;
        if (index % MPT_FETCHED == 0)
            mpt_fetch_pairs(pairs + index, count - index);
        if (!is_last) {
            after = mpt_shared_nibbles(
                pairs[index].key, pairs[index].key_size, pairs[index + 1].key,
                pairs[index + 1].key_size
            );
            if (is_first || after > before)
                status = open_one(self, after, self->child_count);
        }
        if (status == MPT_GOOD)
            status = add_pair(self, index);
        if (status == MPT_GOOD)
            status = close_branches(self, index, after, is_last);
        before = after;
        is_first = false;
    }
    return status;
}

/* Forget what was built, and count what was hashed. */
static void finish(mpt_builder *self, keccak_tally *tally)
{
    keccak_tally_add(tally, &self->batch.tally);
    keccak_batch_drop(&self->batch); /* where something has failed, some may wait */
    self->child_count = 0;
    self->branch_count = 0;
    forget_nodes(self);
}

mpt_status mpt_build(
    mpt_builder *self, const keccak_kernel *kernel, const mpt_pair *pairs, size_t count,
    size_t depth, mpt_item *item, keccak_tally *tally
)
{
    mpt_status status = MPT_GOOD;
    self->pairs = pairs;
    self->top = depth;
    keccak_batch_start(&self->batch, kernel);
    if (count == 1) {
        const size_t size = leaf_size(pairs, depth);
        item->size = (uint8_t)mpt_item_size(size);
        if (mpt_is_embedded(size)) {
            write_leaf(item->bytes, pairs, depth);
        } else {
            item->bytes[0] = MPT_HASH_PREFIX;
            status = hash_leaf(self, pairs, depth, item->bytes + 1);
            keccak_batch_flush(&self->batch);
        }
    } else {
        status = build(self, count);
        if (status == MPT_GOOD) {
            hash_waiting(self);
            memcpy(item->bytes, self->children[0].item, MPT_MOST_ITEM);
            item->size = self->children[0].item_size;
        }
    }
    finish(self, tally);
    return status;
}

/* Have the hash of the topmost node written to *root* when nothing waits any more. */
static void want_root(mpt_builder *self, uint8_t *root)
{
    const child *top = &self->children[0];
    if (top->waiting != NULL)
        top->waiting->hole = root;
    else if (top->item_size == MPT_MOST_ITEM)
        memcpy(root, top->item + 1, KECCAK256_SIZE);
    else
        keccak_batch_add(&self->batch, top->item, top->item_size, root);
    self->child_count = 0;
}

mpt_status mpt_build_roots(
    mpt_builder *self, const keccak_kernel *kernel, const mpt_wanted *wanted, size_t count,
    keccak_tally *tally
)
{
    mpt_status status = MPT_GOOD;
    self->top = 0;
    keccak_batch_start(&self->batch, kernel);
    for (; count > 0 && status == MPT_GOOD; count--, wanted++) {
        self->pairs = wanted->pairs;
        if (wanted->count == 1)
            status = hash_leaf(self, wanted->pairs, 0, wanted->root);
        else if ((status = build(self, wanted->count)) == MPT_GOOD)
            want_root(self, wanted->root);
    }
    if (status == MPT_GOOD)
        hash_waiting(self);
    finish(self, tally);
    return status;
}
