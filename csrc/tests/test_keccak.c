/*
 * Every kernel against the portable one, and that against published digests: one shot, in
 * pieces, and in batches.  Run by `make check-c`, under the sanitizers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../keccak.h"
#include "../keccak_batch.h"
#include "../keccak_streams.h"

#define LONGEST 3000u

static unsigned failures = 0;

static void expect(bool condition, const char *kernel, const char *what, size_t size)
{
    if (condition)
        return;
    failures++;
    fprintf(stderr, "%s: %s is wrong for %zu bytes\n", kernel, what, size);
}

static void hex(const uint8_t *bytes, size_t size, char *text)
{
    for (size_t index = 0; index < size; index++)
        snprintf(text + 2 * index, 3, "%02x", bytes[index]);
}

static void test_published(void)
{
    const keccak_kernel *portable = keccak_kernel_named("portable");
    uint8_t digest[64];
    char text[129];
    keccak256(portable, NULL, 0, digest);
    hex(digest, 32, text);
    expect(strcmp(text, "c5d2460186f7233c927e7db2dcc703c0"
                        "e500b653ca82273b7bfad8045d85a470") == 0,
           "portable", "keccak256", 0);
    keccak512(portable, NULL, 0, digest);
    hex(digest, 64, text);
    expect(strcmp(text, "0eab42de4c3ceb9235fc91acffe746b2"
                        "9c29a8c366b7c60e4e67c466f36a4304"
                        "c00fa9caf9d87976ba469bcbe06713b4"
                        "35f091ef2769fb160cdab33d3670680e") == 0,
           "portable", "keccak512", 0);
}

static void test_sizes(const keccak_kernel *kernel, const uint8_t *data)
{
    const keccak_kernel *portable = keccak_kernel_named("portable");
    for (size_t size = 0; size <= LONGEST; size++) {
        /* A message of its own, so that reading beyond it is seen. */
        uint8_t *message = malloc(size + (size == 0));
        uint8_t right[64], digest[64];
        if (message == NULL)
            abort();
        memcpy(message, data, size);
        keccak256(portable, message, size, right);
        keccak256(kernel, message, size, digest);
        expect(memcmp(digest, right, 32) == 0, kernel->name, "keccak256", size);
        keccak_state state;
        keccak256_start(&state, kernel);
        for (size_t done = 0, piece = 1; done < size; piece = piece * 3 % 151) {
            const size_t taken = piece < size - done ? piece : size - done;
            keccak_update(&state, message + done, taken);
            done += taken;
            keccak_digest(&state, digest); /* leaves the state as it is */
        }
        keccak_digest(&state, digest);
        expect(memcmp(digest, right, 32) == 0, kernel->name, "a state", size);
        keccak512(portable, message, size, right);
        keccak512(kernel, message, size, digest);
        expect(memcmp(digest, right, 64) == 0, kernel->name, "keccak512", size);
        keccak512_start(&state, kernel);
        keccak_update(&state, message, size / 3);
        keccak_update(&state, message + size / 3, size - size / 3);
        keccak_digest(&state, digest);
        expect(memcmp(digest, right, 64) == 0, kernel->name, "a 512-bit state", size);
        free(message);
    }
}

