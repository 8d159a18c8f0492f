/* What the files of the kernels define, and what processors they need. */
#ifndef HEXARY_KECCAK_KERNELS_H
#define HEXARY_KECCAK_KERNELS_H

#include "keccak.h"

/* ARM64EC calls itself x86-64 too, in Microsoft's words and Clang's, and is not. */
#if (defined(__x86_64__) || defined(_M_X64)) && !defined(_M_ARM64EC) \
    && !defined(__arm64ec__) && !defined(HEXARY_PORTABLE_ONLY)
#define HEXARY_X86_64 1
#endif

/*
 * Compile one function for processors that have *features*, without compiler flags.
 * Microsoft's compiler takes any intrinsic anywhere, and needs nothing; it will not use
 * BMI2 by itself, so that there the kernel of that name is but a right one.
 */
#if defined(__GNUC__) || defined(__clang__)
#define HEXARY_TARGET(features) __attribute__((target(features)))
#else
#define HEXARY_TARGET(features)
#endif

/* GNU's inline assembly, of the fastest kernels; elsewhere others serve. */
#if defined(HEXARY_X86_64) && (defined(__GNUC__) || defined(__clang__)) \
    && !defined(HEXARY_NO_ASSEMBLY)
#define HEXARY_GNU_X86_64 1
#endif

void keccak_absorb_portable(uint64_t *state, const uint8_t *data, size_t blocks, size_t rate);
void keccak256_short_portable(const uint8_t *data, size_t size, uint8_t *digest);

#ifdef HEXARY_X86_64
void keccak_absorb_bmi2(uint64_t *state, const uint8_t *data, size_t blocks, size_t rate);
void keccak256_short_bmi2(const uint8_t *data, size_t size, uint8_t *digest);
#ifdef HEXARY_GNU_X86_64
void keccak_absorb_avx512vl(uint64_t *state, const uint8_t *data, size_t blocks, size_t rate);
void keccak256_short_avx512vl(const uint8_t *data, size_t size, uint8_t *digest);
keccak_absorb_wide keccak_absorb_two_avx512vl;
#endif
keccak_wide keccak256_four_avx2;
keccak_wide keccak256_four_avx512vl;
keccak_wide keccak256_eight_avx512;
keccak_absorb_wide keccak_absorb_four_avx2;
keccak_absorb_wide keccak_absorb_four_avx512vl;
keccak_absorb_wide keccak_absorb_eight_avx512;
#endif

#endif
