/*
 * Records off encoded bytes.
 *
 * As the compiled Python does, this accepts what is plainly right or gives up; what is
 * wrong, and where, the careful reader finds.  Every item is checked to be within the list
 * around it before it is read.  Values wait on a stack until what holds them is complete,
 * so that no one can see a record that is not.
 */
#include "coder.h"

#include "instances.h"
#include "integer.h"
#include "rlp.h"

#define FIRST_VALUES 96

typedef struct reader {
    module_state *state;
    PyObject *owner; /* the caller's bytes object */
    const uint8_t *data;
    size_t size;
    PyObject **values; /* of open lists, each with a reference */
    size_t count, capacity;
    PyObject *first_values[FIRST_VALUES];
} reader;

/* Bytes of the input that belong together: what is left of a list, or a payload. */
typedef struct span {
    size_t position, end;
} span;

/*
 * The functions below read one item: they move *at* behind it and push its value.  False
 * without an error is giving up.
 */
static bool read_value(reader *self, const layout *kind, span *at);

static bool push(reader *self, PyObject *value)
{
    if (value == NULL)
        return false;
    if (!GROW(self->values, self->first_values, self->capacity, self->count)) {
        Py_DECREF(value);
        return false;
    }
    self->values[self->count++] = value;
    return true;
}

static bool push_same(reader *self, PyObject *value)
{
    Py_INCREF(value);
    return push(self, value);
}

/* Find the payload of a string or list, whichever it is. */
static bool open_item(const reader *self, span *at, span *payload)
{
    if (at->position >= at->end
        || rlp_read_header(
               self->data, at->position, at->end, RLP_OVERRUN, &payload->position,
               &payload->end
           ) != RLP_GOOD)
        return false;
    at->position = payload->end;
    return true;
}

static bool is_list(const reader *self, const span *at)
{
    return at->position < at->end && self->data[at->position] >= RLP_LIST;
}

static bool open_string(const reader *self, span *at, span *payload)
{
    return !is_list(self, at) && open_item(self, at, payload);
}

static bool open_list(const reader *self, span *at, span *payload)
{
    return is_list(self, at) && open_item(self, at, payload);
}

/* Make an instance by a function of the class's own. */
static bool push_made(reader *self, PyObject *make, PyObject *value)
{
    if (value == NULL)
        return false;
    PyObject *made = PyObject_CallFunctionObjArgs(make, value, NULL);
    Py_DECREF(value);
    return push(self, made);
}

static size_t bit_length(const uint8_t *digits, size_t size)
{
    size_t bits = 8 * (size - 1);
    for (unsigned first = digits[0]; first > 0; first >>= 1)
        bits++;
    return bits;
}

static bool read_uint(reader *self, const layout *kind, span *at)
{
    span payload;
    if (!open_string(self, at, &payload))
        return false;
    const uint8_t *digits = self->data + payload.position;
    const size_t size = payload.end - payload.position;
    if (size > 0 && (digits[0] == 0 || bit_length(digits, size) > kind->bits))
        return false;
    PyObject *number = integer_of_any(self->state, digits, size);
    if (kind->make != NULL)
        return push_made(self, kind->make, number);
    if (kind->cls != NULL)
        number = int_instance(kind->cls, number);
    return push(self, number);
}

static bool read_bytes(reader *self, const layout *kind, span *at)
{
    span payload;
    if (!open_string(self, at, &payload))
        return false;
    const uint8_t *data = self->data + payload.position;
    const size_t size = payload.end - payload.position;
    if (size < kind->smallest || size > kind->largest)
        return false;
    if (kind->is_fillable)
        return push(self, bytes_instance_filled(kind->cls, data, size));
    if (kind->cls != NULL && kind->make == NULL)
        return push(self, bytes_instance(kind->cls, data, size));
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)data, (Py_ssize_t)size);
    return kind->make != NULL ? push_made(self, kind->make, bytes) : push(self, bytes);
}

static bool read_bool(reader *self, span *at)
{
    if (at->position >= at->end)
        return false;
    const uint8_t byte = self->data[at->position++];
    if (byte != 1 && byte != RLP_STRING)
        return false;
    return push_same(self, byte == 1 ? Py_True : Py_False);
}

