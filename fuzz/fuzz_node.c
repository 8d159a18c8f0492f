/*
 * Reading nodes: bytes that are taken for a node are just what is written of it, and its
 * hash is theirs.  Keys are found, set and removed in what was read, and then it is as it
 * was; what a parent of it holds is read again.
 *
 * Input: the size of a key, the key, and the encoding.
 */
#include "fuzz.h"

#include "mpt_trie.h"
#include "rlp.h"

#define LONGEST_KEY 40u

static void settle(mpt_node *node)
{
    keccak_tally tally = {0, 0, 0};
    if (mpt_settle(&node, 1, keccak_kernel_best(), &tally) != MPT_GOOD)
        abort();
}

/* The encoding of a settled node, in memory of just its size. */
static uint8_t *encoding_of(const mpt_node *node, size_t *size)
{
    *size = mpt_node_size(node);
    uint8_t *encoding = malloc(*size);
    if (encoding == NULL)
        abort();
    mpt_node_write(node, encoding);
    return encoding;
}

static void expect_encoding(const mpt_node *node, const uint8_t *right, size_t right_size,
                            const char *what)
{
    size_t size;
    uint8_t *encoding = encoding_of(node, &size);
    expect(size == right_size && memcmp(encoding, right, size) == 0, what);
    free(encoding);
}

static void check_hash(const mpt_node *node, const uint8_t *data, size_t size)
{
    uint8_t digest[KECCAK256_SIZE];
    const uint8_t *own = mpt_node_digest(node);
    keccak256(keccak_kernel_named("portable"), data, size, digest);
    expect((own == NULL) == (size < 32), "whether a node is embedded");
    if (own != NULL)
        expect(memcmp(own, digest, sizeof digest) == 0, "the hash of a node");
}

/* An extension over what was read, which holds it by its hash or as it is. */
static void check_parent(const mpt_node *node, const uint8_t *data, size_t size)
{
    uint8_t encoding[64], *out = encoding;
    const uint8_t *digest = mpt_node_digest(node);
    const size_t item = digest == NULL ? size : 33;
    out = rlp_write_header(out, RLP_LIST, 1 + item);
    *out++ = 0x11; /* one nibble */
    if (digest == NULL)
        memcpy(out, data, size);
    else
        rlp_write_string(out, digest, KECCAK256_SIZE);
    out += item;
    mpt_node *parent;
    const mpt_status status =
        mpt_node_read(encoding, (size_t)(out - encoding), &parent);
    if (status != MPT_GOOD)
        expect(digest == NULL, "that any hash may be below an extension");
    if (status != MPT_GOOD)
        return;
    settle(parent);
    expect_encoding(parent, encoding, (size_t)(out - encoding), "an extension");
    mpt_node_release(parent);
}

/* Set and remove a key; *hidden* nodes stop both, and then nothing may have changed. */
static void check_change(mpt_node *node, mpt_path key, const uint8_t *data, size_t size)
{
    mpt_node *root = node;
    mpt_way way;
    const uint8_t *value;
    size_t value_size;
    bool added;
    mpt_node_retain(root);
    mpt_way_start(&way, root, key);
    const mpt_status found = mpt_way_find(&way, &value, &value_size);
    const bool is_there = found == MPT_GOOD && value != NULL;
    const mpt_status status =
        mpt_trie_set(&root, key, (const uint8_t *)"new", 3, NULL, &added);
    expect(status == found, "that setting needs what finding needs");
    if (status == MPT_GOOD) {
        expect(added == !is_there, "whether a key is new");
        const mpt_status removed = mpt_trie_remove(&root, key, NULL);
        /* Of a branch one child may be left, and that may be hidden. */
        expect(removed == MPT_GOOD || removed == MPT_HIDDEN,
               "that what was added can be removed");
        if (removed == MPT_GOOD && added) {
            expect(root != NULL, "that a node is left");
            settle(root);
            expect_encoding(root, data, size, "a node with a key added and removed");
        }
    }
    mpt_node_release(root);
    mpt_way_free(&way);
    settle(node);
    expect_encoding(node, data, size, "a node of which a copy was changed");
}

static void check_order(mpt_node *node)
{
    const uint8_t none[1] = {0};
    const mpt_bounds bounds = {none, 0, none, 0, NULL, 0};
    for (unsigned is_reverse = 0; is_reverse < 2; is_reverse++) {
        uint8_t before[4096];
        size_t before_size = 0, count = 0;
        mpt_iterator iterator;
        mpt_status status;
        mpt_iterator_start(&iterator, node, &bounds, is_reverse != 0);
        while ((status = mpt_iterator_next(&iterator)) == MPT_GOOD
               || status == MPT_HALF_A_BYTE) {
            const int order = mpt_compare_keys(before, before_size, iterator.path,
                                               iterator.size);
            if (count++ > 0)
                expect(is_reverse != 0 ? order > 0 : order < 0, "the order of keys");
            if (iterator.size > sizeof before)
                break;
            before_size = iterator.size;
            if (before_size > 0)
                memcpy(before, iterator.path, before_size);
        }
        mpt_iterator_free(&iterator);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    reader input = {data, size};
    size_t key_size = read_byte(&input) % LONGEST_KEY;
    uint8_t *key = read_bytes(&input, &key_size);
    size_t encoding_size = input.left;
    uint8_t *encoding = read_bytes(&input, &encoding_size);
    mpt_node *node = NULL;
    const mpt_status status = mpt_node_read(encoding, encoding_size, &node);
    expect(status == MPT_GOOD || status == MPT_MALFORMED, "a verdict");
    expect((status == MPT_GOOD) == (node != NULL), "a node, or none");
    if (node != NULL) {
        const mpt_path path = {key, 0, 2 * key_size};
        settle(node);
        expect_encoding(node, encoding, encoding_size, "a node read");
        check_hash(node, encoding, encoding_size);
        check_parent(node, encoding, encoding_size);
        check_order(node);
        check_change(node, path, encoding, encoding_size);
        mpt_node_release(node);
    }
    free(encoding);
    free(key);
    return 0;
}
