/*
 * What the tests and the harness of the lasting trie share: a model of its content, and a
 * store.
 */
#ifndef HEXARY_TRIE_MODEL_H
#define HEXARY_TRIE_MODEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../mpt_root.h"
#include "../mpt_trie.h"
#include "expect.h"

/* The content of a trie, as a sorted table. */
#define MOST 400u

typedef struct row {
    uint8_t key[6];
    size_t key_size;
    uint8_t value[60];
    size_t value_size;
} row;

typedef struct table {
    row rows[MOST];
    size_t count;
} table;

static size_t place_of(const table *self, const row *wanted, bool *is_there)
{
    size_t index = 0;
    *is_there = false;
    for (; index < self->count; index++) {
        const row *each = &self->rows[index];
        const int order = mpt_compare_keys(
            each->key, each->key_size, wanted->key, wanted->key_size
        );
        if (order >= 0) {
            *is_there = order == 0;
            break;
        }
    }
    return index;
}

static void table_put(table *self, const row *wanted)
{
    bool is_there;
    const size_t place = place_of(self, wanted, &is_there);
    if (!is_there) {
        memmove(
            &self->rows[place + 1], &self->rows[place],
            (self->count - place) * sizeof *wanted
        );
        self->count++;
    }
    self->rows[place] = *wanted;
}

static void table_remove(table *self, size_t place)
{
    self->count--;
    memmove(
        &self->rows[place], &self->rows[place + 1],
        (self->count - place) * sizeof *self->rows
    );
}

static row random_row(unsigned bits)
{
    row made;
    memset(&made, 0, sizeof made);
    made.key_size = next_random() % (sizeof made.key + 1);
    for (size_t index = 0; index < made.key_size; index++)
        made.key[index] =
            (uint8_t)((next_random() % (1u << bits)) << (next_random() % 2 * 4));
    made.value_size = 1 + next_random() % sizeof made.value;
    for (size_t index = 0; index < made.value_size; index++)
        made.value[index] = (uint8_t)next_random();
    return made;
}

static mpt_path path_to(const row *wanted)
{
    const mpt_path path = {wanted->key, 0, 2 * wanted->key_size};
    return path;
}

/* Nodes by their hashes. */
#define PLACES (1u << 16)

typedef struct blob {
    uint8_t digest[KECCAK256_SIZE];
    size_t size;
    uint8_t bytes[];
} blob;

static blob *store[PLACES];
static bool store_is_used = false;

static blob **store_place(const uint8_t *digest)
{
    unsigned at = digest[0] | (unsigned)digest[1] << 8;
    while (store[at] != NULL && memcmp(store[at]->digest, digest, KECCAK256_SIZE) != 0)
        at = (at + 1) % PLACES;
    return &store[at];
}

static void store_put(const mpt_node *node, const uint8_t *digest)
{
    blob **place = store_place(digest);
    if (*place != NULL)
        return;
    const size_t size = mpt_node_size(node);
    store_is_used = true;
    *place = malloc(sizeof **place + size);
    if (*place == NULL)
        abort();
    memcpy((*place)->digest, digest, KECCAK256_SIZE);
    (*place)->size = size;
    mpt_node_write(node, (*place)->bytes);
}

static void store_free(void)
{
    for (unsigned at = 0; store_is_used && at < PLACES; at++) {
        free(store[at]);
        store[at] = NULL;
    }
    store_is_used = false;
}

/* Read a node from the store. */
static mpt_status stored(const uint8_t *digest, mpt_node **node)
{
    const blob *found = *store_place(digest);
    if (found == NULL)
        abort();
    const mpt_status status = mpt_node_read(found->bytes, found->size, node);
    expect(status != MPT_MALFORMED, "a stored node");
    return status;
}

/* Find a value, opening what is hidden. */
static mpt_status find(mpt_way *way, const uint8_t **value, size_t *value_size)
{
    mpt_status status;
    while ((status = mpt_way_find(way, value, value_size)) == MPT_HIDDEN) {
        mpt_node *node;
        status = stored(way->hidden, &node);
        if (status == MPT_GOOD)
            status = mpt_way_open(way, node);
        if (status != MPT_GOOD)
            return status;
    }
    return status;
}

static mpt_status set(mpt_node **root, const row *wanted, bool *added)
{
    mpt_way way;
    const uint8_t *value;
    size_t value_size;
    mpt_way_start(&way, *root, path_to(wanted));
    mpt_status status = find(&way, &value, &value_size);
    if (status == MPT_GOOD)
        status = mpt_trie_set(
            root, path_to(wanted), wanted->value, wanted->value_size, &way.opened, added
        );
    mpt_way_free(&way);
    return status;
}

