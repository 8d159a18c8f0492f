/* What the files about root hashes share. */
#ifndef HEXARY_ROOTS_H
#define HEXARY_ROOTS_H

#include "binding.h"

/* Pairs that were read from Python objects, each held by a reference of its own. */
typedef struct collection {
    mpt_pair *pairs;
    size_t count, capacity;
    PyObject **held; /* what keeps the bytes: at most two for each pair */
    size_t held_count;
    size_t bytes;
    bool is_arranged; /* whether the pairs are known to be as mpt_arrange leaves them */
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

/* What is to be done to pairs before their root is found. */
typedef enum preparation { ARRANGE, HASH_AND_ARRANGE, NOTHING } preparation;

/* Find the root of *count* pairs of *bytes* bytes, and return it as a Hash. */
PyObject *root_of(
    module_state *state, mpt_pair *pairs, size_t count, size_t bytes,
    preparation to_do, unsigned threads
);

/* Read `threads=`, the only keyword; anything odd is left to the pure twin. */
bool read_threads(PyObject *const *values, PyObject *names, unsigned *threads);

#endif
