/*
 * Keys as nibbles: hex-prefix paths, shared beginnings and order, against code that takes
 * one nibble after the other.
 *
 * Input: flags, where the path starts and stops, the size of the first key, both keys.
 */
#include "fuzz.h"

#include "mpt.h"
#include "rlp.h"

#define LONGEST 200u

static unsigned nibble_at(const uint8_t *key, size_t index)
{
    return index % 2 == 0 ? key[index / 2] / 16u : key[index / 2] % 16u;
}

static void check_path(const uint8_t *key, size_t start, size_t stop, bool is_leaf)
{
    uint8_t nibbles[2 * LONGEST + 2], expected[LONGEST + 8];
    size_t count = 0, bytes = 0;
    const bool is_odd = (stop - start) % 2 != 0;
    nibbles[count++] = (uint8_t)(2 * is_leaf + is_odd);
    if (!is_odd)
        nibbles[count++] = 0;
    for (size_t index = start; index < stop; index++)
        nibbles[count++] = (uint8_t)nibble_at(key, index);
    if (count / 2 > 55) {
        expected[bytes++] = 0xb8;
        expected[bytes++] = (uint8_t)(count / 2);
    } else if (count > 2) {
        expected[bytes++] = (uint8_t)(0x80 + count / 2);
    }
    for (size_t index = 0; index < count; index += 2)
        expected[bytes++] = (uint8_t)(16 * nibbles[index] + nibbles[index + 1]);
    expect(mpt_path_size(stop - start) == bytes, "the size of a path");
    uint8_t *written = malloc(bytes);
    if (written == NULL)
        abort();
    expect(mpt_write_path(written, key, start, stop, is_leaf) == written + bytes,
           "where a path ends");
    expect(memcmp(written, expected, bytes) == 0, "a path in hex-prefix form");
    free(written);
}

static int sign(int number)
{
    return (number > 0) - (number < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    reader input = {data, size};
    const bool is_leaf = read_byte(&input) % 2 != 0;
    size_t start = read_byte(&input), stop = read_byte(&input);
    size_t first_size = read_byte(&input) % (LONGEST + 1), second_size = LONGEST;
    uint8_t *first = read_bytes(&input, &first_size);
    uint8_t *second = read_bytes(&input, &second_size);
    stop = is_leaf ? 2 * first_size : stop % (2 * first_size + 1);
    check_path(first, start % (stop + 1), stop, is_leaf);

    size_t shared = 0;
    while (shared < 2 * first_size && shared < 2 * second_size
           && nibble_at(first, shared) == nibble_at(second, shared))
        shared++;
    expect(mpt_shared_nibbles(first, first_size, second, second_size) == shared,
           "the nibbles that keys share");
    int order;
    if (shared < 2 * first_size && shared < 2 * second_size)
        order = sign((int)nibble_at(first, shared) - (int)nibble_at(second, shared));
    else
        order = (first_size > second_size) - (first_size < second_size);
    expect(sign(mpt_compare_keys(first, first_size, second, second_size)) == order,
           "the order of keys");
    free(first);
    free(second);
    return 0;
}
