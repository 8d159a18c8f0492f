/* What reads and encodes the records of one class: hexary.rlp.record_coder in C. */
#ifndef HEXARY_CODER_H
#define HEXARY_CODER_H

#include "binding.h"
#include "layout.h"

typedef struct coder_field {
    PyObject *name;
    PyObject *slot; /* the descriptor of the slot that has the value */
    bool trailing;
    layout layout;
} coder_field;

typedef struct coder {
    PyObject_HEAD
    PyObject *module; /* kept until the object is freed, whatever becomes of its type */
    PyTypeObject *cls;
    PyObject *codec;
    PyObject *without;   /* the names of fields that are left out */
    PyObject *pure;      /* the pure coder, NULL until it is needed */
    PyObject *type_slot; /* the descriptor of the type byte, NULL if there is one type */
    bool has_type[LAYOUT_TYPES];
    uint8_t only_type; /* 0 for none */
    bool has_check;
    bool is_made; /* false while it is made, and when it was taken down */
    coder_field *fields;
    size_t count;
} coder;

static inline coder *as_coder(PyObject *object)
{
    return (coder *)object;
}

static inline module_state *coder_state(const coder *self)
{
    return state_of(self->module);
}

/* coder_reading.c */

/* Read a record whose list is at *position*; NULL without an error is giving up. */
PyObject *coder_read_list(
    coder *self, PyObject *data, size_t position, uint8_t type, size_t *stop
);

/* coder_writing.c */

/* How much of an encoding is wanted. */
typedef enum coder_form {
    CODER_LIST,  /* the list */
    CODER_ALONE, /* with the type byte in front of it */
    CODER_ITEM,  /* as it is inside another list */
} coder_form;

/*
 * Return the encoding of *record*, with *extra* bytes after the fields, or NULL; without
 * an error, that is for the pure coder.
 */
PyObject *coder_encode(coder *self, PyObject *record, coder_form form, PyObject *extra);

#endif
