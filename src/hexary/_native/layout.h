/*
 * Layouts: what a field of a record is, read once from the tuples of hexary.rlp.layout,
 * which explains them.
 */
#ifndef HEXARY_LAYOUT_H
#define HEXARY_LAYOUT_H

#include "binding.h"

/* The words that tuples begin with. */
typedef enum layout_word {
    LAYOUT_UINT,
    LAYOUT_BYTES,
    LAYOUT_BOOL,
    LAYOUT_SEQUENCE,
    LAYOUT_TUPLE,
    LAYOUT_OPTIONAL,
    LAYOUT_CONVERTED,
    LAYOUT_ITEM,
    LAYOUT_RAW,
    LAYOUT_RECORD,
    LAYOUT_TYPED,
    LAYOUT_CHOICE,
    LAYOUT_PYTHON,
    LAYOUT_WORDS
} layout_word;

/* Sizes of a string, or a list. */
typedef struct layout_shape {
    size_t smallest, largest;
    bool is_list;
} layout_shape;

/* The bytes that stand for types are below this. */
#define LAYOUT_TYPES 128

/* Each member has a reference, or is NULL where the word has no use for it. */
typedef struct layout {
    layout_word word;
    size_t smallest, largest; /* bytes: the sizes */
    size_t bits;              /* uint: the width */
    bool is_fillable;         /* bytes: see instances.h */
    bool is_list;             /* sequence: whether in a list, not a tuple */
    PyTypeObject *cls;        /* uint and bytes: the class, NULL for int and bytes */
    PyObject *make;           /* uint and bytes: what makes instances, or NULL */
    PyObject *reading;        /* from_wire, read; record: reads it if its coder is not C */
    PyObject *writing;        /* to_wire, write, fit */
    PyObject *holds;          /* of a member of a choice: whether it takes a value */
    PyObject *coder;          /* record: what has its C layout, or NULL */
    layout_shape *shapes;     /* of a member of a choice */
    size_t shape_count;
    struct layout *members; /* inside: the element, inner, wire, elements, records, … */
    size_t count;
    uint8_t *by_type; /* typed: type → index of the member + 1, 0 for none */
} layout;

/*
 * Read a layout; *coder_type is the class of coders.  False with an error, and then too it
 * has to be cleared.
 */
bool layout_read(layout *self, PyObject *tuple, PyTypeObject *coder_type);
int layout_traverse(const layout *self, visitproc visit, void *arg);
void layout_clear(layout *self);

#endif
