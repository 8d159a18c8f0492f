#include "mpt_node.h"

#include <stdlib.h>

#include "mpt_array.h"

/* The encoding of a branch of sixteen hashes is the longest that is kept. */
#define KEPT_ROOM (4 * KECCAK256_RATE)

size_t mpt_path_shared(mpt_path one, mpt_path other)
{
    const size_t most = one.count < other.count ? one.count : other.count;
    size_t index = 0;
    if (one.start % 2 == other.start % 2) {
        /* A nibble to come to whole bytes, then those. */
        if (most > 0 && one.start % 2 == 1) {
            if (mpt_path_nibble(one, 0) != mpt_path_nibble(other, 0))
                return 0;
            index = 1;
        }
        const size_t bytes = (most - index) / 2;
        if (bytes > 0)
            index += mpt_shared_nibbles(
                one.bytes + (one.start + index) / 2, bytes,
                other.bytes + (other.start + index) / 2, bytes
            );
    }
    while (index < most && mpt_path_nibble(one, index) == mpt_path_nibble(other, index))
        index++;
    return index;
}

/* Write nibbles into packed bytes that are zero there; return what follows them. */
static size_t write_nibbles(uint8_t *bytes, size_t at, mpt_path from)
{
    size_t index = 0;
    if (at % 2 == from.start % 2) {
        if (at % 2 == 1 && from.count > 0) {
            bytes[at / 2] = (uint8_t)(bytes[at / 2] | mpt_path_nibble(from, 0));
            index = 1;
        }
        const size_t whole = (from.count - index) / 2;
        if (whole > 0)
            memcpy(bytes + (at + index) / 2, from.bytes + (from.start + index) / 2, whole);
        index += 2 * whole;
    }
    for (; index < from.count; index++) {
        const size_t place = at + index;
        const unsigned nibble = mpt_path_nibble(from, index);
        bytes[place / 2] =
            (uint8_t)(bytes[place / 2] | (place % 2 == 0 ? nibble << 4 : nibble));
    }
    return at + from.count;
}

static void *new_node(size_t size, enum mpt_kind kind)
{
    mpt_node *made = calloc(1, size);
    if (made != NULL) {
        made->life.references = 1;
        made->kind = (uint8_t)kind;
    }
    return made;
}

/* The bytes that a path takes, or SIZE_MAX if it is too long. */
static size_t room_for(size_t start, mpt_path head, mpt_path tail)
{
    if (head.count > SIZE_MAX / 8 || tail.count > SIZE_MAX / 8)
        return SIZE_MAX;
    return mpt_path_bytes(start, head.count + tail.count);
}

mpt_node *mpt_leaf_new(
    size_t start, mpt_path head, mpt_path tail, const uint8_t *value, size_t value_size
)
{
    const size_t bytes = room_for(start, head, tail);
    if (bytes == SIZE_MAX || value_size > SIZE_MAX / 4)
        return NULL;
    mpt_leaf *made = new_node(sizeof *made + bytes + value_size, MPT_LEAF);
    if (made == NULL)
        return NULL;
    made->node.start = (uint8_t)start;
    made->nibbles = head.count + tail.count;
    made->value_size = value_size;
    write_nibbles(made->bytes, write_nibbles(made->bytes, start, head), tail);
    memcpy(made->bytes + bytes, value, value_size);
    return &made->node;
}

mpt_node *mpt_extension_new(size_t start, mpt_path head, mpt_path tail, mpt_node *child)
{
    const size_t bytes = room_for(start, head, tail);
    if (bytes == SIZE_MAX)
        return NULL;
    mpt_extension *made = new_node(sizeof *made + bytes, MPT_EXTENSION);
    if (made == NULL)
        return NULL;
    made->node.start = (uint8_t)start;
    made->nibbles = head.count + tail.count;
    made->child = child;
    write_nibbles(made->bytes, write_nibbles(made->bytes, start, head), tail);
    return &made->node;
}

mpt_branch *mpt_branch_new(void)
{
    mpt_branch *made = new_node(sizeof *made, MPT_BRANCH);
    if (made != NULL)
        made->changed = MPT_ALL_CHILDREN;
    return made;
}

