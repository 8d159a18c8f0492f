/* The root of arranged pairs, two or more, found in parts: what tests and a harness share. */
#ifndef HEXARY_PARTS_H
#define HEXARY_PARTS_H

#include <stdlib.h>
#include <string.h>

#include "../mpt_root.h"

static void root_in_parts(
    mpt_builder *builder, const keccak_kernel *kernel, const mpt_pair *pairs, size_t count,
    uint8_t root[KECCAK256_SIZE], keccak_tally *tally
)
{
    mpt_parts parts;
    mpt_item items[16];
    memset(items, 0, sizeof items);
    mpt_divide(pairs, count, &parts);
    for (unsigned nibble = 0; nibble < 16; nibble++) {
        const size_t start = parts.starts[nibble];
        const size_t size = parts.starts[nibble + 1] - start;
        if (size > 0
            && mpt_build(builder, kernel, pairs + start, size, parts.depth + 1,
                         &items[nibble], tally) != MPT_GOOD)
            abort();
    }
    if (mpt_join(kernel, &parts, items, root, tally) != MPT_GOOD)
        abort();
}

#endif
