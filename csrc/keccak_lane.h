/* Lanes in memory. */
#ifndef HEXARY_KECCAK_LANE_H
#define HEXARY_KECCAK_LANE_H

#include <stdint.h>
#include <string.h>

/* Lanes are little-endian (section 1.2 of the reference). */
static inline uint64_t keccak_load_lane(const uint8_t *bytes)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    uint64_t lane = 0;
    for (unsigned index = 8; index-- > 0;)
        lane = lane << 8 | bytes[index];
    return lane;
#else
    uint64_t lane;
    memcpy(&lane, bytes, sizeof lane);
    return lane;
#endif
}

static inline void keccak_store_lane(uint8_t *bytes, uint64_t lane)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (unsigned index = 0; index < 8; index++)
        bytes[index] = (uint8_t)(lane >> 8 * index);
#else
    memcpy(bytes, &lane, sizeof lane);
#endif
}

#endif
