#include "mpt_trie.h"

#include <stdlib.h>
#include <string.h>

#include "rlp.h"

#if defined(__GNUC__) || defined(__clang__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

enum kind { LEAF, EXTENSION, BRANCH };

struct mpt_node {
    union {
        size_t references;
        mpt_node *next; /* while it is being freed */
    } life;
    uint8_t kind;
    uint8_t item_size; /* 0 while the item is not known */
    uint8_t item[MPT_MOST_ITEM];
};

/* Nibbles inside packed bytes. */
typedef struct path {
    const uint8_t *bytes;
    size_t start;
    size_t count;
} path;

typedef struct leaf {
    mpt_node node;
    uint8_t start; /* of its path: 0 or 1, as the depth is even or odd */
    size_t nibbles;
    size_t value_size;
    uint8_t bytes[]; /* its path, then its value */
} leaf;

typedef struct extension {
    mpt_node node;
    uint8_t start;
    size_t nibbles;
    mpt_node *child;
    uint8_t bytes[];
} extension;

/*
 * A full branch keeps its encoding, with the hashes of its children in it: when one child
 * changes, the others need not be read, which are all over the memory.
 */
typedef struct branch {
    mpt_node node;
    uint32_t changed;   /* a bit for each child whose item may not be known */
    uint32_t encoded;   /* a bit for each child in the encoding */
    uint8_t *encoding;  /* NULL if it is not kept; with room for its padding */
    uint8_t *value;     /* NULL if no key ends here */
    size_t value_size;
    mpt_node *children[16];
} branch;

#define ALL_CHILDREN 0xffffu

/* From this many children on a branch keeps its encoding. */
#define FULL 8u

/* The encoding of a branch of sixteen hashes is the longest that is kept. */
#define ENCODING_ROOM (4 * KECCAK256_RATE)

static leaf *as_leaf(const mpt_node *node)
{
    return (leaf *)(uintptr_t)node;
}

static extension *as_extension(const mpt_node *node)
{
    return (extension *)(uintptr_t)node;
}

static branch *as_branch(const mpt_node *node)
{
    return (branch *)(uintptr_t)node;
}

/* ---- paths ---- */

static size_t path_bytes(size_t start, size_t nibbles)
{
    return (start + nibbles + 1) / 2;
}

static path path_of(const mpt_node *node)
{
    path own = {NULL, 0, 0};
    if (node->kind == LEAF) {
        own.bytes = as_leaf(node)->bytes;
        own.start = as_leaf(node)->start;
        own.count = as_leaf(node)->nibbles;
    } else if (node->kind == EXTENSION) {
        own.bytes = as_extension(node)->bytes;
        own.start = as_extension(node)->start;
        own.count = as_extension(node)->nibbles;
    }
    return own;
}

static const uint8_t *value_of(const leaf *node)
{
    return node->bytes + path_bytes(node->start, node->nibbles);
}

static unsigned nibble_at(path at, size_t index)
{
    return mpt_nibble(at.bytes, at.start + index);
}

/* The part of a path from *index* on, of *count* nibbles. */
static path part(path whole, size_t index, size_t count)
{
    const path out = {whole.bytes, whole.start + index, count};
    return out;
}

static size_t shared(path one, path other)
{
    const size_t most = one.count < other.count ? one.count : other.count;
    size_t index = 0;
    if (one.start % 2 == other.start % 2) {
        /* A nibble to come to whole bytes, then those. */
        if (most > 0 && one.start % 2 == 1) {
            if (nibble_at(one, 0) != nibble_at(other, 0))
                return 0;
            index = 1;
        }
        const uint8_t *first = one.bytes + (one.start + index) / 2;
        const uint8_t *second = other.bytes + (other.start + index) / 2;
        const size_t bytes = (most - index) / 2;
        index += mpt_shared_nibbles(first, bytes, second, bytes);
    }
    while (index < most && nibble_at(one, index) == nibble_at(other, index))
        index++;
    return index;
}

