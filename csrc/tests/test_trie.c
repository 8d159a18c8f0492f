/*
 * The lasting trie against a table and the bulk root: random sets, removals, copies and
 * commits, iteration within bounds.  Run under the sanitizers, which also tell whether all
 * nodes are freed.
 */
#include "trie_model.h"

static void check_order(mpt_node *root, const table *content, unsigned bits)
{
    const row head = random_row(bits), low = random_row(bits), high = random_row(bits);
    const size_t head_size = next_random() % 3 == 0 ? head.key_size % 3 : 0;
    const bool is_bounded = next_random() % 2 == 0, is_reverse = next_random() % 2 == 0;
    uint8_t room[3][16];
    const mpt_bounds bounds = {
        room[0], unpack(room[0], &head, head_size),
        room[1], unpack(room[1], &low, low.key_size),
        is_bounded ? room[2] : NULL, unpack(room[2], &high, high.key_size),
    };
    mpt_iterator iterator;
    mpt_iterator_start(&iterator, root, &bounds, is_reverse);
    for (size_t index = 0; index < content->count; index++) {
        const row *each = &content->rows[is_reverse ? content->count - 1 - index : index];
        uint8_t nibbles[16];
        if (!is_within(each, &head, head_size, &low, is_bounded ? &high : NULL))
            continue;
        if (advance(&iterator) != MPT_GOOD) {
            expect(false, "that there is a next key");
            break;
        }
        const size_t size = unpack(nibbles, each, each->key_size);
        expect(iterator.size == size
                   && (size == 0 || memcmp(iterator.path, nibbles, size) == 0),
               "the next key");
        expect(iterator.value_size == each->value_size
                   && memcmp(iterator.value, each->value, each->value_size) == 0,
               "the next value");
    }
    expect(advance(&iterator) == MPT_END, "the end");
    mpt_iterator_free(&iterator);
}

static void change(mpt_node **root, table *content, unsigned bits)
{
    const row wanted = random_row(bits);
    bool is_there, answer;
    const size_t place = place_of(content, &wanted, &is_there);
    if (next_random() % 5 < 3 && (is_there || content->count < MOST)) {
        if (set(root, &wanted, &answer) != MPT_GOOD)
            abort();
        expect(answer == !is_there, "whether a key is new");
        table_put(content, &wanted);
    } else {
        if (discard(root, &wanted, &answer) != MPT_GOOD)
            abort();
        expect(answer == is_there, "whether a key was there");
        if (is_there)
            table_remove(content, place);
    }
}

/* A trie made of a whole table at once; further changes work on it as on any other. */
static void check_growing(const table *content, unsigned bits)
{
    static table changed;
    mpt_node *grown = NULL;
    if (grow(&grown, content) != MPT_GOOD)
        abort();
    check_root(grown, content);
    changed = *content;
    for (unsigned turn = 0; turn < 8; turn++)
        change(&grown, &changed, bits);
    check_root(grown, &changed);
    mpt_node_release(grown);
}

/* Bytes that are no node, or another one, are read without harm. */
static void check_reading(void)
{
    for (unsigned at = 0; at < PLACES; at++) {
        if (store[at] == NULL)
            continue;
        mpt_node *node;
        uint8_t *copy = malloc(store[at]->size + 1);
        if (copy == NULL)
            abort();
        memcpy(copy, store[at]->bytes, store[at]->size);
        for (unsigned turn = 0; turn < 4; turn++) {
            const size_t place = next_random() % store[at]->size;
            const uint8_t before = copy[place];
            copy[place] = (uint8_t)next_random();
            if (mpt_node_read(copy, store[at]->size, &node) == MPT_GOOD) {
                mpt_node *const roots[1] = {node};
                keccak_tally tally = {0, 0, 0};
                if (mpt_settle(roots, 1, keccak_kernel_best(), &tally) != MPT_GOOD)
                    abort();
                uint8_t *again = malloc(store[at]->size);
                if (again == NULL)
                    abort();
                expect(mpt_node_size(node) == store[at]->size, "the size of a node");
                if (mpt_node_size(node) == store[at]->size) {
                    mpt_node_write(node, again);
                    expect(memcmp(again, copy, store[at]->size) == 0, "a node read");
                }
                free(again);
                mpt_node_release(node);
            }
            copy[place] = before;
        }
        for (size_t size = 0; size < store[at]->size; size++)
            expect(mpt_node_read(copy, size, &node) == MPT_MALFORMED, "a node cut short");
        expect(mpt_node_read(copy, store[at]->size + 1, &node) == MPT_MALFORMED,
               "a node with a byte too many");
        free(copy);
    }
}

int main(void)
{
    static table contents[4];
    mpt_node *roots[4] = {NULL, NULL, NULL, NULL};
    for (unsigned turn = 0; turn < 30000; turn++) {
        const unsigned at = next_random() % 4, bits = 1 + turn / 10000 * 2;
        change(&roots[at], &contents[at], bits);
        if (turn % 16 == 0) {
            const row wanted = random_row(bits);
            check_value(roots[at], &contents[at], &wanted);
            check_order(roots[at], &contents[at], bits);
            check_root(roots[at], &contents[at]);
            check_growing(&contents[at], bits);
        }
        if (turn % 41 == 0 && turn % 3000 < 1500 && commit(&roots[at]) != MPT_GOOD)
            abort();
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
        check_root(roots[at], &contents[at]);
        mpt_node_release(roots[at]);
    }
    check_reading();
    store_free();
    printf("tries: %u failures\n", failures);
    return failures > 0;
}
