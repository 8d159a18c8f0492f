/*
 * All rounds of Keccak-f[1600] in vector registers of any width, in GNU's assembly.
 *
 * A round needs 32 registers at its fullest, exactly as many as there are: compilers keep
 * some lanes in memory instead, and put instructions in an order that takes longer.
 *
 * A round works in place.  Pi moves no lane but by its name: a row that chi has made is
 * where its lanes were before, and the next round looks for it there.  The table below has,
 * for each round, the registers of lanes 0 to 24.  The order of pi is 24, so that after
 * the last round all lanes are where they were at first.
 *
 * The instructions of a round are in an order that was found by trying, on AMD's Zen 5:
 * of changes that keep what one takes from another, those that saved time were kept.  In
 * any such order they are right.
 *
 * The including file defines, as texts, for each use,
 *
 *   KECCAK_REGISTER   the name of the registers before the number: "xmm", "ymm" or "zmm"
 *   KECCAK_STATES     how many states these have side by side: "2", "4" or "8"
 */
#ifndef HEXARY_KECCAK_REGISTERS_H
#define HEXARY_KECCAK_REGISTERS_H

#include "keccak_round.h"

/* A text is longer here than what every compiler must take; these do. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

#define REGISTER(number) "%%" KECCAK_REGISTER #number

/* In these the first argument is what changes; 0x96 and 0xd2 are tables of truth. */
#define COPY(to, a) "vmovdqa64 " REGISTER(a) ", " REGISTER(to) "\n\t"
#define ROTATE(to, a, count) \
    "vprolq $" #count ", " REGISTER(a) ", " REGISTER(to) "\n\t"
#define XOR(to, a) \
    "vpxorq " REGISTER(a) ", " REGISTER(to) ", " REGISTER(to) "\n\t" /* to ^= a */
#define XOR3(to, a, b) /* to ^= a ^ b */ \
    "vpternlogq $0x96, " REGISTER(b) ", " REGISTER(a) ", " REGISTER(to) "\n\t"
#define XOR_CHI(to, a, b) /* to ^= ~a & b */ \
    "vpternlogq $0xd2, " REGISTER(b) ", " REGISTER(a) ", " REGISTER(to) "\n\t"
#define XOR_CONSTANT(to, number) \
    "vpxorq 8*" #number "(%[constants])%{1to" KECCAK_STATES "%}, " \
    REGISTER(to) ", " REGISTER(to) "\n\t"

/* Sums of columns, and lanes that chi needs once more. */
#define S0 25
#define S1 26
#define S2 27
#define S3 28
#define S4 29
#define S5 30
#define S6 31

#define ROUND(number, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11,    \
              a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24) \
    COPY(S0, a0) XOR3(S0, a5, a10) COPY(S2, a2) COPY(S1, a1)               \
    XOR3(S2, a7, a12) COPY(S3, a3) XOR3(S3, a8, a13) COPY(S4, a4)          \
    XOR3(S0, a15, a20) XOR3(S1, a6, a11) XOR3(S1, a16, a21)                \
    XOR3(S4, a9, a14) XOR3(S2, a17, a22) XOR3(S3, a18, a23)                \
    XOR3(S4, a19, a24) ROTATE(S5, S1, 1) XOR(S5, S4) ROTATE(S4, S4, 1)     \
    XOR(S4, S2) ROTATE(S2, S2, 1) XOR(S2, S0) ROTATE(S0, S0, 1)            \
    XOR(S0, S3) ROTATE(S3, S3, 1) XOR(S3, S1) XOR(a22, S3) XOR(a6, S2)     \
    XOR(a12, S3) XOR(a0, S5) XOR(a18, S4) XOR(a24, S0)                     \
    ROTATE(a12, a12, 43) ROTATE(a18, a18, 21) ROTATE(a24, a24, 14)         \
    XOR(a3, S4) XOR(a9, S0) XOR(a10, S5) XOR(a16, S2) ROTATE(a6, a6, 44)   \
    ROTATE(a3, a3, 28) ROTATE(a9, a9, 20) ROTATE(a10, a10, 3)              \
    ROTATE(a16, a16, 45) ROTATE(a22, a22, 61) COPY(S1, a0) COPY(S6, a6)    \
    XOR_CHI(a0, a6, a12) XOR_CHI(a6, a12, a18) XOR(a4, S0)                 \
    XOR_CHI(a12, a18, a24) XOR_CHI(a18, a24, S1) XOR_CHI(a24, S1, S6)      \
    XOR(a1, S2) XOR(a7, S3) XOR(a13, S4) ROTATE(a7, a7, 6) COPY(S6, a9)    \
    XOR(a19, S0) XOR(a20, S5) ROTATE(a13, a13, 25) ROTATE(a19, a19, 8)     \
    ROTATE(a20, a20, 18) COPY(S1, a3) XOR_CHI(a3, a9, a10)                 \
    XOR_CHI(a9, a10, a16) XOR_CHI(a10, a16, a22) ROTATE(a1, a1, 1)         \
    XOR_CHI(a16, a22, S1) XOR_CHI(a22, S1, S6) XOR(a11, S2) COPY(S6, a7)   \
    XOR(a5, S5) XOR(a17, S3) XOR(a23, S4) ROTATE(a4, a4, 27)               \
    ROTATE(a5, a5, 36) ROTATE(a11, a11, 10) ROTATE(a17, a17, 15)           \
    ROTATE(a23, a23, 56) COPY(S1, a1) XOR_CHI(a1, a7, a13)                 \
    XOR_CHI(a7, a13, a19) XOR_CHI(a13, a19, a20) XOR_CHI(a19, a20, S1)     \
    XOR(a2, S3) XOR(a8, S4) XOR(a14, S0) XOR(a15, S5) XOR(a21, S2)         \
    XOR_CHI(a20, S1, S6) ROTATE(a2, a2, 62) ROTATE(a8, a8, 55)             \
    ROTATE(a14, a14, 39) ROTATE(a21, a21, 2) COPY(S6, a5) COPY(S1, a4)     \
    XOR_CHI(a4, a5, a11) XOR_CHI(a5, a11, a17) XOR_CHI(a11, a17, a23)      \
    ROTATE(a15, a15, 41) XOR_CHI(a17, a23, S1) XOR_CHI(a23, S1, S6)        \
    COPY(S6, a8) COPY(S1, a2) XOR_CHI(a2, a8, a14)                         \
    XOR_CONSTANT(a0, number) XOR_CHI(a8, a14, a15) XOR_CHI(a14, a15, a21)  \
    XOR_CHI(a15, a21, S1) XOR_CHI(a21, S1, S6)

