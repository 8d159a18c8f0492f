/* The class of coders, which read and encode records; see hexary.rlp.record_coder. */
#include "coder.h"

#include <string.h>

/* Keep a slot's descriptor; what is none cannot be read past the class. */
static bool read_slot(PyObject **slot, PyObject *object)
{
    if (Py_TYPE(object) != &PyMemberDescr_Type) {
        PyErr_Format(PyExc_TypeError, "%R is no slot", object);
        return false;
    }
    Py_INCREF(object);
    *slot = object;
    return true;
}

static bool read_field(coder_field *field, PyObject *tuple, PyTypeObject *coder_type)
{
    PyObject *name, *slot, *inner;
    int trailing;
    if (!PyArg_ParseTuple(tuple, "UOpO", &name, &slot, &trailing, &inner)
        || !read_slot(&field->slot, slot))
        return false;
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    field->name = name;
    field->trailing = trailing;
    return layout_read(&field->layout, inner, coder_type);
}

static bool read_fields(coder *self, PyObject *fields)
{
    const size_t count = (size_t)PyTuple_Size(fields);
    self->fields = array_new(count, sizeof *self->fields);
    if (self->fields == NULL)
        return false;
    self->count = count;
    for (size_t index = 0; index < count; index++)
        if (!read_field(
                &self->fields[index], PyTuple_GetItem(fields, (Py_ssize_t)index),
                Py_TYPE((PyObject *)self)
            ))
            return false;
    return true;
}

/* Read the set of type bytes; the least is that of records that have no slot for it. */
static bool read_types(coder *self, PyObject *types)
{
    PyObject *iterator = PyObject_GetIter(types), *number;
    long least = LAYOUT_TYPES;
    if (iterator == NULL)
        return false;
    while ((number = PyIter_Next(iterator)) != NULL) {
        const long type = PyLong_AsLong(number);
        Py_DECREF(number);
        if (type < 0 || type >= LAYOUT_TYPES)
            break;
        self->has_type[type] = true;
        if (type < least)
            least = type;
    }
    Py_DECREF(iterator);
    if (number == NULL && least < LAYOUT_TYPES)
        self->only_type = (uint8_t)least;
    else if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "a type is from 0 to 127");
    return !PyErr_Occurred();
}

/* Read a RecordLayout. */
static bool read_layout(coder *self, PyObject *tuple)
{
    PyObject *cls, *types, *type_slot, *fields;
    int has_check;
    if (!PyArg_ParseTuple(tuple, "O!OOO!p", &PyType_Type, &cls, &types, &type_slot,
                          &PyTuple_Type, &fields, &has_check))
        return false;
    Py_INCREF(cls);
    self->cls = (PyTypeObject *)cls;
    self->has_check = has_check;
    return (type_slot == Py_None || read_slot(&self->type_slot, type_slot))
           && read_types(self, types) && read_fields(self, fields);
}

static PyObject *coder_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    static char *accepted[] = {"codec", "without", NULL};
    PyObject *codec, *without = NULL;
    PyObject *module = PyType_GetModule(type);
    if (module == NULL
        || !PyArg_ParseTupleAndKeywords(
            arguments, names, "O|O:Coder", accepted, &codec, &without
        ))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    coder *self = (coder *)allocate(type, 0);
    if (self == NULL)
        return NULL;
    if (without == NULL)
        without = state_of(module)->nothing;
    Py_INCREF(module);
    self->module = module;
    Py_INCREF(codec);
    self->codec = codec;
    Py_INCREF(without);
    self->without = without;
    PyObject *layout =
        PyObject_CallMethod(codec, "layout", "(O)", without);
    self->is_made = layout != NULL && read_layout(self, layout);
    Py_XDECREF(layout);
    if (!self->is_made)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int coder_traverse(PyObject *object, visitproc visit, void *arg)
{
    coder *self = as_coder(object);
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->module);
    Py_VISIT(self->cls);
    Py_VISIT(self->codec);
    Py_VISIT(self->without);
    Py_VISIT(self->pure);
    Py_VISIT(self->type_slot);
    for (size_t index = 0; index < self->count; index++) {
        Py_VISIT(self->fields[index].slot);
        const int stopped = layout_traverse(&self->fields[index].layout, visit, arg);
        if (stopped != 0)
            return stopped;
    }
    return 0;
}

