/*
 * Encodings of records.
 *
 * The fields were checked when the record was made, so that the kinds of what is met are
 * known.  Whatever is met all the same is left to the pure coder, which raises, or not.
 * Encodings are written from front to back, in the order in which the pure coder looks at
 * the fields; a list's header goes into room that is left for it.
 */
#include "coder.h"

#include <string.h>

#include "integer.h"
#include "rlp.h"

#define FIRST_BYTES 2048

/* Room for the header of a list: what most lists of records need. */
#define HEADER_ROOM 3

typedef struct writer {
    module_state *state;
    uint8_t *bytes;
    size_t size, capacity;
    uint8_t first_bytes[FIRST_BYTES];
} writer;

/* Whether the writer has gone on, has met something for the pure coder, or an error. */
typedef enum progress { GONE_ON, FOR_THE_PURE_CODER, FAILED } progress;

static progress write_value(writer *self, const layout *kind, PyObject *value);

static progress make_room(writer *self, size_t size)
{
    if (size <= self->capacity - self->size)
        return GONE_ON;
    if (size > (size_t)PY_SSIZE_T_MAX - self->size) {
        PyErr_NoMemory();
        return FAILED;
    }
    size_t capacity = self->capacity;
    while (capacity - self->size < size)
        capacity = capacity <= SIZE_MAX / 2 ? 2 * capacity : SIZE_MAX;
    const bool is_first = self->bytes == self->first_bytes;
    uint8_t *larger = PyMem_Realloc(is_first ? NULL : self->bytes, capacity);
    if (larger == NULL) {
        PyErr_NoMemory();
        return FAILED;
    }
    if (is_first)
        memcpy(larger, self->first_bytes, self->size);
    self->bytes = larger;
    self->capacity = capacity;
    return GONE_ON;
}

static progress put(writer *self, const uint8_t *data, size_t size)
{
    const progress made = make_room(self, size);
    if (made == GONE_ON && size > 0) {
        memcpy(self->bytes + self->size, data, size);
        self->size += size;
    }
    return made;
}

static progress put_byte(writer *self, unsigned byte)
{
    const uint8_t data = (uint8_t)byte;
    return put(self, &data, 1);
}

static progress put_string(writer *self, const uint8_t *data, size_t size)
{
    if (size > (size_t)PY_SSIZE_T_MAX - RLP_MOST_HEADER) {
        PyErr_NoMemory();
        return FAILED;
    }
    const progress made = make_room(self, size + RLP_MOST_HEADER);
    if (made == GONE_ON)
        self->size =
            (size_t)(rlp_write_string(self->bytes + self->size, data, size) - self->bytes);
    return made;
}

/* Put the bytes that a function has returned, which are an encoding. */
static progress put_encoded(writer *self, PyObject *encoded)
{
    char *data;
    Py_ssize_t size;
    progress made = FAILED;
    if (encoded == NULL)
        return FAILED;
    if (!PyBytes_Check(encoded))
        made = FOR_THE_PURE_CODER;
    else if (PyBytes_AsStringAndSize(encoded, &data, &size) == 0)
        made = put(self, (const uint8_t *)data, (size_t)size);
    Py_DECREF(encoded);
    return made;
}

/* Leave room for a header; return where, which `close_payload` takes. */
static progress open_payload(writer *self, size_t *opened)
{
    static const uint8_t room[HEADER_ROOM] = {0};
    *opened = self->size;
    return put(self, room, HEADER_ROOM);
}

/* Write the header of what has been written since then. */
static progress close_payload(writer *self, size_t opened, unsigned kind)
{
    const size_t start = opened + HEADER_ROOM, size = self->size - start;
    const size_t needed = rlp_header_size(size);
    if (needed != HEADER_ROOM) {
        if (make_room(self, RLP_MOST_HEADER) != GONE_ON)
            return FAILED;
        memmove(self->bytes + opened + needed, self->bytes + start, size);
        self->size = opened + needed + size;
    }
    rlp_write_header(self->bytes + opened, kind, size);
    return GONE_ON;
}

