/*
 * Bulk roots: published answers, and the ways to one root against each other: any order,
 * duplicates, empty values, in parts, on every kernel.  Run under the sanitizers; what the
 * root itself has to be is tested from Python, against the pure code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "parts.h"

static mpt_pair pair_of(const char *key, const char *value)
{
    const mpt_pair pair = {
        (const uint8_t *)key, (const uint8_t *)value, strlen(key), strlen(value)
    };
    return pair;
}

static void root_of(
    mpt_builder *builder, const keccak_kernel *kernel, mpt_pair *pairs, size_t count,
    uint8_t *root
)
{
    keccak_tally tally = {0, 0, 0};
    if (mpt_arrange(pairs, &count) != MPT_GOOD
        || mpt_root(builder, kernel, pairs, count, root, &tally) != MPT_GOOD)
        abort();
    if (count > 1) {
        uint8_t joined[32];
        root_in_parts(builder, kernel, pairs, count, joined, &tally);
        expect(memcmp(joined, root, 32) == 0, "a root in parts");
    }
}

static void test_published(mpt_builder *builder)
{
    const keccak_kernel *kernel = keccak_kernel_best();
    mpt_pair pairs[] = {
        pair_of("dog", "puppy"), pair_of("do", "wrong"), pair_of("horse", "stallion"),
        pair_of("do", "verb"),   pair_of("cat", ""),     pair_of("doge", "coin"),
    };
    uint8_t root[32];
    char text[65];
    root_of(builder, kernel, pairs, 6, root);
    for (unsigned index = 0; index < 32; index++)
        snprintf(text + 2 * index, 3, "%02x", root[index]);
    /* "dogs" of the public trie tests has this content. */
    expect(strcmp(text, "5991bb8c6514148a29db676a14ac506c"
                        "d2cd5775ace63c30a4fe457715e9ac84") == 0,
           "the published root of do, dog, doge and horse");
    root_of(builder, kernel, pairs, 0, root);
    expect(root[0] == 0x56 && root[31] == 0x21, "the empty root");
}

#define MOST 6000u

static void test_random(mpt_builder *builder, const keccak_kernel *kernel)
{
    static uint8_t keys[MOST][40];
    static uint8_t values[MOST][400];
    mpt_pair pairs[MOST], shuffled[MOST];
    const unsigned shapes[][4] = {
        /* pairs, longest key, bits of each byte, longest value */
        {1, 3, 8, 300},   {2, 1, 1, 3},      {17, 2, 2, 2},    {300, 4, 1, 40},
        {300, 33, 8, 80}, {1000, 5, 2, 1},   {3000, 32, 8, 9}, {6000, 3, 8, 399},
    };
    for (unsigned shape = 0; shape < sizeof shapes / sizeof *shapes; shape++) {
        const unsigned count = shapes[shape][0];
        uint8_t one[32], other[32];
        for (unsigned index = 0; index < count; index++) {
            pairs[index].key = keys[index];
            pairs[index].key_size = next_random() % (shapes[shape][1] + 1);
            pairs[index].value = values[index];
            pairs[index].value_size = next_random() % (shapes[shape][3] + 1);
            for (size_t at = 0; at < pairs[index].key_size; at++)
                keys[index][at] = (uint8_t)(next_random() % (1u << shapes[shape][2]));
            for (size_t at = 0; at < pairs[index].value_size; at++)
                values[index][at] = (uint8_t)next_random();
        }
        memcpy(shuffled, pairs, sizeof pairs);
        root_of(builder, kernel, pairs, count, one);
        /* The last of equal keys counts, so only pairs of different keys may change places:
         * sort by insertion from behind. */
        for (unsigned index = 1; index < count; index++)
            for (unsigned at = index; at > 0; at--) {
                if (mpt_compare_keys(shuffled[at - 1].key, shuffled[at - 1].key_size,
                                     shuffled[at].key, shuffled[at].key_size) >= 0)
                    break;
                const mpt_pair pair = shuffled[at];
                shuffled[at] = shuffled[at - 1];
                shuffled[at - 1] = pair;
            }
        root_of(builder, kernel, shuffled, count, other);
        expect(memcmp(one, other, 32) == 0, "the same root in descending order");
    }
}

#define TRIES 300u

/* Many tries together, small ones and large ones, against each of them by itself. */
static void test_together(mpt_builder *builder, const keccak_kernel *kernel)
{
    static uint8_t keys[MOST][4];
    static mpt_pair pairs[MOST];
    static uint8_t roots[TRIES][KECCAK256_SIZE];
    static mpt_wanted wanted[TRIES];
    const uint8_t value[120] = {1};
    keccak_tally together = {0, 0, 0}, apart = {0, 0, 0};
    size_t used = 0, count = 0;
    for (; count < TRIES; count++) {
        const bool is_large = next_random() % 100 == 0;
        size_t size = 1 + next_random() % (is_large ? 2000 : 12);
        if (size > MOST - used)
            break;
        for (size_t index = used; index < used + size; index++) {
            for (unsigned at = 0; at < sizeof *keys; at++)
                keys[index][at] = (uint8_t)next_random();
            pairs[index].key = keys[index];
            pairs[index].key_size = 1 + next_random() % sizeof *keys;
            pairs[index].value = value;
            pairs[index].value_size = 1 + next_random() % (next_random() % 2 ? 3 : 120);
        }
        wanted[count].pairs = pairs + used;
        wanted[count].root = roots[count];
        used += size;
        if (mpt_arrange(pairs + used - size, &size) != MPT_GOOD)
            abort();
        wanted[count].count = size;
    }
    expect(mpt_build_roots(builder, kernel, wanted, count, &together) == MPT_GOOD,
           "many tries together");
    for (size_t index = 0; index < count; index++) {
        uint8_t root[KECCAK256_SIZE];
        if (mpt_root(builder, kernel, wanted[index].pairs, wanted[index].count, root, &apart)
            != MPT_GOOD)
            abort();
        expect(memcmp(root, roots[index], sizeof root) == 0, "a root among many");
    }
    expect(together.calls == apart.calls && together.bytes == apart.bytes
               && together.permutations == apart.permutations,
           "what many tries hash");
    expect(mpt_build_roots(builder, kernel, NULL, 0, &together) == MPT_GOOD, "no trie");
}

int main(void)
{
    mpt_builder *builder = mpt_builder_new();
    if (builder == NULL)
        abort();
    test_published(builder);
    for (size_t index = 0; keccak_kernel_at(index) != NULL; index++)
        if (keccak_kernel_runs(keccak_kernel_at(index))) {
            test_random(builder, keccak_kernel_at(index));
            for (unsigned turn = 0; turn < 20; turn++)
                test_together(builder, keccak_kernel_at(index));
        }
    mpt_builder_free(builder);
    printf("roots: %u failures\n", failures);
    return failures > 0;
}
