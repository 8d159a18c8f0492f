/*
 * Storages and states: their roots, on every kernel, are those of lasting tries of the
 * hashed keys and of accounts that are encoded here by the rules alone.
 *
 * Input: for each account some bytes of its address, the byte that its code is made of and
 * how many, its nonce, its balance and its slots; numbers as a size and digits.
 */
#include "fuzz.h"

#include "mpt_state.h"
#include "mpt_trie.h"

#define MOST_ACCOUNTS 24u
#define MOST_SLOTS 96u
#define MOST_CODE 255u /* nearly two blocks */

static const keccak_kernel *portable;

/* Append a string of 55 bytes at most, by the rules. */
static size_t put_string(uint8_t *out, const uint8_t *bytes, size_t size)
{
    size_t header = 0;
    if (size != 1 || bytes[0] >= 0x80)
        out[header++] = (uint8_t)(0x80 + size);
    if (size > 0)
        memcpy(out + header, bytes, size);
    return header + size;
}

static void put(mpt_node **root, const uint8_t *key, size_t key_size, const uint8_t *value,
                size_t value_size)
{
    uint8_t digest[KECCAK256_SIZE];
    const mpt_path path = {digest, 0, 2 * KECCAK256_SIZE};
    bool added;
    keccak256(portable, key, key_size, digest);
    if (mpt_trie_set(root, path, value, value_size, NULL, &added) != MPT_GOOD)
        abort();
}

/* Find the root of a trie, which is freed. */
static void take_root(mpt_node *root, uint8_t digest[KECCAK256_SIZE])
{
    keccak_tally tally = {0, 0, 0};
    if (mpt_trie_hash(root, portable, digest, &tally) != MPT_GOOD)
        abort();
    mpt_node_release(root);
}

static void define_storage(const mpt_slot *slots, size_t count, uint8_t *digest)
{
    mpt_node *root = NULL;
    for (size_t index = 0; index < count; index++) {
        uint8_t value[1 + MPT_WORD];
        const mpt_number *number = &slots[index].value;
        put(&root, slots[index].key, MPT_WORD, value,
            put_string(value, number->digits, number->size));
    }
    take_root(root, digest);
}

static void define_state(const mpt_account *accounts, size_t count, const mpt_slot *slots,
                         uint8_t *digest)
{
    mpt_node *root = NULL;
    for (size_t index = 0; index < count; index++) {
        const mpt_account *account = &accounts[index];
        uint8_t payload[4 * 33], encoding[2 + sizeof payload];
        uint8_t storage[KECCAK256_SIZE], code_hash[KECCAK256_SIZE];
        define_storage(slots, account->slots, storage);
        keccak256(portable, account->code, account->code_size, code_hash);
        size_t size = put_string(payload, account->nonce.digits, account->nonce.size);
        size += put_string(
            payload + size, account->balance.digits, account->balance.size
        );
        size += put_string(payload + size, storage, sizeof storage);
        size += put_string(payload + size, code_hash, sizeof code_hash);
        encoding[0] = 0xf8; /* two hashes are more than 55 bytes */
        encoding[1] = (uint8_t)size;
        memcpy(encoding + 2, payload, size);
        put(&root, account->address, MPT_ADDRESS, encoding, 2 + size);
        slots += account->slots;
    }
    take_root(root, digest);
}

static void read_number(reader *input, mpt_number *number, size_t most)
{
    size_t size = read_byte(input) % (most + 1);
    uint8_t *bytes = read_bytes(input, &size);
    mpt_number_set(number, bytes, size);
    expect(number->size <= size, "the digits of a number");
    expect(number->size == 0 || number->digits[0] != 0, "no leading zero");
    free(bytes);
}

static void read_slot(reader *input, mpt_slot *slot)
{
    mpt_number key;
    read_number(input, &key, MPT_WORD);
    memset(slot->key, 0, MPT_WORD);
    memcpy(slot->key + MPT_WORD - key.size, key.digits, key.size);
    read_number(input, &slot->value, MPT_WORD);
    if (slot->value.size == 0) /* a slot of zero is none */
        mpt_number_set(&slot->value, (const uint8_t *)"\x01", 1);
}

static void check_root(mpt_builder *builder, const keccak_kernel *kernel,
                       const mpt_account *accounts, size_t count, const mpt_slot *slots,
                       const uint8_t *right, keccak_tally *tally)
{
    uint8_t root[KECCAK256_SIZE], storage[KECCAK256_SIZE];
    if (mpt_state_root(builder, kernel, accounts, count, slots, root, tally) != MPT_GOOD)
        abort();
    expect(memcmp(root, right, sizeof root) == 0, "the root of a state");
    if (count == 0)
        return;
    define_storage(slots, accounts->slots, storage);
    if (mpt_storage_root(builder, kernel, slots, accounts->slots, root, tally) != MPT_GOOD)
        abort();
    expect(memcmp(root, storage, sizeof root) == 0, "the root of a storage");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static mpt_account accounts[MOST_ACCOUNTS];
    static mpt_slot slots[MOST_SLOTS];
    static uint8_t codes[MOST_ACCOUNTS][MOST_CODE];
    reader input = {data, size};
    size_t count = 0, slot_count = 0;
    portable = keccak_kernel_named("portable");
    memset(accounts, 0, sizeof accounts);
    while (input.left > 0 && count < MOST_ACCOUNTS) {
        uint8_t *code = codes[count];
        mpt_account *account = &accounts[count++];
        account->address[0] = read_byte(&input);
        account->address[MPT_ADDRESS - 1] = read_byte(&input);
        memset(code, read_byte(&input), MOST_CODE);
        account->code = code;
        account->code_size = read_byte(&input);
        read_number(&input, &account->nonce, 8);
        read_number(&input, &account->balance, MPT_WORD);
        const size_t wanted = read_byte(&input) % 17u;
        while (account->slots < wanted && slot_count < MOST_SLOTS) {
            read_slot(&input, &slots[slot_count++]);
            account->slots++;
        }
    }
    uint8_t right[KECCAK256_SIZE];
    define_state(accounts, count, slots, right);
    mpt_builder *builder = mpt_builder_new();
    if (builder == NULL)
        abort();
    keccak_tally first = {0, 0, 0};
    for (size_t index = 0; keccak_kernel_at(index) != NULL; index++) {
        const keccak_kernel *kernel = keccak_kernel_at(index);
        if (!keccak_kernel_runs(kernel))
            continue;
        keccak_tally tally = {0, 0, 0};
        check_root(builder, kernel, accounts, count, slots, right, &tally);
        if (index == 0)
            first = tally;
        expect(memcmp(&tally, &first, sizeof tally) == 0, "the tally");
    }
    mpt_builder_free(builder);
    return 0;
}