static void test_batches(const keccak_kernel *kernel, const uint8_t *data)
{
    static keccak_batch batch;
    static uint8_t digests[LONGEST + 1][32];
    static uint8_t room[LONGEST + 1][LONGEST + 2 * KECCAK256_RATE];
    for (size_t step = 1; step < 400; step = 2 * step + 1) {
        memset(digests, 0, sizeof digests);
        keccak_batch_start(&batch, kernel);
        uint64_t calls = 0, bytes = 0, permutations = 0;
        for (size_t size = 0; size <= LONGEST; size += step) {
            const size_t blocks = keccak256_blocks(size);
            calls++;
            bytes += size;
            permutations += blocks;
            if (size % 3 == 0 && blocks <= KECCAK_BATCH_BLOCKS) {
                memcpy(keccak_batch_slot(&batch, blocks), data, size);
                keccak_batch_commit(&batch, size, digests[size]);
            } else if (size % 3 == 0) {
                uint8_t *given = malloc(size);
                if (given == NULL)
                    abort();
                memcpy(given, data, size);
                keccak_batch_give(&batch, given, size, digests[size]);
            } else if (size % 3 == 1) {
                memcpy(room[size], data, size);
                keccak_batch_add_in_place(&batch, room[size], size, digests[size]);
            } else {
                keccak_batch_add(&batch, data, size, digests[size]);
            }
        }
        keccak_batch_flush(&batch);
        expect(batch.tally.calls == calls && batch.tally.bytes == bytes
                   && batch.tally.permutations == permutations,
               kernel->name, "the tally", step);
        for (size_t size = 0; size <= LONGEST; size += step) {
            uint8_t right[32];
            keccak256(keccak_kernel_named("portable"), data, size, right);
            expect(memcmp(digests[size], right, 32) == 0, kernel->name, "a batch", size);
        }
    }
}

/* What is given is freed where it is not hashed, which the sanitizers see. */
static void test_dropped(const keccak_kernel *kernel)
{
    static keccak_batch batch;
    uint8_t digest[32] = {0};
    const uint8_t untouched[32] = {0};
    keccak_batch_start(&batch, kernel);
    for (unsigned count = 0; count < KECCAK_BATCH_LONG - 1; count++) {
        uint8_t *given = calloc(LONGEST, 1);
        if (given == NULL)
            abort();
        keccak_batch_give(&batch, given, LONGEST, digest);
    }
    keccak_batch_drop(&batch);
    keccak_batch_flush(&batch);
    expect(memcmp(digest, untouched, 32) == 0, kernel->name, "a dropped batch", LONGEST);
    expect(batch.tally.calls == 0, kernel->name, "the tally of nothing", 0);
}

/* Streams of any number, of both rates, of equal and of different sizes. */
static void test_streams(const keccak_kernel *kernel, const uint8_t *data)
{
    enum { MOST = 20 };
    const keccak_kernel *portable = keccak_kernel_named("portable");
    for (unsigned count = 0; count <= MOST; count++) {
        for (unsigned form = 0; form < 16; form++) {
            uint64_t lanes[MOST][25], right[MOST][25];
            keccak_stream streams[MOST];
            for (unsigned index = 0; index < count; index++) {
                const bool is_wide = (form >> index % 2 & 1) == 0;
                const size_t rate = is_wide ? KECCAK256_RATE : KECCAK512_RATE;
                const size_t blocks = form < 4 ? 3 : (index + 2) * (form / 4) * 7 % 9;
                const keccak_stream one = {lanes[index], data + index, blocks, rate};
                for (unsigned lane = 0; lane < 25; lane++)
                    right[index][lane] = lane * UINT64_C(0x9e3779b97f4a7c15) ^ index;
                memcpy(lanes[index], right[index], sizeof right[index]);
                portable->absorb(right[index], one.data, blocks, rate);
                streams[index] = one;
            }
            keccak_absorb_streams(kernel, streams, count);
            expect(count == 0 || memcmp(lanes, right, count * sizeof *lanes) == 0,
                   kernel->name, "a number of streams", count);
        }
    }
}

int main(void)
{
    static uint8_t data[LONGEST];
    uint32_t random = 1;
    for (size_t index = 0; index < LONGEST; index++)
        data[index] = (uint8_t)((random = random * 1664525u + 1013904223u) >> 24);
    test_published();
    for (size_t index = 0; keccak_kernel_at(index) != NULL; index++) {
        const keccak_kernel *kernel = keccak_kernel_at(index);
        if (!keccak_kernel_runs(kernel)) {
            printf("%s: skipped, this processor cannot run it\n", kernel->name);
            continue;
        }
        test_sizes(kernel, data);
        test_batches(kernel, data);
        test_dropped(kernel);
        test_streams(kernel, data);
        printf("%s: done\n", kernel->name);
    }
    printf("best: %s\n", keccak_kernel_best()->name);
    return failures > 0;
}
