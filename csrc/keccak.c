/* The sponge around a kernel: running hashes and whole messages. */
#include "keccak.h"

#include <string.h>

#include "keccak_lane.h"

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

void keccak_digest(const keccak_state *state, uint8_t *digest)
{
    uint64_t lanes[25];
    uint8_t block[KECCAK256_RATE];
    memcpy(lanes, state->lanes, sizeof lanes);
    memcpy(block, state->buffer, state->filled);
    pad(block, state->filled, state->rate);
    state->kernel->absorb(lanes, block, 1, state->rate);
    for (size_t index = 0; index < state->digest_size; index += 8)
        keccak_store_lane(digest + index, lanes[index / 8]);
}

static void hash(keccak_state *state, const uint8_t *data, size_t size, uint8_t *digest)
{
    keccak_update(state, data, size);
    keccak_digest(state, digest);
}

void keccak256(const keccak_kernel *kernel, const uint8_t *data, size_t size, uint8_t *digest)
{
    if (size < KECCAK256_RATE) {
        kernel->short256(data, size, digest);
    } else {
        keccak_state state;
        keccak256_start(&state, kernel);
        hash(&state, data, size, digest);
    }
}

void keccak512(const keccak_kernel *kernel, const uint8_t *data, size_t size, uint8_t *digest)
{
    keccak_state state;
    keccak512_start(&state, kernel);
    hash(&state, data, size, digest);
}

void keccak256_pad(uint8_t *message, size_t size, size_t blocks)
{
    const size_t whole = (blocks - 1) * KECCAK256_RATE;
    pad(message + whole, size - whole, KECCAK256_RATE);
}
