/* Accounts and their storage: read as files spell them, and the roots of their tries. */
#include "integer.h"

#include <string.h>

#include "hex.h"
#include "roots.h"
#include "text.h"

/* Characters of a number's text: what 256 bits need. */
#define MOST_TEXT (2 + 2 * MPT_WORD)

#define BITS_OF_NONCE 64
#define BITS_OF_BALANCE 256

/* ---- storage as it is spelled ---- */

/* Return the number that a slot or its value is given as, or NULL without an error. */
static PyObject *plain_word(module_state *state, PyObject *object)
{
    mpt_number number;
    size_t size;
    if (PyLong_CheckExact(object)) {
        if (!integer_read(state, object, &number))
            return NULL;
        Py_INCREF(object);
        return object;
    }
    if (PyBytes_CheckExact(object)) {
        const size_t count = (size_t)PyBytes_Size(object);
        return count <= MPT_WORD
                   ? integer_of_bytes((const uint8_t *)PyBytes_AsString(object), count)
                   : NULL;
    }
    const char *text = text_of(object, &size);
    if (text == NULL || size > MOST_TEXT || !is_prefixed(text, size))
        return NULL;
    return size == 2 ? PyLong_FromLong(0) : integer_of_digits(text + 2, size - 2);
}

/* Add a slot; false, perhaps without an error, where the spelling is not plain. */
static bool add_plain(
    module_state *state, PyObject *slots, PyObject *key, PyObject *value, bool *has_zero
)
{
    const Py_ssize_t before = PyDict_Size(slots);
    PyObject *slot = plain_word(state, key);
    PyObject *number = slot == NULL ? NULL : plain_word(state, value);
    bool good = number != NULL && PyDict_SetItem(slots, slot, number) == 0
                && PyDict_Size(slots) == before + 1;
    if (good && !PyObject_IsTrue(number))
        *has_zero = true;
    Py_XDECREF(slot);
    Py_XDECREF(number);
    return good;
}

/* Return what is not zero. */
static PyObject *without_zeros(PyObject *slots)
{
    PyObject *left = PyDict_New();
    PyObject *slot, *number;
    Py_ssize_t position = 0;
    while (left != NULL && PyDict_Next(slots, &position, &slot, &number)) {
        if (PyObject_IsTrue(number) && PyDict_SetItem(left, slot, number) < 0)
            Py_CLEAR(left);
    }
    Py_DECREF(slots);
    return left;
}

/* Return the slots, or NULL, perhaps without an error, where they are not plain. */
static PyObject *plain_slots(module_state *state, PyObject *given)
{
    PyObject *key, *value;
    Py_ssize_t position = 0;
    bool has_zero = false;
    if (!PyDict_CheckExact(given))
        return NULL;
    PyObject *slots = PyDict_New();
    while (slots != NULL && PyDict_Next(given, &position, &key, &value)) {
        if (!add_plain(state, slots, key, value, &has_zero))
            Py_CLEAR(slots);
    }
    return slots != NULL && has_zero ? without_zeros(slots) : slots;
}

static PyObject *none_without_error(PyObject *found)
{
    if (found == NULL && !PyErr_Occurred()) {
        Py_INCREF(Py_None);
        return Py_None;
    }
    return found;
}

PyObject *binding_plain_slots(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    if (count != 1 || names != NULL)
        return call_pure(state_of(module), TWIN_PLAIN_SLOTS, arguments, count, names);
    return none_without_error(plain_slots(state_of(module), arguments[0]));
}

/* ---- accounts as they are spelled ---- */

/* Return a new instance of a class, by the constructor of one of its bases. */
static PyObject *instance_of(PyTypeObject *base, PyObject *cls, PyObject *value)
{
    if (cls == NULL) {
        raise_taken_down();
        return NULL;
    }
    newfunc make = (newfunc)PyType_GetSlot(base, Py_tp_new);
    PyObject *arguments = value == NULL ? PyTuple_New(0) : PyTuple_Pack(1, value);
    if (arguments == NULL)
        return NULL;
    PyObject *made = make((PyTypeObject *)cls, arguments, NULL);
    Py_DECREF(arguments);
    return made;
}

