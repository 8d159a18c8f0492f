/* What a core tells of its nodes: hashes, encodings, and nodes of hexary.trie.nodes. */
#include "core.h"

#include <string.h>

/*
 * Find the items of all nodes below and of *root* itself.
 *
 * The GIL is held throughout: the nodes may be shared by copies of the trie, which other
 * threads may change, and that copies nodes while their items are being written.
 */
static bool settle_nodes(module_state *state, mpt_node *root)
{
    const mpt_status status = mpt_settle(&root, 1, state->kernel, &state->tally);
    if (status != MPT_GOOD)
        core_raise(status);
    return status == MPT_GOOD;
}

static bool hash_root(PyObject *object, uint8_t digest[KECCAK256_SIZE])
{
    module_state *state = core_state(object);
    const mpt_status status =
        mpt_trie_hash(as_core(object)->root, state->kernel, digest, &state->tally);
    if (status != MPT_GOOD)
        core_raise(status);
    return status == MPT_GOOD;
}

PyObject *core_root_hash(PyObject *object, PyObject *unused)
{
    uint8_t digest[KECCAK256_SIZE];
    (void)unused;
    if (!hash_root(object, digest))
        return NULL;
    return core_call_helper(
        core_state(object), HELPER_HASH,
        Py_BuildValue("(y#)", (const char *)digest, (Py_ssize_t)KECCAK256_SIZE)
    );
}

/* Return the encoding of a settled node that is not hidden. */
static PyObject *encoding_of(const mpt_node *node)
{
    const size_t size = mpt_node_size(node);
    if (size > (size_t)PY_SSIZE_T_MAX)
        return PyErr_NoMemory();
    PyObject *encoding = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (encoding != NULL)
        mpt_node_write(node, (uint8_t *)PyBytes_AsString(encoding));
    return encoding;
}

static PyObject *hash_node(module_state *state, const uint8_t *digest)
{
    return core_call_helper(
        state, HELPER_HASH_NODE,
        Py_BuildValue("(y#)", (const char *)digest, (Py_ssize_t)KECCAK256_SIZE)
    );
}

/* Return a settled node that is not hidden as `decode_node` returns it. */
static PyObject *node_object(module_state *state, const mpt_node *node)
{
    const uint8_t *digest = mpt_node_digest(node);
    PyObject *decode = state->helpers[HELPER_DECODE_NODE];
    PyObject *encoding = encoding_of(node);
    PyObject *arguments = NULL, *names = NULL, *result = NULL;
    if (encoding != NULL)
        arguments = Py_BuildValue("(O)", encoding);
    if (digest == NULL)
        names = PyDict_New();
    else
        names = Py_BuildValue(
            "{s:y#}", "digest", (const char *)digest, (Py_ssize_t)KECCAK256_SIZE
        );
    if (decode == NULL)
        raise_taken_down();
    else if (arguments != NULL && names != NULL)
        result = PyObject_Call(decode, arguments, names);
    Py_XDECREF(encoding);
    Py_XDECREF(arguments);
    Py_XDECREF(names);
    return result;
}

PyObject *core_get_root(PyObject *object, void *unused)
{
    module_state *state = core_state(object);
    mpt_node *root = as_core(object)->root;
    (void)unused;
    if (root == NULL)
        Py_RETURN_NONE;
    if (!settle_nodes(state, root))
        return NULL;
    /* Making an object may run a finalizer, and that may change this trie. */
    mpt_node_retain(root);
    const uint8_t *digest = mpt_node_digest(root);
    PyObject *result =
        digest != NULL ? hash_node(state, digest) : node_object(state, root);
    mpt_node_release(root);
    return result;
}

/* A path given as nibbles of a byte each, packed. */
typedef struct packed_path {
    mpt_path path;
    uint8_t *bytes; /* freed by PyMem_Free */
} packed_path;

static bool pack_path(PyObject *object, packed_path *out)
{
    const uint8_t *nibbles;
    size_t size;
    if (!core_bytes(object, &nibbles, &size))
        return false;
    out->bytes = array_new(size / 2 + 1, 1);
    if (out->bytes == NULL)
        return false;
    for (size_t index = 0; index < size; index++) {
        const unsigned nibble = nibbles[index] & 15u;
        const unsigned shifted = index % 2 == 0 ? nibble << 4 : nibble;
        out->bytes[index / 2] = (uint8_t)(out->bytes[index / 2] | shifted);
    }
    out->path.bytes = out->bytes;
    out->path.start = 0;
    out->path.count = size;
    return true;
}

