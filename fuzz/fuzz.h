/*
 * What the harnesses share.
 *
 * A harness is one file, fuzz_NAME.c, that defines `LLVMFuzzerTestOneInput`.  It reads
 * any bytes, calls the library, and checks what the library promises; `expect` stops the
 * process where that fails, and so do the sanitizers.  Seeds are in corpus/NAME.
 */
#ifndef HEXARY_FUZZ_H
#define HEXARY_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Not `assert`, which a build may leave out. */
static inline void expect(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "broken promise: %s\n", what);
    abort();
}

/* The bytes that are not read yet. */
typedef struct reader {
    const uint8_t *data;
    size_t left;
} reader;

static inline uint8_t read_byte(reader *self)
{
    if (self->left == 0)
        return 0;
    self->left--;
    return *self->data++;
}

/*
 * Read up to *size* bytes into memory of their own and of just their size, so that the
 * address sanitizer sees every access beyond them.
 */
static inline uint8_t *read_bytes(reader *self, size_t *size)
{
    if (*size > self->left)
        *size = self->left;
    uint8_t *bytes = malloc(*size > 0 ? *size : 1);
    if (bytes == NULL)
        abort();
    if (*size > 0)
        memcpy(bytes, self->data, *size);
    self->data += *size;
    self->left -= *size;
    return bytes;
}

#endif
