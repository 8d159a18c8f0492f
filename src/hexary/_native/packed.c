/* Messages, keys and values that are packed into buffers. */
#include "roots.h"

#include <string.h>

#include "integer.h"

/* Where the pieces of a buffer are. */
typedef struct pieces {
    borrowed data;
    Py_buffer offsets; /* held if its obj is not NULL; else all are of one size */
    size_t size;
    size_t count;
    size_t place; /* where the next piece begins */
} pieces;

/* Whether nobody can change the bytes that a buffer was borrowed from. */
static bool is_constant(const borrowed *data)
{
    if (data->buffer.obj == NULL)
        return true; /* bytes, or a copy */
    if (!PyMemoryView_Check(data->buffer.obj))
        return false;
    PyObject *below = PyObject_GetAttrString(data->buffer.obj, "obj");
    const bool is_bytes = below != NULL && PyBytes_Check(below);
    if (below == NULL)
        PyErr_Clear();
    Py_XDECREF(below);
    return is_bytes;
}

/*
 * Copy what another thread could change while the GIL is released: the builder computes
 * sizes first and writes later.
 */
static bool make_constant(borrowed *data)
{
    if (is_constant(data))
        return true;
    PyObject *copy = PyBytes_FromStringAndSize(
        (const char *)data->data, (Py_ssize_t)data->size
    );
    PyBuffer_Release(&data->buffer);
    data->buffer.obj = NULL;
    data->owner = copy;
    if (copy == NULL)
        return false;
    data->data = (const uint8_t *)PyBytes_AsString(copy);
    return true;
}

/*
 * Read offset *index* to `place`; false if it is none.  Another thread may write to the
 * offsets, even while this one has the GIL (numpy does), so each is read once, and what
 * was checked is what is used.
 */
static bool read_place(pieces *self, size_t index)
{
    uint64_t place;
    memcpy(&place, (const uint8_t *)self->offsets.buf + 8 * index, sizeof place);
    if (place < self->place || place > self->data.size)
        return false;
    self->place = (size_t)place;
    return true;
}

/* Read one buffer and its offsets; false where the pure twin has to decide. */
static bool pieces_read(
    module_state *state, pieces *self, PyObject *data, PyObject *offsets
)
{
    if (!PyBytes_Check(data) && !PyByteArray_Check(data) && !PyMemoryView_Check(data))
        return false;
    if (!borrow(state, data, "data", &self->data)) {
        PyErr_Clear();
        return false;
    }
    PyObject *number = PyMemoryView_Check(offsets) ? NULL : integer_of(offsets);
    if (number != NULL) {
        const Py_ssize_t size = PyLong_AsSsize_t(number);
        Py_DECREF(number);
        if (size == -1 && PyErr_Occurred())
            PyErr_Clear();
        if (size < 1 || self->data.size % (size_t)size != 0)
            return false;
        self->size = (size_t)size;
        self->count = self->data.size / self->size;
        return true;
    }
    if (!PyMemoryView_Check(offsets))
        return false;
    if (PyObject_GetBuffer(offsets, &self->offsets, PyBUF_FULL_RO) < 0) {
        PyErr_Clear();
        self->offsets.obj = NULL;
        return false;
    }
    const Py_buffer *view = &self->offsets;
    if (view->itemsize != 8 || view->ndim != 1 || !PyBuffer_IsContiguous(view, 'C')
        || view->format == NULL
        || (strcmp(view->format, "Q") != 0 && strcmp(view->format, "L") != 0))
        return false;
    const size_t places = (size_t)view->len / 8;
    self->count = places == 0 ? 0 : places - 1;
    return places == 0 || read_place(self, 0);
}

/* Find piece *index*, the one after that of the last call. */
static bool next_piece(pieces *self, size_t index, const uint8_t **data, size_t *size)
{
    const size_t start = self->place;
    if (self->offsets.obj == NULL)
        self->place += self->size;
    else if (!read_place(self, index + 1))
        return false;
    *data = self->data.data + start;
    *size = self->place - start;
    return true;
}

static void pieces_release(pieces *self)
{
    borrowed_release(&self->data);
    if (self->offsets.obj != NULL)
        PyBuffer_Release(&self->offsets);
}

