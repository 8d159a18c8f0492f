/*
 * The body of a function that absorbs blocks into one state, lane by lane.
 *
 * The including file has defined what keccak_round.h asks for, with uint64_t lanes.
 */
#ifndef HEXARY_KECCAK_ABSORB_H
#define HEXARY_KECCAK_ABSORB_H

#include <stdint.h>
#include <string.h>

#include "keccak_round.h"

#define LANE uint64_t
#define LANE_XOR(a, b) ((a) ^ (b))
#define LANE_XOR5(a, b, c, d, e) ((a) ^ (b) ^ (c) ^ (d) ^ (e))
#define LANE_ROTATE(a, n) (((a) << (n)) | ((a) >> (64 - (n))))
#define LANE_CONSTANT(n) (keccak_round_constants[n])

/* Lanes are little-endian (section 1.2 of the reference). */
static inline uint64_t keccak_load_lane(const uint8_t *bytes)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    uint64_t lane = 0;
    for (unsigned index = 8; index-- > 0;)
        lane = lane << 8 | bytes[index];
    return lane;
#else
    uint64_t lane;
    memcpy(&lane, bytes, sizeof lane);
    return lane;
#endif
}

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

#endif
