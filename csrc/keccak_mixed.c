/*
 * One state on x86-64 with AVX-512VL, in general and vector registers at once.
 *
 * Rounds in general registers keep the processor's units for integers busy from end to
 * end, while those for vectors idle.  Here vector registers make rows 3 and 4, one lane
 * in each, and general ones make rows 0 to 2 meanwhile:
 *
 *   general    theta -+- rows 0, 1, 2 ----------------+- theta of the next round
 *   vector            +- rows 3, 4 - their parities --+
 *
 * Lanes change sides in memory, where the next round finds them in time.  What it waits
 * for, the parities, goes from register to register, as do theta's sums.
 *
 * This pays only if values stay where they are put.  Compilers would gather lanes in
 * wider vectors, move work across, or copy lanes to registers, which are too few; so they
 * are told at many places that a value has changed.
 */
#include "keccak_kernels.h"

#ifdef HEXARY_GNU_X86_64

#include <immintrin.h>

#define AVX512VL HEXARY_TARGET("avx512vl,avx512bw,bmi,bmi2")

#define CHI_LANE(b, x) (b[x] ^ (~b[((x) + 1) % 5] & b[((x) + 2) % 5]))

/* For x = 0 … 4, and not in a loop, which a compiler may keep. */
#define FIVE(DO) (DO(0), DO(1), DO(2), DO(3), DO(4))

#define KECCAK_ROUND(e, a, number) \
    mixed_round(e, a, lower, keccak_round_constants[number])

#include "keccak_absorb.h"

#define INLINE static inline __attribute__((always_inline)) AVX512VL

INLINE uint64_t hold(uint64_t lane)
{
    __asm__("" : "+r"(lane));
    return lane;
}

INLINE __m128i hold_vector(__m128i lane)
{
    __asm__("" : "+v"(lane));
    return lane;
}

INLINE void put(uint64_t *at, uint64_t lane)
{
    *at = hold(lane);
    __asm__("" : "+m"(*at));
}

INLINE void put_vector(uint64_t *at, __m128i lane)
{
    _mm_storel_epi64((__m128i *)at, lane);
    __asm__("" : "+m"(*at));
}

/* Read lanes again where they are used: an operand in memory costs no instruction. */
INLINE void forget(uint64_t a[25])
{
    __asm__("" : "+m"(*(uint64_t(*)[25])a));
}

/* A lane of row 3 or 4 after theta and rho. */
#define VECTOR_MOVED(a, d, lane, rotation)                                 \
    _mm_rol_epi64(                                                         \
        _mm_xor_si128(_mm_loadl_epi64((const __m128i *)(a + (lane))), d[(lane) % 5]), \
        rotation                                                           \
    )

/* The truth table of a ^ (~b & c) is 0xd2. */
#define VECTOR_CHI_LANE(b, x) \
    _mm_ternarylogic_epi64(b[x], b[((x) + 1) % 5], b[((x) + 2) % 5], 0xd2)

/* Chi, and iota in row 0. */
INLINE void chi(uint64_t e[5], const uint64_t b[5], uint64_t constant)
{
#define PUT(x) put(e + (x), CHI_LANE(b, x) ^ ((x) == 0 ? constant : 0))
    FIVE(PUT);
}

INLINE void vector_chi(uint64_t e[5], __m128i row[5], const __m128i b[5])
{
#define PUT_VECTOR(x) put_vector(e + (x), row[x] = VECTOR_CHI_LANE(b, x))
    FIVE(PUT_VECTOR);
}

/* The parities of rows 3 and 4 are in *lower*: at first those of *a*, then of *e*. */
INLINE void mixed_round(uint64_t e[25], uint64_t a[25], uint64_t lower[5], uint64_t constant)
{
    uint64_t b[5], c[5], d[5];
    __m128i vector_b[5], vector_d[5], row_3[5], row_4[5];

    forget(a);
#define PARITY(x) c[x] = hold(a[x] ^ a[(x) + 5] ^ a[(x) + 10] ^ lower[x])
    FIVE(PARITY);
    forget(a);
    KECCAK_THETA(d, c);
#define SHARE(x)                                                           \
    (d[x] = hold(d[x]),                                                    \
     vector_d[x] = hold_vector(_mm_cvtsi64_si128((long long)d[x])))
    FIVE(SHARE);

    KECCAK_ROW_3(vector_b, VECTOR_MOVED, a, vector_d);
    vector_chi(e + 15, row_3, vector_b);
    KECCAK_ROW_4(vector_b, VECTOR_MOVED, a, vector_d);
    vector_chi(e + 20, row_4, vector_b);

    KECCAK_ROW_0(b, KECCAK_MOVED, a, d);
    chi(e, b, constant);
    KECCAK_ROW_1(b, KECCAK_MOVED, a, d);
    chi(e + 5, b, 0);
    KECCAK_ROW_2(b, KECCAK_MOVED, a, d);
    chi(e + 10, b, 0);

#define LOWER(x)                                                           \
    lower[x] = hold((uint64_t)_mm_cvtsi128_si64(                           \
        hold_vector(_mm_xor_si128(row_3[x], row_4[x]))                     \
    ))
    FIVE(LOWER);
}

INLINE void start(const uint64_t a[25], uint64_t lower[5])
{
#define START(x) lower[x] = hold(a[(x) + 15] ^ a[(x) + 20])
    FIVE(START);
}

AVX512VL
void keccak_absorb_avx512vl(uint64_t *state, const uint8_t *data, size_t blocks, size_t rate)
{
    uint64_t a[25], lower[5];
    memcpy(a, state, sizeof a);
    while (blocks-- > 0) {
        for (unsigned lane = 0; lane < 9; lane++)
            put(a + lane, a[lane] ^ keccak_load_lane(data + 8 * lane));
        if (rate != KECCAK512_RATE)
            for (unsigned lane = 9; lane < 17; lane++)
                put(a + lane, a[lane] ^ keccak_load_lane(data + 8 * lane));
        data += rate;
        start(a, lower);
        KECCAK_PERMUTE(a);
    }
    memcpy(state, a, sizeof a);
}

/* Reads a message without a branch, zeros after its end. */
AVX512VL
void keccak256_short_avx512vl(const uint8_t *data, size_t size, uint8_t *digest)
{
    uint64_t a[25], block[25], lower[5];
    for (unsigned part = 0; part < 5; part++) {
        const unsigned begin = 32 * part;
        const unsigned left = size > begin ? (unsigned)size - begin : 0;
        const uint8_t *from = left > 0 ? data + begin : data;
        const __mmask32 taken = _bzhi_u32(UINT32_MAX, left);
        _mm256_storeu_si256(
            (void *)(block + 4 * part), _mm256_maskz_loadu_epi8(taken, from)
        );
    }
    for (unsigned lane = 20; lane < 25; lane++)
        block[lane] = 0;
    block[size / 8] |= (uint64_t)1 << 8 * (size % 8);
    block[16] |= (uint64_t)0x80 << 56;
    start(block, lower);
    KECCAK_PERMUTE_LAST(a, block);
    for (unsigned lane = 0; lane < KECCAK256_SIZE / 8; lane++)
        keccak_store_lane(digest + 8 * lane, a[lane]);
}

#else
typedef int keccak_mixed_needs_gnu_c_for_x86_64; /* ISO C has no empty files */
#endif
