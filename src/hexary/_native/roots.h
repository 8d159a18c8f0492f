/* What the files about root hashes share, and what reads pairs for them. */
#ifndef HEXARY_ROOTS_H
#define HEXARY_ROOTS_H

#include "binding.h"

/* Pairs that were read from Python objects, with references to what keeps their bytes. */
typedef struct collection {
    mpt_pair *pairs;
    size_t count, capacity;
    PyObject **held; /* at most two for each pair */
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

/*
 * Take the builder that is kept between calls, or a new one while that is in use; NULL
 * without memory.
 */
mpt_builder *take_builder(module_state *state);

/* Give the builder back; false where memory was short, which is raised. */
bool finish_building(
    module_state *state, mpt_builder *builder, mpt_status status,
    const keccak_tally *tally
);

/* The same, and return the root as a Hash. */
PyObject *finish_root(
    module_state *state, mpt_builder *builder, mpt_status status,
    const uint8_t root[KECCAK256_SIZE], const keccak_tally *tally
);

/* Read `threads=`, the only keyword; anything odd is left to the pure twin. */
bool read_threads(PyObject *const *values, PyObject *names, unsigned *threads);

#endif
