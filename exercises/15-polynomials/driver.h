/* Exercise 15: what the two files of its driver share. */
#pragma once

#include "judge/exercise.h"
#include "polynomials.h"

typedef void (*neumann_fn)(const spw_csr *, const double *, int, const double *, double *,
                           double *);
typedef void (*chebyshev_fn)(const spw_csr *, const double *, double, double, int, const double *,
                             double *, const chebyshev_room *);
typedef spw_cost (*cost_fn)(double, double, double);

/* The answer's polynomials and the library's other preconditioners on three systems. */
void compare_all(spw_run *run);
