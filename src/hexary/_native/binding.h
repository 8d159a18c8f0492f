/*
 * What the files of the accelerator's binding share.
 *
 * The binding checks arguments, holds buffers, releases the GIL and raises errors; what is
 * computed is computed by csrc/, which knows nothing of Python.  Only the limited API of
 * Python 3.11 is used, so that one build serves all later versions: setup.py defines
 * Py_LIMITED_API as the version whose headers it builds with.  A free-threaded Python has
 * no limited API, so that a build for it serves its own version alone.
 */
#ifndef HEXARY_BINDING_H
#define HEXARY_BINDING_H

#if !defined(Py_LIMITED_API) && !defined(Py_GIL_DISABLED)
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "keccak.h"
#include "keccak_batch.h"
#include "mpt_root.h"

/*
 * What the accelerator and the Python code expect of each other, as a number.  Both sides
 * have it, here and in _backends/native.py, and a build of another number is not used.
 * Whoever changes what passes between the two (a helper, a twin, their arguments or what
 * they return, a method of a core) raises it on both.
 */
#define INTERFACE 3

/* From this size on the GIL is released: releasing it costs as much as hashing 20 bytes. */
#define LARGE_INPUT 4096

/*
 * Functions and classes of the pure code that the accelerator needs: mostly to raise the
 * same errors.  The layer that owns one hands it over by `adopt`.
 */
enum helper {
    HELPER_TO_BUFFER,
    HELPER_TO_ITEMS,
    HELPER_PACKED,
    HELPER_FAULT,
    HELPER_PLAIN_FORM,
    HELPER_RAW,
    HELPER_PLAIN_BYTES,
    HELPER_PAIRS_OF,
    HELPER_VALUES_OF,
    HELPER_HASH,
    HELPER_ACCOUNT_TYPE,
    HELPER_ADDRESS_TYPE,
    HELPER_STORAGE_TYPE,
    HELPER_NUMBER_TYPE,
    HELPER_BYTES_TYPE,
    HELPER_HASH_NODE,
    HELPER_DECODE_NODE,
    HELPER_MISSING_NODE,
    HELPER_REFUSE_CHILD,
    HELPER_KEY_AT,
    HELPER_RETRY,
    HELPER_READ_ITEM,
    HELPER_READ_RAW,
    HELPER_ENCODE,
    HELPER_PURE_CODER,
    HELPER_JSON_LAYOUT,
    HELPER_COUNT
};

/* Functions of the pure code that have a twin here. */
enum twin {
    TWIN_DECODE,
    TWIN_DECODE_PREFIX,
    TWIN_DECODE_ITEM,
    TWIN_ENCODE,
    TWIN_ENCODED_SIZE,
    TWIN_TRIE_ROOT,
    TWIN_SECURE_TRIE_ROOT,
    TWIN_ORDERED_TRIE_ROOT,
    TWIN_PACKED_TRIE_ROOT,
    TWIN_SUBTREE_ITEM,
    TWIN_PARSE_BYTES,
    TWIN_PARSE_QUANTITY,
    TWIN_PLAIN_SLOTS,
    TWIN_SLOTS_ROOT,
    TWIN_PLAIN_ACCOUNT,
    TWIN_PLAIN_ACCOUNTS,
    TWIN_ACCOUNTS_ROOT,
    TWIN_HASH_CORES,
    TWIN_MAKE_JSON_READER,
    TWIN_REQUIRE_MEMBERS,
    TWIN_COUNT
};

typedef struct module_state {
    const keccak_kernel *kernel;
    PyTypeObject *running_type;
    PyTypeObject *core_type;
    PyTypeObject *items_type;
    PyTypeObject *coder_type;
    PyTypeObject *json_reader_type;
    PyTypeObject *waiting_type;
    PyObject *name_tobytes;
    keccak_tally tally; /* what was hashed inside larger operations */
    PyObject *helpers[HELPER_COUNT];
    PyObject *name_encoded;
    PyObject *to_bytes, *from_bytes, *word_size, *word_order; /* for large integers */
    PyObject *name_nonce, *name_balance, *name_code, *name_storage, *name_slots;
    PyObject *name_node;
    PyObject *name_encoding;
    PyObject *name_reference;
    PyObject *name_post_init, *name_rlp_list, *name_rlp_item;
    PyObject *nothing; /* the empty tuple */
    PyObject *name_type;
    mpt_builder *builder; /* kept between calls; NULL while it is in use */
    PyObject *pure[TWIN_COUNT]; /* the pure twins, which define what is right */
    struct {
        PyMethodDef method; /* with the pure twin's docstring */
        PyObject *doc;
    } twins[TWIN_COUNT];
} module_state;