#define KECCAK_ALL_ROUNDS                                                  \
    ROUND(0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,                     \
          13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24)                  \
    ROUND(1, 0, 6, 12, 18, 24, 3, 9, 10, 16, 22, 1, 7, 13,                 \
          19, 20, 4, 5, 11, 17, 23, 2, 8, 14, 15, 21)                      \
    ROUND(2, 0, 9, 13, 17, 21, 18, 22, 1, 5, 14, 6, 10, 19,                \
          23, 2, 24, 3, 7, 11, 15, 12, 16, 20, 4, 8)                       \
    ROUND(3, 0, 22, 19, 11, 8, 17, 14, 6, 3, 20, 9, 1, 23,                 \
          15, 12, 21, 18, 10, 7, 4, 13, 5, 2, 24, 16)                      \
    ROUND(4, 0, 14, 23, 7, 16, 11, 20, 9, 18, 2, 22, 6, 15,                \
          4, 13, 8, 17, 1, 10, 24, 19, 3, 12, 21, 5)                       \
    ROUND(5, 0, 20, 15, 10, 5, 7, 2, 22, 17, 12, 14, 9, 4,                 \
          24, 19, 16, 11, 6, 1, 21, 23, 18, 13, 8, 3)                      \
    ROUND(6, 0, 2, 4, 1, 3, 10, 12, 14, 11, 13, 20, 22, 24,                \
          21, 23, 5, 7, 9, 6, 8, 15, 17, 19, 16, 18)                       \
    ROUND(7, 0, 12, 24, 6, 18, 1, 13, 20, 7, 19, 2, 14, 21,                \
          8, 15, 3, 10, 22, 9, 16, 4, 11, 23, 5, 17)                       \
    ROUND(8, 0, 13, 21, 9, 17, 6, 19, 2, 10, 23, 12, 20, 8,                \
          16, 4, 18, 1, 14, 22, 5, 24, 7, 15, 3, 11)                       \
    ROUND(9, 0, 19, 8, 22, 11, 9, 23, 12, 1, 15, 13, 2, 16,                \
          5, 24, 17, 6, 20, 14, 3, 21, 10, 4, 18, 7)                       \
    ROUND(10, 0, 23, 16, 14, 7, 22, 15, 13, 6, 4, 19, 12, 5,               \
          3, 21, 11, 9, 2, 20, 18, 8, 1, 24, 17, 10)                       \
    ROUND(11, 0, 15, 5, 20, 10, 14, 4, 19, 9, 24, 23, 13, 3,               \
          18, 8, 7, 22, 12, 2, 17, 16, 6, 21, 11, 1)                       \
    ROUND(12, 0, 4, 3, 2, 1, 20, 24, 23, 22, 21, 15, 19, 18,               \
          17, 16, 10, 14, 13, 12, 11, 5, 9, 8, 7, 6)                       \
    ROUND(13, 0, 24, 18, 12, 6, 2, 21, 15, 14, 8, 4, 23, 17,               \
          11, 5, 1, 20, 19, 13, 7, 3, 22, 16, 10, 9)                       \
    ROUND(14, 0, 21, 17, 13, 9, 12, 8, 4, 20, 16, 24, 15, 11,              \
          7, 3, 6, 2, 23, 19, 10, 18, 14, 5, 1, 22)                        \
    ROUND(15, 0, 8, 11, 19, 22, 13, 16, 24, 2, 5, 21, 4, 7,                \
          10, 18, 9, 12, 15, 23, 1, 17, 20, 3, 6, 14)                      \
    ROUND(16, 0, 16, 7, 23, 14, 19, 5, 21, 12, 3, 8, 24, 10,               \
          1, 17, 22, 13, 4, 15, 6, 11, 2, 18, 9, 20)                       \
    ROUND(17, 0, 5, 10, 15, 20, 23, 3, 8, 13, 18, 16, 21, 1,               \
          6, 11, 14, 19, 24, 4, 9, 7, 12, 17, 22, 2)                       \
    ROUND(18, 0, 3, 1, 4, 2, 15, 18, 16, 19, 17, 5, 8, 6,                  \
          9, 7, 20, 23, 21, 24, 22, 10, 13, 11, 14, 12)                    \
    ROUND(19, 0, 18, 6, 24, 12, 4, 17, 5, 23, 11, 3, 16, 9,                \
          22, 10, 2, 15, 8, 21, 14, 1, 19, 7, 20, 13)                      \
    ROUND(20, 0, 17, 9, 21, 13, 24, 11, 3, 15, 7, 18, 5, 22,               \
          14, 1, 12, 4, 16, 8, 20, 6, 23, 10, 2, 19)                       \
    ROUND(21, 0, 11, 22, 8, 19, 21, 7, 18, 4, 10, 17, 3, 14,               \
          20, 6, 13, 24, 5, 16, 2, 9, 15, 1, 12, 23)                       \
    ROUND(22, 0, 7, 14, 16, 23, 8, 10, 17, 24, 1, 11, 18, 20,              \
          2, 9, 19, 21, 3, 5, 12, 22, 4, 6, 13, 15)                        \
    ROUND(23, 0, 10, 20, 5, 15, 16, 1, 11, 21, 6, 7, 17, 2,                \
          12, 22, 23, 8, 18, 3, 13, 14, 24, 9, 19, 4)

