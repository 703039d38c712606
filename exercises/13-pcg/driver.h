/* Exercise 13: what the files of the CPU's driver share. driver.c has pcg, Jacobi and block-Jacobi, driver_triangles.c
 * IC(0) and its triangles, driver_polynomials.c Neumann's and Chebyshev's, driver_together.c three systems for all. */
#pragma once

#include "kit/one_pass.h"
#include "pcg.h"
#include "problem.h"

typedef spw_idx (*invert_fn)(const spw_csr *, double *);
typedef void (*jacobi_fn)(int64_t, const double *, const double *, double *);
typedef void (*block_fn)(int64_t, int, const double *, const double *, double *);
typedef spw_idx (*factor_fn)(const spw_csr *, double, const lower *);
typedef double (*ic0_fn)(const spw_csr *, const lower *);
typedef spw_idx (*levels_fn)(spw_idx, const spw_idx *, const spw_idx *, int, spw_idx *);
typedef void (*solve_fn)(const triangle *, const double *, double *);
typedef void (*ic0_apply_fn)(const triangle *, const triangle *, const double *, double *,
                             double *);
typedef void (*neumann_fn)(const triangle *, int, const double *, double *, double *);
typedef void (*chebyshev_fn)(const spw_csr *, const double *, double, double, int, const double *,
                             double *, const chebyshev_room *);
typedef pcg_result (*pcg_fn)(const spw_csr *, const preconditioner *, const double *, double *,
                             double, int, const pcg_room *);
typedef spw_cost (*apply_cost_fn)(precond_kind, double, double, double);
typedef spw_cost (*step_cost_fn)(double, double);

/* --- a part's arguments ---------------------------------------------------------------------------------- */

typedef struct problem {
    precond_kind kind; /* whose model is asked */
    double n, nz;      /* of A, which only some of them get */
    int k;             /* rows of a block, or the degree */
    bool upper;
    const spw_csr *A, *N; /* N: a triangle without its diagonal, of A or of its factor */
    const spw_csr *above; /* of the factor, transposed */
    lower L;
    const triangle *T, *U; /* U: transposed */
    const double *inverse, *r, *b;
    double *z, *x, *work, *inverse_out;
    double *number;
    double shift, low, high;
    spw_idx *returned, *level;
    chebyshev_room room;
} problem;

#define RETURNS(name_)                                                                             \
    {                                                                                              \
        .kind = SPW_ARG_NUMBER, .name = name_, .count = "1", .at = offsetof(problem, returned),    \
        .type = SPW_INDEX, .noun = ""                                                              \
    }

static inline const problem *of(const spw_trial *t)
{
    return (const problem *)spw_kit_arguments(t);
}

/* MATRIX[@s|@c][/...]: @s scales rows and columns at random, @c sorts them by colours. Beside those of
 * spw_system_load: kershaw; missing, zero and negative, which have no diagonal that can be inverted. */
spw_status make_matrix(const char *name, uint64_t seed, spw_csr *A);

/* n and nz of A, and k as it is in p, as quantities. */
void give_sizes(spw_trial *t, problem *p, double n, double nz);

/* The matrix of a case; n and nz, and upper and k by what stands behind its name, /upper/2. */
void prepare_case(spw_trial *t, const char *name, problem *p, spw_csr *A);

/* The same with the matrix as an input, p->A: .prepare of a kit. */
void prepare_matrix(spw_trial *t, const char *name, void *at);

/* The place of a_ii; NULL: there is none. */
double *diagonal_of(const spw_csr *A, spw_idx i);

/* 1 / a_ii, an input. */
const double *inverse_of(spw_trial *t, const spw_csr *A);

void expect_return(spw_trial *t, const problem *p, spw_idx value);
void return_mistake(spw_trial *t, const problem *p, spw_idx value, const char *text);

/* .predict of a kit whose model is apply_cost, of p->kind. */
spw_cost predict_apply(const void *at, spw_function model);

/* --- triangles ------------------------------------------------------------------------------------------------ */

/* Arrays of a triangle that is sorted by levels. */
typedef struct sorted {
    spw_idx *level_ptr, *row, *row_ptr, *col_idx;
    double *val;
} sorted;

void sort_triangle(const spw_csr *N, const spw_idx *level, spw_idx n_levels, const sorted *to);

/* The triangle of a case, p->N, and as the answer gets it, p->T: .prepare of a kit. Timed, the library's too. */
void prepare_triangle(spw_trial *t, const char *name, void *at);

/* Both triangles of L L^T without their diagonals, and 1 / that. The lower one, with its diagonal, is in L. */
spw_status split_factor(const spw_csr *L, spw_csr *below, spw_csr *above, double *inverse);

/* --- parts ----------------------------------------------------------------------------------------------------- */

enum { TRIANGLE_PARTS = 6, POLYNOMIAL_PARTS = 4 };
extern const spw_part triangle_parts[TRIANGLE_PARTS], polynomial_parts[POLYNOMIAL_PARTS];

/* The answer's preconditioners on three systems, as far as they are written. */
void compare_all(spw_run *run);
