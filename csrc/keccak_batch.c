#include "keccak_batch.h"

#include <stdlib.h>
#include <string.h>

#include "keccak_lane.h"
#include "keccak_streams.h"

void keccak_batch_start(keccak_batch *batch, const keccak_kernel *kernel)
{
    batch->kernel = kernel;
    memset(&batch->tally, 0, sizeof batch->tally);
    for (unsigned index = 0; index < KECCAK_BATCH_BLOCKS; index++)
        batch->bins[index].count = 0;
    batch->queued = 0;
    batch->given = 0;
}

static void write_digest(const uint64_t lanes[25], uint8_t *digest)
{
    for (unsigned lane = 0; lane < KECCAK256_SIZE / 8; lane++)
        keccak_store_lane(digest + 8 * lane, lanes[lane]);
}

/* Hash *count* padded messages, 1 to 4, with a kernel for four. */
static void hash_four(
    keccak_batch *batch, const uint8_t **messages, uint8_t **digests, unsigned count,
    size_t blocks
)
{
    const uint8_t *four[4];
    uint8_t *where[4];
    for (unsigned index = 0; index < 4; index++) {
        four[index] = messages[index < count ? index : 0];
        where[index] = index < count ? digests[index] : batch->idle;
    }
    batch->kernel->four(four, blocks, where);
}

static void hash_alone(
    const keccak_kernel *kernel, const uint8_t *message, size_t blocks, uint8_t *digest
)
{
    /* Without its padding the message would be padded twice, so this is no `keccak256`. */
    uint64_t lanes[25] = {0};
    kernel->absorb(lanes, message, blocks, KECCAK256_RATE);
    write_digest(lanes, digest);
}

static void hash_bin(keccak_batch *batch, keccak_bin *bin, size_t blocks)
{
    const keccak_kernel *kernel = batch->kernel;
    unsigned done = 0;
    if (kernel->eight != NULL && bin->count > 4) {
        for (unsigned index = bin->count; index < KECCAK_WIDEST; index++) {
            bin->messages[index] = bin->messages[0];
            bin->digests[index] = batch->idle;
        }
        kernel->eight(bin->messages, blocks, bin->digests);
        done = bin->count;
    }
    while (kernel->four != NULL && bin->count - done > 1) {
        const unsigned left = bin->count - done;
        const unsigned taken = left < 4 ? left : 4;
        hash_four(batch, bin->messages + done, bin->digests + done, taken, blocks);
        done += taken;
    }
    for (; done < bin->count; done++)
        hash_alone(kernel, bin->messages[done], blocks, bin->digests[done]);
    bin->count = 0;
}

static void take(
    keccak_batch *batch, const uint8_t *message, size_t size, size_t blocks, uint8_t *digest
)
{
    keccak_bin *bin = &batch->bins[blocks - 1];
    bin->messages[bin->count] = message;
    bin->digests[bin->count] = digest;
    bin->count++;
    keccak_tally_message(&batch->tally, size);
    if (bin->count == KECCAK_WIDEST)
        hash_bin(batch, bin, blocks);
}

uint8_t *keccak_batch_slot(keccak_batch *batch, size_t blocks)
{
    const size_t before = KECCAK_WIDEST * (blocks * (blocks - 1) / 2);
    const size_t within = batch->bins[blocks - 1].count * blocks;
    return batch->slots + (before + within) * KECCAK256_RATE;
}

void keccak_batch_commit(keccak_batch *batch, size_t size, uint8_t *digest)
{
    const size_t blocks = keccak256_blocks(size);
    uint8_t *message = keccak_batch_slot(batch, blocks);
    keccak256_pad(message, size, blocks);
    take(batch, message, size, blocks, digest);
}

