/* exercises/01-stream: four loops over long vectors, and what three of them must move. a, b and c
 * have n entries each and do not overlap; n may be 0. An output holds garbage on entry. */
#pragma once

#include "base/threads.h"
#include "perf/cost.h"

#include <stdint.h>

/* a[i] = value. The first function that ever writes a: it decides where the pages of a lie. */
void init_first_touch(int64_t n, double *a, double value);

/* a[i] = b[i] */
void copy(int64_t n, const double *b, double *a);
spw_cost copy_cost(int64_t n);

/* a[0] + ... + a[n-1], in any order; 0 for n = 0 */
double sum(int64_t n, const double *a);
spw_cost sum_cost(int64_t n);

/* a[i] = b[i] + s * c[i] */
void triad(int64_t n, double s, const double *b, const double *c, double *a);
spw_cost triad_cost(int64_t n);
