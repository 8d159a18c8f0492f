/*
 * Records read from JSON objects, as layouts say; see hexary.rlp.json_layout.
 *
 * A reader takes what the definition takes for certain, or gives up: then it returns NULL
 * without an error, and Python finds out.  All values are read first; the record is made
 * when nothing can go wrong any more, by its slots, without its constructor.
 */
#include "record_json.h"

#include <string.h>

#include "hex.h"
#include "instances.h"
#include "text.h"

/* Fields whose values wait on the C stack. */
#define USUAL_FIELDS 32

/* Bytes that are read on the C stack: those of a bloom filter, the largest of fixed size. */
#define USUAL_BYTES 256

static PyObject *read_record(module_state *state, const json_reader *self, PyObject *object);
static PyObject *read_value(module_state *state, const json_kind *self, PyObject *value);
static json_reader *reader_of(module_state *state, PyObject *function);

static PyObject *new_reference(PyObject *object)
{
    Py_INCREF(object);
    return object;
}

/* Whether *object* is exactly the text *text*, which is of class str. */
static bool is_text(PyObject *object, PyObject *text)
{
    return object == text
           || (PyUnicode_CheckExact(object) && PyUnicode_Compare(object, text) == 0);
}

/* ---- bytes, numbers and booleans ---- */

/* Find the digits of a text; false where they are not those of whole bytes. */
static bool digits_of(PyObject *value, const char **digits, size_t *size)
{
    *digits = text_of(value, size);
    if (*digits == NULL)
        return false;
    if (is_prefixed(*digits, *size)) {
        *digits += 2;
        *size -= 2;
    }
    return *size % 2 == 0;
}

static PyObject *read_bytes(const json_kind *self, PyObject *value)
{
    const char *digits;
    size_t size;
    uint8_t usual[USUAL_BYTES];
    if (!digits_of(value, &digits, &size))
        return NULL;
    size /= 2;
    if (size < (size_t)self->smallest
        || (self->largest >= 0 && size > (size_t)self->largest))
        return NULL;
    PyTypeObject *cls = (PyTypeObject *)self->object;
    if (cls != &PyBytes_Type && size <= USUAL_BYTES) {
        if (!hex_read(digits, size, usual))
            return NULL;
        return self->can_be_filled ? bytes_instance_filled(cls, usual, size)
                                   : bytes_instance(cls, usual, size);
    }
    PyObject *plain = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (plain == NULL)
        return NULL;
    uint8_t *out = (uint8_t *)PyBytes_AsString(plain);
    if (!hex_read(digits, size, out))
        Py_CLEAR(plain);
    if (plain == NULL || cls == &PyBytes_Type)
        return plain;
    PyObject *made = self->can_be_filled ? bytes_instance_filled(cls, out, size)
                                         : bytes_instance(cls, out, size);
    Py_DECREF(plain);
    return made;
}

/* Return the number that a text or an int is, or NULL, perhaps without an error. */
static PyObject *number_of(PyObject *value, Py_ssize_t most_characters)
{
    int overflow;
    if (PyUnicode_CheckExact(value)) {
        if (most_characters >= 0 && PyUnicode_GetLength(value) > most_characters)
            return NULL;
        return quantity_of_text(value);
    }
    if (!PyLong_CheckExact(value))
        return NULL;
    const long long small = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow < 0 || (overflow == 0 && small < 0) ? NULL : new_reference(value);
}

static PyObject *read_uint(const json_kind *self, PyObject *value)
{
    PyObject *number = number_of(value, self->largest);
    if (number == NULL)
        return NULL;
    if (self->most != NULL && PyObject_RichCompareBool(number, self->most, Py_LE) != 1) {
        Py_DECREF(number);
        return NULL;
    }
    if (self->object == (PyObject *)&PyLong_Type)
        return number;
    return int_instance((PyTypeObject *)self->object, number);
}

/* Characters of the text of a boolean that the definition looks at. */
#define BOOLEAN_TEXT 64

static PyObject *read_bool(PyObject *value)
{
    if (PyBool_Check(value))
        return new_reference(value);
    PyObject *number = number_of(value, BOOLEAN_TEXT);
    if (number == NULL)
        return NULL;
    int overflow;
    const long long small = PyLong_AsLongLongAndOverflow(number, &overflow);
    Py_DECREF(number);
    return overflow == 0 && small <= 1 ? PyBool_FromLong((long)small) : NULL;
}

