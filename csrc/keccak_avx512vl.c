/*
 * Two or four states side by side on x86-64 with AVX-512VL: 32 registers hold the whole
 * state, rotation is one instruction, and so is any function of three lanes.
 */
#include "keccak_kernels.h"

#ifdef HEXARY_X86_64

#include <immintrin.h>

#ifdef HEXARY_GNU_X86_64
#include "keccak_registers.h"
#define KECCAK_REGISTER "ymm"
#define KECCAK_STATES "4"
#define ABSORB_BLOCK KECCAK_ABSORB_IN_REGISTERS
#else
#include "keccak_chi.h"
#include "keccak_round.h"
#define LANE __m256i
#define LANE_XOR(a, b) _mm256_xor_si256(a, b)
/* The truth tables of a ^ b ^ c and a ^ (~b & c) are 0x96 and 0xd2. */
#define LANE_XOR3(a, b, c) _mm256_ternarylogic_epi64(a, b, c, 0x96)
#define LANE_XOR5(a, b, c, d, e) LANE_XOR3(LANE_XOR3(a, b, c), d, e)
#define LANE_ROTATE(a, n) _mm256_rol_epi64(a, n)
#define LANE_CONSTANT(n) _mm256_set1_epi64x((long long)keccak_round_constants[n])
#define CHI_LANE(b, x) \
    _mm256_ternarylogic_epi64(b[x], b[((x) + 1) % 5], b[((x) + 2) % 5], 0xd2)
#define ABSORB_BLOCK KECCAK_ABSORB_BLOCK
#endif

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

#ifdef HEXARY_GNU_X86_64

#undef KECCAK_REGISTER
#undef KECCAK_STATES
#define KECCAK_REGISTER "xmm"
#define KECCAK_STATES "2"

/* Add to a lane what both messages have at a place. */
#define READ_TWO(to, first, second, place)                                 \
    "vmovq 8*" #place "(%[" first "]), " REGISTER(to) "\n\t"               \
    "vmovhps 8*" #place "(%[" second "]), " REGISTER(to) ", " REGISTER(to) "\n\t"
#define ADD_TWO(lane, first, second, place) \
    READ_TWO(S0, first, second, place) XOR(lane, S0)
#define ADD_FIRST(lane) ADD_TWO(lane, "first", "second", lane)
#define ADD_REST(lane, place) ADD_TWO(lane, "first_rest", "second_rest", place)

/*
 * The lanes stay in their registers from block to block.  In place of the lanes behind the
 * ninth, of which a block of Keccak-512 has none, there are zeros.
 */
HEXARY_TARGET("avx512f,avx512vl")
void keccak_absorb_two_avx512vl(const keccak_stream streams[], size_t blocks)
{
    static const uint8_t zeros[KECCAK256_RATE - KECCAK512_RATE];
    uint64_t a[25][2];
    const uint8_t *data[2], *rest[2];
    size_t step[2];
    for (unsigned index = 0; index < 2; index++) {
        const bool is_wide = streams[index].rate == KECCAK256_RATE;
        data[index] = streams[index].data;
        rest[index] = is_wide ? data[index] + KECCAK512_RATE : zeros;
        step[index] = is_wide ? KECCAK256_RATE : 0;
        for (unsigned lane = 0; lane < 25; lane++)
            a[lane][index] = streams[index].state[lane];
    }
    __asm__ volatile(
        ALL_LANES(LOAD_LANE)
        "1:\n\t"
        ADD_FIRST(0) ADD_FIRST(1) ADD_FIRST(2) ADD_FIRST(3) ADD_FIRST(4)
        ADD_FIRST(5) ADD_FIRST(6) ADD_FIRST(7) ADD_FIRST(8)
        ADD_REST(9, 0) ADD_REST(10, 1) ADD_REST(11, 2) ADD_REST(12, 3)
        ADD_REST(13, 4) ADD_REST(14, 5) ADD_REST(15, 6) ADD_REST(16, 7)
        "add %[first_rate], %[first]\n\t"
        "add %[second_rate], %[second]\n\t"
        "add %[first_step], %[first_rest]\n\t"
        "add %[second_step], %[second_rest]\n\t"
        KECCAK_ALL_ROUNDS
        "sub $1, %[blocks]\n\t"
        "jnz 1b\n\t"
        ALL_LANES(STORE_LANE)
        : "+m"(a), [first] "+&r"(data[0]), [second] "+&r"(data[1]),
          [first_rest] "+&r"(rest[0]), [second_rest] "+&r"(rest[1]),
          [blocks] "+&r"(blocks)
        : [lanes] "r"(a), [constants] "r"(keccak_round_constants),
          [first_rate] "r"(streams[0].rate), [second_rate] "r"(streams[1].rate),
          [first_step] "r"(step[0]), [second_step] "r"(step[1])
        : "memory", "cc", KECCAK_ALL_REGISTERS
    );
    for (unsigned index = 0; index < 2; index++)
        for (unsigned lane = 0; lane < 25; lane++)
            streams[index].state[lane] = a[lane][index];
}

#endif

#else
typedef int keccak_avx512vl_is_for_x86_64; /* ISO C has no empty files */
#endif
