/*
 * Every kernel on messages after whose last byte, and before whose first, no memory is:
 * reading any further ends the process, even where the sanitizers do not look, as in loads
 * that leave out some bytes by a mask.  Run by `make check-c`.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../keccak.h"
#include "../keccak_batch.h"
#include "../keccak_streams.h"

#if defined(__unix__) || defined(__APPLE__)

#include <sys/mman.h>
#include <unistd.h>

#define LONGEST 300u

static unsigned failures = 0;

static void expect(bool condition, const char *kernel, const char *what, size_t size)
{
    if (condition)
        return;
    failures++;
    fprintf(stderr, "%s: %s is wrong for %zu bytes\n", kernel, what, size);
}

/* Return a page of memory between two that may not be touched, and its size. */
static uint8_t *new_page(size_t *size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *start = mmap(
        NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0
    );
    if (start == MAP_FAILED || mprotect(start, page, PROT_NONE) != 0
        || mprotect(start + 2 * page, page, PROT_NONE) != 0)
        abort();
    for (size_t index = 0; index < page; index++)
        start[page + index] = (uint8_t)(index * 7 + index / 251);
    *size = page;
    return start + page;
}

/* Hash one message in every way; it is also the digest's place that is at the end. */
static void test_message(
    const keccak_kernel *kernel, const uint8_t *message, size_t size, uint8_t *out_end
)
{
    static keccak_batch batch;
    const keccak_kernel *portable = keccak_kernel_named("portable");
    uint8_t *copy = malloc(size > 0 ? size : 1);
    uint8_t right[KECCAK512_SIZE], two[2][KECCAK256_SIZE];
    uint8_t *out = out_end - KECCAK256_SIZE;
    keccak_state state;
    if (copy == NULL)
        abort();
    if (size > 0)
        memcpy(copy, message, size);
    keccak256(portable, copy, size, right);
    keccak256(kernel, message, size, out);
    expect(memcmp(out, right, KECCAK256_SIZE) == 0, kernel->name, "keccak256", size);
    memset(out, 0, KECCAK256_SIZE);
    keccak256_start(&state, kernel);
    keccak_update(&state, message, size);
    keccak_digest(&state, out);
    expect(memcmp(out, right, KECCAK256_SIZE) == 0, kernel->name, "a state", size);
    for (unsigned count = 1; count <= 9; count++) {
        memset(out, 0, KECCAK256_SIZE);
        keccak_batch_start(&batch, kernel);
        for (unsigned index = 0; index < count; index++)
            keccak_batch_add(
                &batch, message, size, index + 1 == count ? out : two[index % 2]
            );
        keccak_batch_flush(&batch);
        expect(memcmp(out, right, KECCAK256_SIZE) == 0, kernel->name, "a batch", size);
    }
    keccak512(portable, copy, size, right);
    keccak512(kernel, message, size, out_end - KECCAK512_SIZE);
    expect(memcmp(out_end - KECCAK512_SIZE, right, KECCAK512_SIZE) == 0, kernel->name,
           "keccak512", size);
    free(copy);
}

/* Messages of whole blocks that the wide kernels read where they are. */
static void test_in_place(const keccak_kernel *kernel, uint8_t *page, size_t page_size)
{
    static keccak_batch batch;
    uint8_t right[KECCAK256_SIZE], digests[KECCAK_WIDEST][KECCAK256_SIZE];
    for (size_t blocks = 1; blocks <= 4; blocks++) {
        const size_t room = blocks * KECCAK256_RATE, size = room - 1;
        uint8_t *message = page + page_size - room;
        keccak256(keccak_kernel_named("portable"), message, size, right);
        for (unsigned count = 1; count <= KECCAK_WIDEST; count++) {
            memset(digests, 0, sizeof digests);
            keccak_batch_start(&batch, kernel);
            for (unsigned index = 0; index < count; index++)
                keccak_batch_add_in_place(&batch, message, size, digests[index]);
            keccak_batch_flush(&batch);
            for (unsigned index = 0; index < count; index++)
                expect(memcmp(digests[index], right, sizeof right) == 0, kernel->name,
                       "a message in its place", size);
        }
    }
}

/* Streams side by side whose last block, or first, is the last that may be read. */
static void test_streams(const keccak_kernel *kernel, uint8_t *page, size_t page_size)
{
    const keccak_kernel *portable = keccak_kernel_named("portable");
    for (unsigned count = 1; count <= KECCAK_WIDEST; count++) {
        for (unsigned form = 0; form < 8; form++) {
            uint64_t lanes[KECCAK_WIDEST][25] = {{0}}, right[KECCAK_WIDEST][25] = {{0}};
            keccak_stream streams[KECCAK_WIDEST];
            for (unsigned index = 0; index < count; index++) {
                const size_t rate = (form & (index % 2 + 1)) ? KECCAK512_RATE : KECCAK256_RATE;
                const size_t blocks = 1 + index % 3;
                keccak_stream one = {lanes[index], page, blocks, rate};
                if ((form & 4) == 0)
                    one.data += page_size - blocks * rate;
                portable->absorb(right[index], one.data, blocks, rate);
                streams[index] = one;
            }
            keccak_absorb_streams(kernel, streams, count);
            expect(memcmp(lanes, right, sizeof lanes) == 0, kernel->name,
                   "a number of streams", count);
        }
    }
}

int main(void)
{
    size_t page_size, out_size;
    uint8_t *page = new_page(&page_size), *out = new_page(&out_size);
    for (size_t index = 0; keccak_kernel_at(index) != NULL; index++) {
        const keccak_kernel *kernel = keccak_kernel_at(index);
        if (!keccak_kernel_runs(kernel)) {
            printf("guard, %s: this processor cannot run it\n", kernel->name);
            continue;
        }
        for (size_t size = 0; size <= LONGEST; size++) {
            test_message(kernel, page + page_size - size, size, out + out_size);
            test_message(kernel, page, size, out + out_size);
        }
        test_message(kernel, NULL, 0, out + out_size);
        test_in_place(kernel, page, page_size);
        test_streams(kernel, page, page_size);
    }
    printf("guard: %u failures\n", failures);
    return failures > 0;
}

#else

int main(void)
{
    printf("guard: no pages to guard here\n");
    return 0;
}

#endif
