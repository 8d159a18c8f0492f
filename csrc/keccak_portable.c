/*
 * The kernel for every processor.
 *
 * Chi needs the complement of a lane in each of 25 places, and processors without an
 * and-not instruction pay for every one.  With six lanes kept complemented all but
 * four of the complements vanish into the choice between AND and OR (Keccak
 * implementation overview, version 3.2, section 2.2).  The pattern of complemented
 * lanes is the same before and after a round.
 */
#include "keccak_kernels.h"

#include "keccak_absorb.h"

#define COMPLEMENT(a)                                                      \
    ((a)[1] = ~(a)[1], (a)[2] = ~(a)[2], (a)[8] = ~(a)[8],                 \
     (a)[12] = ~(a)[12], (a)[17] = ~(a)[17], (a)[20] = ~(a)[20])

#define CHI_0(e, b)                                                        \
    ((e)[0] = b[0] ^ (b[1] | b[2]), (e)[1] = b[1] ^ (~b[2] | b[3]),        \
     (e)[2] = b[2] ^ (b[3] & b[4]), (e)[3] = b[3] ^ (b[4] | b[0]),         \
     (e)[4] = b[4] ^ (b[0] & b[1]))

#define CHI_1(e, b)                                                        \
    ((e)[0] = b[0] ^ (b[1] | b[2]), (e)[1] = b[1] ^ (b[2] & b[3]),         \
     (e)[2] = b[2] ^ (b[3] | ~b[4]), (e)[3] = b[3] ^ (b[4] | b[0]),        \
     (e)[4] = b[4] ^ (b[0] & b[1]))

#define CHI_2(e, b)                                                        \
    ((e)[0] = b[0] ^ (b[1] | b[2]), (e)[1] = b[1] ^ (b[2] & b[3]),         \
     (e)[2] = b[2] ^ (~b[3] & b[4]), (e)[3] = ~b[3] ^ (b[4] | b[0]),       \
     (e)[4] = b[4] ^ (b[0] & b[1]))

#define CHI_3(e, b)                                                        \
    ((e)[0] = b[0] ^ (b[1] & b[2]), (e)[1] = b[1] ^ (b[2] | b[3]),         \
     (e)[2] = b[2] ^ (~b[3] | b[4]), (e)[3] = ~b[3] ^ (b[4] & b[0]),       \
     (e)[4] = b[4] ^ (b[0] | b[1]))

#define CHI_4(e, b)                                                        \
    ((e)[0] = b[0] ^ (~b[1] & b[2]), (e)[1] = ~b[1] ^ (b[2] | b[3]),       \
     (e)[2] = b[2] ^ (b[3] & b[4]), (e)[3] = b[3] ^ (b[4] | b[0]),         \
     (e)[4] = b[4] ^ (b[0] & b[1]))

void keccak_absorb_portable(uint64_t *state, const uint8_t *data, size_t blocks, size_t rate)
{
    KECCAK_ABSORB_BODY(state, data, blocks, rate);
}

void keccak256_short_portable(const uint8_t *data, size_t size, uint8_t *digest)
{
    uint64_t block[17];
    keccak_read_short(block, data, size);
    KECCAK_SHORT_BODY(block, digest);
}