/* The layouts go with the object: a method of it may be running in them. */
static int coder_clear(PyObject *object)
{
    coder *self = as_coder(object);
    self->is_made = false;
    Py_CLEAR(self->codec);
    Py_CLEAR(self->without);
    Py_CLEAR(self->pure);
    return 0;
}

static void coder_free(PyObject *object)
{
    coder *self = as_coder(object);
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    PyObject_GC_UnTrack(object);
    coder_clear(object);
    for (size_t index = 0; index < self->count; index++) {
        Py_XDECREF(self->fields[index].name);
        Py_XDECREF(self->fields[index].slot);
        layout_clear(&self->fields[index].layout);
    }
    PyMem_Free(self->fields);
    Py_XDECREF(self->type_slot);
    Py_XDECREF((PyObject *)self->cls);
    PyObject *module = self->module;
    release(object);
    Py_XDECREF(module);
    Py_DECREF(type);
}

/* ---- reading ---- */

/* Give up as compiled decoders do. */
static PyObject *give_up(const coder *self)
{
    PyObject *retry = coder_state(self)->helpers[HELPER_RETRY];
    if (PyErr_Occurred())
        return NULL;
    if (retry == NULL)
        raise_taken_down();
    else
        PyErr_SetNone(retry);
    return NULL;
}

/* Read the arguments: bytes, and a position in them. */
static bool read_place(
    PyObject *const *arguments, Py_ssize_t count, Py_ssize_t most, size_t *position
)
{
    if (count < 2 || count > most || !PyBytes_CheckExact(arguments[0])) {
        PyErr_SetString(PyExc_TypeError, "a coder reads bytes from a position on");
        return false;
    }
    const Py_ssize_t place = PyLong_AsSsize_t(arguments[1]);
    if (place < 0 && !PyErr_Occurred())
        PyErr_SetString(PyExc_IndexError, "a position is not negative");
    *position = (size_t)place;
    return place >= 0;
}

static PyObject *read_at(coder *self, PyObject *data, size_t position, uint8_t type)
{
    size_t stop = 0;
    PyObject *record = NULL;
    if (position < (size_t)PyBytes_Size(data))
        record = coder_read_list(self, data, position, type, &stop);
    if (record == NULL)
        return give_up(self);
    PyObject *end = PyLong_FromSize_t(stop), *pair = PyTuple_New(2);
    if (end == NULL || pair == NULL) {
        Py_XDECREF(end);
        Py_XDECREF(pair);
        Py_DECREF(record);
        return NULL;
    }
    PyTuple_SetItem(pair, 0, record);
    PyTuple_SetItem(pair, 1, end);
    return pair;
}

static PyObject *coder_read(
    PyObject *object, PyObject *const *arguments, Py_ssize_t count
)
{
    size_t position;
    long type = 0;
    if (!read_place(arguments, count, 3, &position))
        return NULL;
    if (count == 3) {
        type = PyLong_AsLong(arguments[2]);
        if (type < 0 || type >= LAYOUT_TYPES)
            return give_up(as_coder(object));
    }
    return read_at(as_coder(object), arguments[0], position, (uint8_t)type);
}

static PyObject *coder_read_alone(
    PyObject *object, PyObject *const *arguments, Py_ssize_t count
)
{
    coder *self = as_coder(object);
    size_t position;
    if (!read_place(arguments, count, 2, &position))
        return NULL;
    if (position >= (size_t)PyBytes_Size(arguments[0]))
        return give_up(self);
    const unsigned first = (unsigned char)PyBytes_AsString(arguments[0])[position];
    if (first > 0 && first < LAYOUT_TYPES && self->has_type[first])
        return read_at(self, arguments[0], position + 1, (uint8_t)first);
    return self->has_type[0] ? read_at(self, arguments[0], position, 0) : give_up(self);
}

/* ---- encoding ---- */

