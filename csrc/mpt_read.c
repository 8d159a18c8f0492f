/* Reading a node from its encoding (see hexary.trie.nodes). */
#include "mpt_node.h"
#include "rlp.h"

/* An item inside an encoding: its payload, and where it ends. */
typedef struct item {
    const uint8_t *start, *payload, *end;
    bool is_list;
} item;

static bool read_item(const uint8_t **at, const uint8_t *end, item *out)
{
    size_t start, stop;
    if (*at == end)
        return false;
    if (rlp_read_header(*at, 0, (size_t)(end - *at), RLP_OVERRUN, &start, &stop)
        != RLP_GOOD)
        return false;
    out->start = *at;
    out->is_list = **at >= RLP_LIST;
    out->payload = *at + start;
    out->end = *at + stop;
    *at = out->end;
    return true;
}

static size_t item_payload(const item *self)
{
    return (size_t)(self->end - self->payload);
}

static mpt_status read_node(const item *whole, mpt_node **node);

/* Read the node that a reference stands for, NULL if it is empty. */
static mpt_status read_child(const item *reference, mpt_node **child)
{
    const size_t size = item_payload(reference);
    *child = NULL;
    if (reference->is_list) {
        if (!mpt_is_embedded((size_t)(reference->end - reference->start)))
            return MPT_MALFORMED;
        return read_node(reference, child);
    }
    if (size == 0)
        return MPT_GOOD;
    if (size != KECCAK256_SIZE)
        return MPT_MALFORMED;
    *child = mpt_node_hide(reference->payload);
    return *child == NULL ? MPT_NO_MEMORY : MPT_GOOD;
}

static mpt_status read_branch(const item items[17], mpt_node **node)
{
    mpt_branch *made = mpt_branch_new();
    mpt_status status = made == NULL ? MPT_NO_MEMORY : MPT_GOOD;
    const item *value = &items[16];
    unsigned present = 0;
    for (unsigned nibble = 0; nibble < 16 && status == MPT_GOOD; nibble++) {
        status = read_child(&items[nibble], &made->children[nibble]);
        present += made->children[nibble] != NULL;
    }
    if (status == MPT_GOOD && value->is_list)
        status = MPT_MALFORMED;
    if (status == MPT_GOOD && item_payload(value) > 0) {
        present++;
        if (!mpt_branch_put_value(made, value->payload, item_payload(value)))
            status = MPT_NO_MEMORY;
    }
    if (status == MPT_GOOD && present < 2)
        status = MPT_MALFORMED;
    if (status != MPT_GOOD && made != NULL)
        mpt_node_release(&made->node);
    else if (made != NULL)
        *node = &made->node;
    return status;
}

/* Read the nibbles of a path in hex-prefix form. */
static bool read_path(const item *from, mpt_path *path, bool *is_leaf)
{
    const size_t size = item_payload(from);
    if (from->is_list || size == 0)
        return false;
    const unsigned flags = from->payload[0] >> 4;
    if (flags > 3 || (flags % 2 == 0 && from->payload[0] % 16 != 0))
        return false;
    *is_leaf = flags >= 2;
    path->bytes = from->payload;
    path->start = flags % 2 == 1 ? 1 : 2;
    path->count = 2 * size - path->start;
    return true;
}

static mpt_status read_pair(const item items[2], mpt_node **node)
{
    mpt_path path;
    bool is_leaf;
    if (!read_path(&items[0], &path, &is_leaf))
        return MPT_MALFORMED;
    if (is_leaf) {
        if (items[1].is_list || item_payload(&items[1]) == 0)
            return MPT_MALFORMED;
        *node = mpt_leaf_new(
            path.start % 2, path, mpt_no_path(), items[1].payload,
            item_payload(&items[1])
        );
        return *node == NULL ? MPT_NO_MEMORY : MPT_GOOD;
    }
    if (path.count == 0)
        return MPT_MALFORMED;
    mpt_node *child;
    mpt_status status = read_child(&items[1], &child);
    if (status != MPT_GOOD)
        return status;
    if (child == NULL || (child->kind != MPT_BRANCH && child->kind != MPT_HASH)) {
        mpt_node_release(child);
        return MPT_MALFORMED;
    }
    *node = mpt_extension_new(path.start % 2, path, mpt_no_path(), child);
    if (*node == NULL)
        mpt_node_release(child);
    return *node == NULL ? MPT_NO_MEMORY : MPT_GOOD;
}

/*
 * Read a node.  This recurses into embedded nodes, each shorter than the one around it and
 * the first under 32 bytes, so never deeper than about a dozen.
 */
static mpt_status read_node(const item *whole, mpt_node **node)
{
    item items[17];
    const uint8_t *at = whole->payload;
    size_t count = 0;
    *node = NULL;
    if (!whole->is_list)
        return MPT_MALFORMED;
    for (; at < whole->end; count++)
        if (count == 17 || !read_item(&at, whole->end, &items[count]))
            return MPT_MALFORMED;
    if (count == 17)
        return read_branch(items, node);
    return count == 2 ? read_pair(items, node) : MPT_MALFORMED;
}

mpt_status mpt_node_read(const uint8_t *data, size_t size, mpt_node **node)
{
    item whole;
    const uint8_t *at = data;
    if (!read_item(&at, data + size, &whole) || at != data + size)
        return MPT_MALFORMED;
    return read_node(&whole, node);
}
