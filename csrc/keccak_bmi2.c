/*
 * One state on x86-64 with BMI: `andn` makes chi's complement free, and BMI2's `rorx`
 * rotates into another register.
 */
#include "keccak_kernels.h"

#ifdef HEXARY_X86_64

#include <immintrin.h>

#include "keccak_absorb.h"

#define COMPLEMENT(a) ((void)(a))

#define CHI(e, b)                                                          \
    ((e)[0] = b[0] ^ (~b[1] & b[2]), (e)[1] = b[1] ^ (~b[2] & b[3]),       \
     (e)[2] = b[2] ^ (~b[3] & b[4]), (e)[3] = b[3] ^ (~b[4] & b[0]),       \
     (e)[4] = b[4] ^ (~b[0] & b[1]))
#define CHI_0 CHI
#define CHI_1 CHI
#define CHI_2 CHI
#define CHI_3 CHI
#define CHI_4 CHI

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
