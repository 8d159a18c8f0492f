/* Absorbing in many states with the widest kernel that has work. */
#ifndef HEXARY_KECCAK_STREAMS_H
#define HEXARY_KECCAK_STREAMS_H

#include "keccak.h"

/*
 * Absorb *count* streams to their ends; none may have the state of another.  Those that
 * come later take the places of those that have ended, so that it is best to have the
 * longest first.
 */
void keccak_absorb_streams(
    const keccak_kernel *kernel, const keccak_stream *streams, size_t count
);

#endif