PyObject *core_opened(PyObject *object, PyObject *const *arguments, Py_ssize_t count)
{
    core *self = as_core(object);
    module_state *state = core_state(object);
    const uint8_t *digest;
    size_t size;
    packed_path at;
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "opened takes a node and a path");
        return NULL;
    }
    const int is_hash = core_is_hash_node(state, arguments[0]);
    if (is_hash < 0)
        return NULL;
    if (is_hash == 0) {
        Py_INCREF(arguments[0]);
        return arguments[0];
    }
    PyObject *result = NULL;
    PyObject *reference = PyObject_GetAttr(arguments[0], state->name_reference);
    if (reference == NULL || !core_bytes(reference, &digest, &size)
        || !pack_path(arguments[1], &at)) {
        Py_XDECREF(reference);
        return NULL;
    }
    mpt_node *held = self->root;
    mpt_node_retain(held);
    if (held == NULL || settle_nodes(state, held)) {
        mpt_way way;
        mpt_way_start(&way, held, at.path);
        const mpt_status status = mpt_way_reach(&way);
        const uint8_t *own =
            status != MPT_GOOD || way.node == NULL ? NULL : mpt_node_digest(way.node);
        if (own != NULL && size == KECCAK256_SIZE && memcmp(own, digest, size) == 0) {
            result = node_object(state, way.node);
        } else {
            result = core_ask(state, self->source, reference, arguments[1]);
        }
        mpt_way_free(&way);
    }
    mpt_node_release(held);
    PyMem_Free(at.bytes);
    Py_DECREF(reference);
    return result;
}

/* Ask the source for the node itself. */
static PyObject *ask_for(
    module_state *state, PyObject *source, const uint8_t *digest, PyObject *path
)
{
    PyObject *reference =
        PyBytes_FromStringAndSize((const char *)digest, KECCAK256_SIZE);
    PyObject *node =
        reference == NULL ? NULL : core_ask(state, source, reference, path);
    Py_XDECREF(reference);
    return node;
}

PyObject *core_node_at(PyObject *object, PyObject *path)
{
    core *self = as_core(object);
    module_state *state = core_state(object);
    packed_path at;
    if (!pack_path(path, &at))
        return NULL;
    PyObject *result = NULL;
    mpt_node *held = self->root;
    mpt_node_retain(held);
    if (held == NULL || settle_nodes(state, held)) {
        mpt_way way;
        PyObject *nibbles = NULL;
        bool good = true;
        mpt_way_start(&way, held, at.path);
        while (good && mpt_way_reach(&way) == MPT_HIDDEN)
            good = core_open(
                state, self->source, &way, way.hidden,
                core_view(&nibbles, at.path, way.depth), NULL
            );
        Py_XDECREF(nibbles);
        const size_t count = way.opened.count;
        if (good && way.node == NULL) {
            Py_INCREF(Py_None);
            result = Py_None;
        } else if (good && count > 0 && way.node == way.opened.nodes[count - 1]) {
            result = ask_for(state, self->source, way.hidden, path);
        } else if (good && settle_nodes(state, way.node)) {
            result = node_object(state, way.node);
        }
        mpt_way_free(&way);
    }
    mpt_node_release(held);
    PyMem_Free(at.bytes);
    return result;
}

static bool put_encoding(PyObject *found, PyObject *encoding)
{
    const bool good = encoding != NULL && PyDict_SetItem(found, encoding, Py_None) == 0;
    Py_XDECREF(encoding);
    return good;
}

/* Add the nodes on the way to a key to the dictionary *found*, the root first. */
static bool add_proof(
    module_state *state, PyObject *source, mpt_node *root, PyObject *key, PyObject *found
)
{
    mpt_path path;
    mpt_way way;
    if (!core_key(key, &path))
        return false;
    mpt_way_start(&way, root, path);
    PyObject *nibbles = NULL;
    bool good = true, is_top = true;
    while (good && way.node != NULL) {
        PyObject *encoding = NULL;
        if (mpt_node_is_hidden(way.node)) {
            good = core_open(
                state, source, &way, mpt_node_digest(way.node),
                core_view(&nibbles, path, way.depth), &encoding
            );
            if (good && !is_top && mpt_is_embedded((size_t)PyBytes_Size(encoding)))
                Py_CLEAR(encoding);
        } else if (is_top || mpt_node_digest(way.node) != NULL) {
            encoding = encoding_of(way.node);
            good = encoding != NULL;
        }
        if (encoding != NULL)
            good = put_encoding(found, encoding);
        is_top = false;
        if (good && !mpt_way_step(&way))
            break;
    }
    Py_XDECREF(nibbles);
    mpt_way_free(&way);
    return good;
}

