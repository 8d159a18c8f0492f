/*
 * What the tries of the state hold (Yellow Paper, section 4.1): slots of storage, and
 * accounts, whose storage is there as the root of its own trie.
 */
#ifndef HEXARY_MPT_STATE_H
#define HEXARY_MPT_STATE_H

#include "mpt_root.h"

#define MPT_WORD 32u
#define MPT_ADDRESS 20u

/* A number of up to 256 bits, big-endian, without leading zeros. */
typedef struct mpt_number {
    uint8_t size;
    uint8_t digits[MPT_WORD];
} mpt_number;

/* Take a number from *size* bytes, MPT_WORD at most, that may begin with zeros. */
void mpt_number_set(mpt_number *number, const uint8_t *bytes, size_t size);

/* A slot and what it holds, which is not zero. */
typedef struct mpt_slot {
    uint8_t key[MPT_WORD];
    mpt_number value;
} mpt_slot;

typedef struct mpt_account {
    uint8_t address[MPT_ADDRESS];
    const uint8_t *code;
    size_t code_size;
    mpt_number nonce;
    mpt_number balance;
    size_t slots; /* how many belong to it */
} mpt_account;

/* Find the root of a storage. */
mpt_status mpt_storage_root(
    mpt_builder *builder, const keccak_kernel *kernel, const mpt_slot *slots, size_t count,
    uint8_t root[KECCAK256_SIZE], keccak_tally *tally
);

/*
 * Find the root of a state of *count* accounts; *slots* has the slots of the first, then
 * those of the second, and so on.  Of accounts with one address the last counts.
 *
 * A code is hashed once, however many accounts have it, and that of no code is known.
 */
mpt_status mpt_state_root(
    mpt_builder *builder, const keccak_kernel *kernel, const mpt_account *accounts,
    size_t count, const mpt_slot *slots, uint8_t root[KECCAK256_SIZE], keccak_tally *tally
);

#endif
