#include "mpt_state.h"

#include <stddef.h>
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
    memset(self, 0, sizeof *self);
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

/* ---- codes ---- */

static const uint8_t hash_of_no_code[KECCAK256_SIZE] = {
    0xc5, 0xd2, 0x46, 0x01, 0x86, 0xf7, 0x23, 0x3c, 0x92, 0x7e, 0x7d,
    0xb2, 0xdc, 0xc7, 0x03, 0xc0, 0xe5, 0x00, 0xb6, 0x53, 0xca, 0x82,
    0x27, 0x3b, 0x7b, 0xfa, 0xd8, 0x04, 0x5d, 0x85, 0xa4, 0x70,
};

/* An account's code, and where its hash goes. */
typedef struct coded {
    const uint8_t *code;
    size_t size;
    uint8_t *hash;
    bool is_known; /* whether the one before it has the same code */
} coded;

static int compare_codes(const coded *one, const coded *other)
{
    if (one->size != other->size)
        return one->size < other->size ? -1 : 1;
    return one->code == other->code ? 0 : memcmp(one->code, other->code, one->size);
}

/*
 * Sort codes by merging, as some libraries' qsort takes the square of *count* steps for an
 * order that is made for it.  *scratch* has room for as many.
 */
static void sort_codes(coded *codes, coded *scratch, size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t base = 0; base < count; base += 2 * width) {
            const size_t middle = count - base < width ? count : base + width;
            const size_t end = count - base < 2 * width ? count : base + 2 * width;
            size_t low = base, high = middle;
            for (size_t to = base; to < end; to++) {
                const bool is_low =
                    high == end
                    || (low < middle && compare_codes(&codes[low], &codes[high]) <= 0);
                scratch[to] = is_low ? codes[low++] : codes[high++];
            }
        }
        memcpy(codes, scratch, count * sizeof *codes);
    }
}

/* Hash *count* codes, each of them once. */
static void hash_coded(keccak_batch *batch, coded *codes, coded *scratch, size_t count)
{
    sort_codes(codes, scratch, count);
    for (size_t index = 0; index < count; index++) {
        coded *one = &codes[index];
        one->is_known = index > 0 && compare_codes(one - 1, one) == 0;
        if (!one->is_known)
            keccak_batch_add(batch, one->code, one->size, one->hash);
    }
    keccak_batch_flush(batch);
    for (size_t index = 1; index < count; index++)
        if (codes[index].is_known)
            memcpy(codes[index].hash, codes[index - 1].hash, KECCAK256_SIZE);
}

/* Find the hashes of the codes of accounts. */
static mpt_status add_codes(
    keccak_batch *batch, const mpt_account *accounts, size_t count, uint8_t *hashes
)
{
    size_t found = 0;
    for (size_t index = 0; index < count; index++)
        found += accounts[index].code_size > 0;
    coded *codes = calloc(found + 1, 2 * sizeof *codes);
    if (codes == NULL)
        return MPT_NO_MEMORY;
    coded *scratch = codes + found;
    found = 0;
    for (size_t index = 0; index < count; index++, hashes += KECCAK256_SIZE) {
        if (accounts[index].code_size == 0) {
            memcpy(hashes, hash_of_no_code, KECCAK256_SIZE);
        } else {
            codes[found].code = accounts[index].code;
            codes[found].size = accounts[index].code_size;
            codes[found++].hash = hashes;
        }
    }
    hash_coded(batch, codes, scratch, found);
    free(codes);
    return MPT_GOOD;
}

/* ---- states ---- */

/* What is known of many accounts before their own trie is built. */
typedef struct accounts_work {
    entries storage, state;
    mpt_wanted *wanted;   /* the storages that are not empty */
    uint8_t *roots;       /* of the storages, by account */
    uint8_t *code_hashes; /* by account */
    keccak_batch batch;
} accounts_work;

static void work_free(accounts_work *self)
{
    entries_free(&self->storage);
    entries_free(&self->state);
    free(self->wanted);
    free(self->roots);
    free(self->code_hashes);
    free(self);
}

