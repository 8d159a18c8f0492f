/*
 * Records read from JSON objects, as layouts say; see hexary.rlp.json_layout.
 *
 * A reader takes what the definition takes for certain, or gives up: then it returns NULL
 * without an error, and Python finds out.  All values are read first; the record is made
 * when nothing can go wrong any more, by its slots, without its constructor.
 */
#include "record_json.h"

#include <string.h>

#include "instances.h"

/* Fields whose values wait on the C stack. */
#define USUAL_FIELDS 32

/* ---- fields ---- */

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
        bool same = json_find(object, PyTuple_GetItem(self->keys, index), &found);
        if (same && *value == NULL) {
            *value = found;
            continue;
        }
        if (found != NULL && found != Py_None)
            same = PyUnicode_CheckExact(*value) && json_is_text(found, *value);
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
    PyObject *value = json_read_value(state, &self->kind, given);
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
    bool right = json_find(object, state->name_type, &value);
    if (!right || value == NULL)
        return right;
    PyObject *number = PyTuple_GetItem(self->types, 0);
    if (PyLong_CheckExact(value))
        right = PyObject_RichCompareBool(value, number, Py_EQ) == 1;
    else
        right = value == Py_None || json_is_text(value, PyTuple_GetItem(self->types, 1))
                || json_is_text(value, PyTuple_GetItem(self->types, 2));
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
static PyObject *make_record(
    module_state *state, const json_reader *self, PyObject **values
)
{
    PyObject *record = plain_instance(self->cls, state->nothing);
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
static PyObject *read_object(
    module_state *state, const json_reader *self, PyObject *object
)
{
    PyObject *usual[USUAL_FIELDS];
    PyObject **values = usual;
    PyObject *record = NULL;
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

/* Records are in records as deep as their classes are. */
PyObject *json_read_record(
    module_state *state, const json_reader *self, PyObject *object
)
{
    if (self->layout == NULL) {
        raise_taken_down();
        return NULL;
    }
    if (Py_EnterRecursiveCall(" in a record") != 0)
        return NULL;
    PyObject *record = read_object(state, self, object);
    Py_LeaveRecursiveCall();
    return record;
}

static PyObject *read_json(PyObject *object, PyObject *value)
{
    const json_reader *self = (const json_reader *)object;
    module_state *state = state_of(self->head.module);
    PyObject *record = json_read_record(state, self, value);
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

json_reader *json_reader_of(module_state *state, PyObject *function)
{
    if (!PyCFunction_Check(function))
        return NULL;
    PyObject *self = PyCFunction_GetSelf(function);
    if (self == NULL || Py_TYPE(self) != state->json_reader_type)
        return NULL;
    return (json_reader *)self;
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