/* Write nibbles into packed bytes that are zero there. */
static size_t write_nibbles(uint8_t *bytes, size_t at, path from)
{
    size_t index = 0;
    if (at % 2 == from.start % 2) {
        if (at % 2 == 1 && from.count > 0) {
            bytes[at / 2] = (uint8_t)(bytes[at / 2] | nibble_at(from, 0));
            index = 1;
        }
        const size_t whole = (from.count - index) / 2;
        if (whole > 0)
            memcpy(bytes + (at + index) / 2, from.bytes + (from.start + index) / 2, whole);
        index += 2 * whole;
    }
    for (; index < from.count; index++) {
        const size_t place = at + index;
        const unsigned nibble = nibble_at(from, index);
        bytes[place / 2] =
            (uint8_t)(bytes[place / 2] | (place % 2 == 0 ? nibble << 4 : nibble));
    }
    return at + from.count;
}

/* ---- making and freeing nodes ---- */

static void *new_node(size_t size, enum kind kind)
{
    mpt_node *made = calloc(1, size);
    if (made != NULL) {
        made->life.references = 1;
        made->kind = (uint8_t)kind;
    }
    return made;
}

/* A leaf whose path is *head* and then *tail*, at a depth of that parity. */
static mpt_node *new_leaf(
    size_t depth, path head, path tail, const uint8_t *value, size_t value_size
)
{
    const size_t nibbles = head.count + tail.count;
    const size_t bytes = path_bytes(depth % 2, nibbles);
    if (value_size > SIZE_MAX / 4 || bytes > SIZE_MAX / 4)
        return NULL;
    leaf *made = new_node(sizeof *made + bytes + value_size, LEAF);
    if (made == NULL)
        return NULL;
    made->start = (uint8_t)(depth % 2);
    made->nibbles = nibbles;
    made->value_size = value_size;
    write_nibbles(made->bytes, write_nibbles(made->bytes, made->start, head), tail);
    memcpy(made->bytes + bytes, value, value_size);
    return &made->node;
}

/* An extension likewise; it takes over a reference to *child*, if it is made. */
static mpt_node *new_extension(size_t depth, path head, path tail, mpt_node *child)
{
    const size_t nibbles = head.count + tail.count;
    const size_t bytes = path_bytes(depth % 2, nibbles);
    extension *made = new_node(sizeof *made + bytes, EXTENSION);
    if (made == NULL)
        return NULL;
    made->start = (uint8_t)(depth % 2);
    made->nibbles = nibbles;
    made->child = child;
    write_nibbles(made->bytes, write_nibbles(made->bytes, made->start, head), tail);
    return &made->node;
}

static branch *new_branch(void)
{
    branch *made = new_node(sizeof *made, BRANCH);
    if (made != NULL)
        made->changed = ALL_CHILDREN;
    return made;
}

/* Return the child's slot, through which it is about to change. */
static mpt_node **change_child(branch *node, unsigned nibble)
{
    node->changed |= 1u << nibble;
    return &node->children[nibble];
}

static void forget_encoding(branch *node)
{
    free(node->encoding);
    node->encoding = NULL;
}

static bool set_value(branch *node, const uint8_t *value, size_t value_size)
{
    uint8_t *copy = malloc(value_size);
    if (copy == NULL)
        return false;
    memcpy(copy, value, value_size);
    forget_encoding(node);
    free(node->value);
    node->value = copy;
    node->value_size = value_size;
    return true;
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
        if (freed->kind == EXTENSION) {
            let_go(&waiting, as_extension(freed)->child);
        } else if (freed->kind == BRANCH) {
            for (unsigned nibble = 0; nibble < 16; nibble++)
                let_go(&waiting, as_branch(freed)->children[nibble]);
            free(as_branch(freed)->value);
            free(as_branch(freed)->encoding);
        }
        free(freed);
    }
}

