/*
 * Lasting tries against sorted tables and the bulk engine: keys that are set and removed,
 * one by one and many at a time, tries made of many pairs at once, copies, commits and
 * nodes read again, iterations that go on while their trie changes, several tries hashed
 * at once.
 *
 * Input: operations, each a byte that tells what it is and on which of the tries, then what
 * it needs.
 */
#include "fuzz.h"

#include "tests/trie_model.h"

#define TRIES 3u
#define MOST_OPERATIONS 300u
#define MOST_PAIRS 24u

typedef struct trie {
    mpt_node *root;
    table content;
    bool may_hide;
} trie;

/* An iteration, over the trie as it was, and what it has come to. */
typedef struct walk {
    mpt_iterator iterator;
    table content;
    row head, low, high;
    uint8_t room[3][2 * sizeof(((row *)NULL)->key)];
    size_t next;
    bool is_bounded, is_reverse, is_there;
} walk;

static row read_row(reader *input)
{
    row made;
    memset(&made, 0, sizeof made);
    const unsigned sizes = read_byte(input);
    made.key_size = sizes % (sizeof made.key + 1);
    for (size_t index = 0; index < made.key_size; index++)
        made.key[index] = read_byte(input);
    made.value_size = 1 + sizes / 7 % 60;
    if (made.value_size > sizeof made.value)
        made.value_size = sizeof made.value;
    memset(made.value, read_byte(input), made.value_size);
    return made;
}

/* The key of an input, or one that is there. */
static row read_key(reader *input, const table *content)
{
    const unsigned kind = read_byte(input);
    if (kind % 4 != 0 && content->count > 0)
        return content->rows[kind / 4 % content->count];
    return read_row(input);
}

static void set_row(trie *self, const row *wanted)
{
    bool is_there, added;
    place_of(&self->content, wanted, &is_there);
    if (!is_there && self->content.count == MOST)
        return;
    if (set(&self->root, wanted, &added) != MPT_GOOD)
        abort();
    expect(added == !is_there, "whether a key is new");
    table_put(&self->content, wanted);
}

static void remove_row(trie *self, const row *wanted)
{
    bool is_there, removed;
    const size_t place = place_of(&self->content, wanted, &is_there);
    if (discard(&self->root, wanted, &removed) != MPT_GOOD)
        abort();
    expect(removed == is_there, "whether a key was there");
    if (is_there)
        table_remove(&self->content, place);
}

/* Many changes at once, of which those with an empty value remove. */
static void change_many(trie *self, reader *input)
{
    row rows[MOST_PAIRS];
    mpt_pair pairs[MOST_PAIRS];
    const size_t count = read_byte(input) % (MOST_PAIRS + 1);
    const size_t before = self->content.count;
    ptrdiff_t growth;
    if (self->may_hide || before + count > MOST)
        return;
    for (size_t index = 0; index < count; index++) {
        bool is_there;
        rows[index] = read_key(input, &self->content);
        const size_t place = place_of(&self->content, &rows[index], &is_there);
        if (read_byte(input) % 4 == 0) {
            rows[index].value_size = 0;
            if (is_there)
                table_remove(&self->content, place);
        } else {
            table_put(&self->content, &rows[index]);
        }
        const mpt_pair pair = {
            rows[index].key, rows[index].value, rows[index].key_size,
            rows[index].value_size
        };
        pairs[index] = pair;
    }
    if (mpt_trie_update(&self->root, pairs, count, &growth) != MPT_GOOD)
        abort();
    expect((ptrdiff_t)self->content.count == (ptrdiff_t)before + growth, "the growth");
}

static void stop_walk(walk *self)
{
    if (self->is_there)
        mpt_iterator_free(&self->iterator);
    self->is_there = false;
}

static void start_walk(walk *self, const trie *over, reader *input)
{
    const unsigned kind = read_byte(input);
    stop_walk(self);
    self->content = over->content;
    self->head = read_key(input, &over->content);
    self->low = read_key(input, &over->content);
    self->high = read_key(input, &over->content);
    self->is_reverse = kind % 2 != 0;
    self->is_bounded = kind % 4 > 1;
    self->head.key_size = kind % 8 > 3 ? self->head.key_size / 2 : 0;
    if (kind % 16 > 7)
        self->low.key_size = 0;
    const mpt_bounds bounds = {
        self->room[0], unpack(self->room[0], &self->head, self->head.key_size),
        self->room[1], unpack(self->room[1], &self->low, self->low.key_size),
        self->is_bounded ? self->room[2] : NULL,
        unpack(self->room[2], &self->high, self->high.key_size),
    };
    mpt_iterator_start(&self->iterator, over->root, &bounds, self->is_reverse);
    self->next = 0;
    self->is_there = true;
}

