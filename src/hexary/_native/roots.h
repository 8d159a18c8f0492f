/* What the files about root hashes share. */
#ifndef HEXARY_ROOTS_H
#define HEXARY_ROOTS_H

#include "binding.h"

/* Pairs that were read from Python objects, each held by a reference of its own. */
typedef struct collection {
    mpt_pair *pairs;
    size_t count, capacity;
    PyObject **held; /* two for each pair; NULL where there is nothing to hold */
    size_t bytes;
} collection;

void collection_free(collection *self);

/* Add a pair; *key* is NULL where the caller fills it in. */
bool collection_add(
    module_state *state, collection *self, PyObject *key, PyObject *value,
    const char *value_argument
);

/* Whether reading has gone well, has met something for the pure twin, or failed. */
typedef enum reading { READ, LEFT_TO_PURE, READ_FAILED } reading;

/* Read a mapping, or an iterable of pairs. */
reading collection_read(module_state *state, collection *self, PyObject *pairs);

/* Find the root of *count* pairs of *bytes* bytes, and return it as a Hash. */
PyObject *root_of(
    module_state *state, mpt_pair *pairs, size_t count, size_t bytes, bool hash_keys,
    unsigned threads
);

/* Read `threads=`, the only keyword; anything odd is left to the pure twin. */
bool read_threads(PyObject *const *values, PyObject *names, unsigned *threads);

#endif
