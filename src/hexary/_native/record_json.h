/* Readers of records in JSON; see hexary.rlp.json_layout for the layouts. */
#ifndef HEXARY_RECORD_JSON_H
#define HEXARY_RECORD_JSON_H

#include "core.h"

enum json_word {
    WORD_BYTES,
    WORD_UINT,
    WORD_BOOL,
    WORD_SEQUENCE,
    WORD_TUPLE,
    WORD_OPTIONAL,
    WORD_CHOICE,
    WORD_RECORD,
    WORD_PYTHON,
    WORD_COUNT
};

/* A layout, read.  The objects are kept by the layout that the reader keeps. */
typedef struct json_kind {
    enum json_word word;
    bool can_be_filled;
    PyObject *object;             /* the class, container, reader or function */
    PyObject *most;               /* the largest number, or NULL */
    Py_ssize_t smallest, largest; /* of bytes; *largest* of a text; -1 for any */
    struct json_kind *inner;
    size_t count;
} json_kind;

typedef struct json_field {
    PyObject *slot;
    descrsetfunc set;
    PyObject *keys;
    Py_ssize_t key_count;
    bool is_trailing;
    PyObject *absent;       /* the value where none is given, or NULL */
    PyObject *make_absent;  /* what makes it, or NULL */
    PyObject *accepted;     /* the only values, or NULL */
    json_kind kind;
} json_field;

typedef struct json_reader {
    core_head head;
    PyObject *layout; /* NULL once the garbage collector has taken it apart */
    PyTypeObject *cls;
    PyObject *types; /* what may stand under `type`: a number and two texts, or NULL */
    PyObject *known; /* the only keys, or NULL */
    bool has_check;
    json_field *fields;
    size_t count;
} json_reader;

static inline PyObject *new_reference(PyObject *object)
{
    Py_INCREF(object);
    return object;
}

/* Whether *object* is exactly the text *text*, which is of class str. */
static inline bool json_is_text(PyObject *object, PyObject *text)
{
    return object == text
           || (PyUnicode_CheckExact(object) && PyUnicode_Compare(object, text) == 0);
}

/* Find what stands under a key, and hold it; false with an error. */
static inline bool json_find(PyObject *object, PyObject *key, PyObject **value)
{
    *value = PyDict_GetItemWithError(object, key);
    Py_XINCREF(*value);
    return *value != NULL || !PyErr_Occurred();
}

/* json_layout.c */
/* Read the layout that a reader keeps; false with an error. */
bool json_layout_read(json_reader *self);
void json_layout_release(json_reader *self);

/* The functions below return NULL, perhaps without an error: that is giving up. */

/* json_value.c */
PyObject *json_read_value(module_state *state, const json_kind *self, PyObject *value);

/* record_json.c */
PyObject *json_read_record(
    module_state *state, const json_reader *self, PyObject *object
);

/* Return the reader that a function is of, NULL if it is of none. */
json_reader *json_reader_of(module_state *state, PyObject *function);

#endif
