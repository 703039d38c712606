/* Exercise 13: matrices of the cases, and what the parts have in common. */
#include "driver.h"

#include "base/random.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- matrices -------------------------------------------------------------------------------------------- */

/* Positive definite, but the last pivot of its incomplete factor is -5: D. S. Kershaw, J. Comput. Phys. 26(1),
 * 43-65, 1978, doi:10.1016/0021-9991(78)90098-0. "missing": without the last diagonal entry. */
static spw_status kershaw(bool missing, spw_csr *A)
{
    return spw_system_dense(
        4, (const double[]){3, -2, 0, 2, -2, 3, -2, 0, 0, -2, 3, -2, 2, 0, -2, missing ? 0 : 3}, A);
}

double *diagonal_of(const spw_csr *A, spw_idx i)
{
    for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
        if (A->col_idx[k] == i) return &A->val[k];
    return NULL;
}

static double factor_of(uint64_t seed, spw_idx i)
{
    return 0.5 + spw_random_double(seed, (uint64_t)i);
}

spw_status make_matrix(const char *name, uint64_t seed, spw_csr *A)
{
    char matrix[64];
    snprintf(matrix, sizeof matrix, "%.*s", (int)strcspn(name, "@/"), name);
    const char *sign = name + strlen(matrix);
    const bool is_zero = strcmp(matrix, "zero") == 0, is_negative = strcmp(matrix, "negative") == 0;
    const bool is_missing = strcmp(matrix, "missing") == 0;
    const spw_status status =
        is_missing || strcmp(matrix, "kershaw") == 0
            ? kershaw(is_missing, A)
            : spw_system_load(is_zero || is_negative ? "laplace2d:5x4" : matrix, seed, A);
    if (status) return status;
    if (strcmp(matrix, "one-by-one") == 0) A->val[0] = fabs(A->val[0]);
    if (is_zero) *diagonal_of(A, 13) = 0;
    if (is_negative) *diagonal_of(A, 7) = -4;
    if (strncmp(sign, "@c", 2) == 0) return spw_system_colour(A);
    for (spw_idx i = 0; i < A->n_rows && strncmp(sign, "@s", 2) == 0; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            A->val[k] *= factor_of(seed, i) * factor_of(seed, A->col_idx[k]);
    return SPW_OK;
}

/* --- what the parts share ----------------------------------------------------------------------------------- */

void give_sizes(spw_trial *t, problem *p, double n, double nz)
{
    p->n = n;
    p->nz = nz;
    spw_kit_quantity(t, "n", n);
    spw_kit_quantity(t, "nz", nz);
    spw_kit_quantity(t, ".k", p->k);
}

void prepare_case(spw_trial *t, const char *name, problem *p, spw_csr *A)
{
    const char *number = strrchr(name, '/');
    spw_kit_must(t, make_matrix(name, spw_trial_seed(t), A));
    p->upper = strstr(name, "/upper") != NULL;
    p->k = number && isdigit((unsigned char)number[1]) ? (int)strtol(number + 1, NULL, 10) : 2;
    give_sizes(t, p, A->n_rows, A->nnz);
}

void prepare_matrix(spw_trial *t, const char *name, void *at)
{
    problem *p = (problem *)at;
    spw_csr A;
    prepare_case(t, name, p, &A);
    p->A = (const spw_csr *)spw_kit_need(t, spw_trial_csr(t, &A));
}

const double *inverse_of(spw_trial *t, const spw_csr *A)
{
    double *inverse =
        (double *)spw_kit_need(t, spw_trial_input(t, "inverse", SPW_DOUBLE, A->n_rows));
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const double *a_ii = diagonal_of(A, i);
        inverse[i] = a_ii ? 1 / *a_ii : 0;
    }
    return inverse;
}

static const spw_idx *kept(spw_trial *t, spw_idx value)
{
    spw_idx *room = spw_kit_indices(t, 1);
    *room = value;
    return room;
}

void expect_return(spw_trial *t, const problem *p, spw_idx value)
{
    spw_kit_expect(t, p->returned, kept(t, value), NULL);
}

void return_mistake(spw_trial *t, const problem *p, spw_idx value, const char *text)
{
    spw_trial_mistake(t, p->returned, kept(t, value), text);
}

spw_cost predict_apply(const void *at, spw_function model)
{
    const problem *p = (const problem *)at;
    return ((apply_cost_fn)model)(p->kind, p->n, p->nz, p->k);
}