static accounts_work *work_new(
    const keccak_kernel *kernel, size_t account_count, size_t slot_count
)
{
    accounts_work *self = malloc(sizeof *self);
    if (self == NULL)
        return NULL;
    memset(self, 0, offsetof(accounts_work, batch));
    keccak_batch_start(&self->batch, kernel);
    if (entries_make(&self->storage, slot_count + 1, MOST_NUMBER) == MPT_GOOD
        && entries_make(&self->state, account_count, MOST_ACCOUNT) == MPT_GOOD) {
        self->wanted = calloc(account_count, sizeof *self->wanted);
        self->roots = calloc(account_count, KECCAK256_SIZE);
        self->code_hashes = calloc(account_count, KECCAK256_SIZE);
        if (self->wanted != NULL && self->roots != NULL && self->code_hashes != NULL)
            return self;
    }
    work_free(self);
    return NULL;
}

/* Find the roots of all storages together. */
static mpt_status add_storages(
    accounts_work *self, mpt_builder *builder, const mpt_account *accounts, size_t count,
    keccak_tally *tally
)
{
    mpt_pair *pairs = self->storage.pairs;
    size_t wanted = 0;
    for (size_t index = 0; index < count; index++) {
        uint8_t *root = self->roots + index * KECCAK256_SIZE;
        size_t left = accounts[index].slots;
        const mpt_status status = mpt_arrange(pairs, &left);
        if (status != MPT_GOOD)
            return status;
        if (left > 0) {
            const mpt_wanted one = {pairs, left, root};
            self->wanted[wanted++] = one;
        } else {
            memcpy(root, mpt_empty_root, KECCAK256_SIZE);
        }
        pairs += accounts[index].slots;
    }
    return mpt_build_roots(builder, self->batch.kernel, self->wanted, wanted, tally);
}

static size_t write_account(
    uint8_t *out, const mpt_account *account, const uint8_t *storage_root,
    const uint8_t *code_hash
)
{
    uint8_t items[MOST_ACCOUNT];
    uint8_t *end = write_number(items, &account->nonce);
    end = write_number(end, &account->balance);
    end = write_hash(end, storage_root);
    end = write_hash(end, code_hash);
    const size_t size = (size_t)(end - items);
    uint8_t *start = rlp_write_header(out, RLP_LIST, size);
    memcpy(start, items, size);
    return (size_t)(start - out) + size;
}

/* Hash the addresses, and encode the accounts. */
static void add_accounts(accounts_work *self, const mpt_account *accounts, size_t count)
{
    for (size_t index = 0; index < count; index++) {
        const mpt_account *account = &accounts[index];
        const size_t at = index * KECCAK256_SIZE;
        mpt_pair *pair = &self->state.pairs[index];
        uint8_t *digest = self->state.keys + at;
        uint8_t *value = self->state.values + index * MOST_ACCOUNT;
        keccak_batch_add(&self->batch, account->address, MPT_ADDRESS, digest);
        pair->key = digest;
        pair->key_size = KECCAK256_SIZE;
        pair->value = value;
        pair->value_size =
            write_account(value, account, self->roots + at, self->code_hashes + at);
    }
    keccak_batch_flush(&self->batch);
}

mpt_status mpt_state_root(
    mpt_builder *builder, const keccak_kernel *kernel, const mpt_account *accounts,
    size_t count, const mpt_slot *slots, uint8_t root[KECCAK256_SIZE], keccak_tally *tally
)
{
    size_t slot_count = 0;
    for (size_t index = 0; index < count; index++)
        slot_count += accounts[index].slots;
    if (count == 0)
        return mpt_root(builder, kernel, NULL, 0, root, tally);
    accounts_work *work = work_new(kernel, count, slot_count);
    if (work == NULL)
        return MPT_NO_MEMORY;
    add_slots(&work->storage, &work->batch, slots, slot_count);
    mpt_status status = add_storages(work, builder, accounts, count, tally);
    if (status == MPT_GOOD)
        status = add_codes(&work->batch, accounts, count, work->code_hashes);
    if (status == MPT_GOOD) {
        add_accounts(work, accounts, count);
        keccak_tally_add(tally, &work->batch.tally);
        status = root_of_pairs(builder, kernel, work->state.pairs, count, root, tally);
    }
    work_free(work);
    return status;
}
