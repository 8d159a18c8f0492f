/*
 * Four states side by side on x86-64 with AVX-512VL: 32 registers hold the whole state,
 * rotation is one instruction, and so is any function of three lanes.
 */
#include "keccak_kernels.h"

#ifdef HEXARY_X86_64

#include <immintrin.h>

#include "keccak_round.h"

#define LANE __m256i
#define LANE_XOR(a, b) _mm256_xor_si256(a, b)
/* The truth table of a ^ b ^ c is 0x96. */
#define LANE_XOR3(a, b, c) _mm256_ternarylogic_epi64(a, b, c, 0x96)
#define LANE_XOR5(a, b, c, d, e) LANE_XOR3(LANE_XOR3(a, b, c), d, e)
#define LANE_ROTATE(a, n) _mm256_rol_epi64(a, n)
#define LANE_CONSTANT(n) _mm256_set1_epi64x((long long)keccak_round_constants[n])
/* The truth table of a ^ (~b & c) is 0xd2. */
#define CHI_LANE(b, x) \
    _mm256_ternarylogic_epi64(b[x], b[((x) + 1) % 5], b[((x) + 2) % 5], 0xd2)

#include "keccak_four.h"

HEXARY_TARGET("avx2,avx512f,avx512vl")
void keccak256_four_avx512vl(
    const uint8_t *const messages[], size_t blocks, uint8_t *const digests[]
)
{
    KECCAK_FOUR_BODY(messages, blocks, digests);
}

HEXARY_TARGET("avx2,avx512f,avx512vl")
void keccak_absorb_four_avx512vl(const keccak_stream streams[], size_t blocks)
{
    KECCAK_ABSORB_FOUR_BODY(streams, blocks);
}

#else
typedef int keccak_avx512vl_is_for_x86_64; /* ISO C has no empty files */
#endif
