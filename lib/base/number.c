#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

enum {
    DIGITS_MAX = 19, /* any 19 digits fit 64 bits */
    EXACT_TEN = 22,  /* 10^22 is the last power of ten that is a double */
    EXACT_FIVE = 27  /* 5^27 is the last power of five below 2^64 */
};

/* No more digits of an exponent are read than reach this. It must be more than a text can have digits,
 * or a million zeros and a cut exponent could make up for each other. */
#define EXPONENT_MAX INT64_C(100000000000000000)

typedef struct decimal {
    int negative, n_digits, rest; /* rest: digits were left out that are not 0 */
    uint64_t digits;              /* value = digits * 10^exponent */
    int64_t exponent;
} decimal;

static int is_digit(const char *at, const char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

static void add_digit(decimal *d, int digit, int behind_point)
{
    if (d->n_digits < DIGITS_MAX) {
        d->digits = d->digits * 10 + (uint64_t)digit;
        d->n_digits += d->digits != 0; /* leading zeros cost nothing */
        d->exponent -= behind_point;
    } else {
        d->rest |= digit != 0;
        d->exponent += !behind_point;
    }
}

/* Returns the end of the number that starts at `at`, NULL if none does. */
static const char *scan(const char *at, const char *end, decimal *d)
{
    *d = (decimal){0};
    if (at < end && (*at == '+' || *at == '-')) d->negative = *at++ == '-';
    const char *first = at;
    for (; is_digit(at, end); at++) add_digit(d, *at - '0', 0);
    int any = at > first;
    if (at < end && *at == '.') {
        first = ++at;
        for (; is_digit(at, end); at++) add_digit(d, *at - '0', 1);
        any |= at > first;
    }
    if (!any) return NULL;
    if (at < end && (*at == 'e' || *at == 'E' || *at == 'd' || *at == 'D')) {
        int negative = 0;
        int64_t exponent = 0;
        at++;
        if (at < end && (*at == '+' || *at == '-')) negative = *at++ == '-';
        if (!is_digit(at, end)) return NULL;
        for (; is_digit(at, end); at++)
            if (exponent < EXPONENT_MAX) exponent = exponent * 10 + (*at - '0');
        d->exponent += negative ? -exponent : exponent;
    }
    return at;
}

/* The double nearest to digits * 10^exponent, digits > 0, for |exponent| <= 27, in integers: 64 bits
 * times 5^27 fit 128; a quotient of 64 bits or more and whether there is a remainder decide the
 * rounding. */
static double scale_exactly(uint64_t digits, int exponent)
{
    uint64_t five = 1;
    for (int i = 0; i < exponent || i < -exponent; i++) five *= 5;

    unsigned __int128 bits = digits;
    int binary = exponent, sticky = 0; /* value = (bits + something below 1 if sticky) * 2^binary */
    if (exponent >= 0) {
        bits *= five;
    } else {
        const int shift = 64 + __builtin_clzll(digits);
        const unsigned __int128 numerator = bits << shift;
        bits = numerator / five;
        sticky = bits * five != numerator;
        binary -= shift;
    }

    const uint64_t high = (uint64_t)(bits >> 64), low = (uint64_t)bits;
    const int width = high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll(low);
    const int drop = width - 53;
    if (drop <= 0) return ldexp((double)low, binary);
    const unsigned __int128 half = (unsigned __int128)1 << (drop - 1);
    const unsigned __int128 dropped = bits & ((half << 1) - 1);
    uint64_t kept = (uint64_t)(bits >> drop);
    if (dropped > half || (dropped == half && (sticky || (kept & 1)))) kept++;
    return ldexp((double)kept, binary + drop);
}

/* What the fast ways leave over: very long, very large and very small numbers. */
static spw_number read_by_strtod(const char *text, const char *end, double *value)
{
    char copy[SPW_NUMBER_LENGTH_MAX + 1];
    const size_t length = (size_t)(end - text);
    if (length >= sizeof copy) return SPW_NUMBER_TOO_LONG;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *exponent = strpbrk(copy, "dD");
    if (exponent) *exponent = 'e';

    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = uselocale(plain);
    char *stop;
    const double number = strtod(copy, &stop);
    uselocale(before);
    if (plain) freelocale(plain);
    if (*stop != '\0') return SPW_NUMBER_NONE;
    if (isinf(number)) return SPW_NUMBER_TOO_LARGE;
    *value = number;
    return SPW_NUMBER_OK;
}

spw_number spw_number_read(const char **text, const char *end, double *value)
{
    static const double ten[EXACT_TEN + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    decimal d;
    const char *const behind = scan(*text, end, &d);
    if (!behind) return SPW_NUMBER_NONE;

    double number;
    if (d.digits == 0) {
        number = 0;
    } else if (!d.rest && d.digits <= UINT64_C(1) << 53 && d.exponent >= -EXACT_TEN &&
               d.exponent <= EXACT_TEN) {
        /* Both operands are exact, so that one operation rounds once. W. D. Clinger, PLDI 1990,
         * doi:10.1145/93542.93557. */
        number = (double)d.digits;
        number = d.exponent < 0 ? number / ten[-d.exponent] : number * ten[d.exponent];
    } else if (!d.rest && d.exponent >= -EXACT_FIVE && d.exponent <= EXACT_FIVE) {
        number = scale_exactly(d.digits, (int)d.exponent);
    } else {
        const spw_number result = read_by_strtod(*text, behind, value);
        if (result == SPW_NUMBER_OK) *text = behind;
        return result;
    }
    *value = d.negative ? -number : number;
    *text = behind;
    return SPW_NUMBER_OK;
}

int spw_number_write(double value, char *text)
{
    text[0] = '\0';
    if (!isfinite(value)) return 0;
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = uselocale(plain);
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(text, SPW_NUMBER_SIZE, "%.*g", digits, value);
        const char *at = text;
        double back;
        if (!spw_number_read(&at, text + length, &back) && back == value) break;
    }
    uselocale(before);
    if (plain) freelocale(plain);
    return length;
}
