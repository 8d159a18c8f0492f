/* The roots of states and storages. */
#include "integer.h"

#include <string.h>

#include "roots.h"

/* Slots and accounts that were read from Python objects. */
typedef struct reader {
    mpt_slot *slots;
    size_t slot_count, slot_capacity;
    mpt_account *accounts;
    PyObject **codes; /* references to what accounts borrow */
    size_t account_count, code_count;
    size_t bytes; /* to be hashed, about */
} reader;

static void reader_free(reader *self)
{
    for (size_t index = 0; index < self->code_count; index++)
        Py_DECREF(self->codes[index]);
    PyMem_Free(self->codes);
    PyMem_Free(self->slots);
    PyMem_Free(self->accounts);
}

static bool reserve_slots(reader *self, size_t more)
{
    if (more <= self->slot_capacity - self->slot_count)
        return true;
    const size_t most = (size_t)PY_SSIZE_T_MAX / sizeof *self->slots / 2;
    if (more > most || self->slot_count > most - more) {
        PyErr_NoMemory();
        return false;
    }
    size_t capacity = self->slot_count + more;
    if (capacity < 2 * self->slot_capacity)
        capacity = 2 * self->slot_capacity;
    mpt_slot *slots = PyMem_Realloc(self->slots, capacity * sizeof *slots);
    if (slots == NULL) {
        PyErr_NoMemory();
        return false;
    }
    self->slots = slots;
    self->slot_capacity = capacity;
    return true;
}

/* Read slot → value; false, perhaps without an error, if something is odd. */
static bool read_slots(module_state *state, reader *self, PyObject *given)
{
    PyObject *key, *value;
    Py_ssize_t position = 0;
    if (!PyDict_CheckExact(given) || !reserve_slots(self, (size_t)PyDict_Size(given)))
        return false;
    while (PyDict_Next(given, &position, &key, &value)) {
        mpt_slot *slot = &self->slots[self->slot_count];
        if (!PyBytes_CheckExact(key) || PyBytes_Size(key) != MPT_WORD
            || !PyLong_CheckExact(value) || !integer_read(state, value, &slot->value)
            || slot->value.size == 0)
            return false;
        memcpy(slot->key, PyBytes_AsString(key), MPT_WORD);
        self->slot_count++;
        self->bytes += 2 * MPT_WORD;
    }
    return true;
}

static PyObject *root_of_reader(module_state *state, const reader *self, bool is_state)
{
    uint8_t root[KECCAK256_SIZE];
    keccak_tally tally = {0, 0, 0};
    mpt_status status = MPT_NO_MEMORY;
    mpt_builder *builder = take_builder(state);
    if (builder != NULL) {
        const keccak_kernel *kernel = state->kernel;
        PyThreadState *saved = self->bytes > LARGE_INPUT ? PyEval_SaveThread() : NULL;
        status = is_state ? mpt_state_root(
                                builder, kernel, self->accounts, self->account_count,
                                self->slots, root, &tally
                            )
                          : mpt_storage_root(
                                builder, kernel, self->slots, self->slot_count, root,
                                &tally
                            );
        if (saved != NULL)
            PyEval_RestoreThread(saved);
    }
    return finish_root(state, builder, status, root, &tally);
}

/* Read the number in a field of an account. */
static bool read_number_of(
    module_state *state, PyObject *account, PyObject *name, unsigned bits,
    mpt_number *number
)
{
    PyObject *value = PyObject_GenericGetAttr(account, name);
    const bool good = value != NULL
                      && (PyObject *)Py_TYPE(value) == state->helpers[HELPER_NUMBER_TYPE]
                      && integer_read(state, value, number) && 8u * number->size <= bits;
    Py_XDECREF(value);
    return good;
}

static bool read_storage_of(
    module_state *state, reader *self, PyObject *account, size_t *count
)
{
    const size_t before = self->slot_count;
    PyObject *storage = PyObject_GenericGetAttr(account, state->name_storage);
    PyObject *slots = NULL;
    if (storage != NULL
        && (PyObject *)Py_TYPE(storage) == state->helpers[HELPER_STORAGE_TYPE])
        slots = PyObject_GenericGetAttr(storage, state->name_slots);
    const bool good = slots != NULL && read_slots(state, self, slots);
    *count = self->slot_count - before;
    Py_XDECREF(slots);
    Py_XDECREF(storage);
    return good;
}