/* Take the values from *base* on off the stack, as one tuple or list. */
static bool push_container(reader *self, size_t base, bool as_list)
{
    const Py_ssize_t count = (Py_ssize_t)(self->count - base);
    PyObject *container = as_list ? PyList_New(count) : PyTuple_New(count);
    if (container == NULL)
        return false;
    for (Py_ssize_t index = 0; index < count; index++) {
        PyObject *value = self->values[base + (size_t)index];
        if (as_list)
            PyList_SetItem(container, index, value);
        else
            PyTuple_SetItem(container, index, value);
    }
    self->count = base;
    return push(self, container);
}

static bool read_sequence(reader *self, const layout *kind, span *at)
{
    const size_t base = self->count;
    span items;
    if (!open_list(self, at, &items))
        return false;
    while (items.position < items.end)
        if (!read_value(self, kind->members, &items))
            return false;
    return push_container(self, base, kind->is_list);
}

static bool read_tuple(reader *self, const layout *kind, span *at)
{
    const size_t base = self->count;
    span items;
    if (!open_list(self, at, &items))
        return false;
    for (size_t index = 0; index < kind->count; index++)
        if (!read_value(self, &kind->members[index], &items))
            return false;
    return items.position == items.end && push_container(self, base, false);
}

static bool read_optional(reader *self, const layout *kind, span *at)
{
    if (at->position < at->end && self->data[at->position] == RLP_STRING) {
        at->position++;
        return push_same(self, Py_None);
    }
    return read_value(self, kind->members, at);
}

static bool read_converted(reader *self, const layout *kind, span *at)
{
    if (!read_value(self, kind->members, at))
        return false;
    if (kind->reading == NULL)
        return true;
    return push_made(self, kind->reading, self->values[--self->count]);
}

/* Take what a reader of Python has returned: a value, and the index behind it. */
static bool take_read(reader *self, PyObject *pair, span *at)
{
    PyObject *value;
    Py_ssize_t stop;
    if (pair == NULL)
        return false;
    bool good = PyArg_ParseTuple(pair, "On", &value, &stop)
                && stop >= 0 && (size_t)stop <= at->end && push_same(self, value);
    if (good)
        at->position = (size_t)stop;
    Py_DECREF(pair);
    return good;
}

static bool read_by(reader *self, PyObject *function, span *at)
{
    if (function == NULL) {
        raise_taken_down();
        return false;
    }
    if (at->position >= at->end)
        return false;
    return take_read(
        self, PyObject_CallFunction(function, "On", self->owner, (Py_ssize_t)at->position),
        at
    );
}

static bool read_record(reader *self, coder *record, span *at, uint8_t type);

/* Read the list of a record in a record. */
static bool read_inner(reader *self, const layout *kind, span *at, uint8_t type)
{
    if (kind->coder != NULL)
        return read_record(self, as_coder(kind->coder), at, type);
    if (at->position >= at->end)
        return false;
    PyObject *pair = PyObject_CallFunction(
        kind->reading, "OnB", self->owner, (Py_ssize_t)at->position, type
    );
    return take_read(self, pair, at);
}

static bool read_typed(reader *self, const layout *kind, span *at)
{
    span envelope;
    unsigned member = kind->by_type[0];
    if (is_list(self, at))
        return member > 0 && read_inner(self, &kind->members[member - 1], at, 0);
    if (!open_string(self, at, &envelope) || envelope.position == envelope.end)
        return false;
    const uint8_t type = self->data[envelope.position++];
    if (type == 0 || type >= LAYOUT_TYPES || kind->by_type[type] == 0)
        return false;
    member = kind->by_type[type];
    return read_inner(self, &kind->members[member - 1], &envelope, type)
           && envelope.position == envelope.end;
}

static bool read_choice(reader *self, const layout *kind, span *at)
{
    span payload, rest = *at;
    const bool listed = is_list(self, at);
    if (!open_item(self, &rest, &payload))
        return false;
    const size_t size = payload.end - payload.position;
    for (size_t index = 0; index < kind->count; index++) {
        const layout *member = &kind->members[index];
        for (size_t place = 0; place < member->shape_count; place++) {
            const layout_shape *shape = &member->shapes[place];
            if (shape->is_list == listed
                && (listed || (size >= shape->smallest && size <= shape->largest)))
                return read_value(self, member, at);
        }
    }
    return false;
}

