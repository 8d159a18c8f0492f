/* Four states side by side on x86-64 with AVX2, one in each 64-bit element. */
#include "keccak_kernels.h"

#ifdef HEXARY_X86_64

#include <immintrin.h>

#include "keccak_chi.h"
#include "keccak_round.h"

#define LANE __m256i
#define LANE_XOR(a, b) _mm256_xor_si256(a, b)
#define LANE_XOR5(a, b, c, d, e) \
    LANE_XOR(LANE_XOR(LANE_XOR(a, b), LANE_XOR(c, d)), e)
#define LANE_ROTATE(a, n) \
    _mm256_or_si256(_mm256_slli_epi64(a, n), _mm256_srli_epi64(a, 64 - (n)))
#define LANE_CONSTANT(n) _mm256_set1_epi64x((long long)keccak_round_constants[n])
#define CHI_LANE(b, x) \
    LANE_XOR(b[x], _mm256_andnot_si256(b[((x) + 1) % 5], b[((x) + 2) % 5]))

#define ABSORB_BLOCK KECCAK_ABSORB_BLOCK

#include "keccak_four.h"

HEXARY_TARGET("avx2")
void keccak256_four_avx2(
    const uint8_t *const messages[], size_t blocks, uint8_t *const digests[]
)
{
    KECCAK_FOUR_BODY(messages, blocks, digests);
}

HEXARY_TARGET("avx2")
void keccak_absorb_four_avx2(const keccak_stream streams[], size_t blocks)
{
    KECCAK_ABSORB_FOUR_BODY(streams, blocks);
}

#else
typedef int keccak_avx2_is_for_x86_64; /* ISO C has no empty files */
#endif
