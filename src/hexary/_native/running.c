/* Running hashes. */
#include "binding.h"

#include <stdlib.h>

/*
 * A running hash.  Small inputs are absorbed under the GIL; a large one without it, under
 * the lock, so that what other threads do to the hash meanwhile waits for its end.
 */
typedef struct running {
    PyObject_HEAD
    keccak_state hash;
    PyThread_type_lock lock; /* NULL until it is to be entered without the GIL */
} running;

static running *running_new(PyTypeObject *type)
{
    if (type == NULL) {
        raise_taken_down();
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return (running *)allocate(type, 0); /* filled with zeros */
}

/* Wait until no other thread is in the hash, which can be so only if there is a lock. */
static void running_enter(running *self)
{
    if (self->lock == NULL || PyThread_acquire_lock(self->lock, NOWAIT_LOCK))
        return;
    /* Whoever has the lock needs the GIL before the lock is released. */
    Py_BEGIN_ALLOW_THREADS
    PyThread_acquire_lock(self->lock, WAIT_LOCK);
    Py_END_ALLOW_THREADS
}

static void running_leave(running *self)
{
    if (self->lock != NULL)
        PyThread_release_lock(self->lock);
}

PyObject *binding_start256(PyObject *module, PyObject *unused)
{
    module_state *state = state_of(module);
    running *self = running_new(state->running_type);
    (void)unused;
    if (self != NULL)
        keccak256_start(&self->hash, state->kernel);
    return (PyObject *)self;
}

PyObject *binding_start512(PyObject *module, PyObject *unused)
{
    module_state *state = state_of(module);
    running *self = running_new(state->running_type);
    (void)unused;
    if (self != NULL)
        keccak512_start(&self->hash, state->kernel);
    return (PyObject *)self;
}

static PyObject *running_update(
    PyObject *object, PyTypeObject *type, PyObject *const *arguments, Py_ssize_t count,
    PyObject *names
)
{
    running *self = (running *)object;
    module_state *state = PyType_GetModuleState(type);
    borrowed input;
    if (state == NULL)
        return NULL;
    if (count != 1 || (names != NULL && PyTuple_Size(names) > 0)) {
        PyErr_SetString(PyExc_TypeError, "update takes data alone");
        return NULL;
    }
    if (!borrow(state, arguments[0], "data", &input)) {
        borrowed_release(&input);
        return NULL;
    }
    if (input.size >= LARGE_INPUT && self->lock == NULL)
        self->lock = PyThread_allocate_lock(); /* if there is none: under the GIL */
    running_enter(self);
    if (input.size < LARGE_INPUT || self->lock == NULL) {
        keccak_update(&self->hash, input.data, input.size);
    } else {
        Py_BEGIN_ALLOW_THREADS
        keccak_update(&self->hash, input.data, input.size);
        Py_END_ALLOW_THREADS
    }
    running_leave(self);
    borrowed_release(&input);
    Py_RETURN_NONE;
}

static PyObject *running_digest(PyObject *object, PyObject *unused)
{
    running *self = (running *)object;
    PyObject *digest = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)self->hash.digest_size);
    (void)unused;
    if (digest == NULL)
        return NULL;
    running_enter(self);
    keccak_digest(&self->hash, (uint8_t *)PyBytes_AsString(digest));
    running_leave(self);
    return digest;
}

static PyObject *running_copy(PyObject *object, PyObject *unused)
{
    running *self = (running *)object;
    running *other = running_new(Py_TYPE(object));
    (void)unused;
    if (other == NULL)
        return NULL;
    running_enter(self);
    other->hash = self->hash;
    running_leave(self);
    return (PyObject *)other;
}

static void running_free(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    if (((running *)object)->lock != NULL)
        PyThread_free_lock(((running *)object)->lock);
    release(object);
    Py_DECREF(type); /* an instance of a heap type holds it */
}

/* ---- several at once ---- */

/* What a hash absorbs; *place* is where the caller has it. */
typedef struct update {
    running *self;
    Py_ssize_t place;
    PyObject *piece;
    borrowed input;
} update;

/*
 * In the order of their addresses, so that two threads that update the same hashes lock
 * them in the same order; the updates of one hash as the caller has them.
 */
static int compare_updates(const void *one, const void *other)
{
    const update *first = one, *second = other;
    const uintptr_t first_address = (uintptr_t)first->self;
    const uintptr_t second_address = (uintptr_t)second->self;
    if (first_address != second_address)
        return first_address < second_address ? -1 : 1;
    return first->place < second->place ? -1 : first->place > second->place;
}

static void release_update(update *held)
{
    borrowed_release(&held->input);
    Py_DECREF(held->piece);
    Py_DECREF(held->self);
}

