/*
 * Keccak-256 and Keccak-512 with the original padding 0x01, as Ethereum uses them.
 *
 * The code that runs is a `keccak_kernel`: a constant table of functions, chosen by
 * `keccak_kernel_best` or by name.  Nothing here keeps a choice; the caller holds the
 * pointer.  Kernels differ in speed alone.
 */
#ifndef HEXARY_KECCAK_H
#define HEXARY_KECCAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes absorbed by one permutation. */
#define KECCAK256_RATE 136u
#define KECCAK512_RATE 72u

#define KECCAK256_SIZE 32u
#define KECCAK512_SIZE 64u

/* The most messages that a kernel hashes side by side. */
#define KECCAK_WIDEST 8u

/* Hash messages of *blocks* whole, padded blocks of 136 bytes each, side by side. */
typedef void keccak_wide(
    const uint8_t *const messages[], size_t blocks, uint8_t *const digests[]
);

/* A state, and *blocks* blocks of *rate* bytes that it is to absorb. */
typedef struct keccak_stream {
    uint64_t *state; /* 25 lanes */
    const uint8_t *data;
    size_t blocks;
    size_t rate; /* KECCAK256_RATE or KECCAK512_RATE */
} keccak_stream;

/*
 * Absorb the next *blocks* blocks, one at least, of each of two, four or eight streams,
 * side by side, whatever the streams say of blocks.  Each has a state of its own.
 */
typedef void keccak_absorb_wide(const keccak_stream streams[], size_t blocks);

typedef struct keccak_kernel {
    const char *name;   /* what HEXARY_KECCAK takes */
    const char *detail; /* for a person */
    /* Absorb *blocks* blocks of *rate* bytes, a multiple of 8 up to 136. */
    void (*absorb)(uint64_t state[25], const uint8_t *data, size_t blocks, size_t rate);
    /* Hash a message of less than 136 bytes. */
    void (*short256)(const uint8_t *data, size_t size, uint8_t *digest);
    keccak_wide *four;  /* NULL where the kernel is not that wide */
    keccak_wide *eight; /* likewise */
    keccak_absorb_wide *absorb_two;   /* likewise */
    keccak_absorb_wide *absorb_four;  /* likewise */
    keccak_absorb_wide *absorb_eight; /* likewise; who has this one has that for four */
} keccak_kernel;

/* The kernels from the slowest to the fastest; NULL from index *count* on. */
const keccak_kernel *keccak_kernel_at(size_t index);

/* Whether this processor and its operating system can run *kernel*. */
bool keccak_kernel_runs(const keccak_kernel *kernel);

/* The fastest kernel that runs here. */
const keccak_kernel *keccak_kernel_best(void);

/* The kernel called *name*, NULL if there is none. */
const keccak_kernel *keccak_kernel_named(const char *name);

/* A running hash.  It may be copied by assignment. */
typedef struct keccak_state {
    const keccak_kernel *kernel;
    uint64_t lanes[25];
    uint8_t buffer[KECCAK256_RATE]; /* the bytes of the block that is not full yet */
    size_t filled;
    size_t rate;
    size_t digest_size;
} keccak_state;

void keccak256_start(keccak_state *state, const keccak_kernel *kernel);
void keccak512_start(keccak_state *state, const keccak_kernel *kernel);
void keccak_update(keccak_state *state, const uint8_t *data, size_t size);

/* What a running hash absorbs. */
typedef struct keccak_piece {
    keccak_state *state;
    const uint8_t *data;
    size_t size;
} keccak_piece;

/* Update several different hashes side by side; what *pieces* says is used up. */
void keccak_update_many(keccak_piece *pieces, size_t count);

/* Write the digest of what was absorbed until now; *state* does not change. */
void keccak_digest(const keccak_state *state, uint8_t *digest);

void keccak256(const keccak_kernel *kernel, const uint8_t *data, size_t size, uint8_t *digest);
void keccak512(const keccak_kernel *kernel, const uint8_t *data, size_t size, uint8_t *digest);

/* How many permutations hashing a message of *size* bytes takes. */
static inline size_t keccak256_blocks(size_t size)
{
    return size / KECCAK256_RATE + 1;
}

/* Pad the message of *size* bytes that a buffer of whole *blocks* begins with. */
void keccak256_pad(uint8_t *message, size_t size, size_t blocks);

#endif