PyObject *binding_packed_trie_root(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    module_state *state = state_of(module);
    const Py_ssize_t named = names == NULL ? 0 : PyTuple_Size(names);
    PyObject *key_offsets = NULL, *value_offsets = NULL;
    unsigned threads = 1;
    bool good = count == 2;
    for (Py_ssize_t index = 0; good && index < named; index++) {
        PyObject *name = PyTuple_GetItem(names, index);
        PyObject *value = arguments[count + index];
        if (PyUnicode_CompareWithASCIIString(name, "key_offsets") == 0) {
            key_offsets = value;
        } else if (PyUnicode_CompareWithASCIIString(name, "value_offsets") == 0) {
            value_offsets = value;
        } else {
            PyObject *alone = PyTuple_Pack(1, name);
            if (alone == NULL)
                return NULL;
            good = read_threads(&value, alone, &threads);
            Py_DECREF(alone);
        }
    }
    pieces keys, values;
    memset(&keys, 0, sizeof keys);
    memset(&values, 0, sizeof values);
    good = good && key_offsets != NULL && value_offsets != NULL
           && pieces_read(state, &keys, arguments[0], key_offsets)
           && pieces_read(state, &values, arguments[1], value_offsets)
           && keys.count == values.count;
    if (good && !(make_constant(&keys.data) && make_constant(&values.data))) {
        PyErr_Clear();
        good = false;
    }
    PyObject *root = NULL;
    if (good) {
        mpt_pair *pairs = NULL;
        if (keys.count < (size_t)PY_SSIZE_T_MAX / sizeof *pairs)
            pairs = PyMem_Malloc(keys.count * sizeof *pairs + 1);
        if (pairs == NULL) {
            PyErr_NoMemory();
        } else {
            bool is_arranged = true;
            for (size_t index = 0; good && index < keys.count; index++) {
                mpt_pair *pair = &pairs[index];
                good = next_piece(&keys, index, &pair->key, &pair->key_size)
                       && next_piece(&values, index, &pair->value, &pair->value_size);
                if (good && is_arranged)
                    is_arranged = pair->value_size > 0
                                  && (index == 0 || mpt_is_before(pair - 1, pair));
            }
            if (good)
                root = root_of(
                    state, pairs, keys.count, keys.data.size + values.data.size,
                    is_arranged ? NOTHING : ARRANGE, threads
                );
        }
        PyMem_Free(pairs);
    }
    pieces_release(&keys);
    pieces_release(&values);
    if (!good)
        return call_pure(state, TWIN_PACKED_TRIE_ROOT, arguments, count, names);
    return root;
}

/* Hash each of *messages* to *where*; false if an offset was found to be none. */
static bool hash_pieces(
    keccak_batch *batch, const keccak_kernel *kernel, pieces *messages, uint8_t *where
)
{
    bool good = true;
    keccak_batch_start(batch, kernel);
    for (size_t index = 0; good && index < messages->count; index++) {
        const uint8_t *data;
        size_t size;
        good = next_piece(messages, index, &data, &size);
        if (good)
            keccak_batch_add(batch, data, size, where + index * KECCAK256_SIZE);
    }
    keccak_batch_flush(batch);
    return good;
}

/* Return the digests of *messages*; NULL without an error where the pure twin decides. */
static PyObject *digests_of(module_state *state, pieces *messages)
{
    if (messages->count > (size_t)PY_SSIZE_T_MAX / KECCAK256_SIZE)
        return PyErr_NoMemory();
    PyObject *digests = PyBytes_FromStringAndSize(
        NULL, (Py_ssize_t)(messages->count * KECCAK256_SIZE)
    );
    keccak_batch *batch = PyMem_Malloc(sizeof *batch);
    if (digests != NULL && batch != NULL) {
        uint8_t *where = (uint8_t *)PyBytes_AsString(digests);
        const keccak_kernel *kernel = state->kernel;
        bool good;
        Py_BEGIN_ALLOW_THREADS
        good = hash_pieces(batch, kernel, messages, where);
        Py_END_ALLOW_THREADS
        if (!good)
            Py_CLEAR(digests);
    } else {
        Py_CLEAR(digests);
        PyErr_NoMemory();
    }
    PyMem_Free(batch);
    return digests;
}

PyObject *binding_keccak256_packed(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    module_state *state = state_of(module);
    PyObject *digests = NULL;
    pieces messages;
    memset(&messages, 0, sizeof messages);
    if (count == 1 && names != NULL && PyTuple_Size(names) == 1
        && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "offsets") == 0
        && pieces_read(state, &messages, arguments[0], arguments[1]))
        digests = digests_of(state, &messages);
    pieces_release(&messages);
    if (digests == NULL && !PyErr_Occurred())
        return call_with(state->helpers[HELPER_PACKED], arguments, count, names);
    return digests;
}
