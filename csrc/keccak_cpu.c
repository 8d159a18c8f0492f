/* Which kernels there are, and which of them this processor can run. */
#include "keccak_kernels.h"

#include <string.h>

/* Clang has GNU's ways to ask the processor on Windows as well. */
#if defined(_MSC_VER) && !defined(__clang__)
#define MICROSOFT 1
#endif

#ifdef HEXARY_X86_64
#ifdef MICROSOFT
#include <intrin.h>
#else
#include <cpuid.h>
#endif
#endif

enum { NEEDS_BMI2 = 1, NEEDS_AVX2 = 2, NEEDS_AVX512 = 4 };

#define ONE_STATE(name) keccak_absorb_##name, keccak256_short_##name

#define ALONE NULL, NULL, NULL, NULL, NULL

#ifdef HEXARY_GNU_X86_64
#define ONE_STATE_AVX512VL ONE_STATE(avx512vl)
#define ABSORB_TWO_AVX512VL keccak_absorb_two_avx512vl
#else
#define ONE_STATE_AVX512VL ONE_STATE(bmi2)
#define ABSORB_TWO_AVX512VL NULL
#endif

static const struct {
    keccak_kernel kernel;
    unsigned needs;
} kernels[] = {
    {{"portable", "portable C", ONE_STATE(portable), ALONE}, 0},
#ifdef HEXARY_X86_64
    {{"bmi2", "BMI2", ONE_STATE(bmi2), ALONE}, NEEDS_BMI2},
    {{"avx2", "AVX2 x4", ONE_STATE(bmi2), keccak256_four_avx2, NULL,
      NULL, keccak_absorb_four_avx2, NULL},
     NEEDS_BMI2 | NEEDS_AVX2},
    {{"avx512vl", "AVX-512VL x4", ONE_STATE_AVX512VL, keccak256_four_avx512vl, NULL,
      ABSORB_TWO_AVX512VL, keccak_absorb_four_avx512vl, NULL},
     NEEDS_BMI2 | NEEDS_AVX2 | NEEDS_AVX512},
    {{"avx512", "AVX-512 x8", ONE_STATE_AVX512VL, keccak256_four_avx512vl,
      keccak256_eight_avx512, ABSORB_TWO_AVX512VL, keccak_absorb_four_avx512vl,
      keccak_absorb_eight_avx512},
     NEEDS_BMI2 | NEEDS_AVX2 | NEEDS_AVX512},
#endif
};

#define KERNELS (sizeof kernels / sizeof *kernels)

#ifdef HEXARY_X86_64

static bool read_cpuid(unsigned leaf, unsigned registers[4])
{
#ifdef MICROSOFT
    int out[4];
    __cpuid(out, 0);
    if ((unsigned)out[0] < leaf)
        return false;
    __cpuidex(out, (int)leaf, 0);
    for (unsigned index = 0; index < 4; index++)
        registers[index] = (unsigned)out[index];
    return true;
#else
    return __get_cpuid_count(
        leaf, 0, &registers[0], &registers[1], &registers[2], &registers[3]
    ) != 0;
#endif
}

/* The registers that the operating system saves when it switches threads. */
static uint64_t saved_registers(void)
{
#ifdef MICROSOFT
    return _xgetbv(0);
#else
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
#endif
}

static bool bit(unsigned word, unsigned number)
{
    return (word >> number & 1u) != 0;
}

static unsigned features(void)
{
    unsigned one[4], seven[4]; /* EAX, EBX, ECX, EDX */
    unsigned found = 0;
    if (!read_cpuid(1, one) || !read_cpuid(7, seven))
        return 0;
    if (bit(seven[1], 3) && bit(seven[1], 8))
        found |= NEEDS_BMI2;
    if (!bit(one[2], 27)) /* OSXSAVE: xgetbv may be used */
        return found;
    const uint64_t saved = saved_registers();
    if ((saved & 0x06) == 0x06 && bit(one[2], 28) && bit(seven[1], 5))
        found |= NEEDS_AVX2; /* XMM and YMM */
    if ((saved & 0xe6) == 0xe6 && bit(seven[1], 16) && bit(seven[1], 30)
        && bit(seven[1], 31))
        found |= NEEDS_AVX512; /* also the masks and both halves of ZMM; F, BW and VL */
    return found;
}

#else

static unsigned features(void)
{
    return 0;
}

#endif

const keccak_kernel *keccak_kernel_at(size_t index)
{
    return index < KERNELS ? &kernels[index].kernel : NULL;
}

bool keccak_kernel_runs(const keccak_kernel *kernel)
{
    for (size_t index = 0; index < KERNELS; index++)
        if (&kernels[index].kernel == kernel)
            return (kernels[index].needs & ~features()) == 0;
    return false;
}

const keccak_kernel *keccak_kernel_best(void)
{
    const unsigned found = features();
    size_t index = KERNELS - 1;
    while ((kernels[index].needs & ~found) != 0)
        index--;
    return &kernels[index].kernel;
}

const keccak_kernel *keccak_kernel_named(const char *name)
{
    for (size_t index = 0; index < KERNELS; index++)
        if (strcmp(kernels[index].kernel.name, name) == 0)
            return &kernels[index].kernel;
    return NULL;
}
