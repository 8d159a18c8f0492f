/* Setting and removing values of a lasting trie. */
#include "mpt_node.h"

/* Nodes that take the place of hidden ones during one change. */
typedef struct unveiling {
    mpt_nodes *opened;
    size_t used;
    mpt_node **slot;  /* the first place, above all others */
    mpt_node *hidden; /* what stood there */
} unveiling;

/* Put the next opened node in place of the hidden one at *slot*. */
static bool unveil(unveiling *self, mpt_node **slot)
{
    if (self->opened == NULL || self->used == self->opened->count)
        return false;
    mpt_node **taken = &self->opened->nodes[self->used++];
    if (self->slot == NULL) {
        self->slot = slot;
        self->hidden = *slot;
    } else {
        mpt_node_release(*slot);
    }
    *slot = *taken;
    *taken = NULL;
    return true;
}

/* Hide again what was opened, if the change has failed. */
static mpt_status finish(unveiling *self, mpt_status status)
{
    if (self->slot != NULL && status != MPT_GOOD) {
        mpt_node_release(*self->slot);
        *self->slot = self->hidden;
    } else {
        mpt_node_release(self->hidden);
    }
    return status;
}

/* Return the child's slot, through which it is about to change. */
static mpt_node **change_child(mpt_branch *branch, unsigned nibble)
{
    branch->changed |= 1u << nibble;
    return &branch->children[nibble];
}

/* Hang what is left of *node* after *same* nibbles of its path, and one more, below. */
static bool hang(mpt_branch *below, const mpt_node *node, size_t depth, size_t same)
{
    const mpt_path whole = mpt_path_of(node);
    if (same == whole.count) /* a leaf */
        return mpt_branch_put_value(
            below, mpt_leaf_value(node), mpt_as_leaf(node)->value_size
        );
    const unsigned nibble = mpt_path_nibble(whole, same);
    const mpt_path rest = mpt_path_from(whole, same + 1);
    const size_t start = (depth + same + 1) % 2;
    mpt_node *hung;
    if (node->kind == MPT_LEAF) {
        hung = mpt_leaf_new(
            start, rest, mpt_no_path(), mpt_leaf_value(node), mpt_as_leaf(node)->value_size
        );
    } else {
        hung = mpt_as_extension(node)->child;
        if (rest.count > 0)
            hung = mpt_extension_new(start, rest, mpt_no_path(), hung);
        if (hung != NULL)
            mpt_node_retain(mpt_as_extension(node)->child);
    }
    below->children[nibble] = hung;
    return hung != NULL;
}

/* Replace the leaf or extension at *slot* by a branch for it and a new value. */
static mpt_status fork_node(
    mpt_node **slot, size_t depth, mpt_path rest, size_t same, const uint8_t *value,
    size_t value_size
)
{
    mpt_branch *made = mpt_branch_new();
    if (made == NULL)
        return MPT_NO_MEMORY;
    bool good = hang(made, *slot, depth, same);
    if (good && same == rest.count) {
        good = mpt_branch_put_value(made, value, value_size);
    } else if (good) {
        mpt_node *added = mpt_leaf_new(
            (depth + same + 1) % 2, mpt_path_from(rest, same + 1), mpt_no_path(), value,
            value_size
        );
        made->children[mpt_path_nibble(rest, same)] = added;
        good = added != NULL;
    }
    mpt_node *top = &made->node;
    if (good && same > 0) {
        top = mpt_extension_new(
            depth % 2, mpt_path_part(rest, 0, same), mpt_no_path(), &made->node
        );
        good = top != NULL;
    }
    if (!good) {
        mpt_node_release(&made->node);
        return MPT_NO_MEMORY;
    }
    mpt_node_release(*slot);
    *slot = top;
    return MPT_GOOD;
}

/* Let a leaf for *rest* stand at *slot*, in place of an empty one or a leaf. */
static mpt_status put_leaf(
    mpt_node **slot, size_t depth, mpt_path rest, const uint8_t *value, size_t value_size
)
{
    mpt_node *made = mpt_leaf_new(depth % 2, rest, mpt_no_path(), value, value_size);
    if (made == NULL)
        return MPT_NO_MEMORY;
    mpt_node_release(*slot);
    *slot = made;
    return MPT_GOOD;
}

static mpt_status set_value(
    mpt_node **slot, mpt_path key, const uint8_t *value, size_t value_size,
    unveiling *unveiled, bool *added
)
{
    size_t depth = 0;
    *added = true;
    for (;;) {
        mpt_node *node = *slot;
        const mpt_path rest = mpt_path_from(key, depth);
        if (node == NULL)
            return put_leaf(slot, depth, rest, value, value_size);
        if (node->kind == MPT_HASH) {
            if (!unveil(unveiled, slot))
                return MPT_HIDDEN;
            continue;
        }
        if (node->kind == MPT_BRANCH) {
            if (!mpt_node_own(slot))
                return MPT_NO_MEMORY;
            mpt_branch *at = mpt_as_branch(*slot);
            if (rest.count == 0) {
                *added = at->value == NULL;
                return mpt_branch_put_value(at, value, value_size) ? MPT_GOOD
                                                                   : MPT_NO_MEMORY;
            }
            slot = change_child(at, mpt_path_nibble(rest, 0));
            depth++;
            continue;
        }
        const mpt_path own = mpt_path_of(node);
        const size_t same = mpt_path_shared(own, rest);
        if (same < own.count || (node->kind == MPT_LEAF && same < rest.count))
            return fork_node(slot, depth, rest, same, value, value_size);
        if (node->kind == MPT_LEAF) {
            *added = false;
            if (node->life.references == 1
                && mpt_as_leaf(node)->value_size == value_size) {
                memcpy(mpt_leaf_place(node), value, value_size);
                node->item_size = 0;
                return MPT_GOOD;
            }
            return put_leaf(slot, depth, rest, value, value_size);
        }
        if (!mpt_node_own(slot))
            return MPT_NO_MEMORY;
        slot = &mpt_as_extension(*slot)->child;
        depth += same;
    }
}