/* Borrow the code of an account, and hold it. */
static bool read_code_of(
    module_state *state, reader *self, PyObject *account, mpt_account *read
)
{
    PyObject *code = PyObject_GenericGetAttr(account, state->name_code);
    if (code == NULL || (PyObject *)Py_TYPE(code) != state->helpers[HELPER_BYTES_TYPE]
        || !PyBytes_Check(code)) {
        Py_XDECREF(code);
        return false;
    }
    read->code = (const uint8_t *)PyBytes_AsString(code);
    read->code_size = (size_t)PyBytes_Size(code);
    self->codes[self->code_count++] = code;
    self->bytes += read->code_size;
    return true;
}

static bool read_account(
    module_state *state, reader *self, PyObject *address, PyObject *account
)
{
    mpt_account *read = &self->accounts[self->account_count];
    if (!PyBytes_Check(address) || PyBytes_Size(address) != MPT_ADDRESS
        || (PyObject *)Py_TYPE(account) != state->helpers[HELPER_ACCOUNT_TYPE])
        return false;
    memcpy(read->address, PyBytes_AsString(address), MPT_ADDRESS);
    self->account_count++;
    self->bytes += 2 * MPT_WORD;
    return read_number_of(
               state, account, state->name_nonce, BITS_OF_NONCE, &read->nonce
           )
           && read_number_of(
               state, account, state->name_balance, BITS_OF_BALANCE, &read->balance
           )
           && read_code_of(state, self, account, read)
           && read_storage_of(state, self, account, &read->slots);
}

static bool reserve_accounts(reader *self, size_t count)
{
    if (count <= (size_t)PY_SSIZE_T_MAX / sizeof *self->accounts - 1) {
        self->accounts = PyMem_Malloc((count + 1) * sizeof *self->accounts);
        self->codes = PyMem_Malloc((count + 1) * sizeof *self->codes);
    }
    if (self->accounts != NULL && self->codes != NULL)
        return true;
    PyErr_NoMemory();
    return false;
}

/* Read address → account; false, perhaps without an error, if one is odd. */
static bool read_accounts(module_state *state, reader *self, PyObject *given)
{
    PyObject *address, *account;
    Py_ssize_t position = 0;
    if (!PyDict_CheckExact(given))
        return false;
    const size_t count = (size_t)PyDict_Size(given);
    bool good = reserve_accounts(self, count);
    /* Reading a field runs whatever its class has in place of it, even code that changes
       the dict. */
    while (good && PyDict_Next(given, &position, &address, &account)) {
        if (self->account_count == count)
            return false;
        Py_INCREF(address);
        Py_INCREF(account);
        good = read_account(state, self, address, account);
        Py_DECREF(address);
        Py_DECREF(account);
    }
    return good;
}

typedef bool reading_function(module_state *state, reader *self, PyObject *given);

/* Find the root of what *read* reads from the only argument, or leave it to the twin. */
static PyObject *root_twin(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names,
    enum twin twin, reading_function *read
)
{
    module_state *state = state_of(module);
    PyObject *root = NULL;
    bool good = false;
    if (count == 1 && names == NULL) {
        reader self;
        memset(&self, 0, sizeof self);
        good = read(state, &self, arguments[0]);
        if (good)
            root = root_of_reader(state, &self, twin == TWIN_ACCOUNTS_ROOT);
        reader_free(&self);
    }
    if (good)
        return root;
    if (PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_MemoryError))
            return NULL;
        PyErr_Clear(); /* a field that was never set */
    }
    return call_pure(state, twin, arguments, count, names);
}

PyObject *binding_slots_root(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    return root_twin(module, arguments, count, names, TWIN_SLOTS_ROOT, read_slots);
}

PyObject *binding_accounts_root(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    return root_twin(module, arguments, count, names, TWIN_ACCOUNTS_ROOT, read_accounts);
}
