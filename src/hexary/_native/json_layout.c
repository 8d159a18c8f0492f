/* Layouts of records in JSON, read once for each reader. */
#include "instances.h"
#include "record_json.h"

static const char *const words[WORD_COUNT] = {
    [WORD_BYTES] = "bytes",       [WORD_UINT] = "uint",         [WORD_BOOL] = "bool",
    [WORD_SEQUENCE] = "sequence", [WORD_TUPLE] = "tuple",       [WORD_CHOICE] = "choice",
    [WORD_OPTIONAL] = "optional", [WORD_RECORD] = "record",     [WORD_PYTHON] = "python",
};

static void kind_release(json_kind *self)
{
    for (size_t index = 0; index < self->count; index++)
        kind_release(&self->inner[index]);
    PyMem_Free(self->inner);
    self->inner = NULL;
    self->count = 0;
}

static bool read_layout(json_kind *self, PyObject *layout);

/* Read the layouts of a tuple. */
static bool read_layouts(json_kind *self, PyObject *layouts)
{
    const Py_ssize_t count = PyTuple_Size(layouts);
    if (count < 0)
        return false;
    self->inner = array_new((size_t)count, sizeof *self->inner);
    if (self->inner == NULL)
        return false;
    self->count = (size_t)count;
    for (Py_ssize_t index = 0; index < count; index++)
        if (!read_layout(&self->inner[index], PyTuple_GetItem(layouts, index)))
            return false;
    return true;
}

static bool read_only_layout(json_kind *self, PyObject *layout)
{
    PyObject *layouts = PyTuple_Pack(1, layout);
    const bool good = layouts != NULL && read_layouts(self, layouts);
    Py_XDECREF(layouts);
    return good;
}

/* Read a size, -1 for None. */
static int read_size(PyObject *object, void *size)
{
    *(Py_ssize_t *)size = object == Py_None ? -1 : PyLong_AsSsize_t(object);
    return !PyErr_Occurred();
}

static bool read_bytes_layout(json_kind *self, PyObject *layout)
{
    PyObject *word, *make;
    if (!PyArg_ParseTuple(
            layout, "OnO&O!O", &word, &self->smallest, read_size, &self->largest,
            &PyType_Type, &self->object, &make
        ))
        return false;
    PyTypeObject *cls = (PyTypeObject *)self->object;
    if (!PyType_IsSubtype(cls, &PyBytes_Type)) {
        PyErr_SetString(PyExc_TypeError, "bytes are of a subclass of bytes");
        return false;
    }
    const int result = cls == &PyBytes_Type ? 0 : bytes_can_be_filled(cls);
    self->can_be_filled = result > 0;
    return result >= 0;
}

static bool read_uint_layout(json_kind *self, PyObject *layout)
{
    PyObject *word;
    if (!PyArg_ParseTuple(
            layout, "OOO!O&", &word, &self->most, &PyType_Type, &self->object, read_size,
            &self->largest
        ))
        return false;
    if (!PyType_IsSubtype((PyTypeObject *)self->object, &PyLong_Type)) {
        PyErr_SetString(PyExc_TypeError, "numbers are of a subclass of int");
        return false;
    }
    if (self->most == Py_None)
        self->most = NULL;
    return true;
}

static bool read_layout(json_kind *self, PyObject *layout)
{
    PyObject *word = PyTuple_GetItem(layout, 0), *inner;
    int found = 0;
    if (word == NULL)
        return false;
    while (found < WORD_COUNT
           && PyUnicode_CompareWithASCIIString(word, words[found]) != 0)
        found++;
    self->word = (enum json_word)found;
    switch (self->word) {
    case WORD_BYTES:
        return read_bytes_layout(self, layout);
    case WORD_UINT:
        return read_uint_layout(self, layout);
    case WORD_BOOL:
        return true;
    case WORD_SEQUENCE:
        return PyArg_ParseTuple(layout, "OOO", &word, &inner, &self->object)
               && read_only_layout(self, inner);
    case WORD_CHOICE:
        if (!PyArg_ParseTuple(layout, "OO", &word, &inner) || !read_layouts(self, inner))
            return false;
        if (self->count == 0)
            PyErr_SetString(PyExc_ValueError, "a choice has members");
        return self->count > 0;
    case WORD_TUPLE:
        return PyArg_ParseTuple(layout, "OO", &word, &inner) && read_layouts(self, inner);
    case WORD_OPTIONAL:
        return PyArg_ParseTuple(layout, "OO", &word, &inner)
               && read_only_layout(self, inner);
    case WORD_RECORD:
        return PyArg_ParseTuple(layout, "OOO", &word, &self->object, &self->most);
    case WORD_PYTHON:
        return PyArg_ParseTuple(layout, "OO", &word, &self->object);
    default:
        PyErr_Format(PyExc_ValueError, "there is no layout %R", word);
        return false;
    }
}

static PyObject *null_for_none(PyObject *object)
{
    return object == Py_None ? NULL : object;
}

static bool read_field_layout(json_field *self, PyObject *layout)
{
    PyObject *absent, *kind_layout;
    int is_trailing;
    if (!PyArg_ParseTuple(
            layout, "OO!pO!OOO!", &self->slot, &PyTuple_Type, &self->keys, &is_trailing,
            &PyTuple_Type, &absent, &self->make_absent, &self->accepted, &PyTuple_Type,
            &kind_layout
        ))
        return false;
    self->key_count = PyTuple_Size(self->keys);
    self->is_trailing = is_trailing;
    self->absent = PyTuple_Size(absent) == 0 ? NULL : PyTuple_GetItem(absent, 0);
    self->make_absent = null_for_none(self->make_absent);
    self->accepted = null_for_none(self->accepted);
    self->set = (descrsetfunc)PyType_GetSlot(Py_TYPE(self->slot), Py_tp_descr_set);
    if (self->set == NULL) {
        PyErr_SetString(PyExc_TypeError, "a slot is a descriptor");
        return false;
    }
    return read_layout(&self->kind, kind_layout);
}

bool json_layout_read(json_reader *self)
{
    PyObject *types, *number, *text, *padded, *fields;
    int has_check;
    if (!PyArg_ParseTuple(
            self->layout, "O!OOO!p", &PyType_Type, &self->cls, &types,
            &self->known, &PyTuple_Type, &fields, &has_check
        ))
        return false;
    self->types = null_for_none(types);
    if (self->types != NULL
        && !PyArg_ParseTuple(types, "O!UU", &PyLong_Type, &number, &text, &padded))
        return false;
    self->known = null_for_none(self->known);
    self->has_check = has_check;
    const size_t count = (size_t)PyTuple_Size(fields);
    self->fields = array_new(count, sizeof *self->fields);
    if (self->fields == NULL)
        return false;
    self->count = count;
    for (size_t index = 0; index < count; index++)
        if (!read_field_layout(
                &self->fields[index], PyTuple_GetItem(fields, (Py_ssize_t)index)
            ))
            return false;
    return true;
}

void json_layout_release(json_reader *self)
{
    for (size_t index = 0; index < self->count; index++)
        kind_release(&self->fields[index].kind);
    PyMem_Free(self->fields);
    self->fields = NULL;
    self->count = 0;
}
