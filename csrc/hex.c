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

/* Digits that are read together: compilers make vector instructions of such loops. */
#define TOGETHER 64

/* Read digits as a value each; return whether a character is none, in every bit. */
static inline uint8_t read_values(const char *digits, size_t count, uint8_t *out)
{
    uint8_t wrong = 0;
    for (size_t index = 0; index < count; index++) {
        const uint8_t digit = (uint8_t)digits[index];
        const uint8_t number = (uint8_t)(digit - '0');
        const uint8_t letter = (uint8_t)((digit | 0x20) - 'a');
        const uint8_t is_number = number < 10 ? 0xFF : 0;
        const uint8_t is_letter = letter < 6 ? 0xFF : 0;
        out[index] = (uint8_t)((number & is_number) | ((letter + 10) & is_letter));
        wrong |= (uint8_t)~(is_number | is_letter);
    }
    return wrong;
}

static inline void join_pairs(const uint8_t *digits, size_t size, uint8_t *out)
{
    for (size_t index = 0; index < size; index++)
        out[index] = (uint8_t)(digits[2 * index] << 4 | digits[2 * index + 1]);
}

bool hex_read(const char *digits, size_t size, uint8_t *out)
{
    uint8_t each[TOGETHER];
    uint8_t wrong = 0;
    for (; size >= TOGETHER / 2; size -= TOGETHER / 2) {
        wrong |= read_values(digits, TOGETHER, each);
        join_pairs(each, TOGETHER / 2, out);
        digits += TOGETHER;
        out += TOGETHER / 2;
    }
    wrong |= read_values(digits, 2 * size, each);
    join_pairs(each, size, out);
    return wrong == 0;
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