static mpt_status discard(mpt_node **root, const row *wanted, bool *removed)
{
    mpt_way way;
    const uint8_t *value, *hidden;
    size_t value_size;
    unsigned nibble;
    mpt_way_start(&way, *root, path_to(wanted));
    mpt_status status = find(&way, &value, &value_size);
    *removed = status == MPT_GOOD && value != NULL;
    if (*removed && mpt_way_sibling(&way, &hidden, &nibble) == MPT_HIDDEN) {
        mpt_node *node;
        status = stored(hidden, &node);
        if (status == MPT_GOOD)
            status = mpt_way_open(&way, node);
    }
    if (*removed && status == MPT_GOOD)
        status = mpt_trie_remove(root, path_to(wanted), &way.opened);
    mpt_way_free(&way);
    return status;
}

/* Put all nodes into the store and keep the hash of the root alone. */
static mpt_status commit(mpt_node **root)
{
    mpt_nodes nodes = {NULL, 0, 0};
    keccak_tally tally = {0, 0, 0};
    uint8_t digest[KECCAK256_SIZE];
    if (*root == NULL)
        return MPT_GOOD;
    mpt_status status = mpt_trie_hash(*root, keccak_kernel_best(), digest, &tally);
    if (status == MPT_GOOD)
        status = mpt_trie_nodes(*root, &nodes);
    mpt_node *hidden = status == MPT_GOOD ? mpt_node_hide(digest) : NULL;
    if (hidden != NULL) {
        for (size_t index = 0; index < nodes.count; index++) {
            const mpt_node *node = nodes.nodes[index];
            store_put(node, node == *root ? digest : mpt_node_digest(node));
        }
        mpt_node_release(*root);
        *root = hidden;
    } else {
        status = MPT_NO_MEMORY;
    }
    mpt_nodes_free(&nodes);
    return status;
}

/* Go on to the next value, opening what is hidden. */
static mpt_status advance(mpt_iterator *iterator)
{
    mpt_status status;
    while ((status = mpt_iterator_next(iterator)) == MPT_HIDDEN) {
        mpt_node *node;
        status = stored(mpt_node_digest(iterator->next), &node);
        if (status == MPT_GOOD)
            status = mpt_iterator_open(iterator, node);
        if (status != MPT_GOOD)
            return status;
    }
    return status;
}

static void pairs_of_table(const table *content, mpt_pair pairs[MOST])
{
    for (size_t index = 0; index < content->count; index++) {
        const row *each = &content->rows[index];
        const mpt_pair pair = {each->key, each->value, each->key_size, each->value_size};
        pairs[index] = pair;
    }
}

/* Make a trie of a whole table at once. */
static mpt_status grow(mpt_node **root, const table *content)
{
    mpt_pair pairs[MOST];
    pairs_of_table(content, pairs);
    return mpt_trie_grow(root, pairs, content->count);
}

static void root_of_table(const table *content, uint8_t digest[KECCAK256_SIZE])
{
    mpt_builder *builder = mpt_builder_new();
    mpt_pair pairs[MOST];
    keccak_tally tally = {0, 0, 0};
    pairs_of_table(content, pairs);
    if (builder == NULL
        || mpt_root(builder, keccak_kernel_best(), pairs, content->count, digest, &tally)
               != MPT_GOOD)
        abort();
    mpt_builder_free(builder);
}

static void check_root(mpt_node *root, const table *content)
{
    keccak_tally tally = {0, 0, 0};
    uint8_t one[KECCAK256_SIZE], other[KECCAK256_SIZE];
    root_of_table(content, one);
    if (mpt_trie_hash(root, keccak_kernel_best(), other, &tally) != MPT_GOOD)
        abort();
    expect(memcmp(one, other, KECCAK256_SIZE) == 0, "the root hash");
}

static inline void check_value(mpt_node *root, const table *content, const row *wanted)
{
    mpt_way way;
    const uint8_t *value;
    size_t value_size;
    bool is_there;
    const size_t place = place_of(content, wanted, &is_there);
    mpt_way_start(&way, root, path_to(wanted));
    if (find(&way, &value, &value_size) != MPT_GOOD)
        abort();
    expect((value != NULL) == is_there, "whether a key is there");
    if (value != NULL && is_there)
        expect(value_size == content->rows[place].value_size
                   && memcmp(value, content->rows[place].value, value_size) == 0,
               "the value");
    mpt_way_free(&way);
}

/* Unpack the nibbles of *size* bytes of a key; return how many these are. */
static inline size_t unpack(uint8_t *out, const row *from, size_t size)
{
    for (size_t index = 0; index < 2 * size; index++)
        out[index] = (uint8_t)mpt_nibble(from->key, index);
    return 2 * size;
}

/* Whether a key is one of those that an iteration within these bounds comes to. */
static inline bool is_within(
    const row *each, const row *head, size_t head_size, const row *low, const row *high
)
{
    return each->key_size >= head_size
           && (head_size == 0 || memcmp(each->key, head->key, head_size) == 0)
           && mpt_compare_keys(each->key, each->key_size, low->key, low->key_size) >= 0
           && (high == NULL
               || mpt_compare_keys(each->key, each->key_size, high->key, high->key_size)
                      < 0);
}

#endif