static progress write_uint(writer *self, PyObject *value)
{
    int overflow;
    uint8_t digits[8];
    unsigned count = 0;
    if (!PyLong_Check(value))
        return FOR_THE_PURE_CODER;
    const long long small = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow != 0) {
        mpt_number number;
        if (integer_read(self->state, value, &number))
            return put_string(self, number.digits, number.size);
        return PyErr_Occurred() ? FAILED : FOR_THE_PURE_CODER;
    }
    if (small < 0)
        return FOR_THE_PURE_CODER;
    for (unsigned long long rest = (unsigned long long)small; rest > 0; rest >>= 8)
        digits[7 - count++] = (uint8_t)rest;
    return put_string(self, digits + 8 - count, count);
}

static progress write_bytes(writer *self, const layout *kind, PyObject *value)
{
    char *data;
    Py_ssize_t size;
    if (!PyBytes_Check(value))
        return FOR_THE_PURE_CODER;
    if (PyBytes_AsStringAndSize(value, &data, &size) < 0)
        return FAILED;
    if ((size_t)size < kind->smallest || (size_t)size > kind->largest)
        return FOR_THE_PURE_CODER;
    return put_string(self, (const uint8_t *)data, (size_t)size);
}

static progress write_bool(writer *self, PyObject *value)
{
    if (value != Py_True && value != Py_False)
        return FOR_THE_PURE_CODER;
    return put_byte(self, value == Py_True ? 1 : RLP_STRING);
}

/* Write the items of a tuple, or of a list that no one else has. */
static progress write_items(writer *self, const layout *kind, PyObject *items)
{
    const Py_ssize_t count =
        kind->is_list ? PyList_Size(items) : PyTuple_Size(items);
    size_t opened;
    if (count == 0)
        return put_byte(self, RLP_LIST);
    progress made = open_payload(self, &opened);
    for (Py_ssize_t index = 0; made == GONE_ON && index < count; index++) {
        PyObject *item =
            kind->is_list ? PyList_GetItem(items, index) : PyTuple_GetItem(items, index);
        if (item == NULL)
            return FAILED;
        Py_INCREF(item);
        made = write_value(self, kind->members, item);
        Py_DECREF(item);
    }
    return made == GONE_ON ? close_payload(self, opened, RLP_LIST) : made;
}

static progress write_sequence(writer *self, const layout *kind, PyObject *value)
{
    if (!kind->is_list)
        return PyTuple_CheckExact(value) ? write_items(self, kind, value)
                                         : FOR_THE_PURE_CODER;
    if (kind->writing == NULL)
        return FOR_THE_PURE_CODER;
    /* Someone may have put anything into it since it was checked. */
    PyObject *fitted = PyObject_CallFunctionObjArgs(
        kind->writing, value, self->state->nothing, NULL
    );
    if (fitted == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_Exception)
            || PyErr_ExceptionMatches(PyExc_MemoryError))
            return FAILED;
        PyErr_Clear(); /* The pure coder's error has the name of the field. */
        return FOR_THE_PURE_CODER;
    }
    const progress made = PyList_CheckExact(fitted) ? write_items(self, kind, fitted)
                                                    : FOR_THE_PURE_CODER;
    Py_DECREF(fitted);
    return made;
}

static progress write_tuple(writer *self, const layout *kind, PyObject *value)
{
    size_t opened;
    if (!PyTuple_CheckExact(value) || (size_t)PyTuple_Size(value) != kind->count)
        return FOR_THE_PURE_CODER;
    progress made = open_payload(self, &opened);
    for (size_t index = 0; made == GONE_ON && index < kind->count; index++)
        made = write_value(
            self, &kind->members[index], PyTuple_GetItem(value, (Py_ssize_t)index)
        );
    return made == GONE_ON ? close_payload(self, opened, RLP_LIST) : made;
}