/* Make the branch or extension at *slot* one that may be changed. */
static bool own(mpt_node **slot)
{
    mpt_node *node = *slot;
    if (node->life.references > 1) {
        mpt_node *copy;
        if (node->kind == BRANCH) {
            branch *made = new_branch();
            if (made == NULL)
                return false;
            const branch *from = as_branch(node);
            if (from->value != NULL && !set_value(made, from->value, from->value_size)) {
                free(made);
                return false;
            }
            if (from->encoding != NULL) {
                made->encoding = malloc(ENCODING_ROOM);
                if (made->encoding != NULL)
                    memcpy(made->encoding, from->encoding, ENCODING_ROOM);
            }
            made->encoded = from->encoded;
            made->changed = from->changed;
            memcpy(made->children, from->children, sizeof made->children);
            for (unsigned nibble = 0; nibble < 16; nibble++)
                mpt_node_retain(made->children[nibble]);
            copy = &made->node;
        } else {
            const path whole = path_of(node);
            copy = new_extension(
                whole.start, whole, part(whole, 0, 0), as_extension(node)->child
            );
            if (copy == NULL)
                return false;
            mpt_node_retain(as_extension(copy)->child);
        }
        node->life.references--;
        *slot = copy;
    }
    (*slot)->item_size = 0;
    return true;
}

/* ---- reading and changing ---- */

bool mpt_trie_get(
    const mpt_node *root, const uint8_t *key, size_t key_size, const uint8_t **value,
    size_t *value_size
)
{
    const mpt_node *node = root;
    path rest = {key, 0, 2 * key_size};
    while (node != NULL) {
        if (node->kind == BRANCH) {
            const branch *at = as_branch(node);
            if (rest.count == 0) {
                *value = at->value;
                *value_size = at->value_size;
                return at->value != NULL;
            }
            node = at->children[nibble_at(rest, 0)];
            rest = part(rest, 1, rest.count - 1);
            continue;
        }
        const path own_path = path_of(node);
        if (own_path.count > rest.count || shared(own_path, rest) < own_path.count)
            return false;
        rest = part(rest, own_path.count, rest.count - own_path.count);
        if (node->kind == LEAF) {
            *value = value_of(as_leaf(node));
            *value_size = as_leaf(node)->value_size;
            return rest.count == 0;
        }
        node = as_extension(node)->child;
    }
    return false;
}

/* Hang what is left of *node* after *same* nibbles of its path, and one more, below. */
static bool hang(branch *below, const mpt_node *node, size_t depth, size_t same)
{
    const path whole = path_of(node);
    if (same == whole.count) /* a leaf */
        return set_value(below, value_of(as_leaf(node)), as_leaf(node)->value_size);
    const unsigned nibble = nibble_at(whole, same);
    const path rest = part(whole, same + 1, whole.count - same - 1);
    const path none = part(whole, 0, 0);
    mpt_node *hung;
    if (node->kind == LEAF) {
        hung = new_leaf(
            depth + same + 1, rest, none, value_of(as_leaf(node)),
            as_leaf(node)->value_size
        );
    } else {
        hung = as_extension(node)->child;
        if (rest.count > 0)
            hung = new_extension(depth + same + 1, rest, none, hung);
        if (hung != NULL)
            mpt_node_retain(as_extension(node)->child);
    }
    below->children[nibble] = hung;
    return hung != NULL;
}