static bool read_value(reader *self, const layout *kind, span *at)
{
    switch (kind->word) {
    case LAYOUT_UINT:
        return read_uint(self, kind, at);
    case LAYOUT_BYTES:
        return read_bytes(self, kind, at);
    case LAYOUT_BOOL:
        return read_bool(self, at);
    case LAYOUT_SEQUENCE:
        return read_sequence(self, kind, at);
    case LAYOUT_TUPLE:
        return read_tuple(self, kind, at);
    case LAYOUT_OPTIONAL:
        return read_optional(self, kind, at);
    case LAYOUT_CONVERTED:
        return read_converted(self, kind, at);
    case LAYOUT_ITEM:
        return read_by(self, self->state->helpers[HELPER_READ_ITEM], at);
    case LAYOUT_RAW:
        return read_by(self, self->state->helpers[HELPER_READ_RAW], at);
    case LAYOUT_PYTHON:
        return read_by(self, kind->reading, at);
    case LAYOUT_RECORD:
        return read_inner(self, kind, at, 0);
    case LAYOUT_TYPED:
        return read_typed(self, kind, at);
    case LAYOUT_CHOICE:
        return read_choice(self, kind, at);
    case LAYOUT_WORDS:
        break;
    }
    return false;
}

/* Call the class's own check, which may refuse the record. */
static bool check(module_state *state, PyObject *record)
{
    PyObject *result =
        PyObject_CallMethodObjArgs(record, state->name_post_init, NULL);
    Py_XDECREF(result);
    return result != NULL;
}

/* Take the values from *base* on off the stack, as one record. */
static bool push_record(reader *self, coder *of, size_t base, uint8_t type)
{
    descrsetfunc set = (descrsetfunc)PyType_GetSlot(&PyMemberDescr_Type, Py_tp_descr_set);
    PyObject *record = plain_instance(of->cls, self->state->nothing);
    bool good = record != NULL;
    for (size_t index = 0; good && index < of->count; index++)
        good = set(of->fields[index].slot, record, self->values[base + index]) == 0;
    if (good && of->type_slot != NULL) {
        PyObject *number = PyLong_FromLong(type);
        good = number != NULL && set(of->type_slot, record, number) == 0;
        Py_XDECREF(number);
    }
    good = good && (!of->has_check || check(self->state, record));
    if (!good) {
        Py_XDECREF(record);
        return false;
    }
    while (self->count > base)
        Py_DECREF(self->values[--self->count]);
    return push(self, record);
}

static bool read_fields(reader *self, coder *record, span *at, uint8_t type)
{
    const size_t base = self->count;
    span items;
    if (!open_list(self, at, &items))
        return false;
    for (size_t index = 0; index < record->count; index++) {
        const coder_field *field = &record->fields[index];
        if (field->trailing && items.position == items.end) {
            if (!push_same(self, Py_None))
                return false;
        } else if (!read_value(self, &field->layout, &items)) {
            return false;
        }
    }
    return items.position == items.end && push_record(self, record, base, type);
}

/* Records are in records as deep as their classes are. */
static bool read_record(reader *self, coder *record, span *at, uint8_t type)
{
    if (!record->is_made) {
        raise_taken_down();
        return false;
    }
    if (Py_EnterRecursiveCall(" in a record") != 0)
        return false;
    const bool good = read_fields(self, record, at, type);
    Py_LeaveRecursiveCall();
    return good;
}

PyObject *coder_read_list(
    coder *self, PyObject *data, size_t position, uint8_t type, size_t *stop
)
{
    reader all;
    PyObject *record = NULL;
    span at = {position, (size_t)PyBytes_Size(data)};
    all.state = coder_state(self);
    all.owner = data;
    all.data = (const uint8_t *)PyBytes_AsString(data);
    all.size = at.end;
    all.values = all.first_values;
    all.count = 0;
    all.capacity = FIRST_VALUES;
    if (read_record(&all, self, &at, type)) {
        record = all.values[--all.count];
        *stop = at.position;
    }
    while (all.count > 0)
        Py_DECREF(all.values[--all.count]);
    if (all.values != all.first_values)
        PyMem_Free(all.values);
    return record;
}
