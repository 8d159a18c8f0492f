/* Accounts and their storage, read as files spell them. */
#include "integer.h"

#include <string.h>

#include "hex.h"
#include "text.h"

/* Characters of a number's text: what 256 bits need. */
#define MOST_TEXT (2 + 2 * MPT_WORD)
#define MOST_DECIMAL_TEXT 78

/* ---- storage as it is spelled ---- */

/* Return the 32 bytes of a slot, however it is given, or NULL, perhaps without an error. */
static PyObject *plain_slot(module_state *state, PyObject *object)
{
    uint8_t word[MPT_WORD] = {0};
    size_t size;
    if (PyLong_CheckExact(object)) {
        mpt_number number;
        if (!integer_read(state, object, &number))
            return NULL;
        memcpy(word + MPT_WORD - number.size, number.digits, number.size);
    } else if (PyBytes_CheckExact(object)) {
        size = (size_t)PyBytes_Size(object);
        if (size > MPT_WORD)
            return NULL;
        memcpy(word + MPT_WORD - size, PyBytes_AsString(object), size);
    } else {
        char digits[2 * MPT_WORD];
        const char *text = text_of(object, &size);
        if (text == NULL || size > MOST_TEXT || !is_prefixed(text, size))
            return NULL;
        memset(digits, '0', sizeof digits);
        memcpy(digits + sizeof digits - (size - 2), text + 2, size - 2);
        if (!hex_read(digits, MPT_WORD, word))
            return NULL;
    }
    return PyBytes_FromStringAndSize((const char *)word, MPT_WORD);
}

/* Return the number that a slot holds, or NULL, perhaps without an error. */
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
    PyObject *slot = plain_slot(state, key);
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

/* What accounts that lack something share: immutable, and made when it is first needed. */
typedef struct empties {
    PyObject *number, *code, *storage;
} empties;

static void empties_release(empties *shared)
{
    Py_XDECREF(shared->number);
    Py_XDECREF(shared->code);
    Py_XDECREF(shared->storage);
}

/* Return what *plain* becomes as an instance of a class, or what has been made before of
   the same emptiness; *plain* is released. */
static PyObject *typed_value(
    PyTypeObject *base, PyObject *cls, PyObject *plain, PyObject **shared
)
{
    if (plain == NULL)
        return NULL;
    const bool is_empty = PyObject_Not(plain) == 1;
    PyObject *value = is_empty ? *shared : NULL;
    Py_XINCREF(value);
    if (value == NULL)
        value = instance_of(base, cls, plain);
    Py_DECREF(plain);
    if (is_empty && *shared == NULL && value != NULL) {
        Py_INCREF(value);
        *shared = value;
    }
    return value;
}

