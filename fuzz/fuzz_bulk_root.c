/*
 * Roots of pairs that are packed: any order, duplicates, empty values, keys that begin
 * each other.  The engine, in one pass and in parts, on every kernel, has to find the
 * root that a recursion straight from the definition finds, and count the same hashing.
 *
 * Input: for each pair a byte for its key, a byte for its value, and the key.  The value
 * is made, as its size alone decides what happens to it, except for one byte.
 */
#include "fuzz.h"

#include "rlp.h"
#include "tests/parts.h"

#define MOST_PAIRS 512u
#define LONGEST_VALUE 1400u

/* ---- the root by definition (Yellow Paper, appendix D) ---- */

static const keccak_kernel *portable;
static keccak_tally right_tally;

static void digest_of(const uint8_t *encoding, size_t size, uint8_t *digest)
{
    right_tally.calls++;
    right_tally.bytes += size;
    right_tally.permutations += size / KECCAK256_RATE + 1;
    keccak256(portable, encoding, size, digest);
}

static uint8_t *new_bytes(size_t size)
{
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    if (bytes == NULL)
        abort();
    return bytes;
}

static uint8_t *encode_list(const uint8_t *payload, size_t payload_size, size_t *size)
{
    uint8_t *encoding = new_bytes(payload_size + RLP_MOST_HEADER);
    uint8_t *out = rlp_write_header(encoding, RLP_LIST, payload_size);
    memcpy(out, payload, payload_size);
    *size = (size_t)(out - encoding) + payload_size;
    return encoding;
}

/* Append the item by which a parent holds a node. */
static uint8_t *put_reference(uint8_t *out, const uint8_t *encoding, size_t size)
{
    if (size < 32) {
        memcpy(out, encoding, size);
        return out + size;
    }
    *out = 0xa0;
    digest_of(encoding, size, out + 1);
    return out + 33;
}

static uint8_t *put_path(uint8_t *out, const uint8_t *key, size_t start, size_t stop,
                         unsigned flag)
{
    const size_t count = stop - start;
    uint8_t *path = new_bytes(count / 2 + 1);
    size_t size = 1, index = start;
    path[0] = (uint8_t)(flag << 5);
    if (count % 2 != 0)
        path[0] = (uint8_t)(path[0] | 0x10u | mpt_nibble(key, index++));
    for (; index < stop; index += 2)
        path[size++] =
            (uint8_t)(mpt_nibble(key, index) << 4 | mpt_nibble(key, index + 1));
    out = rlp_write_string(out, path, size);
    free(path);
    return out;
}

/* Return the encoding of the node for arranged pairs that share *depth* nibbles. */
static uint8_t *define_node(const mpt_pair *pairs, size_t count, size_t depth,
                            size_t *size)
{
    const mpt_pair *last = &pairs[count - 1];
    size_t shared = 2 * pairs->key_size;
    for (size_t index = depth; index < shared; index++)
        if (index >= 2 * last->key_size
            || mpt_nibble(pairs->key, index) != mpt_nibble(last->key, index))
            shared = index;
    uint8_t *payload = new_bytes(
        17 * 33 + pairs->value_size + pairs->key_size + 2 * RLP_MOST_HEADER + 1
    );
    uint8_t *out = payload, *encoding;
    if (count == 1) {
        out = put_path(out, pairs->key, depth, 2 * pairs->key_size, 1);
        out = rlp_write_string(out, pairs->value, pairs->value_size);
    } else if (shared > depth) {
        size_t below_size;
        uint8_t *below = define_node(pairs, count, shared, &below_size);
        out = put_path(out, pairs->key, depth, shared, 0);
        out = put_reference(out, below, below_size);
        free(below);
    } else {
        const bool has_value = 2 * pairs->key_size == depth;
        size_t index = has_value;
        for (unsigned nibble = 0; nibble < 16; nibble++) {
            size_t end = index, child_size;
            while (end < count && mpt_nibble(pairs[end].key, depth) == nibble)
                end++;
            if (end == index) {
                *out++ = 0x80;
                continue;
            }
            uint8_t *child =
                define_node(pairs + index, end - index, depth + 1, &child_size);
            out = put_reference(out, child, child_size);
            free(child);
            index = end;
        }
        if (has_value)
            out = rlp_write_string(out, pairs->value, pairs->value_size);
        else
            *out++ = 0x80;
    }
    encoding = encode_list(payload, (size_t)(out - payload), size);
    free(payload);
    return encoding;
}