/* The longest first, lest one of them is left alone at the end. */
static void sort_queue(keccak_long *queue, unsigned count)
{
    for (unsigned index = 1; index < count; index++) {
        const keccak_long one = queue[index];
        unsigned place = index;
        for (; place > 0 && queue[place - 1].size < one.size; place--)
            queue[place] = queue[place - 1];
        queue[place] = one;
    }
}

/* Hash the long messages: all their whole blocks, then the last one of each. */
static void hash_queue(keccak_batch *batch)
{
    uint64_t lanes[KECCAK_BATCH_LONG][25];
    uint8_t last[KECCAK_BATCH_LONG][KECCAK256_RATE];
    keccak_stream streams[KECCAK_BATCH_LONG] = {{NULL, NULL, 0, 0}};
    const unsigned count = batch->queued;
    memset(lanes, 0, count * sizeof *lanes);
    sort_queue(batch->queue, count);
    for (unsigned index = 0; index < count; index++) {
        const keccak_long *one = &batch->queue[index];
        const size_t blocks = one->size / KECCAK256_RATE;
        const keccak_stream whole = {lanes[index], one->message, blocks, KECCAK256_RATE};
        streams[index] = whole;
    }
    keccak_absorb_streams(batch->kernel, streams, count);
    for (unsigned index = 0; index < count; index++) {
        const keccak_long *one = &batch->queue[index];
        const size_t rest = one->size % KECCAK256_RATE;
        memcpy(last[index], one->message + one->size - rest, rest);
        keccak256_pad(last[index], rest, 1);
        streams[index].data = last[index];
        streams[index].blocks = 1;
    }
    keccak_absorb_streams(batch->kernel, streams, count);
    for (unsigned index = 0; index < count; index++) {
        write_digest(lanes[index], batch->queue[index].digest);
        free(batch->queue[index].given);
    }
    batch->queued = 0;
    batch->given = 0;
}

static void queue(
    keccak_batch *batch, const uint8_t *message, size_t size, uint8_t *digest,
    uint8_t *given
)
{
    const keccak_long one = {message, size, digest, given};
    batch->queue[batch->queued++] = one;
    batch->given += given != NULL ? size : 0;
    keccak_tally_message(&batch->tally, size);
    if (batch->queued == KECCAK_BATCH_LONG || batch->given >= KECCAK_BATCH_GIVEN)
        hash_queue(batch);
}

void keccak_batch_give(keccak_batch *batch, uint8_t *message, size_t size, uint8_t *digest)
{
    queue(batch, message, size, digest, message);
}

void keccak_batch_add_in_place(
    keccak_batch *batch, uint8_t *message, size_t size, uint8_t *digest
)
{
    const size_t blocks = keccak256_blocks(size);
    if (blocks > KECCAK_BATCH_BLOCKS) {
        queue(batch, message, size, digest, NULL);
        return;
    }
    keccak256_pad(message, size, blocks);
    take(batch, message, size, blocks, digest);
}

void keccak_batch_add(
    keccak_batch *batch, const uint8_t *message, size_t size, uint8_t *digest
)
{
    const size_t blocks = keccak256_blocks(size);
    if (blocks > KECCAK_BATCH_BLOCKS) {
        queue(batch, message, size, digest, NULL);
        return;
    }
    uint8_t *slot = keccak_batch_slot(batch, blocks);
    if (size > 0)
        memcpy(slot, message, size);
    keccak256_pad(slot, size, blocks);
    take(batch, slot, size, blocks, digest);
}

void keccak_batch_flush(keccak_batch *batch)
{
    for (size_t blocks = 1; blocks <= KECCAK_BATCH_BLOCKS; blocks++)
        if (batch->bins[blocks - 1].count > 0)
            hash_bin(batch, &batch->bins[blocks - 1], blocks);
    if (batch->queued > 0)
        hash_queue(batch);
}

void keccak_batch_drop(keccak_batch *batch)
{
    for (unsigned index = 0; index < batch->queued; index++)
        free(batch->queue[index].given);
    keccak_batch_start(batch, batch->kernel);
}
