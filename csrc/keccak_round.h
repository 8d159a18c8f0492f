/*
 * One round of Keccak-f[1600], for any lane type.
 *
 * A state is 25 lanes, lane (x, y) at index x + 5y (The Keccak reference, version 3.0,
 * section 1.2).  A round is theta, rho, pi, chi and iota.  Rho and pi only move lanes, so
 * row y' of the result needs, for x' = 0 … 4, the lane (x' + 3y' mod 5, x') of the state
 * after theta: the rows of the macro below list them with their rotations.
 *
 * The including file defines LANE (the type) and, on lanes,
 *
 *   LANE_XOR(a, b)                  a ^ b
 *   LANE_XOR5(a, b, c, d, e)        the parity of a column
 *   LANE_ROTATE(a, n)               rotate left by a constant, 0 < n < 64
 *   CHI_0(e, b) … CHI_4(e, b)       e[0..4] from the row b[0..4], for each row
 *   LANE_CONSTANT(n)                the n-th round constant in all lanes
 *
 * where keccak_chi.h defines chi, unless some lanes are kept complemented.  A file
 * that defines a KECCAK_ROUND(e, a, number) of its own needs LANE_XOR and LANE_ROTATE
 * alone.
 */
#ifndef HEXARY_KECCAK_ROUND_H
#define HEXARY_KECCAK_ROUND_H

#include <stdint.h>

#define KECCAK_ROUNDS 24

/* Iota's constants (section 1.2; made by an LFSR). */
static const uint64_t keccak_round_constants[KECCAK_ROUNDS] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

/* The parities of the columns that theta adds to their neighbours. */
#define KECCAK_THETA(d, c)                                                 \
    (d[0] = LANE_XOR(c[4], LANE_ROTATE(c[1], 1)),                          \
     d[1] = LANE_XOR(c[0], LANE_ROTATE(c[2], 1)),                          \
     d[2] = LANE_XOR(c[1], LANE_ROTATE(c[3], 1)),                          \
     d[3] = LANE_XOR(c[2], LANE_ROTATE(c[4], 1)),                          \
     d[4] = LANE_XOR(c[3], LANE_ROTATE(c[0], 1)))

/* A lane after theta and rho; lane (0, 0) alone is not rotated. */
#define KECCAK_MOVED(a, d, lane, rotation) \
    LANE_ROTATE(LANE_XOR(a[lane], d[(lane) % 5]), rotation)

/* What chi makes each row from.  MOVED is KECCAK_MOVED, or the same for another type. */
#define KECCAK_ROW_0(b, MOVED, a, d)                                       \
    (b[0] = LANE_XOR(a[0], d[0]), b[1] = MOVED(a, d, 6, 44),               \
     b[2] = MOVED(a, d, 12, 43), b[3] = MOVED(a, d, 18, 21),               \
     b[4] = MOVED(a, d, 24, 14))
#define KECCAK_ROW_1(b, MOVED, a, d)                                       \
    (b[0] = MOVED(a, d, 3, 28), b[1] = MOVED(a, d, 9, 20),                 \
     b[2] = MOVED(a, d, 10, 3), b[3] = MOVED(a, d, 16, 45),                \
     b[4] = MOVED(a, d, 22, 61))
#define KECCAK_ROW_2(b, MOVED, a, d)                                       \
    (b[0] = MOVED(a, d, 1, 1), b[1] = MOVED(a, d, 7, 6),                   \
     b[2] = MOVED(a, d, 13, 25), b[3] = MOVED(a, d, 19, 8),                \
     b[4] = MOVED(a, d, 20, 18))
#define KECCAK_ROW_3(b, MOVED, a, d)                                       \
    (b[0] = MOVED(a, d, 4, 27), b[1] = MOVED(a, d, 5, 36),                 \
     b[2] = MOVED(a, d, 11, 10), b[3] = MOVED(a, d, 17, 15),               \
     b[4] = MOVED(a, d, 23, 56))
