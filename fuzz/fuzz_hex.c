/*
 * Hex and decimal text, against what the standard library makes of it.
 *
 * Input: the characters.
 */
#include "fuzz.h"

#include "hex.h"

static bool is_hex(char digit)
{
    return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f')
           || (digit >= 'A' && digit <= 'F');
}

/* The number that the standard library reads from digits of a base. */
static uint64_t number_of(const uint8_t *digits, size_t size, int base)
{
    char text[20];
    if (size == 0)
        return 0;
    memcpy(text, digits, size);
    text[size] = '\0';
    return strtoull(text, NULL, base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    reader input = {data, size};
    size_t count = size;
    uint8_t *digits = read_bytes(&input, &count);
    const char *text = (const char *)digits;
    size_t hex = 0, decimal = 0; /* how many characters are digits, from the start */
    while (hex < size && is_hex(text[hex]))
        hex++;
    while (decimal < size && text[decimal] >= '0' && text[decimal] <= '9')
        decimal++;
    expect(hex_check(text, size) == (hex == size), "whether all are hex digits");
    uint8_t *bytes = malloc(size / 2 + (size < 2));
    if (bytes == NULL)
        abort();
    const bool is_read = hex_read(text, size / 2, bytes);
    expect(is_read == (hex >= size / 2 * 2), "whether bytes are read");
    for (size_t index = 0; is_read && index < size / 2; index++)
        expect(bytes[index] == number_of(digits + 2 * index, 2, 16), "a byte");
    free(bytes);
    for (size_t taken = 0; taken <= 19 && taken <= size; taken++) {
        uint64_t number;
        if (taken <= 16) {
            expect(hex_read_number(text, taken, &number) == (hex >= taken),
                   "whether a number is read");
            if (hex >= taken)
                expect(number == number_of(digits, taken, 16), "a number");
        }
        expect(hex_read_decimal(text, taken, &number) == (decimal >= taken),
               "whether a decimal number is read");
        if (decimal >= taken)
            expect(number == number_of(digits, taken, 10), "a decimal number");
    }
    free(digits);
    return 0;
}
