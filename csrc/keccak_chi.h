/*
 * Chi, alike for every row: what keccak_round.h asks for as CHI_0 … CHI_4.
 *
 * The including file defines CHI_LANE(b, x): lane x of the result of chi on the row b.
 */
#ifndef HEXARY_KECCAK_CHI_H
#define HEXARY_KECCAK_CHI_H

#define CHI(e, b)                                                          \
    ((e)[0] = CHI_LANE(b, 0), (e)[1] = CHI_LANE(b, 1),                     \
     (e)[2] = CHI_LANE(b, 2), (e)[3] = CHI_LANE(b, 3),                     \
     (e)[4] = CHI_LANE(b, 4))
#define CHI_0 CHI
#define CHI_1 CHI
#define CHI_2 CHI
#define CHI_3 CHI
#define CHI_4 CHI

#endif
