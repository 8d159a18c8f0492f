#include "keccak_batch.h"

#include <string.h>

void keccak_batch_start(keccak_batch *batch, const keccak_kernel *kernel)
{
    batch->kernel = kernel;
    memset(&batch->tally, 0, sizeof batch->tally);
    for (unsigned index = 0; index < KECCAK_BATCH_BLOCKS; index++)
        batch->bins[index].count = 0;
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
    for (unsigned index = 0; index < KECCAK256_SIZE; index++)
        digest[index] = (uint8_t)(lanes[index / 8] >> 8 * (index % 8));
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

void keccak_batch_one(
    keccak_batch *batch, const uint8_t *message, size_t size, uint8_t *digest
)
{
    keccak_tally_message(&batch->tally, size);
    keccak256(batch->kernel, message, size, digest);
}

void keccak_batch_add_in_place(
    keccak_batch *batch, uint8_t *message, size_t size, uint8_t *digest
)
{
    const size_t blocks = keccak256_blocks(size);
    if (blocks > KECCAK_BATCH_BLOCKS) {
        keccak_batch_one(batch, message, size, digest);
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
        keccak_batch_one(batch, message, size, digest);
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
}