static progress write_converted(writer *self, const layout *kind, PyObject *value)
{
    if (kind->writing == NULL)
        return write_value(self, kind->members, value);
    PyObject *wire = PyObject_CallFunctionObjArgs(kind->writing, value, NULL);
    if (wire == NULL)
        return FAILED;
    const progress made = write_value(self, kind->members, wire);
    Py_DECREF(wire);
    return made;
}

static progress write_raw(writer *self, PyObject *value)
{
    if ((PyObject *)Py_TYPE(value) != self->state->helpers[HELPER_RAW])
        return FOR_THE_PURE_CODER;
    return put_encoded(self, PyObject_GetAttr(value, self->state->name_encoded));
}

static progress write_by(writer *self, PyObject *function, PyObject *value)
{
    if (function == NULL) {
        raise_taken_down();
        return FAILED;
    }
    return put_encoded(self, PyObject_CallFunctionObjArgs(function, value, NULL));
}

static progress write_record(
    writer *self, coder *record, PyObject *value, coder_form form, PyObject *extra
);

/* Write a record in a record; one of a subclass knows itself how. */
static progress write_inner(
    writer *self, const layout *kind, PyObject *value, coder_form form
)
{
    for (size_t index = 0; index < (form == CODER_LIST ? 1 : kind->count); index++) {
        const layout *member = form == CODER_LIST ? kind : &kind->members[index];
        coder *record = as_coder(member->coder);
        if (record != NULL && Py_TYPE(value) == record->cls)
            return write_record(self, record, value, form, NULL);
    }
    PyObject *name = form == CODER_LIST ? self->state->name_rlp_list
                                        : self->state->name_rlp_item;
    PyObject *encoded = PyObject_CallMethodObjArgs(value, name, NULL);
    if (encoded == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear(); /* It is no record, which the pure coder says in its own way. */
        return FOR_THE_PURE_CODER;
    }
    return put_encoded(self, encoded);
}

/* Whether a member of a choice takes a value; -1 with an error. */
static int takes(const layout *member, PyObject *value)
{
    if (member->word == LAYOUT_BOOL)
        return value == Py_True || value == Py_False;
    PyObject *answer = PyObject_CallFunctionObjArgs(member->holds, value, NULL);
    const int result = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(answer);
    return result;
}

static progress write_choice(writer *self, const layout *kind, PyObject *value)
{
    size_t index = 0;
    for (; index + 1 < kind->count; index++) {
        const int taken = takes(&kind->members[index], value);
        if (taken < 0)
            return FAILED;
        if (taken)
            break;
    }
    return write_value(self, &kind->members[index], value);
}

static progress write_value(writer *self, const layout *kind, PyObject *value)
{
    switch (kind->word) {
    case LAYOUT_UINT:
        return write_uint(self, value);
    case LAYOUT_BYTES:
        return write_bytes(self, kind, value);
    case LAYOUT_BOOL:
        return write_bool(self, value);
    case LAYOUT_SEQUENCE:
        return write_sequence(self, kind, value);
    case LAYOUT_TUPLE:
        return write_tuple(self, kind, value);
    case LAYOUT_OPTIONAL:
        return value == Py_None ? put_byte(self, RLP_STRING)
                                : write_value(self, kind->members, value);
    case LAYOUT_CONVERTED:
        return write_converted(self, kind, value);
    case LAYOUT_ITEM:
        return write_by(self, self->state->helpers[HELPER_ENCODE], value);
    case LAYOUT_RAW:
        return write_raw(self, value);
    case LAYOUT_PYTHON:
        return write_by(self, kind->writing, value);
    case LAYOUT_RECORD:
        return write_inner(self, kind, value, CODER_LIST);
    case LAYOUT_TYPED:
        return write_inner(self, kind, value, CODER_ITEM);
    case LAYOUT_CHOICE:
        return write_choice(self, kind, value);
    case LAYOUT_WORDS:
        break;
    }
    return FOR_THE_PURE_CODER;
}

