/* The module `hexary._native.accelerator`. */
#include "binding.h"

#include <string.h>

#include "integer.h"

#ifndef HEXARY_VERSION
#define HEXARY_VERSION "unknown"
#endif

static const struct {
    const char *module;
    const char *name;
    const char *parameters;
    fast_function *function;
} twin_table[TWIN_COUNT] = {
    [TWIN_DECODE] = {"hexary.rlp.decoding", "decode",
                     "data, encoded=..., *, max_depth=1024, max_items=None",
                     binding_decode},
    [TWIN_DECODE_PREFIX] = {"hexary.rlp.decoding", "decode_prefix",
                            "data, encoded=..., *, max_depth=1024, max_items=None",
                            binding_decode_prefix},
    [TWIN_DECODE_ITEM] = {"hexary.rlp.decoding", "_decode_item",
                          "data, position, max_depth, max_items", binding_decode_item},
    [TWIN_ENCODE] = {"hexary.rlp.encoding", "encode", "obj", binding_encode},
    [TWIN_ENCODED_SIZE] = {"hexary.rlp.encoding", "encoded_size", "obj",
                           binding_encoded_size},
    [TWIN_TRIE_ROOT] = {"hexary.trie.root", "trie_root", "pairs, *, threads=1",
                        binding_trie_root},
    [TWIN_SECURE_TRIE_ROOT] = {"hexary.trie.root", "secure_trie_root",
                               "pairs, *, threads=1", binding_secure_trie_root},
    [TWIN_ORDERED_TRIE_ROOT] = {"hexary.trie.root", "ordered_trie_root",
                                "values, *, threads=1", binding_ordered_trie_root},
    [TWIN_PACKED_TRIE_ROOT] = {"hexary.trie.root", "packed_trie_root",
                               "keys, values, *, key_offsets, value_offsets, threads=1",
                               binding_packed_trie_root},
    [TWIN_SUBTREE_ITEM] = {"hexary.trie.root", "subtree_item", "pairs, depth",
                           binding_subtree_item},
    [TWIN_PARSE_BYTES] = {"hexary.typed.hexstr", "parse_bytes",
                          "text, *, odd='refuse', blanks=False", binding_parse_bytes},
    [TWIN_PARSE_QUANTITY] = {"hexary.typed.hexstr", "parse_quantity",
                             "text, *, signed=False, empty=False",
                             binding_parse_quantity},
    [TWIN_PLAIN_SLOTS] = {"hexary.state.storage", "plain_slots", "given",
                          binding_plain_slots},
    [TWIN_SLOTS_ROOT] = {"hexary.state.storage", "slots_root", "slots",
                         binding_slots_root},
    [TWIN_PLAIN_ACCOUNT] = {"hexary.state.account", "plain_account", "entry",
                            binding_plain_account},
    [TWIN_PLAIN_ACCOUNTS] = {"hexary.state.alloc", "plain_accounts", "entries",
                             binding_plain_accounts},
    [TWIN_ACCOUNTS_ROOT] = {"hexary.state.account", "accounts_root", "accounts",
                            binding_accounts_root},
    [TWIN_HASH_CORES] = {"hexary.trie.core", "hash_cores", "cores", binding_hash_cores},
    [TWIN_MAKE_JSON_READER] = {"hexary.rlp.record_source", "make_json_reader",
                               "codec, form", binding_make_json_reader},
    [TWIN_REQUIRE_MEMBERS] = {"hexary.chain.json_member", "require_members",
                              "value, members, *, path", binding_require_members},
};

void raise_taken_down(void)
{
    PyErr_SetString(PyExc_SystemError, "the accelerator was taken down already");
}

PyObject *call_pure(
    module_state *state, enum twin twin, PyObject *const *arguments, Py_ssize_t count,
    PyObject *names
)
{
    return call_with(state->pure[twin], arguments, count, names);
}