/* ---- what holds other values ---- */

/* Return the values of a list as another, the first *count* each of a kind of its own. */
static PyObject *read_items(
    module_state *state, const json_kind *kinds, size_t step, PyObject *value
)
{
    const Py_ssize_t count = PyList_Size(value);
    PyObject *items = PyList_New(0);
    for (Py_ssize_t index = 0; items != NULL && index < count; index++) {
        /* A function of the user's own may have changed the list. */
        PyObject *given = PyList_Size(value) == count ? PyList_GetItem(value, index) : NULL;
        PyObject *item = NULL;
        if (given != NULL) {
            Py_INCREF(given);
            item = read_value(state, &kinds[step * (size_t)index], given);
            Py_DECREF(given);
        }
        if (item == NULL || PyList_Append(items, item) < 0)
            Py_CLEAR(items);
        Py_XDECREF(item);
    }
    return items;
}

/* Return the items of a list as a tuple, or as they are; *items* is released. */
static PyObject *in_container(PyObject *items, PyObject *container)
{
    if (items == NULL || container == (PyObject *)&PyList_Type)
        return items;
    PyObject *made = PyList_AsTuple(items);
    Py_DECREF(items);
    return made;
}

static PyObject *read_sequence(module_state *state, const json_kind *self, PyObject *value)
{
    if (!PyList_CheckExact(value))
        return NULL;
    if (PyList_Size(value) == 0 && self->object == (PyObject *)&PyTuple_Type)
        return PyTuple_New(0);
    return in_container(read_items(state, self->inner, 0, value), self->object);
}

static PyObject *read_tuple(module_state *state, const json_kind *self, PyObject *value)
{
    if (!PyList_CheckExact(value) || (size_t)PyList_Size(value) != self->count)
        return NULL;
    return in_container(
        read_items(state, self->inner, 1, value), (PyObject *)&PyTuple_Type
    );
}

static PyObject *read_optional(module_state *state, const json_kind *self, PyObject *value)
{
    if (value == Py_None
        || (PyUnicode_CheckExact(value)
            && (PyUnicode_CompareWithASCIIString(value, "") == 0
                || PyUnicode_CompareWithASCIIString(value, "0x") == 0)))
        return new_reference(Py_None);
    return read_value(state, self->inner, value);
}

/* All members but the last are bytes of one size, so no other text can be meant. */
static PyObject *read_choice(module_state *state, const json_kind *self, PyObject *value)
{
    size_t chosen = self->count - 1;
    if (PyUnicode_Check(value)) {
        const char *digits;
        size_t size;
        if (!PyUnicode_CheckExact(value))
            return NULL;
        if (digits_of(value, &digits, &size)) {
            for (size_t index = chosen; index-- > 0;)
                if (size / 2 == (size_t)self->inner[index].smallest)
                    chosen = index;
        } else if (digits == NULL) {
            return NULL;
        }
    }
    return read_value(state, &self->inner[chosen], value);
}

static PyObject *read_inner_record(
    module_state *state, const json_kind *self, PyObject *value
)
{
    const json_reader *inner = reader_of(state, self->object);
    if (inner != NULL)
        return read_record(state, inner, value);
    PyObject *record = PyObject_CallFunctionObjArgs(self->object, value, NULL);
    if (record != NULL && (PyObject *)Py_TYPE(record) != self->most)
        Py_CLEAR(record);
    return record;
}

static PyObject *read_value(module_state *state, const json_kind *self, PyObject *value)
{
    switch (self->word) {
    case WORD_BYTES:
        return read_bytes(self, value);
    case WORD_UINT:
        return read_uint(self, value);
    case WORD_BOOL:
        return read_bool(value);
    case WORD_SEQUENCE:
        return read_sequence(state, self, value);
    case WORD_TUPLE:
        return read_tuple(state, self, value);
    case WORD_OPTIONAL:
        return read_optional(state, self, value);
    case WORD_CHOICE:
        return read_choice(state, self, value);
    case WORD_RECORD:
        return read_inner_record(state, self, value);
    default:
        return PyObject_CallFunctionObjArgs(self->object, value, NULL);
    }
}

/* ---- fields ---- */

