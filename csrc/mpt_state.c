#include "mpt_state.h"

#include <stdlib.h>
#include <string.h>

#include "rlp.h"

/* A number as an RLP string, and two numbers and two hashes as a list. */
#define MOST_NUMBER (1u + MPT_WORD)
#define MOST_ACCOUNT (2u + 2u * MOST_NUMBER + 2u * MPT_MOST_ITEM)

/* Pairs whose keys are hashed and whose values are encoded, *width* bytes for each. */
typedef struct entries {
    mpt_pair *pairs;
    uint8_t *keys;
    uint8_t *values;
} entries;

void mpt_number_set(mpt_number *number, const uint8_t *bytes, size_t size)
{
    while (size > 0 && *bytes == 0) {
        bytes++;
        size--;
    }
    number->size = (uint8_t)size;
    memcpy(number->digits, bytes, size);
}

static uint8_t *write_number(uint8_t *out, const mpt_number *number)
{
    return rlp_write_string(out, number->digits, number->size);
}

static uint8_t *write_hash(uint8_t *out, const uint8_t *hash)
{
    *out++ = MPT_HASH_PREFIX;
    memcpy(out, hash, KECCAK256_SIZE);
    return out + KECCAK256_SIZE;
}

static void entries_free(entries *self)
{
    free(self->pairs);
    free(self->keys);
    free(self->values);
}

static mpt_status entries_make(entries *self, size_t count, size_t width)
{
    memset(self, 0, sizeof *self);
    if (count > SIZE_MAX / sizeof *self->pairs || count > SIZE_MAX / KECCAK256_SIZE
        || count > SIZE_MAX / width)
        return MPT_NO_MEMORY;
    self->pairs = malloc(count * sizeof *self->pairs);
    self->keys = malloc(count * KECCAK256_SIZE);
    self->values = malloc(count * width);
    if (self->pairs != NULL && self->keys != NULL && self->values != NULL)
        return MPT_GOOD;
    entries_free(self);
    return MPT_NO_MEMORY;
}

/* Hash all keys of slots, of whatever accounts, and encode the values. */
static void add_slots(
    entries *self, keccak_batch *batch, const mpt_slot *slots, size_t count
)
{
    for (size_t index = 0; index < count; index++) {
        mpt_pair *pair = &self->pairs[index];
        uint8_t *digest = self->keys + index * KECCAK256_SIZE;
        uint8_t *value = self->values + index * MOST_NUMBER;
        keccak_batch_add(batch, slots[index].key, MPT_WORD, digest);
        pair->key = digest;
        pair->key_size = KECCAK256_SIZE;
        pair->value = value;
        pair->value_size = (size_t)(write_number(value, &slots[index].value) - value);
    }
    keccak_batch_flush(batch);
}

static mpt_status root_of_pairs(
    mpt_builder *builder, const keccak_kernel *kernel, mpt_pair *pairs, size_t count,
    uint8_t root[KECCAK256_SIZE], keccak_tally *tally
)
{
    const mpt_status status = mpt_arrange(pairs, &count);
    if (status != MPT_GOOD)
        return status;
    return mpt_root(builder, kernel, pairs, count, root, tally);
}

mpt_status mpt_storage_root(
    mpt_builder *builder, const keccak_kernel *kernel, const mpt_slot *slots, size_t count,
    uint8_t root[KECCAK256_SIZE], keccak_tally *tally
)
{
    entries storage;
    if (count == 0)
        return mpt_root(builder, kernel, NULL, 0, root, tally);
    keccak_batch *batch = malloc(sizeof *batch);
    if (batch == NULL)
        return MPT_NO_MEMORY;
    mpt_status status = entries_make(&storage, count, MOST_NUMBER);
    if (status == MPT_GOOD) {
        keccak_batch_start(batch, kernel);
        add_slots(&storage, batch, slots, count);
        keccak_tally_add(tally, &batch->tally);
        status = root_of_pairs(builder, kernel, storage.pairs, count, root, tally);
        entries_free(&storage);
    }
    free(batch);
    return status;
}

static size_t write_account(
    uint8_t *out, const mpt_account *account, const uint8_t *storage_root
)
{
    uint8_t items[MOST_ACCOUNT];
    uint8_t *end = write_number(items, &account->nonce);
    end = write_number(end, &account->balance);
    end = write_hash(end, storage_root);
    end = write_hash(end, account->code_hash);
    const size_t size = (size_t)(end - items);
    uint8_t *start = rlp_write_header(out, RLP_LIST, size);
    memcpy(start, items, size);
    return (size_t)(start - out) + size;
}

/* Encode the accounts over the roots of their storages, which *storage* has. */
static mpt_status add_accounts(
    entries *self, entries *storage, keccak_batch *batch, mpt_builder *builder,
    const mpt_account *accounts, size_t count, keccak_tally *tally
)
{
    uint8_t empty_root[KECCAK256_SIZE], root[KECCAK256_SIZE] = {0};
    size_t slot = 0;
    mpt_status status = mpt_root(builder, batch->kernel, NULL, 0, empty_root, tally);
    for (size_t index = 0; status == MPT_GOOD && index < count; index++) {
        const mpt_account *account = &accounts[index];
        mpt_pair *pair = &self->pairs[index];
        uint8_t *digest = self->keys + index * KECCAK256_SIZE;
        uint8_t *value = self->values + index * MOST_ACCOUNT;
        keccak_batch_add(batch, account->address, MPT_ADDRESS, digest);
        if (account->slots > 0)
            status = root_of_pairs(
                builder, batch->kernel, storage->pairs + slot, account->slots, root, tally
            );
        slot += account->slots;
        pair->key = digest;
        pair->key_size = KECCAK256_SIZE;
        pair->value = value;
        pair->value_size =
            write_account(value, account, account->slots > 0 ? root : empty_root);
    }
    keccak_batch_flush(batch);
    return status;
}

mpt_status mpt_state_root(
    mpt_builder *builder, const keccak_kernel *kernel, const mpt_account *accounts,
    size_t count, const mpt_slot *slots, uint8_t root[KECCAK256_SIZE], keccak_tally *tally
)
{
    entries storage, state;
    size_t slot_count = 0;
    for (size_t index = 0; index < count; index++)
        slot_count += accounts[index].slots;
    if (count == 0)
        return mpt_root(builder, kernel, NULL, 0, root, tally);
    keccak_batch *batch = malloc(sizeof *batch);
    if (batch == NULL)
        return MPT_NO_MEMORY;
    keccak_batch_start(batch, kernel);
    mpt_status status = entries_make(&storage, slot_count + 1, MOST_NUMBER);
    if (status == MPT_GOOD) {
        status = entries_make(&state, count, MOST_ACCOUNT);
        if (status == MPT_GOOD) {
            add_slots(&storage, batch, slots, slot_count);
            status = add_accounts(
                &state, &storage, batch, builder, accounts, count, tally
            );
            keccak_tally_add(tally, &batch->tally);
            if (status == MPT_GOOD)
                status = root_of_pairs(builder, kernel, state.pairs, count, root, tally);
            entries_free(&state);
        }
        entries_free(&storage);
    }
    free(batch);
    return status;
}
