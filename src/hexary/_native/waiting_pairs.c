/* Pairs that a builder has taken, as hexary.trie.waiting_pairs has them in Python. */
#include "binding.h"

#include <stddef.h>
#include <structmember.h>

/*
 * Members are set by the builder at any time, also by code that an iterator runs: they are
 * read anew for each pair.
 */
typedef struct waiting_pairs {
    PyObject_HEAD
    PyObject *pairs;
    PyObject *last;
    Py_ssize_t count;
    Py_ssize_t room;
} waiting_pairs;

static waiting_pairs *as_waiting(PyObject *object)
{
    return (waiting_pairs *)object;
}

static PyObject *waiting_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    static char *accepted[] = {"pairs", "last", "count", "room", NULL};
    PyObject *pairs, *last;
    Py_ssize_t count, room;
    if (!PyArg_ParseTupleAndKeywords(
            arguments, names, "O!O!nn:WaitingPairs", accepted, &PyList_Type, &pairs,
            &PyBytes_Type, &last, &count, &room
        ))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    waiting_pairs *self = (waiting_pairs *)allocate(type, 0);
    if (self == NULL)
        return NULL;
    Py_INCREF(pairs);
    self->pairs = pairs;
    Py_INCREF(last);
    self->last = last;
    self->count = count;
    self->room = room;
    return (PyObject *)self;
}

static int waiting_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(as_waiting(object)->pairs);
    Py_VISIT(as_waiting(object)->last);
    return 0;
}

static int waiting_clear(PyObject *object)
{
    Py_CLEAR(as_waiting(object)->pairs);
    Py_CLEAR(as_waiting(object)->last);
    return 0;
}

static void waiting_free(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    PyObject_GC_UnTrack(object);
    waiting_clear(object);
    release(object);
    Py_DECREF(type);
}

/* Whether a key is above that of the last pair: 1, or 0; -1 with an error. */
static int follows(const waiting_pairs *self, PyObject *key)
{
    char *one, *other;
    Py_ssize_t one_size, other_size;
    if (self->count == 0)
        return 1;
    if (self->last == NULL) {
        PyErr_SetString(PyExc_AttributeError, "last");
        return -1;
    }
    if (PyBytes_AsStringAndSize(self->last, &one, &one_size) < 0
        || PyBytes_AsStringAndSize(key, &other, &other_size) < 0)
        return -1;
    const mpt_pair last = {(const uint8_t *)one, NULL, (size_t)one_size, 0};
    const mpt_pair next = {(const uint8_t *)other, NULL, (size_t)other_size, 0};
    return mpt_is_before(&last, &next);
}

/* Take a pair if it can wait as it is: 1, or 0; -1 with an error. */
static int put(waiting_pairs *self, PyObject *pair, Py_ssize_t pair_size)
{
    if (!PyTuple_CheckExact(pair) || Py_SIZE(pair) != 2)
        return 0;
    PyObject *key = PyTuple_GetItem(pair, 0);
    PyObject *value = PyTuple_GetItem(pair, 1);
    if (!PyBytes_CheckExact(key) || !PyBytes_CheckExact(value) || Py_SIZE(value) == 0)
        return 0;
    const int is_next = follows(self, key);
    if (is_next <= 0)
        return is_next;
    if (self->pairs == NULL) {
        PyErr_SetString(PyExc_AttributeError, "pairs");
        return -1;
    }
    if (PyList_Append(self->pairs, pair) < 0)
        return -1;
    PyObject *before = self->last;
    Py_INCREF(key);
    self->last = key;
    self->room -= Py_SIZE(key) + Py_SIZE(value) + pair_size;
    self->count++;
    Py_XDECREF(before);
    return 1;
}

static bool read_size(PyObject *given, Py_ssize_t *size)
{
    *size = PyLong_AsSsize_t(given);
    return *size != -1 || !PyErr_Occurred();
}

static PyObject *waiting_put(
    PyObject *object, PyObject *const *arguments, Py_ssize_t count
)
{
    Py_ssize_t pair_size;
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "put takes a pair and a size");
        return NULL;
    }
    if (!read_size(arguments[1], &pair_size))
        return NULL;
    const int taken = put(as_waiting(object), arguments[0], pair_size);
    return taken < 0 ? NULL : PyBool_FromLong(taken);
}

static PyObject *waiting_take(
    PyObject *object, PyObject *const *arguments, Py_ssize_t count
)
{
    waiting_pairs *self = as_waiting(object);
    Py_ssize_t pair_size;
    if (count != 2 || !PyIter_Check(arguments[0])) {
        PyErr_SetString(PyExc_TypeError, "take takes an iterator and a size");
        return NULL;
    }
    if (!read_size(arguments[1], &pair_size))
        return NULL;
    do {
        PyObject *pair = PyIter_Next(arguments[0]);
        if (pair == NULL) {
            if (PyErr_Occurred())
                return NULL;
            Py_RETURN_NONE;
        }
        const int taken = put(self, pair, pair_size);
        PyObject *odd = taken == 0 ? PyTuple_Pack(1, pair) : NULL;
        Py_DECREF(pair);
        if (taken <= 0)
            return odd;
    } while (self->room > 0);
    return PyTuple_New(0);
}

#define METHOD(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef waiting_methods[] = {
    {"put", METHOD(waiting_put), METH_FASTCALL,
     "put($self, pair, pair_size, /)\n--\n\n"
     "Take a pair if it can wait as it is, and return whether it can."},
    {"take", METHOD(waiting_take), METH_FASTCALL,
     "take($self, source, pair_size, /)\n--\n\n"
     "Take pairs; return None at the end, else what the caller has to look at."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef waiting_members[] = {
    {"pairs", T_OBJECT_EX, offsetof(waiting_pairs, pairs), 0, "The pairs."},
    {"last", T_OBJECT_EX, offsetof(waiting_pairs, last), 0, "The key of the last one."},
    {"count", T_PYSSIZET, offsetof(waiting_pairs, count), 0, "How many were taken."},
    {"room", T_PYSSIZET, offsetof(waiting_pairs, room), 0, "Bytes for more of them."},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot waiting_slots[] = {
    {Py_tp_new, waiting_new},
    {Py_tp_dealloc, waiting_free},
    {Py_tp_traverse, waiting_traverse},
    {Py_tp_clear, waiting_clear},
    {Py_tp_methods, waiting_methods},
    {Py_tp_members, waiting_members},
    {Py_tp_doc, "WaitingPairs(pairs, last, count, room)\n--\n\n"
                "Pairs that a builder has taken and not placed yet."},
    {0, NULL},
};

PyType_Spec waiting_spec = {
    .name = "hexary._native.accelerator.WaitingPairs",
    .basicsize = sizeof(waiting_pairs),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = waiting_slots,
};
