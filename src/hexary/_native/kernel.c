/* The kernel that hashes, and what it has hashed. */
#include "binding.h"

PyObject *binding_kernels(PyObject *module, PyObject *unused)
{
    PyObject *rows = PyList_New(0);
    (void)module;
    (void)unused;
    for (size_t index = 0; rows != NULL && keccak_kernel_at(index) != NULL; index++) {
        const keccak_kernel *kernel = keccak_kernel_at(index);
        PyObject *row = Py_BuildValue(
            "(ssO)", kernel->name, kernel->detail,
            keccak_kernel_runs(kernel) ? Py_True : Py_False
        );
        if (row == NULL || PyList_Append(rows, row) < 0)
            Py_CLEAR(rows);
        Py_XDECREF(row);
    }
    return rows;
}

PyObject *binding_kernel_in_use(PyObject *module, PyObject *unused)
{
    (void)unused;
    const keccak_kernel *kernel = state_of(module)->kernel;
    return Py_BuildValue("(ss)", kernel->name, kernel->detail);
}

PyObject *binding_use_kernel(PyObject *module, PyObject *name)
{
    PyObject *text = PyUnicode_AsUTF8String(name);
    if (text == NULL)
        return NULL;
    const keccak_kernel *kernel = keccak_kernel_named(PyBytes_AsString(text));
    Py_DECREF(text);
    if (kernel == NULL) {
        PyErr_Format(PyExc_ValueError, "there is no kernel %R", name);
        return NULL;
    }
    if (!keccak_kernel_runs(kernel)) {
        PyErr_Format(PyExc_ValueError, "this processor cannot run the kernel %R", name);
        return NULL;
    }
    state_of(module)->kernel = kernel;
    Py_RETURN_NONE;
}

PyObject *binding_tally(PyObject *module, PyObject *unused)
{
    (void)unused;
    const keccak_tally *total = &state_of(module)->tally;
    return Py_BuildValue(
        "(KKK)", (unsigned long long)total->calls, (unsigned long long)total->bytes,
        (unsigned long long)total->permutations
    );
}
