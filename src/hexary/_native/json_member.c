/* Members that a JSON object has to have: hexary.chain.json_member in C. */
#include "record_json.h"

/* Whether an object has one of several names; false perhaps with an error. */
static bool has_one(PyObject *object, PyObject *names)
{
    if (!PyTuple_CheckExact(names))
        return false;
    for (Py_ssize_t index = 0; index < PyTuple_Size(names); index++) {
        PyObject *name = PyTuple_GetItem(names, index), *value;
        if (!PyUnicode_CheckExact(name) || !json_find(object, name, &value))
            return false;
        Py_XDECREF(value);
        if (value != NULL)
            return true;
    }
    return false;
}

PyObject *binding_require_members(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    /* Of the keyword `path`, only errors need anything; and they are for the twin. */
    bool all = count == 2 && names != NULL && PyTuple_Size(names) == 1
               && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "path") == 0
               && PyDict_CheckExact(arguments[0]) && PyTuple_CheckExact(arguments[1]);
    for (Py_ssize_t index = 0; all && index < PyTuple_Size(arguments[1]); index++)
        all = has_one(arguments[0], PyTuple_GetItem(arguments[1], index));
    if (all)
        Py_RETURN_NONE;
    if (PyErr_Occurred())
        return NULL;
    return call_pure(state_of(module), TWIN_REQUIRE_MEMBERS, arguments, count, names);
}
