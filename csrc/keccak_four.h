/*
 * The bodies of functions that hash four messages, and absorb four streams, in 256-bit
 * registers.
 *
 * The including file has defined ABSORB_BLOCK(a, block): absorb 17 lanes in a state of 25.
 */
#ifndef HEXARY_KECCAK_FOUR_H
#define HEXARY_KECCAK_FOUR_H

#include "keccak_lane.h"

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

/*
 * Set the lanes from *group* on to what LOAD(index, group) reads of each message.  The
 * macros that are given for LOAD take by their names what the bodies below have.
 */
#define KECCAK_READ_FOUR(to, group, LOAD)                                  \
    do {                                                                   \
        __m256i r[4];                                                      \
        for (unsigned index = 0; index < 4; index++)                       \
            r[index] = LOAD(index, group);                                 \
        KECCAK_TRANSPOSE_FOUR(r);                                          \
        for (unsigned index = 0; index < 4; index++)                       \
            (to)[(group) + index] = r[index];                              \
    } while (0)

/* The same of one lane, a number LOAD(index). */
#define KECCAK_SET_FOUR(LOAD)                                              \
    _mm256_set_epi64x(                                                     \
        (long long)LOAD(3), (long long)LOAD(2), (long long)LOAD(1), (long long)LOAD(0) \
    )

#define KECCAK_FOUR_BODY(messages, blocks, digests)                        \
    do {                                                                   \
        __m256i a[25], block[17], zero = _mm256_setzero_si256();           \
        KECCAK_CLEAR(a, zero);                                             \
        for (size_t offset = 0; offset < (blocks) * KECCAK256_RATE;        \
             offset += KECCAK256_RATE) {                                   \
            for (unsigned group = 0; group < 16; group += 4)               \
                KECCAK_READ_FOUR(block, group, MESSAGE_LANES);             \
            block[16] = KECCAK_SET_FOUR(MESSAGE_LAST);                     \
            ABSORB_BLOCK(a, block);                                        \
        }                                                                  \
        KECCAK_TRANSPOSE_FOUR(a);                                          \
        for (unsigned index = 0; index < 4; index++)                       \
            _mm256_storeu_si256((void *)(digests)[index], a[index]);       \
    } while (0)

#define MESSAGE_LANES(index, group) \
    _mm256_loadu_si256((const void *)(messages[index] + offset + 8 * (group)))
#define MESSAGE_LAST(index) keccak_load_lane(messages[index] + offset + 128)

/*
 * The same for states that have a past, of either function.  Of the second half of the
 * first 16 lanes a block of Keccak-512 has the first alone; nothing is read where a mask
 * is zero, so that an address there may be of no object.
 */
#define KECCAK_ABSORB_FOUR_BODY(streams, blocks)                           \
    do {                                                                   \
        __m256i a[25], block[17], third[4], fourth[4];                     \
        const uint8_t *data[4];                                            \
        uint64_t last[4];                                                  \
        for (unsigned group = 0; group < 24; group += 4)                   \
            KECCAK_READ_FOUR(a, group, STATE_LANES);                       \
        a[24] = KECCAK_SET_FOUR(STATE_LAST);                               \
        for (unsigned index = 0; index < 4; index++) {                     \
            const long long wide = -((streams)[index].rate == KECCAK256_RATE); \
            third[index] = _mm256_set_epi64x(wide, wide, wide, -1);        \
            fourth[index] = _mm256_set1_epi64x(wide);                      \
            data[index] = (streams)[index].data;                           \
        }                                                                  \
        for (; (blocks) > 0; (blocks)--) {                                 \
            KECCAK_READ_FOUR(block, 0, STREAM_LANES);                      \
            KECCAK_READ_FOUR(block, 4, STREAM_LANES);                      \
            KECCAK_READ_FOUR(block, 8, STREAM_THIRD);                      \
            KECCAK_READ_FOUR(block, 12, STREAM_FOURTH);                    \
            block[16] = KECCAK_SET_FOUR(STREAM_LAST);                      \
            for (unsigned index = 0; index < 4; index++)                   \
                data[index] += (streams)[index].rate;                      \
            ABSORB_BLOCK(a, block);                                        \
        }                                                                  \
        for (unsigned group = 0; group < 24; group += 4) {                 \
            KECCAK_TRANSPOSE_FOUR((a + group));                            \
            for (unsigned index = 0; index < 4; index++)                   \
                _mm256_storeu_si256(                                       \
                    (void *)((streams)[index].state + group), a[group + index]); \
        }                                                                  \
        _mm256_storeu_si256((void *)last, a[24]);                          \
        for (unsigned index = 0; index < 4; index++)                       \
            (streams)[index].state[24] = last[index];                      \
    } while (0)

#define STATE_LANES(index, group) \
    _mm256_loadu_si256((const void *)(streams[index].state + (group)))
#define STATE_LAST(index) streams[index].state[24]
#define STREAM_LANES(index, group) \
    _mm256_loadu_si256((const void *)(data[index] + 8 * (group)))
#define STREAM_THIRD(index, group) \
    _mm256_maskload_epi64((const void *)(data[index] + 8 * (group)), third[index])
#define STREAM_FOURTH(index, group) \
    _mm256_maskload_epi64((const void *)(data[index] + 8 * (group)), fourth[index])
#define STREAM_LAST(index) \
    (streams[index].rate == KECCAK256_RATE ? keccak_load_lane(data[index] + 128) : 0)

#endif
