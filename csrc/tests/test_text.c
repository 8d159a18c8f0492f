/* Hex: which digits are read, and as what. */
#include <stdio.h>
#include <string.h>

#include "../hex.h"
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

int main(void)
{
    test_hex();
    if (failures == 0)
        printf("text: fine\n");
    return failures == 0 ? 0 : 1;
}