/* Replace the leaf or extension at *slot* by a branch for it and a new value. */
static mpt_status fork_node(
    mpt_node **slot, size_t depth, path rest, size_t same, const uint8_t *value,
    size_t value_size
)
{
    branch *made = new_branch();
    if (made == NULL)
        return MPT_NO_MEMORY;
    const path none = part(rest, 0, 0);
    bool good = hang(made, *slot, depth, same);
    if (good && same == rest.count) {
        good = set_value(made, value, value_size);
    } else if (good) {
        mpt_node *added = new_leaf(
            depth + same + 1, part(rest, same + 1, rest.count - same - 1), none, value,
            value_size
        );
        made->children[nibble_at(rest, same)] = added;
        good = added != NULL;
    }
    mpt_node *top = &made->node;
    if (good && same > 0) {
        top = new_extension(depth, part(rest, 0, same), none, &made->node);
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

mpt_status mpt_trie_set(
    mpt_node **root, const uint8_t *key, size_t key_size, const uint8_t *value,
    size_t value_size, bool *added
)
{
    mpt_node **slot = root;
    size_t depth = 0;
    *added = true;
    for (;;) {
        mpt_node *node = *slot;
        const path rest = {key, depth, 2 * key_size - depth};
        if (node == NULL) {
            *slot = new_leaf(depth, rest, part(rest, 0, 0), value, value_size);
            return *slot == NULL ? MPT_NO_MEMORY : MPT_GOOD;
        }
        if (node->kind == BRANCH) {
            if (!own(slot))
                return MPT_NO_MEMORY;
            branch *at = as_branch(*slot);
            if (rest.count == 0) {
                *added = at->value == NULL;
                return set_value(at, value, value_size) ? MPT_GOOD : MPT_NO_MEMORY;
            }
            slot = change_child(at, nibble_at(rest, 0));
            depth++;
            continue;
        }
        const path whole = path_of(node);
        const size_t same = shared(whole, rest);
        if (same < whole.count || (node->kind == LEAF && same < rest.count))
            return fork_node(slot, depth, rest, same, value, value_size);
        if (node->kind == LEAF) {
            mpt_node *made =
                new_leaf(depth, rest, part(rest, 0, 0), value, value_size);
            if (made == NULL)
                return MPT_NO_MEMORY;
            mpt_node_release(node);
            *slot = made;
            *added = false;
            return MPT_GOOD;
        }
        if (!own(slot))
            return MPT_NO_MEMORY;
        slot = &as_extension(*slot)->child;
        depth += same;
    }
}

/* Return the node that stands *head* above *node*, which is merged where it can be. */
static mpt_node *prolong(size_t depth, path head, mpt_node *node)
{
    const path tail = path_of(node);
    mpt_node *made;
    if (node->kind == LEAF)
        return new_leaf(
            depth, head, tail, value_of(as_leaf(node)), as_leaf(node)->value_size
        );
    mpt_node *below = node->kind == EXTENSION ? as_extension(node)->child : node;
    made = new_extension(
        depth, head, node->kind == EXTENSION ? tail : part(head, 0, 0), below
    );
    if (made != NULL)
        mpt_node_retain(below);
    return made;
}

/*
 * Find what a branch becomes without the child *nibble*, or without its value if that is
 * 16: NULL with *stays* if it stays a branch.
 */
static mpt_node *without(const branch *node, size_t depth, unsigned nibble, bool *stays)
{
    unsigned left = 0, last = 16;
    for (unsigned index = 0; index < 16; index++) {
        if (node->children[index] != NULL && index != nibble) {
            left++;
            last = index;
        }
    }
    const bool has_value = node->value != NULL && nibble != 16;
    *stays = left + has_value > 1;
    if (*stays)
        return NULL;
    const uint8_t digit[1] = {(uint8_t)last};
    const path step = {digit, 1, 1};
    const path none = {digit, 0, 0};
    if (has_value)
        return new_leaf(depth, none, none, node->value, node->value_size);
    return prolong(depth, step, node->children[last]);
}

mpt_status mpt_trie_delete(
    mpt_node **root, const uint8_t *key, size_t key_size, bool *removed
)
{
    const uint8_t *value;
    size_t value_size;
    *removed = mpt_trie_get(*root, key, key_size, &value, &value_size);
    if (!*removed)
        return MPT_GOOD;
    /* Go down, remembering the last branch, and the extension that leads to it, if any. */
    mpt_node **slot = root, **branch_slot = NULL, **extension_slot = NULL;
    mpt_node **from_extension = NULL;
    size_t depth = 0, branch_depth = 0, extension_depth = 0;
    unsigned nibble = 16;
    for (;;) {
        mpt_node *node = *slot;
        if (node->kind == LEAF)
            break;
        if (!own(slot))
            return MPT_NO_MEMORY;
        node = *slot;
        if (node->kind == EXTENSION) {
            from_extension = slot;
            extension_depth = depth;
            depth += as_extension(node)->nibbles;
            slot = &as_extension(node)->child;
            continue;
        }
        branch_slot = slot;
        branch_depth = depth;
        extension_slot = from_extension;
        from_extension = NULL;
        if (depth == 2 * key_size) {
            nibble = 16;
            break;
        }
        nibble = mpt_nibble(key, depth);
        slot = change_child(as_branch(node), nibble);
        depth++;
    }
    if (branch_slot == NULL) { /* the only key */
        mpt_node_release(*root);
        *root = NULL;
        return MPT_GOOD;
    }
    branch *above = as_branch(*branch_slot);
    bool stays;
    mpt_node *replaced = without(above, branch_depth, nibble, &stays);
    if (stays) {
        if (nibble == 16) {
            free(above->value);
            above->value = NULL;
            above->value_size = 0;
        } else {
            mpt_node_release(above->children[nibble]);
            above->children[nibble] = NULL;
        }
        return MPT_GOOD;
    }
    if (replaced == NULL)
        return MPT_NO_MEMORY;
    if (extension_slot != NULL) {
        mpt_node *merged = prolong(extension_depth, path_of(*extension_slot), replaced);
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

/* ---- hashing ---- */

typedef struct node_list {
    mpt_node **nodes;
    size_t count, capacity;
} node_list;

static bool list_add(node_list *list, mpt_node *node)
{
    if (list->count == list->capacity) {
        const size_t larger = list->capacity == 0 ? 64 : 2 * list->capacity;
        if (larger > SIZE_MAX / 2 / sizeof *list->nodes)
            return false;
        mpt_node **moved = realloc(list->nodes, larger * sizeof *moved);
        if (moved == NULL)
            return false;
        list->nodes = moved;
        list->capacity = larger;
    }
    list->nodes[list->count++] = node;
    return true;
}

static size_t payload_size(const mpt_node *node)
{
    const path whole = path_of(node);
    if (node->kind == LEAF)
        return mpt_path_size(whole.count)
               + rlp_string_size(value_of(as_leaf(node)), as_leaf(node)->value_size);
    if (node->kind == EXTENSION)
        return mpt_path_size(whole.count) + as_extension(node)->child->item_size;
    const branch *at = as_branch(node);
    size_t size = at->value == NULL ? 1 : rlp_string_size(at->value, at->value_size);
    for (unsigned nibble = 0; nibble < 16; nibble++)
        size += at->children[nibble] == NULL ? 1 : at->children[nibble]->item_size;
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
    const path whole = path_of(node);
    out = rlp_write_header(out, RLP_LIST, payload);
    if (node->kind == BRANCH) {
        const branch *at = as_branch(node);
        for (unsigned nibble = 0; nibble < 16; nibble++)
            out = write_item(out, at->children[nibble]);
        if (at->value == NULL)
            *out = RLP_STRING;
        else
            rlp_write_string(out, at->value, at->value_size);
        return;
    }
    out = mpt_write_path(
        out, whole.bytes, whole.start, whole.start + whole.count, node->kind == LEAF
    );
    if (node->kind == LEAF)
        rlp_write_string(out, value_of(as_leaf(node)), as_leaf(node)->value_size);
    else
        write_item(out, as_extension(node)->child);
}

static unsigned present(const branch *node)
{
    unsigned mask = 0;
    for (unsigned nibble = 0; nibble < 16; nibble++)
        mask |= (unsigned)(node->children[nibble] != NULL) << nibble;
    return mask;
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

/*
 * Bring the kept encoding of a branch up to date, or make one; false if the branch is not
 * such that one is kept.
 */
static bool renew_encoding(branch *node, unsigned mask)
{
    const unsigned count = count_bits(mask);
    if (node->encoding != NULL && node->encoded == mask) {
        uint8_t *out = node->encoding + rlp_header_size(full_payload(count));
        for (unsigned nibble = 0; nibble < 16; nibble++) {
            const bool is_here = (mask >> nibble & 1u) != 0;
            if (is_here && (node->changed >> nibble & 1u) != 0) {
                const mpt_node *child = node->children[nibble];
                if (child->item_size != MPT_MOST_ITEM)
                    return false;
                memcpy(out, child->item, MPT_MOST_ITEM);
            }
            out += is_here ? MPT_MOST_ITEM : 1;
        }
        return true;
    }
    if (count < FULL || node->value != NULL)
        return false;
    for (unsigned nibble = 0; nibble < 16; nibble++)
        if ((mask >> nibble & 1u) != 0
            && node->children[nibble]->item_size != MPT_MOST_ITEM)
            return false;
    if (node->encoding == NULL && (node->encoding = malloc(ENCODING_ROOM)) == NULL)
        return false;
    write_node(node->encoding, &node->node, full_payload(count));
    node->encoded = mask;
    return true;
}

/* Find the item of a node whose children have theirs, when the batch is flushed. */
static mpt_status settle(keccak_batch *batch, mpt_node *node)
{
    if (node->kind == BRANCH) {
        branch *at = as_branch(node);
        const unsigned mask = present(at);
        const bool is_kept = renew_encoding(at, mask);
        at->changed = 0;
        if (is_kept) {
            const size_t whole = full_payload(count_bits(mask));
            keccak_batch_add_in_place(
                batch, at->encoding, rlp_header_size(whole) + whole, node->item + 1
            );
            node->item[0] = MPT_HASH_PREFIX;
            node->item_size = MPT_MOST_ITEM;
            return MPT_GOOD;
        }
        forget_encoding(at);
    }
    const size_t payload = payload_size(node);
    const size_t size = rlp_header_size(payload) + payload;
    if (size < MPT_EMBEDDED_BELOW) {
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
        keccak_batch_one(batch, encoding, size, node->item + 1);
        free(encoding);
    }
    node->item[0] = MPT_HASH_PREFIX;
    node->item_size = MPT_MOST_ITEM;
    return MPT_GOOD;
}

static bool add_changed_children(node_list *list, const mpt_node *node)
{
    if (node->kind == EXTENSION) {
        mpt_node *child = as_extension(node)->child;
        return child->item_size > 0 || list_add(list, child);
    }
    if (node->kind == BRANCH)
        for (unsigned nibble = 0; nibble < 16; nibble++) {
            mpt_node *child = as_branch(node)->children[nibble];
            if ((as_branch(node)->changed >> nibble & 1u) != 0 && child != NULL
                && child->item_size == 0 && !list_add(list, child))
                return false;
        }
    return true;
}

/* Ask for the memory of the children, which a node's encoding is made of. */
static void fetch_children(const mpt_node *node)
{
    if (node->kind == BRANCH)
        for (unsigned nibble = 0; nibble < 16; nibble++)
            if ((as_branch(node)->changed >> nibble & 1u) != 0
                || as_branch(node)->encoding == NULL)
                PREFETCH(as_branch(node)->children[nibble]);
}

static mpt_status settle_all(mpt_node *root, keccak_batch *batch)
{
    node_list nodes = {NULL, 0, 0}; /* the root, its changed children, theirs, … */
    size_t *ends = NULL;            /* of the levels in it */
    size_t levels = 0, room = 0, next = 0;
    mpt_status status = list_add(&nodes, root) ? MPT_GOOD : MPT_NO_MEMORY;
    while (status == MPT_GOOD && next < nodes.count) {
        if (levels == room) {
            const size_t larger = room == 0 ? 64 : 2 * room;
            size_t *moved = realloc(ends, larger * sizeof *moved);
            if (moved == NULL) {
                status = MPT_NO_MEMORY;
                break;
            }
            ends = moved;
            room = larger;
        }
        const size_t end = nodes.count;
        ends[levels++] = end;
        for (; next < end && status == MPT_GOOD; next++) {
            if (end - next > 4)
                fetch_children(nodes.nodes[next + 4]);
            if (!add_changed_children(&nodes, nodes.nodes[next]))
                status = MPT_NO_MEMORY;
        }
    }
    for (size_t level = levels; level-- > 0 && status == MPT_GOOD;) {
        const size_t end = ends[level];
        for (size_t index = level == 0 ? 0 : ends[level - 1]; index < end; index++) {
            if (end - index > 4)
                fetch_children(nodes.nodes[index + 4]);
            status = settle(batch, nodes.nodes[index]);
            if (status != MPT_GOOD)
                break;
        }
        keccak_batch_flush(batch);
    }
    free(nodes.nodes);
    free(ends);
    return status;
}

/* Keccak-256 of the RLP of the empty string. */
static const uint8_t empty_root[KECCAK256_SIZE] = {
    0x56, 0xe8, 0x1f, 0x17, 0x1b, 0xcc, 0x55, 0xa6, 0xff, 0x83, 0x45,
    0xe6, 0x92, 0xc0, 0xf8, 0x6e, 0x5b, 0x48, 0xe0, 0x1b, 0x99, 0x6c,
    0xad, 0xc0, 0x01, 0x62, 0x2f, 0xb5, 0xe3, 0x63, 0xb4, 0x21,
};

mpt_status mpt_trie_hash(
    mpt_node *root, const keccak_kernel *kernel, uint8_t digest[KECCAK256_SIZE],
    keccak_tally *tally
)
{
    if (root == NULL) {
        memcpy(digest, empty_root, KECCAK256_SIZE);
        return MPT_GOOD;
    }
    if (root->item_size == 0) {
        keccak_batch *batch = malloc(sizeof *batch);
        if (batch == NULL)
            return MPT_NO_MEMORY;
        keccak_batch_start(batch, kernel);
        const mpt_status status = settle_all(root, batch);
        tally->calls += batch->tally.calls;
        tally->bytes += batch->tally.bytes;
        tally->permutations += batch->tally.permutations;
        free(batch);
        if (status != MPT_GOOD)
            return status;
    }
    if (root->item_size == MPT_MOST_ITEM) {
        memcpy(digest, root->item + 1, KECCAK256_SIZE);
    } else {
        keccak256(kernel, root->item, root->item_size, digest);
        tally->calls++;
        tally->bytes += root->item_size;
        tally->permutations++;
    }
    return MPT_GOOD;
}

/* ---- searching in order ---- */

/* A branch that a search went through, at *depth*, into the child *nibble*. */
typedef struct step {
    const branch *at;
    size_t depth;
    unsigned nibble;
} step;

typedef struct search {
    step *steps;
    size_t count, capacity;
    mpt_found *found;
    size_t nibbles; /* of the key found until now */
} search;

static bool remember(search *self, const branch *at, size_t depth, unsigned nibble)
{
    if (self->count == self->capacity) {
        const size_t larger = self->capacity == 0 ? 32 : 2 * self->capacity;
        if (larger > SIZE_MAX / 2 / sizeof *self->steps)
            return false;
        step *moved = realloc(self->steps, larger * sizeof *moved);
        if (moved == NULL)
            return false;
        self->steps = moved;
        self->capacity = larger;
    }
    const step made = {at, depth, nibble};
    self->steps[self->count++] = made;
    return true;
}

/* Add nibbles to the key found. */
static bool extend(search *self, path added)
{
    mpt_found *found = self->found;
    const size_t bytes = (self->nibbles + added.count + 1) / 2;
    if (bytes > found->capacity) {
        const size_t larger = 2 * bytes < 64 ? 64 : 2 * bytes;
        uint8_t *moved = realloc(found->key, larger);
        if (moved == NULL)
            return false;
        found->key = moved;
        found->capacity = larger;
    }
    /* write_nibbles wants zeros where it writes. */
    const size_t whole = (self->nibbles + 1) / 2;
    if (bytes > whole)
        memset(found->key + whole, 0, bytes - whole);
    if (self->nibbles % 2 == 1)
        found->key[self->nibbles / 2] &= 0xf0;
    self->nibbles = write_nibbles(found->key, self->nibbles, added);
    found->key_size = self->nibbles / 2;
    return true;
}

static bool extend_by_nibble(search *self, unsigned nibble)
{
    const uint8_t digit[1] = {(uint8_t)nibble};
    const path one = {digit, 1, 1};
    return extend(self, one);
}

/* Go down to the first or the last key below *node*. */
static mpt_status go_down(search *self, const mpt_node *node, bool to_last)
{
    for (;;) {
        if (node->kind == BRANCH) {
            const branch *at = as_branch(node);
            if (!to_last && at->value != NULL) {
                self->found->value = at->value;
                self->found->value_size = at->value_size;
                return MPT_GOOD;
            }
            unsigned nibble = to_last ? 15 : 0;
            while (at->children[nibble] == NULL)
                nibble = to_last ? nibble - 1 : nibble + 1;
            if (!extend_by_nibble(self, nibble))
                return MPT_NO_MEMORY;
            node = at->children[nibble];
            continue;
        }
        if (!extend(self, path_of(node)))
            return MPT_NO_MEMORY;
        if (node->kind == LEAF) {
            self->found->value = value_of(as_leaf(node));
            self->found->value_size = as_leaf(node)->value_size;
            return MPT_GOOD;
        }
        node = as_extension(node)->child;
    }
}

/* Take the nearest neighbour of the way that the search has come. */
static mpt_status go_beside(search *self, const uint8_t *key, bool to_last)
{
    while (self->count > 0) {
        const step last = self->steps[--self->count];
        const path way = {key, 0, last.depth};
        unsigned nibble = last.nibble;
        while (to_last ? nibble-- > 0 : ++nibble < 16) {
            if (last.at->children[nibble] == NULL)
                continue;
            if (!extend(self, way) || !extend_by_nibble(self, nibble))
                return MPT_NO_MEMORY;
            return go_down(self, last.at->children[nibble], to_last);
        }
        if (to_last && last.at->value != NULL) {
            self->found->value = last.at->value;
            self->found->value_size = last.at->value_size;
            return extend(self, way) ? MPT_GOOD : MPT_NO_MEMORY;
        }
    }
    return MPT_GOOD; /* nothing found */
}

static mpt_status find(
    const mpt_node *root, const uint8_t *key, size_t key_size, bool before, search *self
)
{
    const mpt_node *node = root;
    size_t depth = 0;
    while (node != NULL) {
        const path rest = {key, depth, 2 * key_size - depth};
        const path way = {key, 0, depth};
        if (node->kind == BRANCH) {
            if (rest.count == 0) {
                /* All keys here are the key itself or come after it. */
                if (before)
                    break;
                return extend(self, way) ? go_down(self, node, false) : MPT_NO_MEMORY;
            }
            const unsigned nibble = nibble_at(rest, 0);
            if (!remember(self, as_branch(node), depth, nibble))
                return MPT_NO_MEMORY;
            node = as_branch(node)->children[nibble];
            depth++;
            continue;
        }
        const path whole = path_of(node);
        const size_t same = shared(whole, rest);
        if (node->kind == EXTENSION && same == whole.count) {
            node = as_extension(node)->child;
            depth += same;
            continue;
        }
        /* All keys here are on one side of the key, or this leaf is the key. */
        const bool is_smaller =
            same < rest.count
            && (same == whole.count || nibble_at(whole, same) < nibble_at(rest, same));
        if (is_smaller != before)
            break;
        return extend(self, way) ? go_down(self, node, before) : MPT_NO_MEMORY;
    }
    return go_beside(self, key, before);
}

static void begin(search *self, mpt_found *found)
{
    memset(self, 0, sizeof *self);
    self->found = found;
    found->value = NULL;
    found->value_size = 0;
    found->key_size = 0;
}

mpt_status mpt_trie_first_from(
    const mpt_node *root, const uint8_t *key, size_t key_size, mpt_found *found
)
{
    search self;
    begin(&self, found);
    const mpt_status status = find(root, key, key_size, false, &self);
    free(self.steps);
    return status;
}

mpt_status mpt_trie_last_before(
    const mpt_node *root, const uint8_t *key, size_t key_size, mpt_found *found
)
{
    search self;
    mpt_status status = MPT_GOOD;
    begin(&self, found);
    if (key != NULL)
        status = find(root, key, key_size, true, &self);
    else if (root != NULL)
        status = go_down(&self, root, true);
    free(self.steps);
    return status;
}

void mpt_found_free(mpt_found *found)
{
    free(found->key);
    found->key = NULL;
    found->capacity = 0;
}
