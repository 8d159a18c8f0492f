/* What the tests in C share: expectations that are counted, and numbers that look random. */
#ifndef HEXARY_EXPECT_H
#define HEXARY_EXPECT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifndef HEXARY_FUZZ_H /* which has one that stops the process */
static unsigned failures = 0;

static void expect(bool condition, const char *what)
{
    if (condition)
        return;
    failures++;
    fprintf(stderr, "wrong: %s\n", what);
}
#endif

static uint32_t seed = 11;

static inline uint32_t next_random(void)
{
    return (seed = seed * 1664525u + 1013904223u) >> 8;
}

#endif
