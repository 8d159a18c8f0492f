/* Going through a lasting trie in order. */
#include <stdlib.h>

#include "mpt_array.h"
#include "mpt_node.h"

/* A branch that the iteration is in. */
struct mpt_frame {
    mpt_node *branch; /* with a reference */
    size_t size;      /* nibbles above it */
    unsigned left;    /* how many of its places have not had their turn */
};

/* The places of a branch: its children and its value, which comes first in order. */
#define PLACES 17u

void mpt_iterator_start(
    mpt_iterator *iterator, mpt_node *root, const mpt_bounds *bounds, bool is_reverse
)
{
    memset(iterator, 0, sizeof *iterator);
    iterator->bounds = *bounds;
    iterator->is_reverse = is_reverse;
    iterator->next = root;
    mpt_node_retain(root);
}

void mpt_iterator_free(mpt_iterator *iterator)
{
    for (size_t index = 0; index < iterator->count; index++)
        mpt_node_release(iterator->frames[index].branch);
    mpt_node_release(iterator->next);
    mpt_node_release(iterator->holder);
    free(iterator->frames);
    free(iterator->path);
    memset(iterator, 0, sizeof *iterator);
}

static bool reserve(mpt_iterator *self, size_t more)
{
    if (more <= self->room - self->size)
        return true;
    if (more > SIZE_MAX / 8 || self->size > SIZE_MAX / 8)
        return false;
    const size_t larger = 2 * (self->size + more) + 64;
    uint8_t *moved = realloc(self->path, larger);
    if (moved == NULL)
        return false;
    self->path = moved;
    self->room = larger;
    return true;
}

static bool extend(mpt_iterator *self, mpt_path added)
{
    if (!reserve(self, added.count))
        return false;
    for (size_t index = 0; index < added.count; index++)
        self->path[self->size++] = (uint8_t)mpt_path_nibble(added, index);
    return true;
}

/* Enter a branch, to which the reference goes over. */
static bool enter(mpt_iterator *self, mpt_node *branch)
{
    if (!MPT_RESERVE(self, frames, capacity, self->count))
        return false;
    const mpt_frame made = {branch, self->size, PLACES};
    self->frames[self->count++] = made;
    return true;
}

static bool begins_with(
    const uint8_t *whole, size_t whole_size, const uint8_t *head, size_t head_size
)
{
    return head_size <= whole_size
           && (head_size == 0 || memcmp(whole, head, head_size) == 0);
}

/* Whether keys that begin with the path can be within the bounds. */
static bool is_admitted(const mpt_iterator *self)
{
    const mpt_bounds *bounds = &self->bounds;
    const uint8_t *path = self->path;
    const size_t size = self->size;
    if (mpt_compare_keys(path, size, bounds->low, bounds->low_size) < 0
        && !begins_with(bounds->low, bounds->low_size, path, size))
        return false;
    if (bounds->high != NULL
        && mpt_compare_keys(path, size, bounds->high, bounds->high_size) >= 0)
        return false;
    return begins_with(path, size, bounds->head, bounds->head_size)
           || begins_with(bounds->head, bounds->head_size, path, size);
}

/* Whether the path, which is admitted, is itself the path of a key within the bounds. */
static bool is_within(const mpt_iterator *self)
{
    const mpt_bounds *bounds = &self->bounds;
    return mpt_compare_keys(self->path, self->size, bounds->low, bounds->low_size) >= 0
           && begins_with(self->path, self->size, bounds->head, bounds->head_size);
}

/* Take a value whose holder the iteration gets a reference to. */
static mpt_status take(
    mpt_iterator *self, mpt_node *holder, const uint8_t *value, size_t value_size
)
{
    self->holder = holder;
    self->value = value;
    self->value_size = value_size;
    return self->size % 2 == 0 ? MPT_GOOD : MPT_HALF_A_BYTE;
}

/* Let the next place of the innermost branch have its turn; true if it yields a value. */
static bool turn(mpt_iterator *self, mpt_status *status)
{
    mpt_frame *frame = &self->frames[self->count - 1];
    mpt_branch *branch = mpt_as_branch(frame->branch);
    const unsigned place = self->is_reverse ? --frame->left : PLACES - frame->left--;
    self->size = frame->size;
    if (place > 0) {
        mpt_node *child = branch->children[place - 1];
        if (child == NULL)
            return false;
        const uint8_t digit[1] = {(uint8_t)(place - 1)};
        const mpt_path step = {digit, 1, 1};
        if (!extend(self, step)) {
            *status = MPT_NO_MEMORY;
            return true;
        }
        mpt_node_retain(child);
        self->next = child;
        self->is_below_extension = false;
        return false;
    }
    if (branch->value == NULL || !is_admitted(self) || !is_within(self))
        return false;
    mpt_node_retain(frame->branch);
    *status = take(self, frame->branch, branch->value, branch->value_size);
    return true;
}

mpt_status mpt_iterator_next(mpt_iterator *self)
{
    mpt_node_release(self->holder);
    self->holder = NULL;
    self->value = NULL;
    for (;;) {
        mpt_node *node = self->next;
        if (node == NULL) {
            if (self->count == 0)
                return MPT_END;
            mpt_status status = MPT_GOOD;
            if (self->frames[self->count - 1].left == 0)
                mpt_node_release(self->frames[--self->count].branch);
            else if (turn(self, &status))
                return status;
            continue;
        }
        if (!extend(self, mpt_path_of(node)))
            return MPT_NO_MEMORY;
        if (!is_admitted(self)) {
            self->next = NULL;
            mpt_node_release(node);
            continue;
        }
        if (node->kind == MPT_HASH)
            return MPT_HIDDEN;
        self->next = NULL;
        if (node->kind == MPT_EXTENSION) {
            self->next = mpt_as_extension(node)->child;
            self->is_below_extension = true;
            mpt_node_retain(self->next);
            mpt_node_release(node);
        } else if (node->kind == MPT_BRANCH) {
            if (!enter(self, node)) {
                mpt_node_release(node);
                return MPT_NO_MEMORY;
            }
        } else if (is_within(self)) {
            return take(
                self, node, mpt_leaf_value(node), mpt_as_leaf(node)->value_size
            );
        } else {
            mpt_node_release(node);
        }
    }
}

mpt_status mpt_iterator_open(mpt_iterator *self, mpt_node *node)
{
    if (self->is_below_extension && node->kind != MPT_BRANCH) {
        mpt_node_release(node);
        return MPT_NOT_BRANCH;
    }
    mpt_node_release(self->next);
    self->next = node;
    return MPT_GOOD;
}
