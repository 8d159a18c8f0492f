/*
 * The body of a function that absorbs blocks into one state, lane by lane.
 *
 * The including file has defined what keccak_round.h asks for, with uint64_t lanes.
 */
#ifndef HEXARY_KECCAK_ABSORB_H
#define HEXARY_KECCAK_ABSORB_H

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

#define KECCAK_FINISH_BODY(state, digest)                                  \
    do {                                                                   \
        uint64_t a[25];                                                    \
        COMPLEMENT(state);                                                 \
        KECCAK_PERMUTE_LAST(a, state);                                     \
        COMPLEMENT(a);                                                     \
        for (unsigned lane = 0; lane < 4; lane++)                          \
            keccak_store_lane((digest) + 8 * lane, a[lane]);               \
    } while (0)

#endif