/* Find what stands under a key, and hold it; false with an error. */
static bool find(PyObject *object, PyObject *key, PyObject **value)
{
    *value = PyDict_GetItemWithError(object, key);
    Py_XINCREF(*value);
    return *value != NULL || !PyErr_Occurred();
}

/*
 * Find the value of a field under one of its keys, and hold it, if there is any.
 *
 * False, perhaps without an error, if two keys do not plainly say the same.
 */
static bool find_value(const json_field *self, PyObject *object, PyObject **value)
{
    *value = NULL;
    for (Py_ssize_t index = 0; index < self->key_count; index++) {
        PyObject *found;
        bool same = find(object, PyTuple_GetItem(self->keys, index), &found);
        if (same && *value == NULL) {
            *value = found;
            continue;
        }
        if (found != NULL && found != Py_None)
            same = PyUnicode_CheckExact(*value) && is_text(found, *value);
        Py_XDECREF(found);
        if (!same) {
            Py_CLEAR(*value);
            return false;
        }
    }
    return true;
}

static PyObject *absent_value(const json_field *self)
{
    if (self->absent != NULL)
        return new_reference(self->absent);
    return self->make_absent == NULL ? NULL : PyObject_CallNoArgs(self->make_absent);
}

/* Return the value of a field, or NULL, perhaps without an error. */
static PyObject *read_field(module_state *state, const json_field *self, PyObject *object)
{
    PyObject *given;
    if (!find_value(self, object, &given))
        return NULL;
    if (given == NULL || (self->is_trailing && given == Py_None)) {
        Py_XDECREF(given);
        return absent_value(self);
    }
    PyObject *value = read_value(state, &self->kind, given);
    Py_DECREF(given);
    if (value != NULL && self->accepted != NULL
        && !(PyLong_CheckExact(value) && PySet_Contains(self->accepted, value) == 1))
        Py_CLEAR(value);
    return value;
}

/* ---- records ---- */

/* Whether what stands under `type` may stand there. */
static bool has_right_type(
    module_state *state, const json_reader *self, PyObject *object
)
{
    PyObject *value;
    if (self->types == NULL)
        return true;
    bool right = find(object, state->name_type, &value);
    if (!right || value == NULL)
        return right;
    if (PyLong_CheckExact(value))
        right = PyObject_RichCompareBool(value, PyTuple_GetItem(self->types, 0), Py_EQ) == 1;
    else
        right = value == Py_None || is_text(value, PyTuple_GetItem(self->types, 1))
                || is_text(value, PyTuple_GetItem(self->types, 2));
    Py_DECREF(value);
    return right;
}

static bool has_known_keys(const json_reader *self, PyObject *object)
{
    PyObject *key, *value;
    Py_ssize_t position = 0;
    if (self->known == NULL)
        return true;
    while (PyDict_Next(object, &position, &key, &value))
        if (!PyUnicode_CheckExact(key) || PySet_Contains(self->known, key) != 1)
            return false;
    return true;
}

static bool read_fields(
    module_state *state, const json_reader *self, PyObject *object, PyObject **values
)
{
    bool has_ended = false;
    for (size_t index = 0; index < self->count; index++) {
        const json_field *each = &self->fields[index];
        values[index] = read_field(state, each, object);
        if (values[index] == NULL)
            return false;
        if (each->is_trailing && values[index] == Py_None)
            has_ended = true;
        else if (each->is_trailing && has_ended)
            return false;
    }
    return true;
}

/* Return an instance with these values. */
static PyObject *make_record(module_state *state, const json_reader *self, PyObject **values)
{
    newfunc construct = (newfunc)PyType_GetSlot(&PyBaseObject_Type, Py_tp_new);
    PyObject *record = construct(self->cls, state->nothing, NULL);
    for (size_t index = 0; record != NULL && index < self->count; index++) {
        const json_field *each = &self->fields[index];
        if (each->set(each->slot, record, values[index]) < 0)
            Py_CLEAR(record);
    }
    if (record != NULL && self->has_check) {
        PyObject *checked =
            PyObject_CallMethodObjArgs(record, state->name_post_init, NULL);
        if (checked == NULL)
            Py_CLEAR(record);
        Py_XDECREF(checked);
    }
    return record;
}