/* Go on by *count* values. */
static void go_on(walk *self, size_t count)
{
    for (; self->is_there && count > 0; count--) {
        const table *content = &self->content;
        const row *each = NULL;
        while (self->next < content->count && each == NULL) {
            const size_t index =
                self->is_reverse ? content->count - 1 - self->next : self->next;
            self->next++;
            if (is_within(&content->rows[index], &self->head, self->head.key_size,
                          &self->low, self->is_bounded ? &self->high : NULL))
                each = &content->rows[index];
        }
        const mpt_status status = advance(&self->iterator);
        expect(status == (each == NULL ? MPT_END : MPT_GOOD), "the end");
        if (each == NULL) {
            stop_walk(self);
            return;
        }
        uint8_t nibbles[2 * sizeof each->key];
        const size_t size = unpack(nibbles, each, each->key_size);
        expect(self->iterator.size == size
                   && (size == 0 || memcmp(self->iterator.path, nibbles, size) == 0),
               "the next key");
        expect(self->iterator.value_size == each->value_size
                   && memcmp(self->iterator.value, each->value, each->value_size) == 0,
               "the next value");
    }
}

static void copy_trie(trie *to, const trie *from)
{
    if (to == from)
        return;
    mpt_node_retain(from->root);
    mpt_node_release(to->root);
    *to = *from;
}

static void hash_all(trie *tries)
{
    mpt_node *roots[TRIES + 1];
    keccak_tally tally = {0, 0, 0};
    for (unsigned index = 0; index < TRIES; index++)
        roots[index] = tries[index].root;
    roots[TRIES] = tries[0].root; /* which may be there twice */
    if (mpt_settle(roots, TRIES + 1, keccak_kernel_named("portable"), &tally) != MPT_GOOD)
        abort();
}

/* Put in place of a trie one that is made of its content at once. */
static void grow_anew(trie *self)
{
    mpt_node_release(self->root);
    self->root = NULL;
    self->may_hide = false;
    if (grow(&self->root, &self->content) != MPT_GOOD)
        abort();
}

static void fill(trie *self, reader *input)
{
    seed = read_byte(input);
    const size_t count = read_byte(input) % 64u;
    const unsigned bits = 1 + read_byte(input) % 8u;
    for (size_t index = 0; index < count; index++) {
        const row wanted = random_row(bits);
        set_row(self, &wanted);
    }
}

static void operate(trie *tries, walk *walking, reader *input)
{
    const unsigned kind = read_byte(input);
    trie *self = &tries[kind / 16 % TRIES];
    row wanted;
    switch (kind % 16) {
    case 0: case 1: case 2:
        wanted = read_row(input);
        set_row(self, &wanted);
        break;
    case 3: case 4:
        wanted = read_key(input, &self->content);
        memset(wanted.value, (int)(kind & 0xffu), wanted.value_size);
        set_row(self, &wanted);
        break;
    case 5: case 6:
        wanted = read_key(input, &self->content);
        remove_row(self, &wanted);
        break;
    case 7:
        wanted = read_key(input, &self->content);
        check_value(self->root, &self->content, &wanted);
        break;
    case 8:
        copy_trie(&tries[read_byte(input) % TRIES], self);
        break;
    case 9:
        if (self->root != NULL)
            self->may_hide = true;
        if (commit(&self->root) != MPT_GOOD)
            abort();
        break;
    case 10:
        check_root(self->root, &self->content);
        break;
    case 11:
        change_many(self, input);
        break;
    case 12:
        start_walk(walking, self, input);
        break;
    case 13:
        go_on(walking, read_byte(input) % 16u);
        break;
    case 14:
        fill(self, input);
        break;
    default:
        if (read_byte(input) % 2 == 0)
            hash_all(tries);
        else
            grow_anew(self);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static trie tries[TRIES];
    static walk walking;
    reader input = {data, size};
    for (unsigned index = 0; index < TRIES; index++) {
        tries[index].root = NULL;
        tries[index].content.count = 0;
        tries[index].may_hide = false;
    }
    for (unsigned turn = 0; turn < MOST_OPERATIONS && input.left > 0; turn++)
        operate(tries, &walking, &input);
    go_on(&walking, MOST + 1);
    for (unsigned index = 0; index < TRIES; index++) {
        check_root(tries[index].root, &tries[index].content);
        mpt_node_release(tries[index].root);
    }
    store_free();
    return 0;
}