/* Hold what two lists have at *place*; false with an error if it is not as agreed. */
static bool take_update(
    module_state *state, PyObject *states, PyObject *pieces, Py_ssize_t place, update *out
)
{
    PyObject *self = PyList_GetItem(states, place);
    PyObject *piece = PyList_GetItem(pieces, place);
    if (self == NULL || piece == NULL)
        return false;
    if (Py_TYPE(self) != state->running_type) {
        PyErr_SetString(PyExc_TypeError, "update_many takes running hashes");
        return false;
    }
    Py_INCREF(self); /* as whatever runs meanwhile may change the lists */
    Py_INCREF(piece);
    out->self = (running *)self;
    out->piece = piece;
    out->place = place;
    if (borrow(state, piece, "data", &out->input))
        return true;
    release_update(out);
    return false;
}

/* Whether the hash of *updates[index]* is another than that of the one before. */
static bool is_first(const update *updates, Py_ssize_t index)
{
    return index == 0 || updates[index].self != updates[index - 1].self;
}

/* Absorb, under all locks. */
static void absorb_updates(const update *updates, keccak_piece *pieces, Py_ssize_t count)
{
    bool are_different = true;
    for (Py_ssize_t index = 0; index < count; index++) {
        const borrowed *input = &updates[index].input;
        const keccak_piece one = {&updates[index].self->hash, input->data, input->size};
        pieces[index] = one;
        are_different = are_different && is_first(updates, index);
    }
    if (are_different) {
        keccak_update_many(pieces, (size_t)count);
        return;
    }
    for (Py_ssize_t index = 0; index < count; index++)
        keccak_update(pieces[index].state, pieces[index].data, pieces[index].size);
}

/*
 * Have a lock for each hash if there is to be one for any, before one is entered: while
 * the entering of one waits, others may come to those that were entered before.
 */
static bool make_locks(update *updates, Py_ssize_t count, bool is_large)
{
    bool are_wanted = is_large;
    for (Py_ssize_t index = 0; index < count; index++)
        are_wanted = are_wanted || updates[index].self->lock != NULL;
    for (Py_ssize_t index = 0; are_wanted && index < count; index++) {
        running *self = updates[index].self;
        if (self->lock == NULL && (self->lock = PyThread_allocate_lock()) == NULL) {
            PyErr_NoMemory();
            return false;
        }
    }
    return true;
}

static bool update_all(update *updates, keccak_piece *pieces, Py_ssize_t count)
{
    size_t size = 0;
    qsort(updates, (size_t)count, sizeof *updates, compare_updates);
    for (Py_ssize_t index = 0; index < count; index++)
        size += updates[index].input.size;
    if (!make_locks(updates, count, size >= LARGE_INPUT))
        return false;
    for (Py_ssize_t index = 0; index < count; index++)
        if (is_first(updates, index))
            running_enter(updates[index].self);
    PyThreadState *saved = size >= LARGE_INPUT ? PyEval_SaveThread() : NULL;
    absorb_updates(updates, pieces, count);
    if (saved != NULL)
        PyEval_RestoreThread(saved);
    for (Py_ssize_t index = 0; index < count; index++)
        if (is_first(updates, index))
            running_leave(updates[index].self);
    return true;
}

PyObject *binding_update_many(PyObject *module, PyObject *const *arguments, Py_ssize_t given)
{
    module_state *state = state_of(module);
    if (given != 2 || !PyList_CheckExact(arguments[0]) || !PyList_CheckExact(arguments[1])
        || PyList_Size(arguments[0]) != PyList_Size(arguments[1])) {
        PyErr_SetString(PyExc_TypeError, "update_many takes two lists of one length");
        return NULL;
    }
    const Py_ssize_t count = PyList_Size(arguments[0]);
    const size_t room = count > 0 ? (size_t)count : 1;
    update *updates = PyMem_Calloc(room, sizeof *updates);
    keccak_piece *pieces = PyMem_Calloc(room, sizeof *pieces);
    Py_ssize_t taken = 0;
    bool good = updates != NULL && pieces != NULL;
    if (!good)
        PyErr_NoMemory();
    while (good && taken < count) {
        good = take_update(state, arguments[0], arguments[1], taken, &updates[taken]);
        taken += good;
    }
    if (good)
        good = update_all(updates, pieces, count);
    for (Py_ssize_t index = 0; index < taken; index++)
        release_update(&updates[index]);
    PyMem_Free(updates);
    PyMem_Free(pieces);
    return good ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef running_methods[] = {
    {"update", (PyCFunction)(void (*)(void))running_update,
     METH_METHOD | METH_FASTCALL | METH_KEYWORDS,
     "update($self, data, /)\n--\n\nAbsorb data."},
    {"digest", running_digest, METH_NOARGS,
     "digest($self, /)\n--\n\nReturn the digest of all bytes absorbed until now."},
    {"copy", running_copy, METH_NOARGS,
     "copy($self, /)\n--\n\nReturn an independent state with the same bytes."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot running_slots[] = {
    {Py_tp_dealloc, running_free},
    {Py_tp_methods, running_methods},
    {Py_tp_doc, "A running hash; start256 and start512 make one."},
    {0, NULL},
};

PyType_Spec running_spec = {
    .name = "hexary._native.accelerator.Running",
    .basicsize = sizeof(running),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION
             | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = running_slots,
};
