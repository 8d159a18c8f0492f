/*
 * Hashing many messages with the widest kernel that has work.
 *
 * Short messages wait in one bin per number of blocks, where the fastest kernels take
 * them; a full bin is hashed at once.  Long ones wait in a queue of their own, and one
 * that has ended makes room for the next.  Each digest goes to an address that the caller
 * gives with the message and that has to stay valid until the message is hashed
 * (`keccak_batch_flush` at the latest).
 */
#ifndef HEXARY_KECCAK_BATCH_H
#define HEXARY_KECCAK_BATCH_H

#include "keccak.h"

/* Messages of more blocks than this are long. */
#define KECCAK_BATCH_BLOCKS 8u

/* How many long messages wait, and how many bytes of those that were given. */
#define KECCAK_BATCH_LONG 32u
#define KECCAK_BATCH_GIVEN ((size_t)1 << 20)

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

/* A message of more than KECCAK_BATCH_BLOCKS blocks, not padded. */
typedef struct keccak_long {
    const uint8_t *message;
    size_t size;
    uint8_t *digest;
    uint8_t *given; /* what is to be freed once it is hashed, or NULL */
} keccak_long;

/* About 40 kB, of which `keccak_batch_start` touches only a few lines. */
typedef struct keccak_batch {
    const keccak_kernel *kernel;
    keccak_tally tally;
    keccak_bin bins[KECCAK_BATCH_BLOCKS];
    keccak_long queue[KECCAK_BATCH_LONG];
    unsigned queued;
    size_t given; /* bytes of the messages that were given */
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

/* Take a message, which stays where it is until it is hashed if it is a long one. */
void keccak_batch_add(
    keccak_batch *batch, const uint8_t *message, size_t size, uint8_t *digest
);

/* Take a long message from `malloc`, which is freed as soon as it is hashed. */
void keccak_batch_give(keccak_batch *batch, uint8_t *message, size_t size, uint8_t *digest);

/* Hash all that wait. */
void keccak_batch_flush(keccak_batch *batch);

/* Forget all that wait, whose digests are not wanted any more. */
void keccak_batch_drop(keccak_batch *batch);

#endif