#define KECCAK_ROW_4(b, MOVED, a, d)                                       \
    (b[0] = MOVED(a, d, 2, 62), b[1] = MOVED(a, d, 8, 55),                 \
     b[2] = MOVED(a, d, 14, 39), b[3] = MOVED(a, d, 15, 41),               \
     b[4] = MOVED(a, d, 21, 2))

#ifndef KECCAK_ROUND
#define KECCAK_ROUND(e, a, number)                                         \
    do {                                                                   \
        LANE c[5], d[5], b[5];                                             \
        c[0] = LANE_XOR5(a[0], a[5], a[10], a[15], a[20]);                 \
        c[1] = LANE_XOR5(a[1], a[6], a[11], a[16], a[21]);                 \
        c[2] = LANE_XOR5(a[2], a[7], a[12], a[17], a[22]);                 \
        c[3] = LANE_XOR5(a[3], a[8], a[13], a[18], a[23]);                 \
        c[4] = LANE_XOR5(a[4], a[9], a[14], a[19], a[24]);                 \
        KECCAK_THETA(d, c);                                                \
        KECCAK_ROW_0(b, KECCAK_MOVED, a, d);                               \
        CHI_0((e), b);                                                     \
        (e)[0] = LANE_XOR((e)[0], LANE_CONSTANT(number));                  \
        KECCAK_ROW_1(b, KECCAK_MOVED, a, d);                               \
        CHI_1((e) + 5, b);                                                 \
        KECCAK_ROW_2(b, KECCAK_MOVED, a, d);                               \
        CHI_2((e) + 10, b);                                                \
        KECCAK_ROW_3(b, KECCAK_MOVED, a, d);                               \
        CHI_3((e) + 15, b);                                                \
        KECCAK_ROW_4(b, KECCAK_MOVED, a, d);                               \
        CHI_4((e) + 20, b);                                                \
    } while (0)
#endif

/*
 * All rounds on *a*.  Two per turn, so that no lane is ever copied from one array to the
 * other.
 */
#define KECCAK_PERMUTE(a)                                                  \
    do {                                                                   \
        LANE scratch[25];                                                  \
        for (unsigned number = 0; number < KECCAK_ROUNDS; number += 2) {   \
            KECCAK_ROUND(scratch, a, number);                              \
            KECCAK_ROUND(a, scratch, number + 1);                          \
        }                                                                  \
    } while (0)

/*
 * Clear the state *a* with *zero*, a variable.  GCC, if it knew what that is, would do it
 * by `rep stos`, for which the reads of lanes that come next wait long.
 */
#ifdef HEXARY_GNU_X86_64
#define KECCAK_HIDE(vector) __asm__("" : "+x"(vector))
#else
#define KECCAK_HIDE(vector) ((void)(vector))
#endif
#define KECCAK_CLEAR(a, zero)                                              \
    do {                                                                   \
        KECCAK_HIDE(zero);                                                 \
        for (unsigned lane = 0; lane < 25; lane++)                         \
            (a)[lane] = (zero);                                            \
    } while (0)

/* Absorb a block, of which *block* are the 17 lanes. */
#define KECCAK_ABSORB_BLOCK(a, block)                                      \
    do {                                                                   \
        for (unsigned lane = 0; lane < 17; lane++)                         \
            (a)[lane] = LANE_XOR((a)[lane], (block)[lane]);                \
        KECCAK_PERMUTE(a);                                                 \
    } while (0)

/*
 * All rounds from *from* to *to*, of which only the lanes of a digest are used.  The first
 * round reads its lanes where they are.  The last one stands outside the loop, where the
 * compiler leaves out what the other lanes would need: most of that round.
 */
#define KECCAK_PERMUTE_LAST(to, from)                                      \
    do {                                                                   \
        LANE scratch[25];                                                  \
        KECCAK_ROUND(scratch, from, 0);                                    \
        for (unsigned number = 1; number < KECCAK_ROUNDS - 1; number += 2) { \
            KECCAK_ROUND(to, scratch, number);                             \
            KECCAK_ROUND(scratch, to, number + 1);                         \
        }                                                                  \
        KECCAK_ROUND(to, scratch, KECCAK_ROUNDS - 1);                      \
    } while (0)

#endif
