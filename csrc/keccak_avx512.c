/* Eight states side by side on x86-64 with AVX-512, one in each 64-bit element. */
#include "keccak_kernels.h"

#ifdef HEXARY_X86_64

#include <immintrin.h>

#include "keccak_lane.h"

#ifdef HEXARY_GNU_X86_64
#include "keccak_registers.h"
#define KECCAK_REGISTER "zmm"
#define KECCAK_STATES "8"
#define ABSORB_BLOCK KECCAK_ABSORB_IN_REGISTERS
#else
#include "keccak_chi.h"
#include "keccak_round.h"
#define LANE __m512i
#define LANE_XOR(a, b) _mm512_xor_si512(a, b)
/* The truth tables of a ^ b ^ c and a ^ (~b & c) are 0x96 and 0xd2. */
#define LANE_XOR3(a, b, c) _mm512_ternarylogic_epi64(a, b, c, 0x96)
#define LANE_XOR5(a, b, c, d, e) LANE_XOR3(LANE_XOR3(a, b, c), d, e)
#define LANE_ROTATE(a, n) _mm512_rol_epi64(a, n)
#define LANE_CONSTANT(n) _mm512_set1_epi64((long long)keccak_round_constants[n])
#define CHI_LANE(b, x) \
    _mm512_ternarylogic_epi64(b[x], b[((x) + 1) % 5], b[((x) + 2) % 5], 0xd2)
#define ABSORB_BLOCK KECCAK_ABSORB_BLOCK
#endif

/*
 * Turn eight rows of eight lanes into columns: pairs of lanes, then pairs of pairs, then
 * halves.
 */
#define TRANSPOSE_EIGHT(r)                                                 \
    do {                                                                   \
        __m512i s[8], t[8];                                                \
        for (unsigned i = 0; i < 8; i += 2) {                              \
            s[i] = _mm512_unpacklo_epi64(r[i], r[i + 1]);                  \
            s[i + 1] = _mm512_unpackhi_epi64(r[i], r[i + 1]);              \
        }                                                                  \
        for (unsigned i = 0; i < 2; i++) {                                 \
            t[i] = _mm512_shuffle_i64x2(s[i], s[i + 2], 0x88);             \
            t[i + 2] = _mm512_shuffle_i64x2(s[i], s[i + 2], 0xdd);         \
            t[i + 4] = _mm512_shuffle_i64x2(s[i + 4], s[i + 6], 0x88);     \
            t[i + 6] = _mm512_shuffle_i64x2(s[i + 4], s[i + 6], 0xdd);     \
        }                                                                  \
        for (unsigned i = 0; i < 2; i++) {                                 \
            r[i] = _mm512_shuffle_i64x2(t[i], t[i + 4], 0x88);             \
            r[i + 4] = _mm512_shuffle_i64x2(t[i], t[i + 4], 0xdd);         \
            r[i + 2] = _mm512_shuffle_i64x2(t[i + 2], t[i + 6], 0x88);     \
            r[i + 6] = _mm512_shuffle_i64x2(t[i + 2], t[i + 6], 0xdd);     \
        }                                                                  \
    } while (0)

/*
 * Set the lanes from *group* on to what LOAD(index, group) reads of each message.  The
 * macros that are given for LOAD take by their names what the functions below have.
 */
#define READ_EIGHT(to, group, LOAD)                                        \
    do {                                                                   \
        __m512i r[8];                                                      \
        for (unsigned index = 0; index < 8; index++)                       \
            r[index] = LOAD(index, group);                                 \
        TRANSPOSE_EIGHT(r);                                                \
        for (unsigned index = 0; index < 8; index++)                       \
            (to)[(group) + index] = r[index];                              \
    } while (0)

/* The same of one lane, a number LOAD(index). */
#define SET_EIGHT(LOAD)                                                    \
    _mm512_set_epi64(                                                      \
        (long long)LOAD(7), (long long)LOAD(6), (long long)LOAD(5), (long long)LOAD(4), \
        (long long)LOAD(3), (long long)LOAD(2), (long long)LOAD(1), (long long)LOAD(0)  \
    )

#define MESSAGE_LANES(index, group) \
    _mm512_loadu_si512(messages[index] + offset + 8 * (group))
#define MESSAGE_LAST(index) keccak_load_lane(messages[index] + offset + 128)

HEXARY_TARGET("avx512f")
void keccak256_eight_avx512(
    const uint8_t *const messages[], size_t blocks, uint8_t *const digests[]
)
{
    __m512i a[25], block[17], zero = _mm512_setzero_si512();
    KECCAK_CLEAR(a, zero);
    for (size_t offset = 0; offset < blocks * KECCAK256_RATE; offset += KECCAK256_RATE) {
        for (unsigned group = 0; group < 16; group += 8)
            READ_EIGHT(block, group, MESSAGE_LANES);
        block[16] = SET_EIGHT(MESSAGE_LAST);
        ABSORB_BLOCK(a, block);
    }
    /* Only four lanes are wanted; the other rows of the square are idle. */
    __m512i r[8];
    for (unsigned lane = 0; lane < 8; lane++)
        r[lane] = a[lane % 4];
    TRANSPOSE_EIGHT(r);
    for (unsigned index = 0; index < 8; index++)
        _mm256_storeu_si256((void *)digests[index], _mm512_castsi512_si256(r[index]));
}

#define STATE_LANES(index, group) _mm512_loadu_si512(streams[index].state + (group))
#define STATE_LAST(index) streams[index].state[24]
#define STREAM_LANES(index, group) _mm512_loadu_si512(data[index] + 8 * (group))
#define STREAM_REST(index, group) \
    _mm512_maskz_loadu_epi64(rest[index], data[index] + 8 * (group))
#define STREAM_LAST(index) \
    (streams[index].rate == KECCAK256_RATE ? keccak_load_lane(data[index] + 128) : 0)

/*
 * Of lanes 8 to 16 a block of Keccak-512 has the first alone; nothing is read where a
 * mask is zero, so that an address there may be of no object.
 */
HEXARY_TARGET("avx512f")
void keccak_absorb_eight_avx512(const keccak_stream streams[], size_t blocks)
{
    __m512i a[25], block[17];
    __mmask8 rest[8];
    const uint8_t *data[8];
    uint64_t last[8];
    for (unsigned group = 0; group < 24; group += 8)
        READ_EIGHT(a, group, STATE_LANES);
    a[24] = SET_EIGHT(STATE_LAST);
    for (unsigned index = 0; index < 8; index++) {
        rest[index] = streams[index].rate == KECCAK256_RATE ? 0xff : 0x01;
        data[index] = streams[index].data;
    }
    for (; blocks > 0; blocks--) {
        READ_EIGHT(block, 0, STREAM_LANES);
        READ_EIGHT(block, 8, STREAM_REST);
        block[16] = SET_EIGHT(STREAM_LAST);
        for (unsigned index = 0; index < 8; index++)
            data[index] += streams[index].rate;
        ABSORB_BLOCK(a, block);
    }
    for (unsigned group = 0; group < 24; group += 8) {
        TRANSPOSE_EIGHT((a + group));
        for (unsigned index = 0; index < 8; index++)
            _mm512_storeu_si512(streams[index].state + group, a[group + index]);
    }
    _mm512_storeu_si512(last, a[24]);
    for (unsigned index = 0; index < 8; index++)
        streams[index].state[24] = last[index];
}

#else
typedef int keccak_avx512_is_for_x86_64; /* ISO C has no empty files */
#endif
