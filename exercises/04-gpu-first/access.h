/* Exercise 4: what access.cu defines, for the command that draws it. */
#pragma once

#include "base/extern_c.h"

#include <stdint.h>

SPW_C_BEGIN

int access_ways(void);
const char *access_name(int way);         /* 0 .. access_ways() - 1 */
int64_t access_index(int way, int64_t i); /* the element that thread i reads */

/* y[i] = x[access_index(way, i)] for all i below n. */
void access_read(int way, int64_t n, const double *d_x, double *d_y);

SPW_C_END
