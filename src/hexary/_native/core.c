/* The core of a mutable trie, as hexary.trie.core has it in Python. */
#include "core.h"

void *core_allocate(PyTypeObject *type, PyObject *module)
{
    allocfunc function = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    core_head *made = (core_head *)function(type, 0);
    if (made != NULL) {
        Py_INCREF(module);
        made->module = module;
    }
    return made;
}

void core_deallocate(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject *module = ((core_head *)object)->module;
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_XDECREF(module);
    Py_DECREF(type);
}

bool core_bytes(PyObject *object, const uint8_t **data, size_t *size)
{
    char *start;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(object, &start, &length) < 0)
        return false;
    *data = (const uint8_t *)start;
    *size = (size_t)length;
    return true;
}

bool core_key(PyObject *object, mpt_path *path)
{
    size_t size;
    if (!core_bytes(object, &path->bytes, &size))
        return false;
    path->start = 0;
    path->count = 2 * size;
    return true;
}

/* Read the top node that a core begins with: none, or one that is known by its hash. */
static bool read_root(core *self, module_state *state, PyObject *root)
{
    const uint8_t *digest;
    size_t size;
    if (root == NULL || root == Py_None)
        return true;
    const int is_hash = core_is_hash_node(state, root);
    if (is_hash <= 0) {
        if (is_hash == 0)
            PyErr_SetString(PyExc_TypeError, "a core begins with a HashNode, or nothing");
        return false;
    }
    PyObject *reference = PyObject_GetAttr(root, state->name_reference);
    bool good = reference != NULL && core_bytes(reference, &digest, &size);
    if (good && size != KECCAK256_SIZE) {
        PyErr_SetString(PyExc_ValueError, "a hash is 32 bytes");
        good = false;
    }
    if (good) {
        self->root = mpt_node_hide(digest);
        self->may_hide = true;
        good = self->root != NULL;
        if (!good)
            PyErr_NoMemory();
    }
    Py_XDECREF(reference);
    return good;
}

static PyObject *core_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    static char *accepted[] = {"root", "source", NULL};
    PyObject *root = NULL, *source = NULL;
    PyObject *module = PyType_GetModule(type);
    if (module == NULL
        || !PyArg_ParseTupleAndKeywords(
            arguments, names, "|OO:Core", accepted, &root, &source
        ))
        return NULL;
    core *self = core_allocate(type, module);
    if (self == NULL)
        return NULL;
    if (source != NULL && source != Py_None) {
        Py_INCREF(source);
        self->source = source;
    }
    if (!read_root(self, state_of(module), root))
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int core_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(as_core(object)->head.module);
    Py_VISIT(as_core(object)->source);
    return 0;
}

static int core_clear(PyObject *object)
{
    Py_CLEAR(as_core(object)->source);
    return 0;
}

static void core_free(PyObject *object)
{
    PyObject_GC_UnTrack(object);
    core_clear(object);
    mpt_node_release(as_core(object)->root);
    core_deallocate(object);
}

static PyObject *core_copy(PyObject *object, PyObject *unused)
{
    const core *self = as_core(object);
    core *other = core_allocate(Py_TYPE(object), self->head.module);
    (void)unused;
    if (other == NULL)
        return NULL;
    other->root = self->root;
    mpt_node_retain(other->root);
    Py_XINCREF(self->source);
    other->source = self->source;
    other->may_hide = self->may_hide;
    return (PyObject *)other;
}

static PyObject *core_get_source(PyObject *object, void *unused)
{
    PyObject *source = as_core(object)->source;
    (void)unused;
    if (source == NULL)
        source = Py_None;
    Py_INCREF(source);
    return source;
}

static PyObject *core_is_empty(PyObject *object, void *unused)
{
    (void)unused;
    return PyBool_FromLong(as_core(object)->root == NULL);
}

static PyObject *core_get(PyObject *object, PyObject *key)
{
    core *self = as_core(object);
    mpt_path path;
    mpt_way way;
    const uint8_t *value;
    size_t value_size;
    PyObject *result = NULL;
    if (!core_key(key, &path))
        return NULL;
    /* A source may do anything, even change this trie. */
    mpt_node *held = self->root;
    mpt_node_retain(held);
    mpt_way_start(&way, held, path);
    if (core_find(core_state(object), self->source, &way, &value, &value_size)) {
        if (value != NULL) {
            result = PyBytes_FromStringAndSize(
                (const char *)value, (Py_ssize_t)value_size
            );
        } else {
            Py_INCREF(Py_None);
            result = Py_None;
        }
    }
    mpt_way_free(&way);
    mpt_node_release(held);
    return result;
}

/*
 * Open what is hidden on the way to a key, and for removing it what has to be looked at
 * besides; *is_there* tells whether the key is there.
 *
 * Nothing changes: if the trie has changed meanwhile, it is done again.
 */
static bool open_way(
    PyObject *object, mpt_path path, bool to_remove, mpt_nodes *opened, bool *is_there
)
{
    core *self = as_core(object);
    module_state *state = core_state(object);
    for (;;) {
        const uint8_t *value, *hidden;
        size_t value_size;
        unsigned nibble;
        mpt_way way;
        mpt_node *held = self->root;
        mpt_node_retain(held);
        mpt_way_start(&way, held, path);
        bool good = core_find(state, self->source, &way, &value, &value_size);
        *is_there = good && value != NULL;
        if (*is_there && to_remove
            && mpt_way_sibling(&way, &hidden, &nibble) == MPT_HIDDEN) {
            const uint8_t digit[1] = {(uint8_t)nibble};
            good = core_open(
                state, self->source, &way, hidden,
                core_path(path, way.branch_depth, digit, 1), NULL
            );
        }
        const bool is_same = self->root == held;
        *opened = way.opened;
        mpt_node_release(held);
        if (good && is_same)
            return true;
        mpt_nodes_free(opened);
        if (!good)
            return false;
    }
}