PyObject *call_with(
    PyObject *function, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    const Py_ssize_t named = names == NULL ? 0 : PyTuple_Size(names);
    if (function == NULL) {
        raise_taken_down();
        return NULL;
    }
    PyObject *positional = PyTuple_New(count);
    PyObject *keywords = PyDict_New();
    PyObject *result = NULL;
    bool good = positional != NULL && keywords != NULL;
    for (Py_ssize_t index = 0; good && index < count; index++) {
        Py_INCREF(arguments[index]);
        good = PyTuple_SetItem(positional, index, arguments[index]) == 0;
    }
    for (Py_ssize_t index = 0; good && index < named; index++)
        good = PyDict_SetItem(
                   keywords, PyTuple_GetItem(names, index), arguments[count + index]
               ) == 0;
    if (good)
        result = PyObject_Call(function, positional, keywords);
    Py_XDECREF(positional);
    Py_XDECREF(keywords);
    return result;
}

/* Return the text of a built-in's docstring, with a signature that Python reads. */
static PyObject *twin_doc(enum twin twin, PyObject *pure)
{
    PyObject *text = PyObject_GetAttrString(pure, "__doc__");
    if (text == NULL)
        return NULL;
    PyObject *whole = PyUnicode_FromFormat(
        "%s($module, /, %s)\n--\n\n%S", twin_table[twin].name,
        twin_table[twin].parameters, text
    );
    Py_DECREF(text);
    PyObject *encoded = whole == NULL ? NULL : PyUnicode_AsUTF8String(whole);
    Py_XDECREF(whole);
    return encoded;
}

static PyObject *make_twin(PyObject *module, enum twin twin, PyObject *pure)
{
    module_state *state = state_of(module);
    PyObject *name = PyUnicode_FromString(twin_table[twin].module);
    PyObject *doc = twin_doc(twin, pure);
    PyObject *function = NULL;
    if (name != NULL && doc != NULL && state->pure[twin] == NULL) {
        PyMethodDef *method = &state->twins[twin].method;
        method->ml_name = twin_table[twin].name;
        method->ml_meth = (PyCFunction)(void (*)(void))twin_table[twin].function;
        method->ml_flags = METH_FASTCALL | METH_KEYWORDS;
        method->ml_doc = PyBytes_AsString(doc);
        state->twins[twin].doc = doc;
        doc = NULL;
        Py_INCREF(pure);
        state->pure[twin] = pure;
        function = PyCFunction_NewEx(method, module, name);
    } else if (!PyErr_Occurred()) {
        PyErr_Format(PyExc_ValueError, "%R has a twin already", pure);
    }
    Py_XDECREF(name);
    Py_XDECREF(doc);
    return function;
}

/* Classes of the pure code that have a twin here. */
static PyTypeObject *class_twin(module_state *state, PyObject *owner, PyObject *name)
{
    if (PyUnicode_CompareWithASCIIString(owner, "hexary.trie.core") == 0
        && PyUnicode_CompareWithASCIIString(name, "PureCore") == 0)
        return state->core_type;
    if (PyUnicode_CompareWithASCIIString(owner, "hexary.rlp.record_coder") == 0
        && PyUnicode_CompareWithASCIIString(name, "PureCoder") == 0)
        return state->coder_type;
    if (PyUnicode_CompareWithASCIIString(owner, "hexary.trie.waiting_pairs") == 0
        && PyUnicode_CompareWithASCIIString(name, "PureWaitingPairs") == 0)
        return state->waiting_type;
    return NULL;
}

/* Return the twin of a pure function or class, or None. */
static PyObject *twin_of(PyObject *module, PyObject *pure)
{
    PyObject *owner = PyObject_GetAttrString(pure, "__module__");
    PyObject *name = PyObject_GetAttrString(pure, "__qualname__");
    PyObject *result = NULL;
    if (owner != NULL && name != NULL) {
        int twin = 0;
        while (twin < TWIN_COUNT
               && (PyUnicode_CompareWithASCIIString(owner, twin_table[twin].module) != 0
                   || PyUnicode_CompareWithASCIIString(name, twin_table[twin].name) != 0))
            twin++;
        if (twin < TWIN_COUNT) {
            result = make_twin(module, (enum twin)twin, pure);
        } else {
            result = (PyObject *)class_twin(state_of(module), owner, name);
            if (result == NULL)
                result = Py_None;
            Py_INCREF(result);
        }
    }
    Py_XDECREF(owner);
    Py_XDECREF(name);
    return result;
}

