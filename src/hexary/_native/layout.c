#include "layout.h"

#include <string.h>

#include "instances.h"

static const char *const words[LAYOUT_WORDS] = {
    [LAYOUT_UINT] = "uint",
    [LAYOUT_BYTES] = "bytes",
    [LAYOUT_BOOL] = "bool",
    [LAYOUT_SEQUENCE] = "sequence",
    [LAYOUT_TUPLE] = "tuple",
    [LAYOUT_OPTIONAL] = "optional",
    [LAYOUT_CONVERTED] = "converted",
    [LAYOUT_ITEM] = "item",
    [LAYOUT_RAW] = "raw",
    [LAYOUT_RECORD] = "record",
    [LAYOUT_TYPED] = "typed",
    [LAYOUT_CHOICE] = "choice",
    [LAYOUT_PYTHON] = "python",
};

/* Keep a reference to an object, unless it is None. */
static PyObject *kept(PyObject *object)
{
    if (object == Py_None)
        return NULL;
    Py_INCREF(object);
    return object;
}

/* Read a size; None is the largest there is, and so is what no input can have. */
static bool read_size(PyObject *object, size_t *size)
{
    int overflow = 0;
    *size = SIZE_MAX;
    if (object == Py_None)
        return true;
    const long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (number == -1 && PyErr_Occurred())
        return false;
    if (overflow < 0 || (overflow == 0 && number < 0)) {
        PyErr_SetString(PyExc_ValueError, "a size is not negative");
        return false;
    }
    if (overflow == 0 && (unsigned long long)number < SIZE_MAX)
        *size = (size_t)number;
    return true;
}

/* Read a class of values, which is NULL where it is the built-in *base* itself. */
static bool read_class(layout *self, PyObject *cls, PyTypeObject *base, PyObject *make)
{
    if (!PyType_Check(cls) || !PyType_IsSubtype((PyTypeObject *)cls, base)) {
        PyErr_Format(PyExc_TypeError, "%R is no subclass of %R", cls, base);
        return false;
    }
    self->make = kept(make);
    if ((PyTypeObject *)cls != base)
        self->cls = (PyTypeObject *)kept(cls);
    return true;
}

/* Make room for what is inside. */
static bool make_members(layout *self, size_t count)
{
    if (count == 0)
        return true;
    self->members = array_new(count, sizeof *self->members);
    if (self->members == NULL)
        return false;
    self->count = count;
    return true;
}

static bool read_one(layout *self, PyObject *tuple, PyTypeObject *coder_type)
{
    return make_members(self, 1) && layout_read(self->members, tuple, coder_type);
}

static bool read_elements(layout *self, PyObject *elements, PyTypeObject *coder_type)
{
    if (!make_members(self, (size_t)PyTuple_Size(elements)))
        return false;
    for (size_t index = 0; index < self->count; index++)
        if (!layout_read(
                &self->members[index], PyTuple_GetItem(elements, (Py_ssize_t)index),
                coder_type
            ))
            return false;
    return true;
}

/* Take what reads and encodes the records of a codec. */
static bool read_codec(layout *self, PyObject *codec, PyTypeObject *coder_type)
{
    self->word = LAYOUT_RECORD;
    PyObject *coder = PyObject_GetAttrString(codec, "coder");
    if (coder == NULL)
        return false;
    if (Py_TYPE(coder) == coder_type) {
        self->coder = coder;
        return true;
    }
    self->reading = PyObject_GetAttrString(coder, "read");
    Py_DECREF(coder);
    return self->reading != NULL;
}

/* Let a type stand for a member. */
static bool set_type(layout *self, PyObject *number, size_t index)
{
    const long type = PyLong_AsLong(number);
    if (type >= 0 && type < LAYOUT_TYPES) {
        self->by_type[type] = (uint8_t)(index + 1);
        return true;
    }
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "a type is from 0 to 127");
    return false;
}