/* Return the number of a field, or NULL without an error where it is not plain. */
static PyObject *plain_number(module_state *state, PyObject *given, unsigned bits)
{
    size_t size;
    if (given == NULL)
        return PyLong_FromLong(0);
    const char *text = text_of(given, &size);
    if (text == NULL)
        return NULL;
    PyObject *number = NULL;
    if (is_prefixed(text, size)) {
        if (size > 2 && size <= MOST_TEXT)
            number = integer_of_digits(text + 2, size - 2);
    } else if (size > 0 && size <= MOST_DECIMAL_TEXT) {
        number = integer_of_decimal(text, size);
    }
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

static PyObject *make_storage(module_state *state, PyObject *slots)
{
    PyObject *storage =
        instance_of(&PyBaseObject_Type, state->helpers[HELPER_STORAGE_TYPE], NULL);
    if (storage == NULL)
        Py_DECREF(slots);
    else if (!put_field(storage, state->name_slots, slots))
        Py_CLEAR(storage);
    return storage;
}

static PyObject *plain_storage(module_state *state, PyObject *given, empties *shared)
{
    PyObject *slots = given == NULL ? PyDict_New() : plain_slots(state, given);
    if (slots == NULL)
        return NULL;
    if (PyDict_Size(slots) > 0)
        return make_storage(state, slots);
    if (shared->storage == NULL)
        shared->storage = make_storage(state, slots);
    else
        Py_DECREF(slots);
    Py_XINCREF(shared->storage);
    return shared->storage;
}

static PyObject *make_account(
    module_state *state, const account_fields *fields, empties *shared
)
{
    PyObject *account =
        instance_of(&PyBaseObject_Type, state->helpers[HELPER_ACCOUNT_TYPE], NULL);
    PyObject *number_type = state->helpers[HELPER_NUMBER_TYPE];
    if (account == NULL)
        return NULL;
    PyObject *nonce = plain_number(state, fields->nonce, BITS_OF_NONCE);
    nonce = typed_value(&PyLong_Type, number_type, nonce, &shared->number);
    bool good = put_field(account, state->name_nonce, nonce);
    if (good) {
        PyObject *balance = plain_number(state, fields->balance, BITS_OF_BALANCE);
        balance = typed_value(&PyLong_Type, number_type, balance, &shared->number);
        good = put_field(account, state->name_balance, balance);
    }
    if (good) {
        PyObject *code = plain_code(fields->code);
        code = typed_value(
            &PyBytes_Type, state->helpers[HELPER_BYTES_TYPE], code, &shared->code
        );
        good = put_field(account, state->name_code, code);
    }
    if (good)
        good = put_field(
            account, state->name_storage, plain_storage(state, fields->storage, shared)
        );
    if (!good)
        Py_CLEAR(account);
    return account;
}

static PyObject *plain_account(module_state *state, PyObject *entry, empties *shared)
{
    account_fields fields;
    PyObject *account = NULL;
    if (!PyDict_CheckExact(entry))
        return NULL;
    if (find_fields(entry, &fields))
        account = make_account(state, &fields, shared);
    fields_release(&fields);
    return account;
}

PyObject *binding_plain_account(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    module_state *state = state_of(module);
    empties shared = {NULL, NULL, NULL};
    if (count != 1 || names != NULL)
        return call_pure(state, TWIN_PLAIN_ACCOUNT, arguments, count, names);
    PyObject *account = plain_account(state, arguments[0], &shared);
    empties_release(&shared);
    return none_without_error(account);
}

/* ---- allocs as they are spelled ---- */

/* Return the address that is spelled, or NULL, perhaps without an error. */
static PyObject *plain_address(module_state *state, PyObject *key)
{
    size_t size;
    uint8_t address[MPT_ADDRESS];
    const char *text = text_of(key, &size);
    if (text == NULL)
        return NULL;
    if (is_prefixed(text, size)) {
        text += 2;
        size -= 2;
    }
    if (size != 2 * sizeof address || !hex_read(text, sizeof address, address))
        return NULL;
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)address, sizeof address);
    if (bytes == NULL)
        return NULL;
    PyObject *made = instance_of(&PyBytes_Type, state->helpers[HELPER_ADDRESS_TYPE], bytes);
    Py_DECREF(bytes);
    return made;
}

/* Accounts that were read, and the keys of the entries that are not plain. */
typedef struct spelled_alloc {
    PyObject *accounts, *odd;
    empties shared;
} spelled_alloc;

/* Add an entry; false, perhaps without an error, where its key is not plain. */
static bool add_entry(
    module_state *state, spelled_alloc *self, PyObject *key, PyObject *entry
)
{
    const Py_ssize_t before = PyDict_Size(self->accounts);
    PyObject *address = plain_address(state, key);
    if (address == NULL)
        return false;
    PyObject *account = plain_account(state, entry, &self->shared);
    bool good = account != NULL;
    if (account == NULL && !PyErr_Occurred()) {
        Py_INCREF(Py_None);
        account = Py_None;
        good = PyList_Append(self->odd, key) == 0;
    }
    good = good && PyDict_SetItem(self->accounts, address, account) == 0
           && PyDict_Size(self->accounts) == before + 1;
    Py_XDECREF(account);
    Py_DECREF(address);
    return good;
}

/* Return the accounts and the odd keys, or NULL, perhaps without an error. */
static PyObject *plain_accounts(module_state *state, PyObject *entries)
{
    PyObject *key, *entry, *found = NULL;
    Py_ssize_t position = 0;
    spelled_alloc self;
    memset(&self, 0, sizeof self);
    self.accounts = PyDict_New();
    self.odd = PyList_New(0);
    bool good = self.accounts != NULL && self.odd != NULL;
    while (good && PyDict_Next(entries, &position, &key, &entry)) {
        /* Comparing addresses of one hash runs code, which could let go of them. */
        Py_INCREF(key);
        Py_INCREF(entry);
        good = add_entry(state, &self, key, entry);
        Py_DECREF(key);
        Py_DECREF(entry);
    }
    if (good)
        found = PyTuple_Pack(2, self.accounts, self.odd);
    Py_XDECREF(self.accounts);
    Py_XDECREF(self.odd);
    empties_release(&self.shared);
    return found;
}

PyObject *binding_plain_accounts(
    PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names
)
{
    module_state *state = state_of(module);
    if (count != 1 || names != NULL)
        return call_pure(state, TWIN_PLAIN_ACCOUNTS, arguments, count, names);
    if (!PyDict_CheckExact(arguments[0]))
        Py_RETURN_NONE;
    /* Nothing that is made here is garbage, and looking for some takes as long again. */
    const int was_collecting = PyGC_Disable();
    PyObject *found = plain_accounts(state, arguments[0]);
    if (was_collecting)
        PyGC_Enable();
    return none_without_error(found);
}
