/* The sponge around a kernel: running hashes and whole messages. */
#include "keccak.h"

#include <string.h>

#include "keccak_lane.h"
#include "keccak_streams.h"

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

/* Fill the block that has begun, if any has, as far as *piece* goes. */
static void fill_block(keccak_piece *piece)
{
    keccak_state *state = piece->state;
    const size_t space = state->rate - state->filled;
    const size_t taken = piece->size < space ? piece->size : space;
    if (state->filled == 0 || taken == 0)
        return; /* data may be NULL */
    memcpy(state->buffer + state->filled, piece->data, taken);
    state->filled += taken;
    piece->data += taken;
    piece->size -= taken;
    if (state->filled == state->rate) {
        state->kernel->absorb(state->lanes, state->buffer, 1, state->rate);
        state->filled = 0;
    }
}

/* The whole blocks of what is left of *piece*. */
static keccak_stream whole_blocks(const keccak_piece *piece)
{
    const size_t rate = piece->state->rate;
    const keccak_stream stream = {
        piece->state->lanes, piece->data, piece->size / rate, rate,
    };
    return stream;
}

/* Begin a block with what is behind the whole ones. */
static void keep_rest(const keccak_piece *piece)
{
    keccak_state *state = piece->state;
    const size_t rest = piece->size % state->rate;
    if (rest == 0)
        return;
    memcpy(state->buffer, piece->data + piece->size - rest, rest);
    state->filled = rest;
}

void keccak_update(keccak_state *state, const uint8_t *data, size_t size)
{
    keccak_piece piece = {state, data, size};
    fill_block(&piece);
    const keccak_stream whole = whole_blocks(&piece);
    if (whole.blocks > 0)
        state->kernel->absorb(whole.state, whole.data, whole.blocks, whole.rate);
    keep_rest(&piece);
}

/* How many pieces are looked at together: as many as have room on the stack. */
#define PIECES 64u

void keccak_update_many(keccak_piece *pieces, size_t count)
{
    keccak_stream streams[PIECES];
    while (count > 0) {
        const size_t taken = count < PIECES ? count : PIECES;
        for (size_t index = 0; index < taken; index++) {
            fill_block(&pieces[index]);
            streams[index] = whole_blocks(&pieces[index]);
        }
        keccak_absorb_streams(pieces->state->kernel, streams, taken);
        for (size_t index = 0; index < taken; index++)
            keep_rest(&pieces[index]);
        pieces += taken;
        count -= taken;
    }
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