mpt_node *mpt_node_hide(const uint8_t digest[KECCAK256_SIZE])
{
    mpt_node *made = new_node(sizeof *made, MPT_HASH);
    if (made != NULL) {
        made->item_size = MPT_MOST_ITEM;
        made->item[0] = MPT_HASH_PREFIX;
        memcpy(made->item + 1, digest, KECCAK256_SIZE);
    }
    return made;
}

bool mpt_node_is_hidden(const mpt_node *node)
{
    return node->kind == MPT_HASH;
}

bool mpt_branch_put_value(mpt_branch *branch, const uint8_t *value, size_t value_size)
{
    uint8_t *copy = NULL;
    if (value != NULL) {
        copy = malloc(value_size);
        if (copy == NULL)
            return false;
        memcpy(copy, value, value_size);
    }
    free(branch->encoding); /* it has no value in it */
    branch->encoding = NULL;
    free(branch->value);
    branch->value = copy;
    branch->value_size = value == NULL ? 0 : value_size;
    return true;
}

uint8_t *mpt_kept_copy(const uint8_t *encoding)
{
    uint8_t *copy = malloc(KEPT_ROOM);
    if (copy != NULL && encoding != NULL)
        memcpy(copy, encoding, KEPT_ROOM);
    return copy;
}

void mpt_node_retain(mpt_node *node)
{
    if (node != NULL)
        node->life.references++;
}

static void let_go(mpt_node **waiting, mpt_node *node)
{
    if (node != NULL && --node->life.references == 0) {
        node->life.next = *waiting;
        *waiting = node;
    }
}

void mpt_node_release(mpt_node *node)
{
    mpt_node *waiting = NULL;
    let_go(&waiting, node);
    while (waiting != NULL) {
        mpt_node *freed = waiting;
        waiting = freed->life.next;
        if (freed->kind == MPT_EXTENSION) {
            let_go(&waiting, mpt_as_extension(freed)->child);
        } else if (freed->kind == MPT_BRANCH) {
            for (unsigned nibble = 0; nibble < 16; nibble++)
                let_go(&waiting, mpt_as_branch(freed)->children[nibble]);
            free(mpt_as_branch(freed)->value);
            free(mpt_as_branch(freed)->encoding);
        }
        free(freed);
    }
}

static mpt_node *copy_of_branch(const mpt_branch *from)
{
    mpt_branch *made = mpt_branch_new();
    if (made == NULL)
        return NULL;
    if (from->value != NULL
        && !mpt_branch_put_value(made, from->value, from->value_size)) {
        free(made);
        return NULL;
    }
    if (from->encoding != NULL) /* without memory it is made anew when it is needed */
        made->encoding = mpt_kept_copy(from->encoding);
    made->encoded = from->encoded;
    made->changed = from->changed;
    memcpy(made->children, from->children, sizeof made->children);
    for (unsigned nibble = 0; nibble < 16; nibble++)
        mpt_node_retain(made->children[nibble]);
    return &made->node;
}

bool mpt_node_own(mpt_node **slot)
{
    mpt_node *node = *slot;
    if (node->life.references > 1) {
        mpt_node *copy;
        if (node->kind == MPT_BRANCH) {
            copy = copy_of_branch(mpt_as_branch(node));
        } else {
            const mpt_path whole = mpt_path_of(node);
            mpt_node *child = mpt_as_extension(node)->child;
            copy = mpt_extension_new(whole.start, whole, mpt_no_path(), child);
            if (copy != NULL)
                mpt_node_retain(child);
        }
        if (copy == NULL)
            return false;
        node->life.references--;
        *slot = copy;
    }
    (*slot)->item_size = 0;
    return true;
}

bool mpt_nodes_add(mpt_nodes *list, mpt_node *node)
{
    if (!MPT_RESERVE(list, nodes, capacity, list->count))
        return false;
    list->nodes[list->count++] = node;
    return true;
}

void mpt_nodes_free(mpt_nodes *list)
{
    for (size_t index = 0; index < list->count; index++)
        mpt_node_release(list->nodes[index]);
    free(list->nodes);
    memset(list, 0, sizeof *list);
}