#define FAST(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef methods[] = {
    {"adopt", FAST(binding_adopt), METH_FASTCALL | METH_KEYWORDS,
     "Take over what raises the pure twin's errors, by name."},
    {"helper_names", binding_helper_names, METH_NOARGS,
     "helper_names($module, /)\n--\n\nReturn the names that adopt takes."},
    {"twin_of", twin_of, METH_O,
     "twin_of($module, pure, /)\n--\n\nReturn a function that does the same, or None."},
    {"kernels", binding_kernels, METH_NOARGS,
     "kernels($module, /)\n--\n\nReturn name, description and whether it runs, of each."},
    {"kernel_in_use", binding_kernel_in_use, METH_NOARGS,
     "kernel_in_use($module, /)\n--\n\nReturn name and description."},
    {"use_kernel", binding_use_kernel, METH_O,
     "use_kernel($module, name, /)\n--\n\nHash with that kernel from now on."},
    {"tally", binding_tally, METH_NOARGS,
     "tally($module, /)\n--\n\n"
     "Return calls, bytes and permutations inside larger operations until now."},
    {"start256", binding_start256, METH_NOARGS,
     "start256($module, /)\n--\n\nReturn a fresh running Keccak-256."},
    {"start512", binding_start512, METH_NOARGS,
     "start512($module, /)\n--\n\nReturn a fresh running Keccak-512."},
    {"update_many", (PyCFunction)(void (*)(void))binding_update_many, METH_FASTCALL,
     "update_many($module, states, pieces, /)\n--\n\n"
     "Absorb in each running hash the piece at its place."},
    {NULL, NULL, 0, NULL},
};

/* These become the functions of hexary.hash, with their place and text. */
static PyMethodDef public_methods[] = {
    {"keccak256", binding_keccak256, METH_O,
     "keccak256($module, data, /)\n--\n\n"
     "Return the Keccak-256 digest, 32 bytes, of *data*.\n\n"
     "Args:\n"
     "    data: bytes or a subclass, bytearray, or any memoryview.\n\n"
     "Raises:\n"
     "    InputTypeError: for any other type, text and ``None`` included.\n\n"
     "Example:\n"
     "    >>> keccak256(b\"\").hex()\n"
     "    'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'"},
    {"keccak512", binding_keccak512, METH_O,
     "keccak512($module, data, /)\n--\n\n"
     "Return the Keccak-512 digest, 64 bytes, of *data*.\n\n"
     "Args:\n"
     "    data: bytes or a subclass, bytearray, or any memoryview.\n\n"
     "Raises:\n"
     "    InputTypeError: for any other type, text and ``None`` included.\n\n"
     "Example:\n"
     "    >>> keccak512(b\"\").hex()[:32]\n"
     "    '0eab42de4c3ceb9235fc91acffe746b2'"},
    {"keccak256_many", binding_keccak256_many, METH_O,
     "keccak256_many($module, items, /)\n--\n\n"
     "Return the Keccak-256 digests, 32 bytes each, of *items*, in their order.\n\n"
     "One call for many messages lets a backend use wide kernels.\n\n"
     "Args:\n"
     "    items: an iterable of what `keccak256` takes.\n\n"
     "Raises:\n"
     "    InputTypeError: if an item is of another type; names its index.\n\n"
     "Example:\n"
     "    >>> keccak256_many([b\"\", b\"\"]) == 2 * [keccak256(b\"\")]\n"
     "    True"},
    {"keccak256_packed", FAST(binding_keccak256_packed), METH_FASTCALL | METH_KEYWORDS,
     "keccak256_packed($module, data, /, *, offsets)\n--\n\n"
     "Return the Keccak-256 digests, one after the other, of messages in one buffer.\n\n"
     "As `keccak256_many`, for columns of data: the accelerator reads the messages where\n"
     "they are, without an object for each.\n\n"
     "Args:\n"
     "    data: all messages, one after the other.\n"
     "    offsets: the size of each; or, where sizes differ, a memoryview of unsigned\n"
     "        64-bit numbers: where each message begins, and where the last one ends.\n\n"
     "Raises:\n"
     "    InputTypeError: if an argument has another type.\n"
     "    RangeError: if a size is below 1, or an offset outside the buffer or before the\n"
     "        one in front of it.\n"
     "    SizeError: if the buffer is no multiple of the given size.\n\n"
     "Example:\n"
     "    >>> from array import array\n"
     "    >>> places = memoryview(array(\"Q\", [0, 3, 3, 9]))\n"
     "    >>> digests = keccak256_packed(b\"dogdoggie\", offsets=places)\n"
     "    >>> digests[:32] == keccak256(b\"dog\"), digests[32:64] == keccak256(b\"\")\n"
     "    (True, True)\n"
     "    >>> keccak256_packed(b\"catdog\", offsets=3)[32:] == digests[:32]\n"
     "    True"},
};