static bool make_types(layout *self, size_t count)
{
    self->word = LAYOUT_TYPED;
    self->by_type = array_new(LAYOUT_TYPES, sizeof *self->by_type);
    return self->by_type != NULL && make_members(self, count);
}

static bool read_typed(layout *self, PyObject *codecs, PyTypeObject *coder_type)
{
    PyObject *number, *codec;
    Py_ssize_t position = 0;
    if (!make_types(self, (size_t)PyDict_Size(codecs)))
        return false;
    for (size_t index = 0;
         index < self->count && PyDict_Next(codecs, &position, &number, &codec); index++)
        if (!read_codec(&self->members[index], codec, coder_type)
            || !set_type(self, number, index))
            return false;
    return true;
}

/* Read a record: its list, or one of several types that are all of one class. */
static bool read_record(
    layout *self, PyObject *codec, PyObject *types, PyTypeObject *coder_type
)
{
    PyObject *type = PyTuple_GetItem(types, 0);
    if (type == NULL)
        return false;
    if (PyTuple_Size(types) == 1 && PyLong_AsLong(type) == 0)
        return read_codec(self, codec, coder_type);
    if (!make_types(self, 1) || !read_codec(self->members, codec, coder_type))
        return false;
    for (Py_ssize_t index = 0; index < PyTuple_Size(types); index++)
        if (!set_type(self, PyTuple_GetItem(types, index), 0))
            return false;
    return true;
}

static bool read_shape(layout_shape *shape, PyObject *tuple)
{
    PyObject *smallest, *largest;
    int is_list;
    if (!PyArg_ParseTuple(tuple, "OOp", &smallest, &largest, &is_list))
        return false;
    shape->is_list = is_list;
    return read_size(smallest, &shape->smallest) && read_size(largest, &shape->largest);
}

/* Read a member of a choice. */
static bool read_member(layout *self, PyObject *tuple, PyTypeObject *coder_type)
{
    PyObject *shapes, *holds, *inner;
    if (!PyArg_ParseTuple(tuple, "O!OO!", &PyTuple_Type, &shapes, &holds, &PyTuple_Type,
                          &inner)
        || !layout_read(self, inner, coder_type))
        return false;
    const size_t count = (size_t)PyTuple_Size(shapes);
    self->shapes = array_new(count, sizeof *self->shapes);
    self->holds = kept(holds);
    if (self->shapes == NULL)
        return false;
    for (; self->shape_count < count; self->shape_count++)
        if (!read_shape(
                &self->shapes[self->shape_count],
                PyTuple_GetItem(shapes, (Py_ssize_t)self->shape_count)
            ))
            return false;
    return true;
}

static bool read_choice(layout *self, PyObject *members, PyTypeObject *coder_type)
{
    if (PyTuple_Size(members) == 0) {
        PyErr_SetString(PyExc_ValueError, "a choice has members");
        return false;
    }
    if (!make_members(self, (size_t)PyTuple_Size(members)))
        return false;
    for (size_t index = 0; index < self->count; index++)
        if (!read_member(
                &self->members[index], PyTuple_GetItem(members, (Py_ssize_t)index),
                coder_type
            ))
            return false;
    return true;
}

static bool read_bytes(layout *self, PyObject *tuple)
{
    PyObject *word, *smallest, *largest, *cls, *make;
    if (!PyArg_ParseTuple(tuple, "OOOOO", &word, &smallest, &largest, &cls, &make)
        || !read_size(smallest, &self->smallest) || !read_size(largest, &self->largest)
        || !read_class(self, cls, &PyBytes_Type, make))
        return false;
    if (self->cls == NULL || self->make != NULL)
        return true;
    const int fillable = bytes_can_be_filled(self->cls);
    self->is_fillable = fillable > 0;
    return fillable >= 0;
}

