/* The core of a mutable trie as a Python object, for the files that make it up. */
#ifndef HEXARY_CORE_H
#define HEXARY_CORE_H

#include "binding.h"
#include "mpt_trie.h"

/* What cores and their iterators begin with. */
typedef struct core_head {
    PyObject_HEAD
    PyObject *module; /* kept until the object is freed, whatever becomes of its type */
} core_head;

typedef struct core {
    core_head head;
    mpt_node *root;
    PyObject *source; /* what has the nodes behind hashes, NULL if nothing has */
    bool may_hide;    /* whether there may be hidden nodes */
} core;

static inline core *as_core(PyObject *object)
{
    return (core *)object;
}

/* The state of the module that a core, or its iterator, is of. */
static inline module_state *core_state(PyObject *object)
{
    return state_of(((core_head *)object)->module);
}

/* core.c */
void *core_allocate(PyTypeObject *type, PyObject *module);
void core_deallocate(PyObject *object);
bool core_bytes(PyObject *object, const uint8_t **data, size_t *size);

/* Read a key as the path that it stands for. */
bool core_key(PyObject *object, mpt_path *path);

/* core_source.c */

/* Whether an object is a HashNode; -1 with an error. */
int core_is_hash_node(module_state *state, PyObject *object);

/* Raise what a failed operation raises, where that is all there is to say. */
void core_raise(mpt_status status);

/* Call a helper, which may not be there. */
PyObject *core_call_helper(module_state *state, enum helper helper, PyObject *arguments);

/* Ask *source*, or NULL, for the node with this hash at *path* (nibbles of a byte each). */
PyObject *core_ask(
    module_state *state, PyObject *source, PyObject *digest, PyObject *path
);

/* The same for its encoding, which is read into *node*. */
PyObject *core_fetch(
    module_state *state, PyObject *source, const uint8_t *digest, PyObject *path,
    mpt_node **node
);

/* Raise what is wrong with a node below an extension that is no branch. */
void core_refuse_child(module_state *state, const uint8_t *digest, PyObject *path);

/* Return the first *count* nibbles of a path, a byte each, and after them *more*. */
PyObject *core_path(mpt_path whole, size_t count, const uint8_t *more, size_t more_count);

/*
 * Return a view of the first *count* nibbles.  *nibbles* is NULL at first, and keeps all of
 * them for the next time: copying them at every node would be quadratic in their number.
 */
PyObject *core_view(PyObject **nibbles, mpt_path whole, size_t count);

/*
 * Open the hidden node that a way has come to, or its hidden sibling; its encoding goes to
 * *encoding*, unless that is NULL.
 */
bool core_open(
    module_state *state, PyObject *source, mpt_way *way, const uint8_t *hidden,
    PyObject *path, PyObject **encoding
);

/* Find a value, opening what is hidden; the caller holds the root. */
bool core_find(
    module_state *state, PyObject *source, mpt_way *way, const uint8_t **value,
    size_t *value_size
);

/* core_nodes.c */
PyObject *core_get_root(PyObject *object, void *unused);
PyObject *core_root_hash(PyObject *object, PyObject *unused);
PyObject *core_opened(PyObject *object, PyObject *const *arguments, Py_ssize_t count);
PyObject *core_node_at(PyObject *object, PyObject *path);
PyObject *core_proof(PyObject *object, PyObject *keys);
PyObject *core_new_nodes(PyObject *object, PyObject *unused);
PyObject *core_settle(PyObject *object, PyObject *unused);

/* core_update.c */
PyObject *core_update(PyObject *object, PyObject *pairs);

/* core_items.c */
PyObject *core_items(
    PyObject *object, PyObject *const *arguments, Py_ssize_t count, PyObject *names
);

#endif