static int add_public_functions(PyObject *module)
{
    PyObject *place = PyUnicode_FromString("hexary.hash");
    int failed = place == NULL ? -1 : 0;
    for (size_t index = 0;
         failed == 0 && index < sizeof public_methods / sizeof *public_methods; index++) {
        PyObject *function = PyCFunction_NewEx(&public_methods[index], module, place);
        failed = function == NULL
                     ? -1
                     : PyModule_AddObjectRef(
                           module, public_methods[index].ml_name, function
                       );
        Py_XDECREF(function);
    }
    Py_XDECREF(place);
    return failed;
}

static int module_execute(PyObject *module)
{
    module_state *state = state_of(module);
    memset(state, 0, sizeof *state);
    state->kernel = keccak_kernel_best();
    state->name_tobytes = PyUnicode_InternFromString("tobytes");
    state->name_encoded = PyUnicode_InternFromString("encoded");
    state->running_type =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &running_spec, NULL);
    state->name_nonce = PyUnicode_InternFromString("nonce");
    state->name_balance = PyUnicode_InternFromString("balance");
    state->name_code = PyUnicode_InternFromString("code");
    state->name_storage = PyUnicode_InternFromString("storage");
    state->name_slots = PyUnicode_InternFromString("_slots");
    state->name_node = PyUnicode_InternFromString("node");
    state->name_encoding = PyUnicode_InternFromString("encoding");
    state->name_reference = PyUnicode_InternFromString("reference");
    state->core_type =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &core_spec, NULL);
    state->items_type =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &items_spec, NULL);
    state->coder_type =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &coder_spec, NULL);
    state->name_post_init = PyUnicode_InternFromString("__post_init__");
    state->name_rlp_list = PyUnicode_InternFromString("__rlp_list__");
    state->name_rlp_item = PyUnicode_InternFromString("__rlp_item__");
    state->nothing = PyTuple_New(0);
    state->json_reader_type =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &json_reader_spec, NULL);
    state->waiting_type =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &waiting_spec, NULL);
    state->name_type = PyUnicode_InternFromString("type");
    if (state->name_tobytes == NULL || state->name_encoded == NULL
        || state->name_nonce == NULL || state->name_balance == NULL
        || state->name_code == NULL || state->name_storage == NULL
        || state->name_slots == NULL || state->running_type == NULL
        || state->name_node == NULL || state->name_encoding == NULL
        || state->name_reference == NULL || state->core_type == NULL
        || state->coder_type == NULL || state->name_post_init == NULL
        || state->name_rlp_list == NULL || state->name_rlp_item == NULL
        || state->nothing == NULL || state->waiting_type == NULL
        || state->json_reader_type == NULL || state->name_type == NULL
        || state->items_type == NULL || !integer_set_up(state))
        return -1;
    if (add_public_functions(module) < 0)
        return -1;
    if (PyModule_AddIntConstant(module, "interface", INTERFACE) < 0)
        return -1;
    return PyModule_AddStringConstant(module, "__version__", HEXARY_VERSION);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    module_state *state = state_of(module);
    if (state == NULL)
        return 0;
    Py_VISIT(state->running_type);
    Py_VISIT(state->core_type);
    Py_VISIT(state->items_type);
    Py_VISIT(state->coder_type);
    Py_VISIT(state->json_reader_type);
    Py_VISIT(state->waiting_type);
    for (int index = 0; index < HELPER_COUNT; index++)
        Py_VISIT(state->helpers[index]);
    for (int index = 0; index < TWIN_COUNT; index++)
        Py_VISIT(state->pure[index]);
    return 0;
}