/* Return the value of a field; a subclass may have put something else in its place. */
static PyObject *value_of(const coder *of, PyObject *record, PyObject *slot, PyObject *name)
{
    if (Py_TYPE(record) != of->cls)
        return PyObject_GetAttr(record, name);
    descrgetfunc get = (descrgetfunc)PyType_GetSlot(&PyMemberDescr_Type, Py_tp_descr_get);
    return get(slot, record, (PyObject *)of->cls);
}

static progress write_list(writer *self, coder *of, PyObject *record, PyObject *extra)
{
    size_t opened;
    progress made = open_payload(self, &opened);
    for (size_t index = 0; made == GONE_ON && index < of->count; index++) {
        const coder_field *field = &of->fields[index];
        PyObject *value = value_of(of, record, field->slot, field->name);
        if (value == NULL)
            return FAILED;
        if (!field->trailing || value != Py_None)
            made = write_value(self, &field->layout, value);
        Py_DECREF(value);
    }
    if (made == GONE_ON && extra != NULL) {
        Py_INCREF(extra);
        made = put_encoded(self, extra);
    }
    return made == GONE_ON ? close_payload(self, opened, RLP_LIST) : made;
}

/* Find the type byte of a record, 0 for none. */
static progress find_type(const coder *of, PyObject *record, unsigned *type)
{
    *type = of->only_type;
    if (of->type_slot == NULL)
        return GONE_ON;
    descrgetfunc get = (descrgetfunc)PyType_GetSlot(&PyMemberDescr_Type, Py_tp_descr_get);
    PyObject *number = get(of->type_slot, record, (PyObject *)Py_TYPE(record));
    if (number == NULL)
        return FAILED;
    const long value = PyLong_CheckExact(number) ? PyLong_AsLong(number) : -1;
    Py_DECREF(number);
    PyErr_Clear(); /* it may have been too large */
    if (value < 0 || value >= LAYOUT_TYPES || !of->has_type[value])
        return FOR_THE_PURE_CODER;
    *type = (unsigned)value;
    return GONE_ON;
}

static progress write_form(
    writer *self, coder *of, PyObject *record, coder_form form, PyObject *extra
)
{
    unsigned type = 0;
    size_t opened = 0;
    if (form != CODER_LIST) {
        const progress found = find_type(of, record, &type);
        if (found != GONE_ON)
            return found;
    }
    if (type == 0)
        return write_list(self, of, record, extra);
    const bool in_string = form == CODER_ITEM;
    progress made = in_string ? open_payload(self, &opened) : GONE_ON;
    if (made == GONE_ON)
        made = put_byte(self, type);
    if (made == GONE_ON)
        made = write_list(self, of, record, extra);
    return made == GONE_ON && in_string ? close_payload(self, opened, RLP_STRING) : made;
}

/* Records are in records as deep as their classes are. */
static progress write_record(
    writer *self, coder *record, PyObject *value, coder_form form, PyObject *extra
)
{
    if (!record->is_made) {
        raise_taken_down();
        return FAILED;
    }
    if (Py_EnterRecursiveCall(" in a record") != 0)
        return FAILED;
    const progress made = write_form(self, record, value, form, extra);
    Py_LeaveRecursiveCall();
    return made;
}

PyObject *coder_encode(coder *self, PyObject *record, coder_form form, PyObject *extra)
{
    writer all;
    PyObject *encoded = NULL;
    all.state = coder_state(self);
    all.bytes = all.first_bytes;
    all.size = 0;
    all.capacity = FIRST_BYTES;
    if (write_record(&all, self, record, form, extra) == GONE_ON)
        encoded =
            PyBytes_FromStringAndSize((const char *)all.bytes, (Py_ssize_t)all.size);
    if (all.bytes != all.first_bytes)
        PyMem_Free(all.bytes);
    return encoded;
}