/* Lanes from memory to registers, and back. */
#define LOAD_LANE(lane) \
    "vmovdqu64 8*" KECCAK_STATES "*" #lane "(%[lanes]), " REGISTER(lane) "\n\t"
#define STORE_LANE(lane) \
    "vmovdqu64 " REGISTER(lane) ", 8*" KECCAK_STATES "*" #lane "(%[lanes])\n\t"
#define FIVE_LANES(DO, a, b, c, d, e) DO(a) DO(b) DO(c) DO(d) DO(e)
#define ALL_LANES(DO)                                                      \
    FIVE_LANES(DO, 0, 1, 2, 3, 4) FIVE_LANES(DO, 5, 6, 7, 8, 9)            \
    FIVE_LANES(DO, 10, 11, 12, 13, 14) FIVE_LANES(DO, 15, 16, 17, 18, 19)  \
    FIVE_LANES(DO, 20, 21, 22, 23, 24)

#define KECCAK_ALL_REGISTERS                                               \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
    "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", \
    "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", \
    "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31"

/* Add a lane of a block to that of the state. */
#define ADD_LANE(lane) \
    "vpxorq 8*" KECCAK_STATES "*" #lane "(%[block]), " REGISTER(lane) ", " \
    REGISTER(lane) "\n\t"
#define ADD_BLOCK                                                          \
    FIVE_LANES(ADD_LANE, 0, 1, 2, 3, 4) FIVE_LANES(ADD_LANE, 5, 6, 7, 8, 9) \
    FIVE_LANES(ADD_LANE, 10, 11, 12, 13, 14) ADD_LANE(15) ADD_LANE(16)

/*
 * Absorb a block, of which *added* is the array of 17 lanes, in the state *a*.  Both are
 * arrays by name, whose sizes the operands in memory have.
 */
#define KECCAK_ABSORB_IN_REGISTERS(a, added)                               \
    __asm__(                                                               \
        ALL_LANES(LOAD_LANE) ADD_BLOCK KECCAK_ALL_ROUNDS ALL_LANES(STORE_LANE) \
        : "+m"(a)                                                          \
        : [lanes] "r"(a), [block] "r"(added),                              \
          [constants] "r"(keccak_round_constants),                         \
          "m"(added), "m"(keccak_round_constants)                          \
        : KECCAK_ALL_REGISTERS                                             \
    )

#endif