static int module_clear(PyObject *module)
{
    module_state *state = state_of(module);
    if (state == NULL)
        return 0;
    Py_CLEAR(state->running_type);
    Py_CLEAR(state->core_type);
    Py_CLEAR(state->items_type);
    Py_CLEAR(state->coder_type);
    Py_CLEAR(state->json_reader_type);
    Py_CLEAR(state->waiting_type);
    for (int index = 0; index < HELPER_COUNT; index++)
        Py_CLEAR(state->helpers[index]);
    for (int index = 0; index < TWIN_COUNT; index++)
        Py_CLEAR(state->pure[index]);
    return 0;
}

/* What functions that outlive `module_clear` still read goes last. */
static void module_free(void *module)
{
    module_state *state = state_of(module);
    module_clear(module);
    if (state == NULL)
        return;
    Py_CLEAR(state->name_tobytes);
    Py_CLEAR(state->name_encoded);
    integer_take_down(state);
    Py_CLEAR(state->name_nonce);
    Py_CLEAR(state->name_balance);
    Py_CLEAR(state->name_code);
    Py_CLEAR(state->name_storage);
    Py_CLEAR(state->name_slots);
    Py_CLEAR(state->name_node);
    Py_CLEAR(state->name_encoding);
    Py_CLEAR(state->name_reference);
    Py_CLEAR(state->name_post_init);
    Py_CLEAR(state->name_rlp_list);
    Py_CLEAR(state->name_rlp_item);
    Py_CLEAR(state->nothing);
    Py_CLEAR(state->name_type);
    mpt_builder_free(state->builder);
    state->builder = NULL;
    for (int index = 0; index < TWIN_COUNT; index++)
        Py_CLEAR(state->twins[index].doc);
}

/* Slots that only later versions know; 3.11 refuses what it does not. */
#define SLOT_MULTIPLE_INTERPRETERS 3 /* from 3.12 on */
#define PER_INTERPRETER_GIL ((void *)2)

static PyModuleDef_Slot slots_of_3_11[] = {
    {Py_mod_exec, module_execute},
    {0, NULL},
};

static PyModuleDef_Slot slots_of_3_12[] = {
    {Py_mod_exec, module_execute},
    {SLOT_MULTIPLE_INTERPRETERS, PER_INTERPRETER_GIL},
    {0, NULL},
};

struct PyModuleDef accelerator_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "hexary._native.accelerator",
    .m_doc = "Keccak, RLP and tries in C; used by hexary alone.",
    .m_size = sizeof(module_state),
    .m_methods = methods,
    .m_slots = slots_of_3_11,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

/*
 * A build serves the version whose headers it was made with, and later ones.  An older one
 * finds the file all the same where both share a source tree.
 */
static int refuse_older_version(void)
{
#ifdef Py_LIMITED_API
    if (Py_Version >= Py_LIMITED_API)
        return 0;
    PyErr_Format(PyExc_ImportError,
                 "this build of the native accelerator is for Python %d.%d and later",
                 Py_LIMITED_API >> 24, Py_LIMITED_API >> 16 & 0xFF);
    return -1;
#else
    return 0; /* the name of the file has the one version that it is for */
#endif
}

PyMODINIT_FUNC PyInit_accelerator(void)
{
    if (refuse_older_version() < 0)
        return NULL;
    if (Py_Version >= 0x030C0000)
        accelerator_module.m_slots = slots_of_3_12;
    return PyModuleDef_Init(&accelerator_module);
}
