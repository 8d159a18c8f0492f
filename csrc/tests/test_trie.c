/*
 * The lasting trie against the bulk root: random sets, deletes and copies, searches in
 * order.  Run under the sanitizers, which also tell whether all nodes are freed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../mpt_root.h"
#include "../mpt_trie.h"

static unsigned failures = 0;

static void expect(bool condition, const char *what)
{
    if (condition)
        return;
    failures++;
    fprintf(stderr, "wrong: %s\n", what);
}

static uint32_t seed = 11;

static uint32_t next_random(void)
{
    return (seed = seed * 1664525u + 1013904223u) >> 8;
}

/* The same content, as a sorted table. */
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

static row random_row(unsigned bits)
{
    row made;
    memset(&made, 0, sizeof made);
    made.key_size = next_random() % (sizeof made.key + 1);
    for (size_t index = 0; index < made.key_size; index++)
        made.key[index] = (uint8_t)((next_random() % (1u << bits)) << (next_random() % 2 * 4));
    made.value_size = 1 + next_random() % sizeof made.value;
    for (size_t index = 0; index < made.value_size; index++)
        made.value[index] = (uint8_t)next_random();
    return made;
}

static void check_root(mpt_builder *builder, mpt_node *root, const table *content)
{
    const keccak_kernel *kernel = keccak_kernel_best();
    mpt_pair pairs[MOST];
    keccak_tally tally = {0, 0, 0};
    uint8_t one[32], other[32];
    for (size_t index = 0; index < content->count; index++) {
        const row *each = &content->rows[index];
        const mpt_pair pair = {each->key, each->value, each->key_size, each->value_size};
        pairs[index] = pair;
    }
    if (mpt_root(builder, kernel, pairs, content->count, one, &tally) != MPT_GOOD
        || mpt_trie_hash(root, kernel, other, &tally) != MPT_GOOD)
        abort();
    expect(memcmp(one, other, 32) == 0, "the root hash");
}

static void check_order(mpt_node *root, const table *content, const row *wanted)
{
    mpt_found found = {NULL, 0, 0, NULL, 0};
    bool is_there;
    const size_t place = place_of(content, wanted, &is_there);
    if (mpt_trie_first_from(root, wanted->key, wanted->key_size, &found) != MPT_GOOD)
        abort();
    expect((found.value != NULL) == (place < content->count), "whether a key follows");
    if (found.value != NULL && place < content->count)
        expect(found.key_size == content->rows[place].key_size
                   && (found.key_size == 0
                       || memcmp(found.key, content->rows[place].key, found.key_size) == 0),
               "the key that follows");
    if (mpt_trie_last_before(root, wanted->key, wanted->key_size, &found) != MPT_GOOD)
        abort();
    expect((found.value != NULL) == (place > 0), "whether a key comes before");
    if (found.value != NULL && place > 0)
        expect(found.key_size == content->rows[place - 1].key_size
                   && (found.key_size == 0
                       || memcmp(found.key, content->rows[place - 1].key, found.key_size)
                              == 0),
               "the key before");
    mpt_found_free(&found);
}

static void change(mpt_node **root, table *content, unsigned bits)
{
    const row wanted = random_row(bits);
    bool is_there, answer;
    const size_t place = place_of(content, &wanted, &is_there);
    if (next_random() % 5 < 3 && (is_there || content->count < MOST)) {
        if (mpt_trie_set(root, wanted.key, wanted.key_size, wanted.value,
                         wanted.value_size, &answer) != MPT_GOOD)
            abort();
        expect(answer == !is_there, "whether a key is new");
        if (!is_there) {
            memmove(&content->rows[place + 1], &content->rows[place],
                    (content->count - place) * sizeof wanted);
            content->count++;
        }
        content->rows[place] = wanted;
    } else {
        if (mpt_trie_delete(root, wanted.key, wanted.key_size, &answer) != MPT_GOOD)
            abort();
        expect(answer == is_there, "whether a key was there");
        if (is_there) {
            content->count--;
            memmove(&content->rows[place], &content->rows[place + 1],
                    (content->count - place) * sizeof wanted);
        }
    }
}

int main(void)
{
    static table contents[4];
    mpt_node *roots[4] = {NULL, NULL, NULL, NULL};
    mpt_builder *builder = mpt_builder_new();
    if (builder == NULL)
        abort();
    for (unsigned turn = 0; turn < 30000; turn++) {
        const unsigned at = next_random() % 4, bits = 1 + turn / 10000 * 2;
        change(&roots[at], &contents[at], bits);
        if (turn % 16 == 0) {
            const row wanted = random_row(bits);
            check_root(builder, roots[at], &contents[at]);
            check_order(roots[at], &contents[at], &wanted);
        }
        if (turn % 97 == 0) {
            const unsigned other = next_random() % 4;
            if (other != at) {
                mpt_node_release(roots[other]);
                mpt_node_retain(roots[at]);
                roots[other] = roots[at];
                contents[other] = contents[at];
            }
        }
    }
    for (unsigned at = 0; at < 4; at++) {
        check_root(builder, roots[at], &contents[at]);
        mpt_node_release(roots[at]);
    }
    mpt_builder_free(builder);
    printf("tries: %u failures\n", failures);
    return failures > 0;
}