static inline module_state *state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

extern struct PyModuleDef accelerator_module;

/* Raise an error that says that the module is being taken down. */
void raise_taken_down(void);

/* Call the pure twin with the same arguments. */
PyObject *call_pure(
    module_state *state, enum twin twin, PyObject *const *arguments, Py_ssize_t count,
    PyObject *names
);

/* Call *function*, NULL once the module is taken down, with the same arguments. */
PyObject *call_with(
    PyObject *function, PyObject *const *arguments, Py_ssize_t count, PyObject *names
);

/* array.c */
/* Return zeroes for *count* elements, which PyMem_Free frees; NULL with an error. */
void *array_new(size_t count, size_t width);

/* An array on the C stack that moves to the heap when it is full. */
#define GROW(array, first, capacity, top)                                  \
    ((top) < (capacity)                                                    \
     || ((array) = array_grow((array), (first), &(capacity), sizeof *(array)), \
         (top) < (capacity)))

/* Return *array*, moved to twice the room; with an error it stays, and so does *capacity. */
void *array_grow(void *array, const void *first, size_t *capacity, size_t width);

/* decoding.c and encoding.c */
typedef PyObject *fast_function(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
);
fast_function binding_decode, binding_decode_prefix, binding_decode_item;
fast_function binding_encode, binding_encoded_size;

/* roots.c and packed.c */
fast_function binding_trie_root, binding_secure_trie_root, binding_ordered_trie_root;
fast_function binding_packed_trie_root, binding_subtree_item;
fast_function binding_keccak256_packed;

/* text.c */
fast_function binding_parse_bytes, binding_parse_quantity;

/* accounts.c and account_roots.c */
fast_function binding_plain_slots, binding_plain_account, binding_plain_accounts;
fast_function binding_slots_root, binding_accounts_root;

/* core.c, core_items.c and core_nodes.c */
extern PyType_Spec core_spec, items_spec;
fast_function binding_hash_cores;

/* waiting_pairs.c */
extern PyType_Spec waiting_spec;

/* adoption.c */
PyObject *binding_adopt(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
);
PyObject *binding_helper_names(PyObject *module, PyObject *unused);

/* kernel.c */
PyObject *binding_kernels(PyObject *module, PyObject *unused);
PyObject *binding_kernel_in_use(PyObject *module, PyObject *unused);
PyObject *binding_use_kernel(PyObject *module, PyObject *name);
PyObject *binding_tally(PyObject *module, PyObject *unused);
/* coder.c */
extern PyType_Spec coder_spec;
/* record_json.c and json_member.c */
extern PyType_Spec json_reader_spec;
fast_function binding_make_json_reader, binding_require_members;

/* hashing.c */
PyObject *binding_keccak256(PyObject *module, PyObject *data);
PyObject *binding_keccak512(PyObject *module, PyObject *data);
PyObject *binding_keccak256_many(PyObject *module, PyObject *items);

/* running.c */
extern PyType_Spec running_spec;
PyObject *binding_start256(PyObject *module, PyObject *unused);
PyObject *binding_start512(PyObject *module, PyObject *unused);
PyObject *binding_update_many(PyObject *module, PyObject *const *arguments, Py_ssize_t given);

/* Bytes borrowed from an object, until `borrowed_release`. */
typedef struct borrowed {
    const uint8_t *data;
    size_t size;
    PyObject *owner;  /* a new reference that keeps the bytes, or NULL */
    Py_buffer buffer; /* held if buffer.obj is not NULL */
} borrowed;

/*
 * Borrow the bytes of *object* as the pure twin reads them: bytes and subclasses,
 * bytearray, a memoryview as its tobytes().  Anything else raises InputTypeError for
 * *argument* through the helper `to_buffer`.  An object of type bytes itself is not kept
 * alive: the caller has a reference.
 */
bool borrow(module_state *state, PyObject *object, const char *argument, borrowed *out);
void borrowed_release(borrowed *out);

#endif
