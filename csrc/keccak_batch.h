/*
 * Hashing many messages with the widest kernel that has work.
 *
 * Messages wait in one bin per number of blocks, because a wide kernel needs messages of
 * equal numbers; a full bin is hashed at once.  Each digest goes to an address that the
 * caller gives with the message and that has to stay valid until the bin is hashed
 * (`keccak_batch_flush` at the latest).
 */
#ifndef HEXARY_KECCAK_BATCH_H
#define HEXARY_KECCAK_BATCH_H

#include "keccak.h"

/* Messages of more blocks than this are rare enough to be hashed one by one. */
#define KECCAK_BATCH_BLOCKS 8u

#define KECCAK_BATCH_SLOTS \
    (KECCAK_WIDEST * KECCAK256_RATE * (KECCAK_BATCH_BLOCKS * (KECCAK_BATCH_BLOCKS + 1) / 2))

/* What was hashed. */
typedef struct keccak_tally {
    uint64_t calls;
    uint64_t bytes;
    uint64_t permutations;
} keccak_tally;

static inline void keccak_tally_add(keccak_tally *total, const keccak_tally *part)
{
    total->calls += part->calls;
    total->bytes += part->bytes;
    total->permutations += part->permutations;
}

/* Count a message. */
static inline void keccak_tally_message(keccak_tally *total, size_t size)
{
    total->calls++;
    total->bytes += size;
    total->permutations += keccak256_blocks(size);
}

typedef struct keccak_bin {
    const uint8_t *messages[KECCAK_WIDEST];
    uint8_t *digests[KECCAK_WIDEST];
    unsigned count;
} keccak_bin;

/* About 40 kB, of which `keccak_batch_start` touches only a few lines. */
typedef struct keccak_batch {
    const keccak_kernel *kernel;
    keccak_tally tally;
    keccak_bin bins[KECCAK_BATCH_BLOCKS];
    uint8_t idle[KECCAK256_SIZE]; /* where the digests of idle lanes go */
    uint8_t slots[KECCAK_BATCH_SLOTS];
} keccak_batch;

void keccak_batch_start(keccak_batch *batch, const keccak_kernel *kernel);

/*
 * Return where to write the next message of *blocks* blocks, 1 to KECCAK_BATCH_BLOCKS.
 * It has room for all of them; `keccak_batch_commit` pads.
 */
uint8_t *keccak_batch_slot(keccak_batch *batch, size_t blocks);

/* Take the message of *size* bytes that was written to the slot last asked for. */
void keccak_batch_commit(keccak_batch *batch, size_t size, uint8_t *digest);

/*
 * Take a message of *size* bytes, which is followed by room for its padding and stays
 * where it is until it is hashed.
 */
void keccak_batch_add_in_place(
    keccak_batch *batch, uint8_t *message, size_t size, uint8_t *digest
);

/* Take a copy of a message. */
void keccak_batch_add(
    keccak_batch *batch, const uint8_t *message, size_t size, uint8_t *digest
);

/* Hash a message at once, on its own. */
void keccak_batch_one(
    keccak_batch *batch, const uint8_t *message, size_t size, uint8_t *digest
);

/* Hash all that wait. */
void keccak_batch_flush(keccak_batch *batch);

#endif
