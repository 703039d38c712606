/* base/number.h -- decimal text to double and back: exactly rounded, in no locale.
 *
 *     "0.1"    reads as the double nearest to 1/10, 0x1.999999999999ap-4, and writes as "0.1"
 *     "1e400"  is SPW_NUMBER_TOO_LARGE
 * A library may not trust strtod and printf alone: where the host program has called setlocale, they
 * may want "0,1". And strtod takes hexadecimal, "nan" and "infinity", which no data file here may hold. */
#pragma once

#include "base/extern_c.h"

SPW_C_BEGIN

typedef enum spw_number {
    SPW_NUMBER_OK = 0,
    SPW_NUMBER_NONE,      /* no number starts here */
    SPW_NUMBER_TOO_LARGE, /* its absolute value is above the largest double */
    SPW_NUMBER_TOO_LONG   /* more digits than SPW_NUMBER_LENGTH_MAX, and they matter */
} spw_number;

enum {
    SPW_NUMBER_LENGTH_MAX = 1000, /* characters of a number that spw_number_read is sure to take */
    SPW_NUMBER_SIZE = 32          /* bytes that spw_number_write needs */
};

/* Reads the number that starts at *text, at most up to end: [+-] digits [. digits] [e [+-] digits],
 * with a digit before or behind the point. d and D stand for e, too, as Fortran writes them. A number
 * too small for a double becomes a denormal or 0. On SPW_NUMBER_OK *value is the nearest double (ties
 * to even) and *text stands behind the number; else both are as they were. */
spw_number spw_number_read(const char **text, const char *end, double *value);

/* Writes value with the fewest digits, of 15 to 17, that read back as the same double, and a NUL.
 * text: [SPW_NUMBER_SIZE]. Returns the length; 0 for nan and inf, which have no digits. */
int spw_number_write(double value, char *text);

SPW_C_END