/* The fields of an account; what is not there is NULL. */
typedef struct account_fields {
    PyObject *nonce, *balance, *code, *storage;
} account_fields;

static void fields_release(account_fields *fields)
{
    Py_XDECREF(fields->nonce);
    Py_XDECREF(fields->balance);
    Py_XDECREF(fields->code);
    Py_XDECREF(fields->storage);
}

/* Find the fields of an entry, and hold them; false if it has others. */
static bool find_fields(PyObject *entry, account_fields *fields)
{
    PyObject *key, *value;
    Py_ssize_t position = 0;
    memset(fields, 0, sizeof *fields);
    while (PyDict_Next(entry, &position, &key, &value)) {
        size_t size;
        const char *name = text_of(key, &size);
        PyObject **field = NULL;
        if (name == NULL)
            return false;
        if (size == 5 && memcmp(name, "nonce", 5) == 0)
            field = &fields->nonce;
        else if (size == 7 && memcmp(name, "balance", 7) == 0)
            field = &fields->balance;
        else if (size == 4 && memcmp(name, "code", 4) == 0)
            field = &fields->code;
        else if (size == 7 && memcmp(name, "storage", 7) == 0)
            field = &fields->storage;
        else
            return false;
        Py_INCREF(value);
        *field = value;
    }
    return true;
}

/* Return the number of a field, or NULL without an error where it is not plain. */
static PyObject *plain_number(module_state *state, PyObject *given, unsigned bits)
{
    size_t size;
    if (given == NULL)
        return PyLong_FromLong(0);
    const char *text = text_of(given, &size);
    if (text == NULL || size < 3 || size > MOST_TEXT || !is_prefixed(text, size))
        return NULL;
    PyObject *number = integer_of_digits(text + 2, size - 2);
    mpt_number read;
    if (number != NULL && integer_read(state, number, &read) && 8u * read.size <= bits)
        return number;
    Py_XDECREF(number);
    return NULL;
}

/* Return the code of a field, or NULL without an error where it is not plain. */
static PyObject *plain_code(PyObject *given)
{
    size_t size;
    if (given == NULL)
        return PyBytes_FromStringAndSize(NULL, 0);
    const char *text = text_of(given, &size);
    if (text == NULL || size % 2 != 0 || !is_prefixed(text, size))
        return NULL;
    PyObject *code = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(size / 2 - 1));
    if (code != NULL
        && !hex_read(text + 2, size / 2 - 1, (uint8_t *)PyBytes_AsString(code)))
        Py_CLEAR(code);
    return code;
}

/* Give an immutable object a field, which is released. */
static bool put_field(PyObject *object, PyObject *name, PyObject *value)
{
    const bool good =
        value != NULL && PyObject_GenericSetAttr(object, name, value) == 0;
    Py_XDECREF(value);
    return good;
}

/* Put what *plain* becomes as an instance of a class; *plain* is released. */
static bool put_typed(
    PyObject *object, PyObject *name, PyTypeObject *base, PyObject *cls, PyObject *plain
)
{
    if (plain == NULL)
        return false;
    PyObject *value = instance_of(base, cls, plain);
    Py_DECREF(plain);
    return put_field(object, name, value);
}

static bool put_storage(module_state *state, PyObject *account, PyObject *given)
{
    PyObject *slots = given == NULL ? PyDict_New() : plain_slots(state, given);
    if (slots == NULL)
        return false;
    PyObject *storage =
        instance_of(&PyBaseObject_Type, state->helpers[HELPER_STORAGE_TYPE], NULL);
    if (storage == NULL) {
        Py_DECREF(slots);
        return false;
    }
    if (!put_field(storage, state->name_slots, slots)) {
        Py_DECREF(storage);
        return false;
    }
    return put_field(account, state->name_storage, storage);
}

