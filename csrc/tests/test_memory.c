/*
 * The lasting trie, and the root of a state, without memory: each allocation of an operation
 * fails in turn, and then nothing has changed.  The linker puts the functions below in place
 * of the allocator.
 */
#include "../mpt_state.h"
#include "trie_model.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool is_failing = false;
static unsigned left = 0; /* allocations that succeed before one fails */
static unsigned refused = 0;

static bool refuses(void)
{
    if (!is_failing || left-- > 0)
        return false;
    left = 0;
    refused++;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return refuses() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuses() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refuses() ? NULL : __real_realloc(old, size);
}

static void root_of(mpt_node *root, uint8_t digest[KECCAK256_SIZE])
{
    keccak_tally tally = {0, 0, 0};
    if (mpt_trie_hash(root, keccak_kernel_best(), digest, &tally) != MPT_GOOD)
        abort();
}

/* How many nodes a commit would write. */
static size_t new_nodes(mpt_node *root)
{
    mpt_nodes nodes = {NULL, 0, 0};
    uint8_t digest[KECCAK256_SIZE];
    root_of(root, digest);
    if (mpt_trie_nodes(root, &nodes) != MPT_GOOD)
        abort();
    const size_t count = nodes.count;
    mpt_nodes_free(&nodes);
    return count;
}

typedef mpt_status operation(mpt_node **root, const row *wanted);

static mpt_status do_set(mpt_node **root, const row *wanted)
{
    bool added;
    return set(root, wanted, &added);
}

static mpt_status do_discard(mpt_node **root, const row *wanted)
{
    bool removed;
    return discard(root, wanted, &removed);
}

static mpt_status do_hash(mpt_node **root, const row *wanted)
{
    keccak_tally tally = {0, 0, 0};
    uint8_t digest[KECCAK256_SIZE];
    (void)wanted;
    return mpt_trie_hash(*root, keccak_kernel_best(), digest, &tally);
}

static mpt_status do_nodes(mpt_node **root, const row *wanted)
{
    mpt_nodes nodes = {NULL, 0, 0};
    mpt_status status = do_hash(root, wanted);
    if (status == MPT_GOOD)
        status = mpt_trie_nodes(*root, &nodes);
    mpt_nodes_free(&nodes);
    return status;
}

static mpt_status do_iterate(mpt_node **root, const row *wanted)
{
    const mpt_bounds bounds = {NULL, 0, NULL, 0, NULL, 0};
    mpt_iterator iterator;
    mpt_status status;
    mpt_iterator_start(&iterator, *root, &bounds, wanted->key_size % 2 == 0);
    do
        status = advance(&iterator);
    while (status == MPT_GOOD);
    mpt_iterator_free(&iterator);
    return status == MPT_END ? MPT_GOOD : status;
}

static const table *whole; /* what a trie is made of at once */

static mpt_status do_grow(mpt_node **root, const row *wanted)
{
    (void)wanted;
    return grow(root, whole);
}

/* Let every allocation fail in turn, until the operation comes to its end. */
static void attempt(operation *function, mpt_node **root, const row *wanted, bool is_change)
{
    for (unsigned turn = 0;; turn++) {
        uint8_t before[KECCAK256_SIZE], after[KECCAK256_SIZE];
        const size_t count = is_change ? new_nodes(*root) : 0;
        if (is_change)
            root_of(*root, before);
        left = turn;
        is_failing = true;
        const unsigned earlier = refused;
        const mpt_status status = function(root, wanted);
        is_failing = false;
        if (status == MPT_GOOD && refused == earlier)
            return;
        if (!is_change)
            continue;
        root_of(*root, after);
        if (status == MPT_GOOD)
            return; /* it could do without */
        expect(status == MPT_NO_MEMORY, "the reason of a failure");
        expect(memcmp(before, after, KECCAK256_SIZE) == 0, "the root after a failure");
        expect(new_nodes(*root) == count, "what is new after a failure");
    }
}

#define ACCOUNTS 30u
#define SLOTS 12u /* of each */

