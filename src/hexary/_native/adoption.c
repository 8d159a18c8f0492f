/* What the layers of the Python code hand to the accelerator. */
#include "binding.h"

static const char *const helper_names[HELPER_COUNT] = {
    [HELPER_TO_BUFFER] = "to_buffer",
    [HELPER_TO_ITEMS] = "to_items",
    [HELPER_PACKED] = "packed",
    [HELPER_FAULT] = "fault",
    [HELPER_PLAIN_FORM] = "plain_form",
    [HELPER_RAW] = "raw",
    [HELPER_PLAIN_BYTES] = "plain_bytes",
    [HELPER_PAIRS_OF] = "pairs_of",
    [HELPER_VALUES_OF] = "values_of",
    [HELPER_HASH] = "hash_type",
    [HELPER_ACCOUNT_TYPE] = "account_type",
    [HELPER_ADDRESS_TYPE] = "address_type",
    [HELPER_STORAGE_TYPE] = "storage_type",
    [HELPER_NUMBER_TYPE] = "number_type",
    [HELPER_BYTES_TYPE] = "bytes_type",
    [HELPER_HASH_NODE] = "hash_node",
    [HELPER_DECODE_NODE] = "decode_node",
    [HELPER_MISSING_NODE] = "missing_node",
    [HELPER_REFUSE_CHILD] = "refuse_child",
    [HELPER_KEY_AT] = "key_at",
    [HELPER_RETRY] = "retry",
    [HELPER_READ_ITEM] = "read_item",
    [HELPER_READ_RAW] = "read_raw",
    [HELPER_ENCODE] = "encode",
    [HELPER_PURE_CODER] = "pure_coder",
    [HELPER_JSON_LAYOUT] = "json_layout",
};

PyObject *binding_adopt(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    module_state *state = state_of(module);
    const Py_ssize_t named = names == NULL ? 0 : PyTuple_Size(names);
    if (count != 0) {
        PyErr_SetString(PyExc_TypeError, "adopt takes keyword arguments only");
        return NULL;
    }
    for (Py_ssize_t index = 0; index < named; index++) {
        PyObject *name = PyTuple_GetItem(names, index);
        int found = 0;
        while (found < HELPER_COUNT
               && PyUnicode_CompareWithASCIIString(name, helper_names[found]) != 0)
            found++;
        if (found == HELPER_COUNT) {
            PyErr_Format(PyExc_TypeError, "there is no helper %R", name);
            return NULL;
        }
        PyObject *before = state->helpers[found];
        Py_INCREF(arguments[index]);
        state->helpers[found] = arguments[index];
        Py_XDECREF(before);
    }
    Py_RETURN_NONE;
}

PyObject *binding_helper_names(PyObject *module, PyObject *unused)
{
    PyObject *all = PyTuple_New(HELPER_COUNT);
    (void)module;
    (void)unused;
    for (int index = 0; all != NULL && index < HELPER_COUNT; index++) {
        PyObject *name = PyUnicode_FromString(helper_names[index]);
        if (name == NULL || PyTuple_SetItem(all, index, name) < 0)
            Py_CLEAR(all);
    }
    return all;
}
