/*
 * The body of a function that hashes four messages in 256-bit registers.
 *
 * The including file has defined what keccak_round.h and keccak_chi.h ask for.
 */
#ifndef HEXARY_KECCAK_FOUR_H
#define HEXARY_KECCAK_FOUR_H

#include "keccak_chi.h"

/* Turn four rows of four lanes into columns. */
#define KECCAK_TRANSPOSE_FOUR(r)                                           \
    do {                                                                   \
        const __m256i low01 = _mm256_unpacklo_epi64(r[0], r[1]);           \
        const __m256i high01 = _mm256_unpackhi_epi64(r[0], r[1]);          \
        const __m256i low23 = _mm256_unpacklo_epi64(r[2], r[3]);           \
        const __m256i high23 = _mm256_unpackhi_epi64(r[2], r[3]);          \
        r[0] = _mm256_permute2x128_si256(low01, low23, 0x20);              \
        r[1] = _mm256_permute2x128_si256(high01, high23, 0x20);            \
        r[2] = _mm256_permute2x128_si256(low01, low23, 0x31);              \
        r[3] = _mm256_permute2x128_si256(high01, high23, 0x31);            \
    } while (0)

#define KECCAK_FOUR_BODY(messages, blocks, digests)                        \
    do {                                                                   \
        __m256i a[25];                                                     \
        for (unsigned lane = 0; lane < 25; lane++)                         \
            a[lane] = _mm256_setzero_si256();                              \
        for (size_t offset = 0; offset < (blocks) * KECCAK256_RATE;        \
             offset += KECCAK256_RATE) {                                   \
            for (unsigned group = 0; group < 16; group += 4) {             \
                __m256i r[4];                                              \
                for (unsigned index = 0; index < 4; index++)               \
                    r[index] = _mm256_loadu_si256(                         \
                        (const void *)((messages)[index] + offset + 8 * group)); \
                KECCAK_TRANSPOSE_FOUR(r);                                  \
                for (unsigned index = 0; index < 4; index++)               \
                    a[group + index] = LANE_XOR(a[group + index], r[index]); \
            }                                                              \
            long long last[4];                                             \
            for (unsigned index = 0; index < 4; index++)                   \
                memcpy(&last[index], (messages)[index] + offset + 128, 8); \
            a[16] = LANE_XOR(                                              \
                a[16], _mm256_set_epi64x(last[3], last[2], last[1], last[0])); \
            KECCAK_PERMUTE(a);                                             \
        }                                                                  \
        KECCAK_TRANSPOSE_FOUR(a);                                          \
        for (unsigned index = 0; index < 4; index++)                       \
            _mm256_storeu_si256((void *)(digests)[index], a[index]);       \
    } while (0)

#endif