static const char *const form_names[] = {
    [CODER_LIST] = "encode",
    [CODER_ALONE] = "encode_alone",
    [CODER_ITEM] = "encode_item",
};

/* Encode by the pure coder, which is made when it is needed first. */
static PyObject *encode_purely(
    coder *self, const char *name, PyObject *record, PyObject *extra
)
{
    PyObject *helper = coder_state(self)->helpers[HELPER_PURE_CODER];
    if (!self->is_made || helper == NULL) {
        raise_taken_down();
        return NULL;
    }
    PyObject *pure = self->pure;
    if (pure == NULL) {
        pure = PyObject_CallFunctionObjArgs(helper, self->codec, self->without, NULL);
        if (pure == NULL)
            return NULL;
        if (self->pure == NULL) {
            Py_INCREF(pure);
            self->pure = pure;
        }
    } else {
        Py_INCREF(pure);
    }
    PyObject *function = PyObject_GetAttrString(pure, name);
    Py_DECREF(pure);
    PyObject *encoded =
        function == NULL ? NULL
                         : PyObject_CallFunctionObjArgs(function, record, extra, NULL);
    Py_XDECREF(function);
    return encoded;
}

static PyObject *encode_as(PyObject *object, PyObject *record, coder_form form)
{
    coder *self = as_coder(object);
    PyObject *encoded = coder_encode(self, record, form, NULL);
    if (encoded != NULL || PyErr_Occurred())
        return encoded;
    return encode_purely(self, form_names[form], record, NULL);
}

static PyObject *coder_encode_list(PyObject *object, PyObject *record)
{
    return encode_as(object, record, CODER_LIST);
}

static PyObject *coder_encode_alone(PyObject *object, PyObject *record)
{
    return encode_as(object, record, CODER_ALONE);
}

static PyObject *coder_encode_item(PyObject *object, PyObject *record)
{
    return encode_as(object, record, CODER_ITEM);
}

static PyObject *coder_encode_with(
    PyObject *object, PyObject *const *arguments, Py_ssize_t count
)
{
    coder *self = as_coder(object);
    if (count != 2 || !PyBytes_Check(arguments[1])) {
        PyErr_SetString(PyExc_TypeError, "encode_with takes a record and bytes");
        return NULL;
    }
    PyObject *encoded = coder_encode(self, arguments[0], CODER_LIST, arguments[1]);
    if (encoded != NULL || PyErr_Occurred())
        return encoded;
    return encode_purely(self, "encode_with", arguments[0], arguments[1]);
}

#define METHOD(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef coder_methods[] = {
    {"read", METHOD(coder_read), METH_FASTCALL,
     "read($self, data, position, type=0, /)\n--\n\n"
     "Return the record whose list is at position, and the index behind it."},
    {"read_alone", METHOD(coder_read_alone), METH_FASTCALL,
     "read_alone($self, data, position, /)\n--\n\n"
     "Return the record at position, perhaps after its type byte, and the index behind."},
    {"encode", coder_encode_list, METH_O,
     "encode($self, record, /)\n--\n\nReturn the list of a record."},
    {"encode_alone", coder_encode_alone, METH_O,
     "encode_alone($self, record, /)\n--\n\n"
     "Return the list of a record after its type byte, if it has one."},
    {"encode_item", coder_encode_item, METH_O,
     "encode_item($self, record, /)\n--\n\n"
     "Return a record as it is inside a list."},
    {"encode_with", METHOD(coder_encode_with), METH_FASTCALL,
     "encode_with($self, record, extra, /)\n--\n\n"
     "Return the list of a record with encoded items after its fields."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot coder_slots[] = {
    {Py_tp_new, coder_new},
    {Py_tp_dealloc, coder_free},
    {Py_tp_traverse, coder_traverse},
    {Py_tp_clear, coder_clear},
    {Py_tp_methods, coder_methods},
    {Py_tp_doc, "Coder(codec, without=())\n--\n\n"
                "What reads and encodes the records of one class."},
    {0, NULL},
};

PyType_Spec coder_spec = {
    .name = "hexary._native.accelerator.Coder",
    .basicsize = sizeof(coder),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = coder_slots,
};
