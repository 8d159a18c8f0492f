/*
 * Hex and JSON: what is read, and that hostile text is refused without reading beyond its
 * end, which the sanitizers see, as each text has memory of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../hex.h"
#include "../json.h"
#include "expect.h"

static void test_hex(void)
{
    uint8_t bytes[3];
    uint64_t number;
    expect(hex_read("00fFa9", 3, bytes), "digits of both cases");
    expect(memcmp(bytes, "\x00\xff\xa9", 3) == 0, "their bytes");
    for (int character = 0; character < 256; character++) {
        const char digits[2] = {(char)character, '0'};
        const bool is_digit = (character >= '0' && character <= '9')
                              || (character >= 'a' && character <= 'f')
                              || (character >= 'A' && character <= 'F');
        expect(hex_check(digits, 2) == is_digit, "which characters are digits");
        expect(hex_read(digits, 1, bytes) == is_digit, "which characters are read");
        expect(hex_read_number(digits, 1, &number) == is_digit, "which are numbers");
        expect(hex_read_decimal(digits, 1, &number)
                   == (character >= '0' && character <= '9'),
               "which are decimal");
    }
    expect(hex_read_number("ffffffffffffffff", 16, &number) && number == UINT64_MAX,
           "the largest number");
    expect(hex_read_decimal("9999999999999999999", 19, &number)
               && number == 9999999999999999999u,
           "the largest decimal number");
}

/* Read a copy of a text to its end, all escapes resolved; spell the events. */
static void read_all(const char *text, size_t size, char *events, size_t most)
{
    static const char letters[] = "!.{[)kslLtfn";
    char *copy = malloc(size + 1);
    json_reader reader;
    size_t count = 0;
    json_event event;
    if (copy == NULL)
        abort();
    /* At the end of what was allocated, so that a step beyond is seen. */
    memcpy(copy + 1, text, size);
    json_start(&reader, copy + 1, size);
    do {
        event = json_next(&reader);
        size_t unescaped = 0;
        if ((event == JSON_KEY || event == JSON_STRING) && reader.escaped) {
            char *exact = malloc(reader.size > 0 ? reader.size : 1);
            if (exact == NULL)
                abort();
            if (!json_unescape(&reader, exact, &unescaped))
                event = JSON_REFUSED;
            expect(unescaped <= reader.size, "unescaped text is never longer");
            free(exact);
        }
        if (count + 1 < most)
            events[count++] = letters[event];
    } while (event != JSON_DONE && event != JSON_REFUSED);
    events[count] = '\0';
    free(copy);
}

static void expect_events(const char *text, const char *expected)
{
    char events[80];
    read_all(text, strlen(text), events, sizeof events);
    if (strcmp(events, expected) == 0)
        return;
    failures++;
    fprintf(stderr, "wrong: events of %s: %s, not %s\n", text, events, expected);
}

static void test_json(void)
{
    expect_events("{}", "{).");
    expect_events(" [ ] ", "[).");
    expect_events("{\"a\":[1,-2,\"x\",true,false,null]}", "{k[llstfn)).");
    expect_events("[{\"a\":{}},[]]", "[{k{))[)).");
    expect_events("1234567890123456789", "L.");
    expect_events("-123456789012345678", "l.");
    expect_events("\"\\u00e9\\n\\\"\"", "s.");
    expect_events("\"\\ud83d\\ude00\"", "!");
    expect_events("\"\\x\"", "!");
    expect_events("\"\\u00\"", "!");
    expect_events("\"\\", "!");
    expect_events("\"\x1f\"", "!");
    expect_events("", "!");
    expect_events("[1,]", "[l!");
    expect_events("{\"a\":1,}", "{kl!");
    expect_events("{\"a\"}", "{!");
    expect_events("[1}", "[l!");
    expect_events("[1]]", "[l)!");
    expect_events("01", "!");
    expect_events("-", "!");
    expect_events("1.5", "!");
    expect_events("tru", "!");
    expect_events("[1 2]", "[l!");
}

static void test_hostile_json(void)
{
    static const char *const pieces[] = {
        "[", "]", "{", "}", ",", ":", "\"", "\\", "\\u", "\\u00e9", "0", "12345678", "-",
        " ", "true", "null", "\"a\"", "\"key\":", "abcdefgh", "\x01", "\xc3\xa9", "\\\"",
    };
    char text[256], events[400];
    for (unsigned round = 0; round < 200000; round++) {
        size_t size = 0;
        for (unsigned count = next_random() % 12; count > 0; count--) {
            const char *piece = pieces[next_random() % (sizeof pieces / sizeof *pieces)];
            memcpy(text + size, piece, strlen(piece));
            size += strlen(piece);
        }
        read_all(text, size, events, sizeof events);
    }
    char *deep = malloc(1000);
    if (deep == NULL)
        abort();
    memset(deep, '[', 1000);
    read_all(deep, 1000, events, sizeof events);
    expect(strlen(events) == JSON_MOST_DEPTH + 1, "depth has a limit");
    free(deep);
}

int main(void)
{
    test_hex();
    test_json();
    test_hostile_json();
    if (failures == 0)
        printf("text: fine\n");
    return failures == 0 ? 0 : 1;
}
