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

int main(void)
{
    mpt_builder *builder = mpt_builder_new();
    if (builder == NULL)
        abort();
    test_published(builder);
    for (size_t index = 0; keccak_kernel_at(index) != NULL; index++)
        if (keccak_kernel_runs(keccak_kernel_at(index)))
            test_random(builder, keccak_kernel_at(index));
    mpt_builder_free(builder);
    printf("roots: %u failures\n", failures);
    return failures > 0;
}
