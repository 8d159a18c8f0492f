#include "json.h"

#include <string.h>

#include "hex.h"

/* Digits of any integer that fits into 64 bits with its sign. */
#define MOST_DIGITS 18

/* What may come next. */
enum {
    A_VALUE,          /* a value */
    A_VALUE_OR_CLOSE, /* behind the bracket that opens an array */
    A_KEY,            /* behind a comma in an object */
    A_KEY_OR_CLOSE,   /* behind the brace that opens an object */
    A_FOLLOWER        /* a comma, the end of an array or object, or that of the text */
};

void json_start(json_reader *reader, const char *text, size_t size)
{
    reader->next = text;
    reader->end = text + size;
    reader->depth = 0;
    reader->state = A_VALUE;
}

static void skip_blanks(json_reader *reader)
{
    const char *next = reader->next;
    while (next < reader->end
           && (*next == ' ' || *next == '\n' || *next == '\r' || *next == '\t'))
        next++;
    reader->next = next;
}

#define EACH_BYTE(value) (0x0101010101010101u * (value))

/* Non-zero if one of eight bytes is zero. */
static uint64_t has_zero(uint64_t bytes)
{
    return (bytes - EACH_BYTE(0x01u)) & ~bytes & EACH_BYTE(0x80u);
}

/* Return whether eight characters are all of the inside of a string. */
static bool is_inside(const char *characters)
{
    uint64_t eight;
    memcpy(&eight, characters, sizeof eight);
    const uint64_t below_blank = (eight - EACH_BYTE(0x20u)) & ~eight & EACH_BYTE(0x80u);
    return (below_blank | has_zero(eight ^ EACH_BYTE((uint64_t)'"'))
            | has_zero(eight ^ EACH_BYTE((uint64_t)'\\')))
           == 0;
}

/* Read a string whose opening quote is behind us. */
static bool read_string(json_reader *reader)
{
    const char *next = reader->next;
    reader->text = next;
    while (reader->end - next >= 8 && is_inside(next))
        next += 8;
    reader->escaped = false;
    while (next < reader->end && *next != '"') {
        if ((unsigned char)*next < 0x20)
            return false;
        if (*next == '\\') {
            reader->escaped = true;
            if (++next == reader->end)
                return false;
        }
        next++;
    }
    if (next == reader->end)
        return false;
    reader->size = (size_t)(next - reader->text);
    reader->next = next + 1;
    return true;
}

/* Write a character as UTF-8; return what follows it. */
static char *write_character(char *out, uint64_t character)
{
    if (character < 0x80) {
        *out++ = (char)character;
    } else if (character < 0x800) {
        *out++ = (char)(0xc0 | character >> 6);
        *out++ = (char)(0x80 | (character & 0x3f));
    } else {
        *out++ = (char)(0xe0 | character >> 12);
        *out++ = (char)(0x80 | (character >> 6 & 0x3f));
        *out++ = (char)(0x80 | (character & 0x3f));
    }
    return out;
}

bool json_unescape(const json_reader *reader, char *out, size_t *size)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    const char *next = reader->text;
    const char *end = reader->text + reader->size;
    const char *start = out;
    while (next < end) {
        if (*next != '\\') {
            *out++ = *next++;
            continue;
        }
        next++; /* what follows is there: a quote that ends the string is not escaped */
        const char *found = memchr(letters, *next, sizeof letters - 1);
        uint64_t character;
        if (found != NULL) {
            *out++ = meanings[found - letters];
            next++;
        } else if (*next == 'u' && end - next > 4
                   && hex_read_number(next + 1, 4, &character)
                   && (character & 0xf800u) != 0xd800u) {
            out = write_character(out, character);
            next += 5;
        } else {
            return false;
        }
    }
    *size = (size_t)(out - start);
    return true;
}

static json_event read_integer(json_reader *reader, const char *start)
{
    const char *next = start;
    const bool negative = *next == '-';
    if (negative)
        next++;
    const char *digits = next;
    while (next < reader->end && *next >= '0' && *next <= '9')
        next++;
    const size_t count = (size_t)(next - digits);
    if (count == 0 || count > JSON_MOST_DIGITS || (*digits == '0' && count > 1))
        return JSON_REFUSED;
    if (next < reader->end && (*next == '.' || *next == 'e' || *next == 'E'))
        return JSON_REFUSED;
    reader->next = next;
    if (count > MOST_DIGITS) {
        reader->text = start;
        reader->size = (size_t)(next - start);
        return JSON_LARGE_INTEGER;
    }
    int64_t number = 0;
    for (size_t index = 0; index < count; index++)
        number = 10 * number + (digits[index] - '0');
    reader->integer = negative ? -number : number;
    return JSON_INTEGER;
}

static json_event read_word(
    json_reader *reader, const char *start, const char *word, json_event event
)
{
    const size_t size = strlen(word);
    if ((size_t)(reader->end - start) < size || memcmp(start, word, size) != 0)
        return JSON_REFUSED;
    reader->next = start + size;
    return event;
}

static json_event open_container(json_reader *reader, bool is_object)
{
    if (reader->depth == JSON_MOST_DEPTH)
        return JSON_REFUSED;
    reader->in_object[reader->depth++] = is_object;
    reader->state = is_object ? A_KEY_OR_CLOSE : A_VALUE_OR_CLOSE;
    return is_object ? JSON_OBJECT : JSON_ARRAY;
}

static json_event read_value(json_reader *reader)
{
    const char *start = reader->next++;
    reader->state = A_FOLLOWER;
    switch (*start) {
    case '"':
        return read_string(reader) ? JSON_STRING : JSON_REFUSED;
    case '{':
        return open_container(reader, true);
    case '[':
        return open_container(reader, false);
    case 't':
        return read_word(reader, start, "true", JSON_TRUE);
    case 'f':
        return read_word(reader, start, "false", JSON_FALSE);
    case 'n':
        return read_word(reader, start, "null", JSON_NULL);
    default:
        return read_integer(reader, start);
    }
}

static json_event read_key(json_reader *reader)
{
    if (*reader->next != '"')
        return JSON_REFUSED;
    reader->next++;
    if (!read_string(reader))
        return JSON_REFUSED;
    skip_blanks(reader);
    if (reader->next == reader->end || *reader->next != ':')
        return JSON_REFUSED;
    reader->next++;
    reader->state = A_VALUE;
    return JSON_KEY;
}

static json_event close_container(json_reader *reader)
{
    reader->next++;
    reader->depth--;
    reader->state = A_FOLLOWER;
    return JSON_CLOSED;
}

json_event json_next(json_reader *reader)
{
    skip_blanks(reader);
    if (reader->state == A_FOLLOWER && reader->depth > 0 && reader->next < reader->end
        && *reader->next == ',') {
        reader->next++;
        reader->state = reader->in_object[reader->depth - 1] ? A_KEY : A_VALUE;
        skip_blanks(reader);
    }
    if (reader->next == reader->end)
        return reader->state == A_FOLLOWER && reader->depth == 0 ? JSON_DONE
                                                                 : JSON_REFUSED;
    const char first = *reader->next;
    switch (reader->state) {
    case A_VALUE:
        return read_value(reader);
    case A_VALUE_OR_CLOSE:
        return first == ']' ? close_container(reader) : read_value(reader);
    case A_KEY:
        return read_key(reader);
    case A_KEY_OR_CLOSE:
        return first == '}' ? close_container(reader) : read_key(reader);
    default:
        if (reader->depth > 0
            && first == (reader->in_object[reader->depth - 1] ? '}' : ']'))
            return close_container(reader);
        return JSON_REFUSED;
    }
}
