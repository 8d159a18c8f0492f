#include "hex.h"

/* By character: the digit's value, or 0x80 for what is no digit. */
#define NO 0x80
#define NO_16 NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO
#define LETTERS NO, 10, 11, 12, 13, 14, 15, NO, NO, NO, NO, NO, NO, NO, NO, NO

static const uint8_t values[256] = {
    NO_16,  NO_16, NO_16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, NO, NO, NO, NO, NO, NO, LETTERS,
    NO_16,  LETTERS, NO_16, NO_16, NO_16, NO_16, NO_16, NO_16, NO_16, NO_16, NO_16,
};

static inline uint8_t value_of(char digit)
{
    return values[(uint8_t)digit];
}

bool hex_check(const char *digits, size_t size)
{
    unsigned seen = 0;
    for (size_t index = 0; index < size; index++)
        seen |= value_of(digits[index]);
    return seen < NO;
}

bool hex_read(const char *digits, size_t size, uint8_t *out)
{
    unsigned seen = 0;
    for (size_t index = 0; index < size; index++) {
        const unsigned high = value_of(digits[2 * index]);
        const unsigned low = value_of(digits[2 * index + 1]);
        seen |= high | low;
        out[index] = (uint8_t)(high << 4 | low);
    }
    return seen < NO;
}

bool hex_read_number(const char *digits, size_t size, uint64_t *number)
{
    unsigned seen = 0;
    uint64_t made = 0;
    for (size_t index = 0; index < size; index++) {
        const unsigned digit = value_of(digits[index]);
        seen |= digit;
        made = made << 4 | (digit & 15u);
    }
    *number = made;
    return seen < NO;
}

bool hex_read_decimal(const char *digits, size_t size, uint64_t *number)
{
    uint64_t made = 0;
    for (size_t index = 0; index < size; index++) {
        if (digits[index] < '0' || digits[index] > '9')
            return false;
        made = 10 * made + (uint64_t)(digits[index] - '0');
    }
    *number = made;
    return true;
}
