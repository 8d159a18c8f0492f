/*
 * The bodies of functions that work on one state, lane by lane.
 *
 * The including file has defined what keccak_round.h asks for, with uint64_t lanes.
 */
#ifndef HEXARY_KECCAK_ABSORB_H
#define HEXARY_KECCAK_ABSORB_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "keccak_lane.h"
#include "keccak_round.h"

#define LANE uint64_t
#define LANE_XOR(a, b) ((a) ^ (b))
#define LANE_XOR5(a, b, c, d, e) ((a) ^ (b) ^ (c) ^ (d) ^ (e))
#define LANE_ROTATE(a, n) (((a) << (n)) | ((a) >> (64 - (n))))
#define LANE_CONSTANT(n) (keccak_round_constants[n])

#define KECCAK_ABSORB_BODY(state, data, blocks, rate)                      \
    do {                                                                   \
        uint64_t a[25];                                                    \
        memcpy(a, (state), sizeof a);                                      \
        COMPLEMENT(a);                                                     \
        while ((blocks)-- > 0) {                                           \
            for (unsigned lane = 0; lane < 9; lane++)                      \
                a[lane] ^= keccak_load_lane((data) + 8 * lane);            \
            if ((rate) != KECCAK512_RATE)                                  \
                for (unsigned lane = 9; lane < 17; lane++)                 \
                    a[lane] ^= keccak_load_lane((data) + 8 * lane);        \
            (data) += (rate);                                              \
            KECCAK_PERMUTE(a);                                             \
        }                                                                  \
        COMPLEMENT(a);                                                     \
        memcpy((state), a, sizeof a);                                      \
    } while (0)

/* Read a message of less than a block into lanes, and pad it. */
static inline void keccak_read_short(
    uint64_t block[17], const uint8_t *data, size_t size
)
{
    const size_t whole = size / 8, rest = size % 8;
    uint64_t last = 0;
    size_t lane = 0;
    /* In fours, lest a compiler calls functions that take longer than these few lanes. */
    for (; lane + 4 <= whole; lane += 4)
        for (unsigned index = 0; index < 4; index++)
            block[lane + index] = keccak_load_lane(data + 8 * (lane + index));
    for (; lane < whole; lane++)
        block[lane] = keccak_load_lane(data + 8 * lane);
    if (size >= 8 && rest > 0)
        last = keccak_load_lane(data + size - 8) >> 8 * (8 - rest);
    else
        for (size_t index = 0; index < rest; index++)
            last |= (uint64_t)data[index] << 8 * index;
    block[lane++] = last | (uint64_t)1 << 8 * rest;
    for (; lane + 4 <= 17; lane += 4)
        for (unsigned index = 0; index < 4; index++)
            block[lane + index] = 0;
    for (; lane < 17; lane++)
        block[lane] = 0;
    block[16] |= (uint64_t)0x80 << 56;
}

/*
 * Hash a message of one block, so that lanes 17 to 24 of the first state are zero.  The
 * others are listed, as compilers make of a loop a copy in wide registers, and processors
 * wait long for lanes that are still on their way to memory by such ways.
 */
#define KECCAK_SHORT_BODY(block, digest)                                   \
    do {                                                                   \
        uint64_t from[25] = {                                              \
            (block)[0], (block)[1], (block)[2], (block)[3], (block)[4],    \
            (block)[5], (block)[6], (block)[7], (block)[8], (block)[9],    \
            (block)[10], (block)[11], (block)[12], (block)[13],            \
            (block)[14], (block)[15], (block)[16],                         \
        };                                                                 \
        uint64_t a[25];                                                    \
        COMPLEMENT(from);                                                  \
        KECCAK_PERMUTE_LAST(a, from);                                      \
        COMPLEMENT(a);                                                     \
        for (unsigned lane = 0; lane < KECCAK256_SIZE / 8; lane++)         \
            keccak_store_lane((digest) + 8 * lane, a[lane]);               \
    } while (0)

#endif
