#include "keccak_streams.h"

#include <string.h>

/* The streams that are absorbed now, *count* of them; the places behind are idle. */
typedef struct abreast {
    keccak_stream streams[KECCAK_WIDEST];
    unsigned count;
} abreast;

static unsigned widest(const keccak_kernel *kernel)
{
    if (kernel->absorb_eight != NULL)
        return 8;
    return kernel->absorb_four != NULL ? 4 : 1;
}

/* Absorb *blocks* blocks of each stream; two are faster side by side already. */
static void absorb(const keccak_kernel *kernel, abreast *now, size_t blocks)
{
    uint64_t idle[KECCAK_WIDEST][25];
    if (now->count == 1) {
        const keccak_stream *one = &now->streams[0];
        kernel->absorb(one->state, one->data, blocks, one->rate);
        return;
    }
    if (now->count == 2 && kernel->absorb_two != NULL) {
        kernel->absorb_two(now->streams, blocks);
        return;
    }
    keccak_absorb_wide *const wide = now->count > 4 ? kernel->absorb_eight
                                                    : kernel->absorb_four;
    for (unsigned index = now->count; index < KECCAK_WIDEST; index++) {
        memset(idle[index], 0, sizeof idle[index]);
        now->streams[index] = now->streams[0];
        now->streams[index].state = idle[index];
    }
    wide(now->streams, blocks);
}

static size_t fewest_blocks(const abreast *now)
{
    size_t blocks = now->streams[0].blocks;
    for (unsigned index = 1; index < now->count; index++)
        if (now->streams[index].blocks < blocks)
            blocks = now->streams[index].blocks;
    return blocks;
}

/* Go on by *blocks* blocks, and let go of the streams that have ended. */
static void advance(abreast *now, size_t blocks)
{
    unsigned kept = 0;
    for (unsigned index = 0; index < now->count; index++) {
        keccak_stream one = now->streams[index];
        one.data += blocks * one.rate;
        one.blocks -= blocks;
        if (one.blocks > 0)
            now->streams[kept++] = one;
    }
    now->count = kept;
}

void keccak_absorb_streams(
    const keccak_kernel *kernel, const keccak_stream *streams, size_t count
)
{
    const unsigned width = widest(kernel);
    size_t next = 0;
    abreast now;
    now.count = 0;
    for (;;) {
        for (; now.count < width && next < count; next++)
            if (streams[next].blocks > 0)
                now.streams[now.count++] = streams[next];
        if (now.count == 0)
            return;
        const size_t blocks = fewest_blocks(&now);
        absorb(kernel, &now, blocks);
        advance(&now, blocks);
    }
}