static PyObject *make_account(module_state *state, const account_fields *fields)
{
    PyObject *account =
        instance_of(&PyBaseObject_Type, state->helpers[HELPER_ACCOUNT_TYPE], NULL);
    if (account == NULL)
        return NULL;
    PyObject *number_type = state->helpers[HELPER_NUMBER_TYPE];
    if (!put_typed(account, state->name_nonce, &PyLong_Type, number_type,
                   plain_number(state, fields->nonce, BITS_OF_NONCE))
        || !put_typed(account, state->name_balance, &PyLong_Type, number_type,
                      plain_number(state, fields->balance, BITS_OF_BALANCE))
        || !put_typed(account, state->name_code, &PyBytes_Type,
                      state->helpers[HELPER_BYTES_TYPE], plain_code(fields->code))
        || !put_storage(state, account, fields->storage))
        Py_CLEAR(account);
    return account;
}

static PyObject *plain_account(module_state *state, PyObject *entry)
{
    account_fields fields;
    PyObject *account = NULL;
    if (!PyDict_CheckExact(entry))
        return NULL;
    if (find_fields(entry, &fields))
        account = make_account(state, &fields);
    fields_release(&fields);
    return account;
}

PyObject *binding_plain_account(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    module_state *state = state_of(module);
    if (count != 1 || names != NULL)
        return call_pure(state, TWIN_PLAIN_ACCOUNT, arguments, count, names);
    return none_without_error(plain_account(state, arguments[0]));
}

/* ---- roots ---- */

/* Slots and accounts that were read from Python objects. */
typedef struct reader {
    mpt_slot *slots;
    size_t slot_count, slot_capacity;
    mpt_account *accounts;
    size_t account_count;
} reader;

static void reader_free(reader *self)
{
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
        mpt_number number;
        if (!PyLong_CheckExact(key) || !PyLong_CheckExact(value)
            || !integer_read(state, key, &number)
            || !integer_read(state, value, &slot->value) || slot->value.size == 0)
            return false;
        memset(slot->key, 0, MPT_WORD);
        memcpy(slot->key + MPT_WORD - number.size, number.digits, number.size);
        self->slot_count++;
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
        const bool large = self->slot_count + self->account_count
                           > LARGE_INPUT / (2 * KECCAK256_SIZE);
        PyThreadState *saved = large ? PyEval_SaveThread() : NULL;
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

static bool read_account(
    module_state *state, reader *self, PyObject *address, PyObject *account,
    PyObject *code_hash
)
{
    mpt_account *read = &self->accounts[self->account_count];
    if (!PyBytes_Check(address) || PyBytes_Size(address) != MPT_ADDRESS
        || !PyBytes_Check(code_hash) || PyBytes_Size(code_hash) != KECCAK256_SIZE
        || (PyObject *)Py_TYPE(account) != state->helpers[HELPER_ACCOUNT_TYPE])
        return false;
    memcpy(read->address, PyBytes_AsString(address), MPT_ADDRESS);
    memcpy(read->code_hash, PyBytes_AsString(code_hash), KECCAK256_SIZE);
    self->account_count++;
    return read_number_of(
               state, account, state->name_nonce, BITS_OF_NONCE, &read->nonce
           )
           && read_number_of(
               state, account, state->name_balance, BITS_OF_BALANCE, &read->balance
           )
           && read_storage_of(state, self, account, &read->slots);
}

/* Read (address, account, code hash); false, perhaps without an error, if one is odd. */
static bool read_accounts(module_state *state, reader *self, PyObject *given)
{
    if (!PyList_CheckExact(given))
        return false;
    const size_t count = (size_t)PyList_Size(given);
    if (count > (size_t)PY_SSIZE_T_MAX / sizeof *self->accounts
        || (self->accounts = PyMem_Malloc((count + 1) * sizeof *self->accounts)) == NULL) {
        PyErr_NoMemory();
        return false;
    }
    /* Reading a field runs whatever its class has in place of it, even code that changes
       the list. */
    bool good = true;
    for (size_t index = 0; good && index < count; index++) {
        if (index >= (size_t)PyList_Size(given))
            return false;
        PyObject *element = PyList_GetItem(given, (Py_ssize_t)index);
        Py_INCREF(element);
        good = PyTuple_CheckExact(element) && PyTuple_Size(element) == 3
               && read_account(
                   state, self, PyTuple_GetItem(element, 0), PyTuple_GetItem(element, 1),
                   PyTuple_GetItem(element, 2)
               );
        Py_DECREF(element);
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