PyObject *core_proof(PyObject *object, PyObject *keys)
{
    core *self = as_core(object);
    module_state *state = core_state(object);
    PyObject *iterator = PyObject_GetIter(keys);
    if (iterator == NULL)
        return NULL;
    mpt_node *held = self->root;
    mpt_node_retain(held);
    PyObject *found = PyDict_New();
    bool good = found != NULL && (held == NULL || settle_nodes(state, held));
    while (good) {
        PyObject *key = PyIter_Next(iterator);
        if (key == NULL) {
            good = !PyErr_Occurred();
            break;
        }
        good = add_proof(state, self->source, held, key, found);
        Py_DECREF(key);
    }
    PyObject *result = good ? PyDict_Keys(found) : NULL;
    Py_XDECREF(found);
    mpt_node_release(held);
    Py_DECREF(iterator);
    return result;
}

/* Put hash and encoding of a settled node into the dictionary *found*. */
static bool put_node(PyObject *found, const mpt_node *node, const uint8_t *digest)
{
    PyObject *key = PyBytes_FromStringAndSize((const char *)digest, KECCAK256_SIZE);
    PyObject *encoding = key == NULL ? NULL : encoding_of(node);
    const bool good = encoding != NULL && PyDict_SetItem(found, key, encoding) == 0;
    Py_XDECREF(key);
    Py_XDECREF(encoding);
    return good;
}

PyObject *core_new_nodes(PyObject *object, PyObject *unused)
{
    mpt_node *root = as_core(object)->root;
    uint8_t digest[KECCAK256_SIZE];
    mpt_nodes nodes = {NULL, 0, 0};
    (void)unused;
    if (root == NULL || mpt_node_is_hidden(root))
        return PyList_New(0);
    if (!hash_root(object, digest))
        return NULL;
    const mpt_status status = mpt_trie_nodes(root, &nodes);
    PyObject *found = status == MPT_GOOD ? PyDict_New() : NULL;
    if (status != MPT_GOOD)
        core_raise(status);
    bool good = found != NULL;
    for (size_t index = 0; good && index < nodes.count; index++) {
        const mpt_node *node = nodes.nodes[index];
        good = put_node(found, node, node == root ? digest : mpt_node_digest(node));
    }
    PyObject *result = good ? PyDict_Items(found) : NULL;
    Py_XDECREF(found);
    mpt_nodes_free(&nodes);
    return result;
}

PyObject *core_settle(PyObject *object, PyObject *unused)
{
    core *self = as_core(object);
    uint8_t digest[KECCAK256_SIZE];
    (void)unused;
    if (self->root == NULL)
        Py_RETURN_NONE;
    if (!hash_root(object, digest))
        return NULL;
    mpt_node *hidden = mpt_node_hide(digest);
    if (hidden == NULL)
        return PyErr_NoMemory();
    mpt_node_release(self->root);
    self->root = hidden;
    self->may_hide = true;
    Py_RETURN_NONE;
}

PyObject *binding_hash_cores(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    module_state *state = state_of(module);
    if (count != 1 || (names != NULL && PyTuple_Size(names) > 0)
        || !PyList_CheckExact(arguments[0]))
        return call_pure(state, TWIN_HASH_CORES, arguments, count, names);
    const Py_ssize_t size = PyList_Size(arguments[0]);
    for (Py_ssize_t index = 0; index < size; index++)
        if (Py_TYPE(PyList_GetItem(arguments[0], index)) != state->core_type)
            return call_pure(state, TWIN_HASH_CORES, arguments, count, names);
    mpt_node **roots = PyMem_Malloc(((size_t)size + 1) * sizeof *roots);
    if (roots == NULL)
        return PyErr_NoMemory();
    for (Py_ssize_t index = 0; index < size; index++)
        roots[index] = as_core(PyList_GetItem(arguments[0], index))->root;
    const mpt_status status =
        mpt_settle(roots, (size_t)size, state->kernel, &state->tally);
    PyMem_Free(roots);
    if (status != MPT_GOOD) {
        core_raise(status);
        return NULL;
    }
    Py_RETURN_NONE;
}
