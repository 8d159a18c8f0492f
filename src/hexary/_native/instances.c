/*
 * Instances of subclasses of bytes and int.
 *
 * The limited API makes an instance of a subclass of bytes only of a bytes object, which
 * costs three times what its making costs.  So it is allocated as the class itself would,
 * and filled here.  Before their data, bytes objects have a hash that the limited API does
 * not describe.  So each class is tried once: only if nothing else is there, and both ways
 * come to the same, are its instances filled.
 */
#include "instances.h"

#include <string.h>

/* The largest part of a bytes object that the limited API does not describe. */
#define MOST_PRIVATE 16u

/* Any size that bytes objects of are not kept for reuse. */
#define SAMPLE_SIZE 41

static size_t private_size(PyObject *bytes)
{
    return (size_t)((const char *)PyBytes_AsString(bytes) - (const char *)bytes)
           - sizeof(PyVarObject);
}

/* What stands between the size of a bytes object and its data. */
static void *private_part(PyObject *bytes)
{
    return (char *)bytes + sizeof(PyVarObject);
}

static PyObject *new_by(PyTypeObject *base, PyTypeObject *cls, PyObject *value)
{
    newfunc construct = (newfunc)PyType_GetSlot(base, Py_tp_new);
    PyObject *arguments = PyTuple_New(1);
    if (arguments == NULL || value == NULL) {
        Py_XDECREF(arguments);
        Py_XDECREF(value);
        return NULL;
    }
    PyTuple_SetItem(arguments, 0, value);
    PyObject *made = construct(cls, arguments, NULL);
    Py_DECREF(arguments);
    return made;
}

PyObject *bytes_instance(PyTypeObject *cls, const uint8_t *data, size_t size)
{
    PyObject *value =
        PyBytes_FromStringAndSize((const char *)data, (Py_ssize_t)size);
    return new_by(&PyBytes_Type, cls, value);
}

PyObject *int_instance(PyTypeObject *cls, PyObject *number)
{
    return new_by(&PyLong_Type, cls, number);
}

/*
 * Not by object.__new__ of C itself: only its form for Python refuses a class that has the
 * memory of another base, such as an exception, and would be left without what that needs.
 */
PyObject *plain_instance(PyTypeObject *cls, PyObject *nothing)
{
    newfunc construct = (newfunc)PyType_GetSlot(cls, Py_tp_new);
    if (construct == NULL) {
        PyErr_Format(PyExc_TypeError, "%R makes no instances", cls);
        return NULL;
    }
    return construct(cls, nothing, NULL);
}

PyObject *bytes_instance_filled(PyTypeObject *cls, const uint8_t *data, size_t size)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(cls, Py_tp_alloc);
    PyObject *made = allocate(cls, (Py_ssize_t)size);
    if (made == NULL)
        return NULL;
    /* A hash of -1 is one that is not known yet. */
    memset(private_part(made), 0xff, private_size(made));
    memcpy(PyBytes_AsString(made), data, size);
    return made;
}

/* Whether what the limited API does not describe is a hash that is not known yet. */
static bool is_plain(PyObject *bytes)
{
    static const uint8_t unknown[MOST_PRIVATE] = {
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff};
    const size_t size = private_size(bytes);
    return size <= MOST_PRIVATE && memcmp(private_part(bytes), unknown, size) == 0;
}

int bytes_can_be_filled(PyTypeObject *cls)
{
    uint8_t data[SAMPLE_SIZE];
    memset(data, 'x', sizeof data);
    PyObject *made = bytes_instance(cls, data, sizeof data);
    if (made == NULL)
        return -1;
    int result = 0;
    if (Py_TYPE(made) == cls && is_plain(made)) {
        PyObject *filled = bytes_instance_filled(cls, data, sizeof data);
        result = filled == NULL ? -1
                                : memcmp(
                                      (char *)made + sizeof(PyObject),
                                      (char *)filled + sizeof(PyObject),
                                      sizeof(PyVarObject) - sizeof(PyObject)
                                          + private_size(made) + sizeof data + 1
                                  ) == 0;
        Py_XDECREF(filled);
    }
    Py_DECREF(made);
    return result;
}
