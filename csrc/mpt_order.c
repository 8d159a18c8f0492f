/*
 * Sorting keys by their first bytes.
 *
 * Keys are mostly hashes, so two passes of a radix sort over 22 bits leave runs of one or
 * two keys; what is left is sorted by insertion, long runs (keys that are no hashes) by
 * merging.  All of it is stable, so that the last of equal keys stays the last.
 */
#include "mpt_order.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct sort_item {
    uint64_t prefix; /* eight bytes of the key, as a number; zeros after its end */
    size_t index;
} sort_item;

typedef struct sorter {
    const mpt_pair *pairs;
    size_t skipped; /* bytes that all keys begin with */
} sorter;

#define DIGIT_BITS 11u
#define DIGITS (1u << DIGIT_BITS)
#define SORTED_BITS (2 * DIGIT_BITS)

/* Runs longer than this are merged. */
#define LONGEST_INSERTION 24

static int compare_pairs(const mpt_pair *first, const mpt_pair *second)
{
    return mpt_compare_keys(first->key, first->key_size, second->key, second->key_size);
}

/* How many bytes all keys begin with. */
static size_t common_bytes(const mpt_pair *pairs, size_t count)
{
    size_t common = pairs[0].key_size;
    for (size_t index = 1; index < count && common > 0; index++) {
        const size_t shared = mpt_shared_nibbles(
            pairs[0].key, common, pairs[index].key, pairs[index].key_size
        ) / 2;
        if (shared < common)
            common = shared;
    }
    return common;
}

static uint64_t read_prefix(const mpt_pair *pair, size_t skipped)
{
    uint64_t prefix = 0;
    const size_t left = pair->key_size - skipped;
    if (left >= 8)
        return mpt_eight_bytes(pair->key + skipped);
    for (size_t index = 0; index < left; index++)
        prefix |= (uint64_t)pair->key[skipped + index] << (56 - 8 * index);
    return prefix;
}

static bool comes_before(const sorter *self, const sort_item *first, const sort_item *second)
{
    if (first->prefix != second->prefix)
        return first->prefix < second->prefix;
    return compare_pairs(&self->pairs[first->index], &self->pairs[second->index]) < 0;
}

static void sort_by_insertion(const sorter *self, sort_item *items, size_t count)
{
    for (size_t done = 1; done < count; done++) {
        const sort_item item = items[done];
        size_t place = done;
        for (; place > 0 && comes_before(self, &item, &items[place - 1]); place--)
            items[place] = items[place - 1];
        items[place] = item;
    }
}

static void sort_by_merging(
    const sorter *self, sort_item *items, sort_item *scratch, size_t count
)
{
    for (size_t base = 0; base < count; base += LONGEST_INSERTION) {
        const size_t left = count - base;
        sort_by_insertion(
            self, items + base, left < LONGEST_INSERTION ? left : LONGEST_INSERTION
        );
    }
    for (size_t width = LONGEST_INSERTION; width < count; width *= 2) {
        for (size_t base = 0; base < count; base += 2 * width) {
            const size_t middle = count - base < width ? count : base + width;
            const size_t end = count - base < 2 * width ? count : base + 2 * width;
            size_t low = base, high = middle, to = base;
            while (low < middle && high < end)
                scratch[to++] = comes_before(self, &items[high], &items[low])
                                    ? items[high++]
                                    : items[low++];
            while (low < middle)
                scratch[to++] = items[low++];
            while (high < end)
                scratch[to++] = items[high++];
        }
        memcpy(items, scratch, count * sizeof *items);
    }
}

static void sort_digit(
    const sort_item *from, sort_item *to, size_t count, unsigned shift, size_t *places
)
{
    memset(places, 0, DIGITS * sizeof *places);
    for (size_t index = 0; index < count; index++)
        places[from[index].prefix >> shift & (DIGITS - 1)]++;
    size_t sum = 0;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        const size_t number = places[digit];
        places[digit] = sum;
        sum += number;
    }
    for (size_t index = 0; index < count; index++)
        to[places[from[index].prefix >> shift & (DIGITS - 1)]++] = from[index];
}

static void sort_items(
    const sorter *self, sort_item *items, sort_item *scratch, size_t count
)
{
    if (count <= LONGEST_INSERTION) {
        sort_by_insertion(self, items, count);
        return;
    }
    if (count < DIGITS) {
        sort_by_merging(self, items, scratch, count);
        return;
    }
    size_t places[DIGITS];
    sort_digit(items, scratch, count, 64 - SORTED_BITS, places);
    sort_digit(scratch, items, count, 64 - DIGIT_BITS, places);
    for (size_t base = 0; base < count;) {
        const uint64_t digits = items[base].prefix >> (64 - SORTED_BITS);
        size_t end = base + 1;
        while (end < count && items[end].prefix >> (64 - SORTED_BITS) == digits)
            end++;
        if (end - base > LONGEST_INSERTION)
            sort_by_merging(self, items + base, scratch, end - base);
        else if (end - base > 1)
            sort_by_insertion(self, items + base, end - base);
        base = end;
    }
}

/* Keep pair *index* unless its value is empty; return the number kept. */
static size_t keep(mpt_pair *pairs, size_t kept, const mpt_pair *pair)
{
    if (pair->value_size > 0)
        pairs[kept++] = *pair;
    return kept;
}

static mpt_status sort_pairs(mpt_pair *pairs, size_t *count)
{
    const size_t before = *count;
    if (before > SIZE_MAX / (2 * sizeof(sort_item) + sizeof *pairs))
        return MPT_NO_MEMORY;
    const sorter self = {pairs, common_bytes(pairs, before)};
    sort_item *items = malloc(2 * before * sizeof *items);
    mpt_pair *unsorted = malloc(before * sizeof *unsorted);
    if (items == NULL || unsorted == NULL) {
        free(items);
        free(unsorted);
        return MPT_NO_MEMORY;
    }
    for (size_t index = 0; index < before; index++) {
        items[index].prefix = read_prefix(&pairs[index], self.skipped);
        items[index].index = index;
    }
    sort_items(&self, items, items + before, before);
    memcpy(unsorted, pairs, before * sizeof *unsorted);
    size_t kept = 0;
    for (size_t index = 0; index < before; index++) {
        const mpt_pair *pair = &unsorted[items[index].index];
        if (index + 1 < before && items[index].prefix == items[index + 1].prefix
            && compare_pairs(pair, &unsorted[items[index + 1].index]) == 0)
            continue; /* the next one overrules it */
        kept = keep(pairs, kept, pair);
    }
    *count = kept;
    free(unsorted);
    free(items);
    return MPT_GOOD;
}

mpt_status mpt_arrange(mpt_pair *pairs, size_t *count)
{
    bool is_plain = true; /* nothing to leave out */
    const size_t before = *count;
    for (size_t index = 0; index < before; index++) {
        is_plain = is_plain && pairs[index].value_size > 0;
        if (index + 1 == before)
            break;
        if (mpt_is_before(&pairs[index], &pairs[index + 1]))
            continue;
        if (compare_pairs(&pairs[index], &pairs[index + 1]) > 0)
            return sort_pairs(pairs, count);
        is_plain = false;
    }
    if (is_plain)
        return MPT_GOOD;
    size_t kept = 0;
    for (size_t index = 0; index < before; index++) {
        if (index + 1 < before && compare_pairs(&pairs[index], &pairs[index + 1]) == 0)
            continue;
        kept = keep(pairs, kept, &pairs[index]);
    }
    *count = kept;
    return MPT_GOOD;
}