static void test_state(void)
{
    static mpt_account accounts[ACCOUNTS];
    static mpt_slot slots[ACCOUNTS * SLOTS];
    static const uint8_t code[3000] = {1, 2};
    const keccak_kernel *kernel = keccak_kernel_best();
    keccak_tally tally = {0, 0, 0};
    uint8_t right[KECCAK256_SIZE], root[KECCAK256_SIZE];
    for (unsigned index = 0; index < ACCOUNTS; index++) {
        accounts[index].address[0] = (uint8_t)index;
        accounts[index].code = code;
        accounts[index].code_size = index % 3 * 1000;
        accounts[index].slots = index % 2 ? SLOTS : 0;
    }
    for (unsigned index = 0; index < ACCOUNTS * SLOTS; index++) {
        slots[index].key[0] = (uint8_t)index;
        slots[index].key[1] = (uint8_t)(index >> 8);
        mpt_number_set(&slots[index].value, code, 1 + index % 2);
    }
    mpt_builder *builder = mpt_builder_new();
    if (builder == NULL
        || mpt_state_root(builder, kernel, accounts, ACCOUNTS, slots, right, &tally)
               != MPT_GOOD)
        abort();
    mpt_builder_free(builder);
    bool is_refused = true;
    for (unsigned turn = 0; is_refused; turn++) {
        builder = mpt_builder_new(); /* a used one needs less */
        if (builder == NULL)
            abort();
        const unsigned earlier = refused;
        left = turn;
        is_failing = true;
        const mpt_status status =
            mpt_state_root(builder, kernel, accounts, ACCOUNTS, slots, root, &tally);
        is_failing = false;
        is_refused = refused != earlier;
        expect(status == (is_refused ? MPT_NO_MEMORY : MPT_GOOD), "a state without memory");
        expect(mpt_state_root(builder, kernel, accounts, ACCOUNTS, slots, root, &tally)
                       == MPT_GOOD
                   && memcmp(root, right, sizeof root) == 0,
               "the root of the state after a failure");
        mpt_builder_free(builder);
    }
}

/* Nodes of many blocks, which wait in memory of their own until they are hashed. */
static void test_long_nodes(void)
{
    enum { PAIRS = 70 };
    static uint8_t keys[PAIRS][2], value[6000];
    mpt_pair pairs[PAIRS];
    keccak_tally tally = {0, 0, 0};
    uint8_t right[KECCAK256_SIZE], root[KECCAK256_SIZE];
    bool is_refused = true;
    for (unsigned index = 0; index < PAIRS; index++) {
        const mpt_pair one = {keys[index], value, 2, 1 + index * 83};
        keys[index][0] = (uint8_t)(index * 3);
        keys[index][1] = (uint8_t)index;
        pairs[index] = one;
    }
    for (size_t index = 0; index < sizeof value; index++)
        value[index] = (uint8_t)(index * 7);
    for (unsigned turn = 0; is_refused; turn++) {
        mpt_builder *builder = mpt_builder_new();
        mpt_node *node = NULL;
        if (builder == NULL || mpt_trie_grow(&node, pairs, PAIRS) != MPT_GOOD)
            abort();
        const unsigned earlier = refused;
        left = turn;
        is_failing = true;
        mpt_status status =
            mpt_root(builder, keccak_kernel_best(), pairs, PAIRS, root, &tally);
        if (status == MPT_GOOD)
            status = do_hash(&node, NULL);
        is_failing = false;
        is_refused = refused != earlier;
        /* It can do without what branches keep of their encodings. */
        expect(status == MPT_GOOD || (is_refused && status == MPT_NO_MEMORY), "long nodes");
        if (mpt_root(builder, keccak_kernel_named("portable"), pairs, PAIRS, right, &tally)
            != MPT_GOOD)
            abort();
        root_of(node, root);
        expect(memcmp(root, right, sizeof root) == 0, "a root of long nodes");
        mpt_node_release(node);
        mpt_builder_free(builder);
    }
}

int main(void)
{
    static table content;
    mpt_node *root = NULL, *copy = NULL;
    for (unsigned turn = 0; turn < 900; turn++) {
        const unsigned bits = 1 + turn / 300;
        row wanted = random_row(bits);
        if (turn % 3 == 0 && content.count > 0)
            wanted = content.rows[next_random() % content.count];
        bool is_there;
        const size_t place = place_of(&content, &wanted, &is_there);
        if (turn % 7 == 0) {
            mpt_node_release(copy);
            mpt_node_retain(root);
            copy = root;
        }
        if (is_there && turn % 2 == 0) {
            attempt(do_discard, &root, &wanted, true);
            table_remove(&content, place);
        } else if (is_there || content.count < MOST) {
            attempt(do_set, &root, &wanted, true);
            table_put(&content, &wanted);
        }
        if (turn % 10 == 0) {
            attempt(do_iterate, &root, &wanted, false);
            attempt(do_nodes, &root, &wanted, false);
        }
        if (turn % 5 == 0)
            attempt(do_hash, &root, &wanted, false);
        if (turn % 50 == 0 && commit(&root) != MPT_GOOD)
            abort();
        check_root(root, &content);
        if (turn % 25 == 0) {
            mpt_node *grown = NULL;
            whole = &content;
            attempt(do_grow, &grown, &wanted, true);
            check_root(grown, &content);
            mpt_node_release(grown);
        }
    }
    mpt_node_release(root);
    mpt_node_release(copy);
    store_free();
    test_state();
    test_long_nodes();
    printf("memory: %u failures, %u allocations refused\n", failures, refused);
    return failures > 0 || refused < 1000;
}