mpt_status mpt_trie_set(
    mpt_node **root, mpt_path key, const uint8_t *value, size_t value_size,
    mpt_nodes *opened, bool *added
)
{
    unveiling unveiled = {opened, 0, NULL, NULL};
    return finish(
        &unveiled, set_value(root, key, value, value_size, &unveiled, added)
    );
}

/* Return the node that stands *head* above *node*, which is merged where it can be. */
static mpt_node *prolong(size_t depth, mpt_path head, mpt_node *node)
{
    if (node->kind == MPT_LEAF)
        return mpt_leaf_new(
            depth % 2, head, mpt_path_of(node), mpt_leaf_value(node),
            mpt_as_leaf(node)->value_size
        );
    mpt_node *below = node->kind == MPT_EXTENSION ? mpt_as_extension(node)->child : node;
    mpt_node *made = mpt_extension_new(depth % 2, head, mpt_path_of(node), below);
    if (made != NULL)
        mpt_node_retain(below);
    return made;
}

/*
 * Find what a branch becomes without the child *taken*, or without its value if that is
 * MPT_VALUE.
 *
 * *replaced* is NULL if it stays a branch.  *sibling* is what stands behind the hash of
 * the child that is left, NULL if that is not hidden.
 */
static mpt_status without(
    const mpt_branch *branch, size_t depth, unsigned taken, mpt_node *sibling,
    mpt_node **replaced
)
{
    const unsigned left = mpt_branch_besides(branch, taken);
    *replaced = NULL;
    if ((left & (left - 1)) != 0)
        return MPT_GOOD;
    if (left == 1u << MPT_VALUE) {
        *replaced = mpt_leaf_new(
            depth % 2, mpt_no_path(), mpt_no_path(), branch->value, branch->value_size
        );
        return *replaced == NULL ? MPT_NO_MEMORY : MPT_GOOD;
    }
    const unsigned last = mpt_lowest_bit(left);
    mpt_node *child = branch->children[last];
    if (child->kind == MPT_HASH) {
        if (sibling == NULL)
            return MPT_HIDDEN;
        /* A leaf or an extension takes up the nibble; a branch stays behind its hash. */
        if (sibling->kind != MPT_BRANCH)
            child = sibling;
    }
    const uint8_t digit[1] = {(uint8_t)last};
    const mpt_path step = {digit, 1, 1};
    *replaced = prolong(depth, step, child);
    return *replaced == NULL ? MPT_NO_MEMORY : MPT_GOOD;
}

static mpt_status remove_value(mpt_node **root, mpt_path key, unveiling *unveiled)
{
    /* Go down, keeping the last branch, and the extension that leads to it, if any. */
    mpt_node **slot = root, **branch_slot = NULL, **extension_slot = NULL;
    mpt_node **from_extension = NULL;
    size_t depth = 0, branch_depth = 0, extension_depth = 0;
    unsigned taken = MPT_VALUE;
    for (;;) {
        if ((*slot)->kind == MPT_HASH && !unveil(unveiled, slot))
            return MPT_HIDDEN;
        if ((*slot)->kind == MPT_LEAF)
            break;
        if (!mpt_node_own(slot))
            return MPT_NO_MEMORY;
        mpt_node *node = *slot;
        if (node->kind == MPT_EXTENSION) {
            from_extension = slot;
            extension_depth = depth;
            depth += mpt_as_extension(node)->nibbles;
            slot = &mpt_as_extension(node)->child;
            continue;
        }
        branch_slot = slot;
        branch_depth = depth;
        extension_slot = from_extension;
        from_extension = NULL;
        taken = MPT_VALUE;
        if (depth == key.count)
            break;
        taken = mpt_path_nibble(key, depth);
        slot = change_child(mpt_as_branch(node), taken);
        depth++;
    }
    if (branch_slot == NULL) { /* the only key */
        mpt_node_release(*root);
        *root = NULL;
        return MPT_GOOD;
    }
    mpt_branch *branch = mpt_as_branch(*branch_slot);
    const mpt_nodes *opened = unveiled->opened;
    mpt_node *sibling = NULL, *replaced;
    if (opened != NULL && unveiled->used < opened->count)
        sibling = opened->nodes[unveiled->used];
    const mpt_status status = without(branch, branch_depth, taken, sibling, &replaced);
    if (status != MPT_GOOD)
        return status;
    if (replaced == NULL) {
        if (taken == MPT_VALUE)
            return mpt_branch_put_value(branch, NULL, 0) ? MPT_GOOD : MPT_NO_MEMORY;
        mpt_node_release(branch->children[taken]);
        branch->children[taken] = NULL;
        return MPT_GOOD;
    }
    if (extension_slot != NULL) {
        mpt_node *merged =
            prolong(extension_depth, mpt_path_of(*extension_slot), replaced);
        mpt_node_release(replaced);
        if (merged == NULL)
            return MPT_NO_MEMORY;
        replaced = merged;
        branch_slot = extension_slot;
    }
    mpt_node_release(*branch_slot);
    *branch_slot = replaced;
    return MPT_GOOD;
}

mpt_status mpt_trie_remove(mpt_node **root, mpt_path key, mpt_nodes *opened)
{
    unveiling unveiled = {opened, 0, NULL, NULL};
    return finish(&unveiled, remove_value(root, key, &unveiled));
}
