/*
 * One state on x86-64 with BMI: `andn` makes chi's complement free, and BMI2's `rorx`
 * rotates into another register.
 */
#include "keccak_kernels.h"

#ifdef HEXARY_X86_64

#include <immintrin.h>

#include "keccak_absorb.h"
#include "keccak_chi.h"

#define COMPLEMENT(a) ((void)(a))

#define CHI_LANE(b, x) (b[x] ^ (~b[((x) + 1) % 5] & b[((x) + 2) % 5]))

HEXARY_TARGET("bmi,bmi2")
void keccak_absorb_bmi2(uint64_t *state, const uint8_t *data, size_t blocks, size_t rate)
{
    KECCAK_ABSORB_BODY(state, data, blocks, rate);
}

HEXARY_TARGET("bmi,bmi2")
void keccak256_short_bmi2(const uint8_t *data, size_t size, uint8_t *digest)
{
    uint64_t block[17];
    keccak_read_short(block, data, size);
    KECCAK_SHORT_BODY(block, digest);
}

#else
typedef int keccak_bmi2_is_for_x86_64; /* ISO C has no empty files */
#endif