/* Read what follows the word. */
static bool read_rest(layout *self, PyObject *tuple, PyTypeObject *coder_type)
{
    PyObject *word, *one, *two = Py_None, *three = Py_None;
    switch (self->word) {
    case LAYOUT_BYTES:
        return read_bytes(self, tuple);
    case LAYOUT_UINT:
        return PyArg_ParseTuple(tuple, "OOOO", &word, &one, &two, &three)
               && read_size(one, &self->bits)
               && read_class(self, two, &PyLong_Type, three);
    case LAYOUT_SEQUENCE:
        if (!PyArg_ParseTuple(tuple, "OOOO", &word, &one, &two, &three))
            return false;
        self->is_list = two == (PyObject *)&PyList_Type;
        self->writing = kept(three);
        return read_one(self, one, coder_type);
    case LAYOUT_TUPLE:
        return PyArg_ParseTuple(tuple, "OO!", &word, &PyTuple_Type, &one)
               && read_elements(self, one, coder_type);
    case LAYOUT_OPTIONAL:
        return PyArg_ParseTuple(tuple, "OO", &word, &one)
               && read_one(self, one, coder_type);
    case LAYOUT_CONVERTED:
        if (!PyArg_ParseTuple(tuple, "OOOO", &word, &one, &two, &three))
            return false;
        self->reading = kept(two);
        self->writing = kept(three);
        return read_one(self, one, coder_type);
    case LAYOUT_RECORD:
        return PyArg_ParseTuple(tuple, "OOO!", &word, &one, &PyTuple_Type, &two)
               && read_record(self, one, two, coder_type);
    case LAYOUT_TYPED:
        return PyArg_ParseTuple(tuple, "OO!", &word, &PyDict_Type, &one)
               && read_typed(self, one, coder_type);
    case LAYOUT_CHOICE:
        return PyArg_ParseTuple(tuple, "OO!", &word, &PyTuple_Type, &one)
               && read_choice(self, one, coder_type);
    case LAYOUT_PYTHON:
        if (!PyArg_ParseTuple(tuple, "OOO", &word, &one, &two))
            return false;
        self->reading = kept(one);
        self->writing = kept(two);
        return true;
    case LAYOUT_BOOL:
    case LAYOUT_ITEM:
    case LAYOUT_RAW:
    case LAYOUT_WORDS:
        break;
    }
    return true;
}

bool layout_read(layout *self, PyObject *tuple, PyTypeObject *coder_type)
{
    PyObject *word = PyTuple_Check(tuple) ? PyTuple_GetItem(tuple, 0) : NULL;
    unsigned found = 0;
    if (word == NULL || !PyUnicode_Check(word)) {
        PyErr_Format(PyExc_TypeError, "%R is no layout", tuple);
        return false;
    }
    while (found < LAYOUT_WORDS
           && PyUnicode_CompareWithASCIIString(word, words[found]) != 0)
        found++;
    if (found == LAYOUT_WORDS) {
        PyErr_Format(PyExc_ValueError, "no layout is called %R", word);
        return false;
    }
    self->word = (layout_word)found;
    return read_rest(self, tuple, coder_type);
}

int layout_traverse(const layout *self, visitproc visit, void *arg)
{
    Py_VISIT(self->cls);
    Py_VISIT(self->make);
    Py_VISIT(self->reading);
    Py_VISIT(self->writing);
    Py_VISIT(self->holds);
    Py_VISIT(self->coder);
    for (size_t index = 0; index < self->count; index++) {
        const int stopped = layout_traverse(&self->members[index], visit, arg);
        if (stopped != 0)
            return stopped;
    }
    return 0;
}

void layout_clear(layout *self)
{
    for (size_t index = 0; index < self->count; index++)
        layout_clear(&self->members[index]);
    self->count = 0;
    PyMem_Free(self->members);
    PyMem_Free(self->shapes);
    PyMem_Free(self->by_type);
    self->members = NULL;
    self->shapes = NULL;
    self->by_type = NULL;
    Py_CLEAR(self->cls);
    Py_CLEAR(self->make);
    Py_CLEAR(self->reading);
    Py_CLEAR(self->writing);
    Py_CLEAR(self->holds);
    Py_CLEAR(self->coder);
}