/* Return the record of a JSON object, or NULL, perhaps without an error. */
static PyObject *read_record(module_state *state, const json_reader *self, PyObject *object)
{
    PyObject *usual[USUAL_FIELDS];
    PyObject **values = usual;
    PyObject *record = NULL;
    if (self->layout == NULL) {
        raise_taken_down();
        return NULL;
    }
    if (!PyDict_CheckExact(object) || !has_right_type(state, self, object)
        || !has_known_keys(self, object))
        return NULL;
    if (self->count > USUAL_FIELDS) {
        values = PyMem_Malloc(self->count * sizeof *values);
        if (values == NULL)
            return PyErr_NoMemory();
    }
    memset(values, 0, self->count * sizeof *values);
    if (read_fields(state, self, object, values))
        record = make_record(state, self, values);
    for (size_t index = 0; index < self->count; index++)
        Py_XDECREF(values[index]);
    if (values != usual)
        PyMem_Free(values);
    return record;
}

static PyObject *read_json(PyObject *object, PyObject *value)
{
    const json_reader *self = (const json_reader *)object;
    module_state *state = state_of(self->head.module);
    PyObject *record = read_record(state, self, value);
    if (record == NULL && !PyErr_Occurred()) {
        if (state->helpers[HELPER_RETRY] == NULL)
            raise_taken_down();
        else
            PyErr_SetNone(state->helpers[HELPER_RETRY]);
    }
    return record;
}

static PyMethodDef read_method = {
    "read_json", read_json, METH_O,
    "read_json(value, /)\n--\n\nReturn the record of a JSON object, or give up.",
};

static json_reader *reader_of(module_state *state, PyObject *function)
{
    if (!PyCFunction_Check(function))
        return NULL;
    PyObject *self = PyCFunction_GetSelf(function);
    return self != NULL && Py_TYPE(self) == state->json_reader_type ? (json_reader *)self : NULL;
}

/* ---- the reader ---- */

static int reader_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((json_reader *)object)->head.module);
    Py_VISIT(((json_reader *)object)->layout);
    return 0;
}

static int reader_clear(PyObject *object)
{
    Py_CLEAR(((json_reader *)object)->layout);
    return 0;
}

static void reader_free(PyObject *object)
{
    json_reader *self = (json_reader *)object;
    PyObject_GC_UnTrack(object);
    Py_CLEAR(self->layout);
    json_layout_release(self);
    core_deallocate(object);
}

static PyType_Slot reader_slots[] = {
    {Py_tp_dealloc, reader_free},
    {Py_tp_traverse, reader_traverse},
    {Py_tp_clear, reader_clear},
    {0, NULL},
};

PyType_Spec json_reader_spec = {
    .name = "hexary._native.accelerator.JsonReader",
    .basicsize = sizeof(json_reader),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION
             | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = reader_slots,
};

/* Return the function that reads by a layout; *layout* is released. */
static PyObject *function_of(PyObject *module, PyObject *layout)
{
    PyObject *function = NULL;
    json_reader *self = core_allocate(state_of(module)->json_reader_type, module);
    if (self == NULL) {
        Py_DECREF(layout);
        return NULL;
    }
    self->layout = layout;
    if (json_layout_read(self))
        function = PyCFunction_NewEx(&read_method, (PyObject *)self, NULL);
    Py_DECREF(self);
    return function;
}

PyObject *binding_make_json_reader(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    module_state *state = state_of(module);
    if (count == 2 && names == NULL) {
        if (state->helpers[HELPER_JSON_LAYOUT] == NULL) {
            raise_taken_down();
            return NULL;
        }
        PyObject *layout = PyObject_CallFunctionObjArgs(
            state->helpers[HELPER_JSON_LAYOUT], arguments[0], arguments[1], NULL
        );
        if (layout == NULL)
            return NULL;
        if (layout != Py_None)
            return function_of(module, layout);
        Py_DECREF(layout);
    }
    return call_pure(state, TWIN_MAKE_JSON_READER, arguments, count, names);
}

/* ---- members that have to be there ---- */

/* Whether an object has one of several names; false perhaps with an error. */
static bool has_one(PyObject *object, PyObject *names)
{
    if (!PyTuple_CheckExact(names))
        return false;
    for (Py_ssize_t index = 0; index < PyTuple_Size(names); index++) {
        PyObject *name = PyTuple_GetItem(names, index), *value;
        if (!PyUnicode_CheckExact(name) || !find(object, name, &value))
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
