/* Many changes of a core at once. */
#include "core.h"

#include <string.h>

#include "roots.h"

/* From this many pairs on it pays to go through the trie in its order. */
#define WORTH_SORTING 4096u

/* Whether no pair is to be removed, so that their order does not matter. */
static bool all_have_values(const collection *pairs)
{
    for (size_t index = 0; index < pairs->count; index++)
        if (pairs->pairs[index].value_size == 0)
            return false;
    return true;
}

/* Put in what was read; *growth* is how many keys there are more. */
static mpt_status put_all(mpt_node **root, collection *read, ptrdiff_t *growth)
{
    const bool is_empty = *root == NULL;
    size_t count = read->count; /* what is held stays more, if keys repeat */
    if (!read->is_arranged
        && (is_empty || (read->count >= WORTH_SORTING && all_have_values(read)))) {
        const mpt_status status = mpt_arrange(read->pairs, &count);
        if (status != MPT_GOOD)
            return status;
    }
    if (!is_empty)
        return mpt_trie_update(root, read->pairs, count, growth);
    *growth = (ptrdiff_t)count;
    return mpt_trie_grow(root, read->pairs, count);
}

PyObject *core_update(PyObject *object, PyObject *pairs)
{
    core *self = as_core(object);
    module_state *state = core_state(object);
    collection read;
    PyObject *result = NULL;
    /* What is odd, and what may not be read twice, the caller goes through. */
    if (self->may_hide
        || (!PyDict_CheckExact(pairs) && !PyList_CheckExact(pairs)
            && !PyTuple_CheckExact(pairs)))
        Py_RETURN_NONE;
    memset(&read, 0, sizeof read);
    const reading done = collection_read(state, &read, pairs);
    if (done != READ || self->may_hide) {
        PyErr_Clear();
        Py_INCREF(Py_None);
        result = Py_None;
    } else {
        ptrdiff_t growth = 0;
        const mpt_status status = put_all(&self->root, &read, &growth);
        if (status == MPT_GOOD)
            result = PyLong_FromSsize_t((Py_ssize_t)growth);
        else
            core_raise(status);
    }
    collection_free(&read);
    return result;
}
