/*
 * States and storages: published roots, and many accounts against their order.  Run under
 * the sanitizers; what a root has to be is tested from Python, against the pure code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../mpt_state.h"
#include "expect.h"

static bool is_hex(const uint8_t *bytes, size_t size, const char *digits)
{
    char text[2 * KECCAK256_SIZE + 1];
    for (size_t index = 0; index < size; index++)
        snprintf(text + 2 * index, 3, "%02x", bytes[index]);
    return strcmp(text, digits) == 0;
}

static void test_numbers(void)
{
    mpt_number number;
    const uint8_t zeros[MPT_WORD] = {0};
    uint8_t bytes[MPT_WORD] = {0};
    mpt_number_set(&number, zeros, MPT_WORD);
    expect(number.size == 0, "zero has no digits");
    mpt_number_set(&number, zeros, 0);
    expect(number.size == 0, "nor has nothing");
    bytes[MPT_WORD - 2] = 1;
    mpt_number_set(&number, bytes, MPT_WORD);
    expect(number.size == 2 && number.digits[0] == 1 && number.digits[1] == 0,
           "leading zeros are left out");
    memset(bytes, 0xff, sizeof bytes);
    mpt_number_set(&number, bytes, MPT_WORD);
    expect(number.size == MPT_WORD, "the largest number");
}

static void test_published(mpt_builder *builder)
{
    const keccak_kernel *kernel = keccak_kernel_best();
    keccak_tally tally = {0, 0, 0};
    uint8_t root[KECCAK256_SIZE];
    mpt_slot slot;
    memset(&slot, 0, sizeof slot);
    mpt_number_set(&slot.value, (const uint8_t *)"\x01", 1);
    expect(mpt_storage_root(builder, kernel, &slot, 1, root, &tally) == MPT_GOOD
               && is_hex(root, sizeof root,
                         "821e2556a290c86405f8160a2d662042"
                         "a431ba456b9db265c79bb837c04be5f0"),
           "the root of slot 0 with 1 in it");
    expect(mpt_storage_root(builder, kernel, NULL, 0, root, &tally) == MPT_GOOD
               && is_hex(root, sizeof root,
                         "56e81f171bcc55a6ff8345e692c0f86e"
                         "5b48e01b996cadc001622fb5e363b421"),
           "the root of no storage");
    expect(mpt_state_root(builder, kernel, NULL, 0, NULL, root, &tally) == MPT_GOOD
               && is_hex(root, sizeof root,
                         "56e81f171bcc55a6ff8345e692c0f86e"
                         "5b48e01b996cadc001622fb5e363b421"),
           "the root of no accounts");
    mpt_account account;
    memset(&account, 0, sizeof account);
    memcpy(account.address,
           "\xa9\x4f\x53\x74\xfc\xe5\xed\xbc\x8e\x2a"
           "\x86\x97\xc1\x53\x31\x67\x7e\x6e\xbf\x0b",
           MPT_ADDRESS);
    mpt_number_set(&account.balance, (const uint8_t *)"\x01", 1);
    expect(mpt_state_root(builder, kernel, &account, 1, NULL, root, &tally) == MPT_GOOD
               && is_hex(root, sizeof root,
                         "6c59244cf77d88aba5991e1ea64e6cc3"
                         "4682bc51c222c2e714e15f4ece0f56d2"),
           "the root of one account with 1 wei");
}

static uint8_t next_byte(void)
{
    return (uint8_t)(next_random() >> 16);
}

static void fill(uint8_t *bytes, size_t size)
{
    for (size_t index = 0; index < size; index++)
        bytes[index] = next_byte();
}

static void test_order(mpt_builder *builder, const keccak_kernel *kernel, size_t count)
{
    const size_t most_slots = 5 * count;
    mpt_account *accounts = calloc(count, sizeof *accounts);
    mpt_account *turned = calloc(count, sizeof *turned);
    mpt_slot *slots = calloc(most_slots, sizeof *slots);
    mpt_slot *turned_slots = calloc(most_slots, sizeof *turned_slots);
    keccak_tally tally = {0, 0, 0};
    uint8_t root[KECCAK256_SIZE], other[KECCAK256_SIZE], codes[3 + 256 * 6];
    fill(codes, sizeof codes);
    if (accounts == NULL || turned == NULL || slots == NULL || turned_slots == NULL)
        abort();
    size_t slot = 0;
    for (size_t index = 0; index < count; index++) {
        mpt_account *account = &accounts[index];
        uint8_t bytes[MPT_WORD];
        fill(account->address, sizeof account->address);
        account->code_size = next_byte() % 4u == 0 ? 1u + next_byte() * 6u : 0;
        account->code = codes + next_byte() % 3u;
        fill(bytes, sizeof bytes);
        mpt_number_set(&account->nonce, bytes, next_byte() % 9u);
        mpt_number_set(&account->balance, bytes, next_byte() % 33u);
        account->slots = next_byte() % 6u;
        for (size_t left = account->slots; left > 0; left--, slot++) {
            fill(slots[slot].key, sizeof slots[slot].key);
            fill(bytes, sizeof bytes);
            bytes[0] |= 1;
            mpt_number_set(&slots[slot].value, bytes, 1u + next_byte() % MPT_WORD);
        }
    }
    size_t turned_slot = 0, end = slot;
    for (size_t index = 0; index < count; index++) {
        turned[index] = accounts[count - 1 - index];
        end -= turned[index].slots;
        for (size_t inner = 0; inner < turned[index].slots; inner++)
            turned_slots[turned_slot++] = slots[end + turned[index].slots - 1 - inner];
    }
    expect(mpt_state_root(builder, kernel, accounts, count, slots, root, &tally) == MPT_GOOD
               && mpt_state_root(builder, kernel, turned, count, turned_slots, other, &tally)
                      == MPT_GOOD
               && memcmp(root, other, sizeof root) == 0,
           "the order of accounts and slots does not count");
    free(accounts);
    free(turned);
    free(slots);
    free(turned_slots);
}

int main(void)
{
    mpt_builder *builder = mpt_builder_new();
    if (builder == NULL)
        abort();
    test_numbers();
    test_published(builder);
    for (size_t index = 0; keccak_kernel_at(index) != NULL; index++) {
        const keccak_kernel *kernel = keccak_kernel_at(index);
        if (!keccak_kernel_runs(kernel))
            continue;
        for (size_t count = 1; count < 40; count++)
            test_order(builder, kernel, count);
        test_order(builder, kernel, 3000);
    }
    mpt_builder_free(builder);
    if (failures == 0)
        printf("state: fine\n");
    return failures == 0 ? 0 : 1;
}