static PyObject *core_set(PyObject *object, PyObject *const *arguments, Py_ssize_t count)
{
    core *self = as_core(object);
    const uint8_t *value;
    size_t value_size;
    mpt_path path;
    mpt_nodes opened = {NULL, 0, 0};
    bool added;
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "set takes a key and a value");
        return NULL;
    }
    if (!core_key(arguments[0], &path) || !core_bytes(arguments[1], &value, &value_size))
        return NULL;
    if (value_size == 0) {
        PyErr_SetString(PyExc_ValueError, "a value is one byte or more");
        return NULL;
    }
    if (self->may_hide && !open_way(object, path, false, &opened, &added))
        return NULL;
    const mpt_status status =
        mpt_trie_set(&self->root, path, value, value_size, &opened, &added);
    mpt_nodes_free(&opened);
    if (status != MPT_GOOD) {
        core_raise(status);
        return NULL;
    }
    return PyBool_FromLong(added);
}

static PyObject *core_delete(PyObject *object, PyObject *key)
{
    core *self = as_core(object);
    mpt_path path;
    mpt_nodes opened = {NULL, 0, 0};
    bool is_there;
    if (!core_key(key, &path) || !open_way(object, path, true, &opened, &is_there))
        return NULL;
    const mpt_status status =
        is_there ? mpt_trie_remove(&self->root, path, &opened) : MPT_GOOD;
    mpt_nodes_free(&opened);
    if (status != MPT_GOOD) {
        core_raise(status);
        return NULL;
    }
    return PyBool_FromLong(is_there);
}

static PyObject *core_is_settled(PyObject *object, void *unused)
{
    const mpt_node *root = as_core(object)->root;
    (void)unused;
    return PyBool_FromLong(root == NULL || mpt_node_is_hidden(root));
}

#define METHOD(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef core_methods[] = {
    {"copy", core_copy, METH_NOARGS,
     "copy($self, /)\n--\n\nReturn an independent core, in constant time."},
    {"__copy__", core_copy, METH_NOARGS,
     "__copy__($self, /)\n--\n\nReturn an independent core."},
    {"__deepcopy__", core_copy, METH_O,
     "__deepcopy__($self, memo, /)\n--\n\nReturn an independent core."},
    {"root_hash", core_root_hash, METH_NOARGS,
     "root_hash($self, /)\n--\n\nReturn the root hash."},
    {"get", core_get, METH_O,
     "get($self, key, /)\n--\n\nReturn the value at key, None if it is absent."},
    {"set", METHOD(core_set), METH_FASTCALL,
     "set($self, key, value, /)\n--\n\nPut value at key; return whether it is new."},
    {"update", core_update, METH_O,
     "update($self, pairs, /)\n--\n\n"
     "Put in all pairs and return by how many keys the trie has grown; None if it is "
     "for the caller to go through them."},
    {"delete", core_delete, METH_O,
     "delete($self, key, /)\n--\n\nRemove key; return whether it was there."},
    {"items", METHOD(core_items), METH_FASTCALL | METH_KEYWORDS,
     "items($self, /, *, prefix=b'', start=None, stop=None, reverse=False)\n--\n\n"
     "Iterate over keys and values in key order, or backwards."},
    {"opened", METHOD(core_opened), METH_FASTCALL,
     "opened($self, node, path, /)\n--\n\nReturn the node that a HashNode stands for."},
    {"node_at", core_node_at, METH_O,
     "node_at($self, path, /)\n--\n\nReturn the node exactly at path, None if none is."},
    {"proof", core_proof, METH_O,
     "proof($self, keys, /)\n--\n\nReturn the encoded nodes on the ways to keys."},
    {"new_nodes", core_new_nodes, METH_NOARGS,
     "new_nodes($self, /)\n--\n\nReturn hash and encoding of each node in memory."},
    {"settle", core_settle, METH_NOARGS,
     "settle($self, /)\n--\n\nForget the nodes in memory: the source has them."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef core_attributes[] = {
    {"root", core_get_root, NULL, "The top node, None for the empty trie.", NULL},
    {"source", core_get_source, NULL, "What has the nodes behind hashes.", NULL},
    {"is_empty", core_is_empty, NULL, "Whether there is no key.", NULL},
    {"is_settled", core_is_settled, NULL, "Whether no node is in memory.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot core_slots[] = {
    {Py_tp_new, core_new},
    {Py_tp_dealloc, core_free},
    {Py_tp_traverse, core_traverse},
    {Py_tp_clear, core_clear},
    {Py_tp_methods, core_methods},
    {Py_tp_getset, core_attributes},
    {Py_tp_doc, "Core(root=None, source=None)\n--\n\n"
                "An ordered map from bytes to bytes that knows its root hash."},
    {0, NULL},
};

PyType_Spec core_spec = {
    .name = "hexary._native.accelerator.Core",
    .basicsize = sizeof(core),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = core_slots,
};
