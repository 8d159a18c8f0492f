/* Instances of classes, made without their constructors: values are known to fit. */
#ifndef HEXARY_INSTANCES_H
#define HEXARY_INSTANCES_H

#include "binding.h"

/*
 * Whether instances of a subclass of bytes can be made by `bytes_instance_filled`, which
 * is told by making one both ways; -1 with an error.
 */
int bytes_can_be_filled(PyTypeObject *cls);

/* Return an instance as bytes.__new__(cls, data) does, where that was found to be so. */
PyObject *bytes_instance_filled(PyTypeObject *cls, const uint8_t *data, size_t size);

/* Return bytes.__new__(cls, data), for any subclass of bytes. */
PyObject *bytes_instance(PyTypeObject *cls, const uint8_t *data, size_t size);

/* Return int.__new__(cls, number), for any subclass of int; takes the reference. */
PyObject *int_instance(PyTypeObject *cls, PyObject *number);

/* Return an instance of a class without arguments, as the class's own slot makes it. */
PyObject *plain_instance(PyTypeObject *cls, PyObject *nothing);

#endif