/* Keep of each key the last pair, and that if its value is not empty; sort. */
static size_t define_order(mpt_pair *pairs, size_t count)
{
    size_t kept = 0;
    for (size_t index = 0; index < count; index++) {
        bool is_last = pairs[index].value_size > 0;
        for (size_t other = index + 1; is_last && other < count; other++)
            is_last = mpt_compare_keys(pairs[index].key, pairs[index].key_size,
                                       pairs[other].key, pairs[other].key_size) != 0;
        if (!is_last)
            continue;
        const mpt_pair pair = pairs[index];
        size_t place = kept++;
        for (; place > 0
               && mpt_compare_keys(pairs[place - 1].key, pairs[place - 1].key_size,
                                   pair.key, pair.key_size) > 0;
             place--)
            pairs[place] = pairs[place - 1];
        pairs[place] = pair;
    }
    return kept;
}

static void define_root(mpt_pair *pairs, size_t count, uint8_t *root)
{
    memset(&right_tally, 0, sizeof right_tally);
    count = define_order(pairs, count);
    if (count == 0) {
        keccak256(portable, (const uint8_t *)"\x80", 1, root);
        return;
    }
    size_t size;
    uint8_t *encoding = define_node(pairs, count, 0, &size);
    digest_of(encoding, size, root);
    free(encoding);
}

/* ---- the engine ---- */

static void check_parts(mpt_builder *builder, const keccak_kernel *kernel,
                        const mpt_pair *pairs, size_t count, const uint8_t *right)
{
    keccak_tally tally = {0, 0, 0};
    uint8_t root[KECCAK256_SIZE];
    root_in_parts(builder, kernel, pairs, count, root, &tally);
    expect(memcmp(root, right, sizeof root) == 0, "the root in parts");
    expect(memcmp(&tally, &right_tally, sizeof tally) == 0, "the tally in parts");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    reader input = {data, size};
    static uint8_t values[LONGEST_VALUE + 256];
    static mpt_pair given[MOST_PAIRS], pairs[MOST_PAIRS];
    static uint8_t *keys[MOST_PAIRS];
    size_t count = 0;
    portable = keccak_kernel_named("portable");
    for (size_t index = 0; index < sizeof values; index++)
        values[index] = (uint8_t)(index % 251);
    while (input.left > 0 && count < MOST_PAIRS) {
        size_t key_size = read_byte(&input) % 70u;
        const unsigned value = read_byte(&input);
        keys[count] = read_bytes(&input, &key_size);
        given[count].key = keys[count];
        given[count].key_size = key_size;
        given[count].value = values + value;
        /* Mostly short ones, about the limit of embedding; some of many blocks. */
        given[count].value_size = value < 192 ? value % 48u : (value - 192u) * 22u;
        count++;
    }
    uint8_t right[KECCAK256_SIZE];
    memcpy(pairs, given, count * sizeof *pairs);
    define_root(pairs, count, right);
    mpt_builder *builder = mpt_builder_new();
    if (builder == NULL)
        abort();
    for (size_t index = 0; keccak_kernel_at(index) != NULL; index++) {
        const keccak_kernel *kernel = keccak_kernel_at(index);
        if (!keccak_kernel_runs(kernel))
            continue;
        keccak_tally tally = {0, 0, 0};
        uint8_t root[KECCAK256_SIZE];
        size_t left = count;
        memcpy(pairs, given, count * sizeof *pairs);
        if (mpt_arrange(pairs, &left) != MPT_GOOD
            || mpt_root(builder, kernel, pairs, left, root, &tally) != MPT_GOOD)
            abort();
        expect(memcmp(root, right, sizeof root) == 0, "the root");
        expect(memcmp(&tally, &right_tally, sizeof tally) == 0, "the tally");
        if (left > 1)
            check_parts(builder, kernel, pairs, left, right);
    }
    mpt_builder_free(builder);
    for (size_t index = 0; index < count; index++)
        free(keys[index]);
    return 0;
}
