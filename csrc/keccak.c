/* The sponge around a kernel: running hashes and whole messages. */
#include "keccak.h"

#include <string.h>

static void start(
    keccak_state *state, const keccak_kernel *kernel, size_t rate, size_t digest_size
)
{
    state->kernel = kernel;
    memset(state->lanes, 0, sizeof state->lanes);
    state->filled = 0;
    state->rate = rate;
    state->digest_size = digest_size;
}

void keccak256_start(keccak_state *state, const keccak_kernel *kernel)
{
    start(state, kernel, KECCAK256_RATE, KECCAK256_SIZE);
}

void keccak512_start(keccak_state *state, const keccak_kernel *kernel)
{
    start(state, kernel, KECCAK512_RATE, KECCAK512_SIZE);
}

void keccak_update(keccak_state *state, const uint8_t *data, size_t size)
{
    const size_t rate = state->rate;
    if (size == 0)
        return; /* data may be NULL */
    if (state->filled > 0) {
        const size_t space = rate - state->filled;
        const size_t taken = size < space ? size : space;
        memcpy(state->buffer + state->filled, data, taken);
        state->filled += taken;
        data += taken;
        size -= taken;
        if (state->filled < rate)
            return;
        state->kernel->absorb(state->lanes, state->buffer, 1, rate);
        state->filled = 0;
    }
    if (size >= rate) {
        state->kernel->absorb(state->lanes, data, size / rate, rate);
        data += size / rate * rate;
        size %= rate;
    }
    if (size > 0)
        memcpy(state->buffer, data, size);
    state->filled = size;
}

/* Pad one block that begins with *size* bytes of a message, 0 <= size < rate. */
static void pad(uint8_t *block, size_t size, size_t rate)
{
    memset(block + size, 0, rate - size);
    block[size] = 0x01;
    block[rate - 1] |= 0x80;
}

static void store(const uint64_t *lanes, uint8_t *digest, size_t size)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t index = 0; index < size; index++)
        digest[index] = (uint8_t)(lanes[index / 8] >> 8 * (index % 8));
#else
    memcpy(digest, lanes, size);
#endif
}

void keccak_digest(const keccak_state *state, uint8_t *digest)
{
    uint64_t lanes[25];
    uint8_t block[KECCAK256_RATE];
    memcpy(lanes, state->lanes, sizeof lanes);
    memcpy(block, state->buffer, state->filled);
    pad(block, state->filled, state->rate);
    state->kernel->absorb(lanes, block, 1, state->rate);
    store(lanes, digest, state->digest_size);
}

static void hash(
    const keccak_kernel *kernel, const uint8_t *data, size_t size, size_t rate,
    uint8_t *digest, size_t digest_size
)
{
    uint64_t lanes[25] = {0};
    uint8_t block[KECCAK256_RATE];
    if (size >= rate) {
        kernel->absorb(lanes, data, size / rate, rate);
        data += size / rate * rate;
        size %= rate;
    }
    if (size > 0)
        memcpy(block, data, size);
    pad(block, size, rate);
    kernel->absorb(lanes, block, 1, rate);
    store(lanes, digest, digest_size);
}

void keccak256(const keccak_kernel *kernel, const uint8_t *data, size_t size, uint8_t *digest)
{
    hash(kernel, data, size, KECCAK256_RATE, digest, KECCAK256_SIZE);
}

void keccak512(const keccak_kernel *kernel, const uint8_t *data, size_t size, uint8_t *digest)
{
    hash(kernel, data, size, KECCAK512_RATE, digest, KECCAK512_SIZE);
}

void keccak256_pad(uint8_t *message, size_t size, size_t blocks)
{
    const size_t whole = (blocks - 1) * KECCAK256_RATE;
    pad(message + whole, size - whole, KECCAK256_RATE);
}
