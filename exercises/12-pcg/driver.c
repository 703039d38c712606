/* Exercise 12: cases, true costs and explanations for preconditioners and the conjugate gradients that use them,
 * and three systems on which they are compared. */
#include "pcg.h"

#include "base/memory.h"
#include "base/random.h"
#include "kernels/blas1.h"
#include "kernels/fused.h"
#include "kernels/spmv.h"
#include "kernels/spmv_dot.h"
#include "kernels/trsv.h"
#include "perf/timer.h"
#include "kit/cases.h"
#include "kit/systems.h"
#include "judge/exercise.h"
#include "kit/pages.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

enum {
    CALL_ITERATIONS = 8,
    MISTAKES_UP_TO = 10000,
    HISTORY = 250,
    MOST_SHIFTS = 20,
    CONTEST_MOST = 400,
    NONE_MOST = 200,
};

/* --- matrices ---------------------------------------------------------------------------------------- */

/* MATRIX[@s|@c][/lower|/upper][/DEGREE]: @s scales rows and columns at random, @c sorts them by colours. */
typedef struct named {
    char matrix[64];
    int upper, degree;
    bool scaled, coloured;
} named;

static named parse(const char *name)
{
    named n = {.degree = 2};
    char text[128], *save, *part;
    snprintf(text, sizeof text, "%s", name);
    part = strtok_r(text, "/", &save);
    char *at = part ? strchr(part, '@') : NULL;
    if (at) *at = 0;
    snprintf(n.matrix, sizeof n.matrix, "%s", part ? part : "");
    n.scaled = at && at[1] == 's';
    n.coloured = at && at[1] == 'c';
    while ((part = strtok_r(NULL, "/", &save))) {
        if (strcmp(part, "upper") == 0) n.upper = 1;
        if (*part >= '0' && *part <= '9') n.degree = (int)strtol(part, NULL, 10);
    }
    return n;
}

static spw_status from_dense(spw_idx n, const double *dense, spw_csr *A)
{
    spw_idx nz = 0;
    for (spw_idx k = 0; k < n * n; k++) nz += dense[k] != 0;
    const spw_status status = spw_csr_create(n, n, nz, A);
    if (status) return status;
    nz = 0;
    for (spw_idx i = 0; i < n; i++) {
        A->row_ptr[i] = nz;
        for (spw_idx j = 0; j < n; j++)
            if (dense[i * n + j] != 0) {
                A->col_idx[nz] = j;
                A->val[nz++] = dense[i * n + j];
            }
    }
    A->row_ptr[n] = nz;
    return SPW_OK;
}

/* Positive definite, but the last pivot of its incomplete factor is -5: D. S. Kershaw, J. Comput. Phys. 26(1),
 * 43-65, 1978, doi:10.1016/0021-9991(78)90098-0. "missing": without the last diagonal entry. */
static spw_status kershaw(bool missing, spw_csr *A)
{
    const double dense[16] = {3, -2, 0, 2, -2, 3, -2, 0, 0, -2, 3, -2, 2, 0, -2, missing ? 0 : 3};
    return from_dense(4, dense, A);
}

static double *diagonal_of(const spw_csr *A, spw_idx i)
{
    for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
        if (A->col_idx[k] == i) return &A->val[k];
    return NULL;
}

static double factor_of(uint64_t seed, spw_idx i)
{
    return 0.5 + spw_random_double(seed, (uint64_t)i);
}

static spw_status make_matrix(const char *name, uint64_t seed, spw_csr *A)
{
    const named n = parse(name);
    const bool is_zero = strcmp(n.matrix, "zero") == 0;
    const bool is_negative = strcmp(n.matrix, "negative") == 0;
    spw_status status;
    if (strcmp(n.matrix, "kershaw") == 0 || strcmp(n.matrix, "missing") == 0)
        status = kershaw(n.matrix[0] == 'm', A);
    else
        status = spw_system_load(is_zero || is_negative ? "laplace2d:5x4" : n.matrix, seed, A);
    if (status) return status;
    if (strcmp(n.matrix, "one-by-one") == 0) A->val[0] = fabs(A->val[0]);
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            const spw_idx j = A->col_idx[k];
            if (n.scaled) A->val[k] *= factor_of(seed, i) * factor_of(seed, j);
        }
    if (is_zero) *diagonal_of(A, 13) = 0;
    if (is_negative) *diagonal_of(A, 7) = -4;
    return n.coloured ? spw_system_colour(A) : SPW_OK;
}

/* --- what the parts share ------------------------------------------------------------------------------- */

typedef struct problem {
    named name;
    int64_t n;
    int block;
    const spw_csr *A;
    const lower *L;
    const triangle *T, *U;            /* U: transposed */
    const spw_idx *row_ptr, *col_idx; /* of a triangle that is not sorted */
    const double *inverse, *r;
    double low, high;
    double *z, *work, *number;
    double *val; /* of L */
    spw_idx *returned, *level;
    chebyshev_room room;
} problem;

static void expect(spw_trial *t, const double *array, const double *values, double tolerance,
                   int64_t n, const char *noun)
{
    spw_trial_expect_within(t, array, n, values, tolerance * spw_system_largest(n, values), noun);
}

static spw_status expect_return(spw_trial *t, const problem *p, spw_idx value)
{
    const spw_idx *right = (const spw_idx *)spw_trial_copy(t, &value, 1, sizeof value);
    if (!right) return SPW_ERR_MEMORY;
    spw_trial_expect(t, p->returned, (spw_expectation){.expected = right, .count = 1, .noun = ""});
    return SPW_OK;
}

static void return_mistake(spw_trial *t, const problem *p, spw_idx value, const char *text)
{
    spw_trial_mistake(t, p->returned, spw_trial_copy(t, &value, 1, sizeof value), text);
}

/* A case of a matrix, which stays an input of the trial. */
static spw_status begin(spw_trial *t, const char *name, problem **out)
{
    spw_csr A;
    problem *p = *out = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    p->name = parse(name);
    const spw_status status = make_matrix(name, spw_trial_seed(t), &A);
    if (status) return status;
    spw_trial_say_size(t, &A);
    p->n = A.n_rows;
    p->A = spw_trial_csr(t, &A);
    return p->A ? SPW_OK : SPW_ERR_MEMORY;
}

static double *inverse_of(spw_trial *t, const spw_csr *A)
{
    double *inverse = (double *)spw_trial_input(t, "inverse", SPW_DOUBLE, A->n_rows);
    for (spw_idx i = 0; inverse && i < A->n_rows; i++) inverse[i] = 1 / *diagonal_of(A, i);
    return inverse;
}

/* --- invert_diagonal, jacobi, block_jacobi ----------------------------------------------------------------- */

static spw_status set_up_invert(spw_trial *t, const char *name)
{
    problem *p;
    spw_status status = begin(t, name, &p);
    if (status) return status;
    double *right = spw_trial_doubles(t, p->n);
    p->returned = (spw_idx *)spw_trial_output(t, "the returned row", SPW_INDEX, 1);
    p->z = (double *)spw_trial_output(t, "inverse", SPW_DOUBLE, p->n);
    if (!right || !p->returned || !p->z) return SPW_ERR_MEMORY;
    spw_idx bad = -1;
    for (spw_idx i = 0; i < p->n && bad < 0; i++) {
        const double *a_ii = diagonal_of(p->A, i);
        if (!a_ii || *a_ii <= 0) bad = i;
        right[i] = a_ii ? 1 / *a_ii : 0;
    }
    status = expect_return(t, p, bad);
    if (status) return status;
    if (bad < 0) {
        expect(t, p->z, right, 1e-15, p->n, "row");
        return_mistake(t, p, (spw_idx)p->n, "all rows have a diagonal: that is told by -1");
    } else {
        return_mistake(
            t, p, -1,
            "a row has no diagonal entry above 0, and nobody was told. 1 / 0 is an infinity,\n"
            "and the solver makes NaN of it. A missing entry is a 0, too");
    }
    return SPW_OK;
}

static void call_invert(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    *p->returned = ((invert_fn)f)(p->A, p->z);
}

static spw_status set_up_jacobi(spw_trial *t, const char *name)
{
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    const int64_t n = p->n = strtoll(name, NULL, 10);
    spw_trial_say(t, "n = %lld", (long long)n);
    spw_trial_unit(t, "n", (double)n);
    double *right = spw_trial_doubles(t, n), *over = spw_trial_doubles(t, n),
           *squared = spw_trial_doubles(t, n);
    if (!right || !over || !squared || !(p->inverse = spw_trial_random(t, "inverse", n)) ||
        !(p->r = spw_trial_random(t, "r", n)) ||
        !(p->z = (double *)spw_trial_output(t, "z", SPW_DOUBLE, n)))
        return SPW_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        right[i] = p->inverse[i] * p->r[i];
        over[i] = p->r[i] / p->inverse[i];
        squared[i] = right[i] * p->inverse[i];
    }
    expect(t, p->z, right, 4 * DBL_EPSILON, n, NULL);
    spw_trial_mistake(t, p->z, over, "this is r / inverse: inverse[i] is 1 / a_ii already");
    spw_trial_mistake(t, p->z, p->r, "this is r: inverse[i] is missing");
    spw_trial_mistake(t, p->z, squared, "inverse was applied twice");
    return SPW_OK;
}

static void call_jacobi(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    ((jacobi_fn)f)(p->n, p->inverse, p->r, p->z);
}

enum block_mistake { BLOCK_RIGHT, TRANSPOSED, OWN_ROW_ONLY, R_FROM_START, BLOCK_MISTAKES };

static void own_block_jacobi(int64_t n, int block, const double *inverse, const double *r,
                             double *z, int m)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = i - i % block;
        z[i] = 0;
        for (int64_t j = first; j < n && j < first + block; j++) {
            const double v = m == TRANSPOSED ? inverse[j * block + (i - first)]
                                             : inverse[i * block + (j - first)];
            if (m != OWN_ROW_ONLY || i == j) z[i] += v * r[m == R_FROM_START ? j - first : j];
        }
    }
}

static spw_status set_up_block(spw_trial *t, const char *name)
{
    static const char *const texts[] = {
        [TRANSPOSED] =
            "rows and columns of the blocks have changed places: entry (i, j) of a block\n"
            "is inverse[i * block + j - first]",
        [OWN_ROW_ONLY] = "only the diagonal of each block was used: this is jacobi",
        [R_FROM_START] = "each block was multiplied by the first elements of r: r[first + j]",
    };
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    char *end;
    if (!p) return SPW_ERR_MEMORY;
    const int64_t n = p->n = strtoll(name, &end, 10);
    p->block = (int)strtol(end + 1, NULL, 10);
    spw_trial_say(t, "n = %lld, blocks of %d", (long long)n, p->block);
    spw_trial_unit(t, "n", (double)n);
    double *right = spw_trial_doubles(t, n);
    if (!right || !(p->inverse = spw_trial_random(t, "inverse", n * p->block)) ||
        !(p->r = spw_trial_random(t, "r", n)) ||
        !(p->z = (double *)spw_trial_output(t, "z", SPW_DOUBLE, n)))
        return SPW_ERR_MEMORY;
    own_block_jacobi(n, p->block, p->inverse, p->r, right, BLOCK_RIGHT);
    expect(t, p->z, right, 1e-13, n, "row");
    for (int m = 1; m < BLOCK_MISTAKES; m++) {
        double *wrong = spw_trial_doubles(t, n);
        if (!wrong) return SPW_ERR_MEMORY;
        own_block_jacobi(n, p->block, p->inverse, p->r, wrong, m);
        spw_trial_mistake(t, p->z, wrong, texts[m]);
    }
    return SPW_OK;
}

static void call_block(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    ((block_fn)f)(p->n, p->block, p->inverse, p->r, p->z);
}

/* --- IC(0) --------------------------------------------------------------------------------------------------- */

enum ic_mistake {
    IC_RIGHT,
    NO_SHIFT,
    ADDED_SHIFT,
    NOT_DIVIDED,
    NO_ROOT,
    NO_SUM,
    PIVOT_KEPT,
    COPIED,
    IC_MISTAKES
};

static const char *const ic_text[] = {
    [NO_SHIFT] = "this is the factor without the shift: the diagonal is (1 + shift) a_ii",
    [ADDED_SHIFT] = "the shift was added to a_ii: it is relative, (1 + shift) a_ii",
    [NOT_DIVIDED] = "l_ik was not divided by l_kk",
    [NO_ROOT] = "l_ii is the pivot itself: it is the root of it",
    [NO_SUM] = "the sums over j are missing: these are scaled entries of A",
    [PIVOT_KEPT] = "l_ii is the root of a_ii alone: subtract the sum of l_ij^2 from it first",
    [COPIED] = "these are the entries of A",
};

/* Column after column, on a dense copy: subtracts from what is right of column k, where A has an entry. In
 * `dense` the factor; returns the row without a pivot, or -1. */
static spw_idx factor_dense(const spw_csr *A, double shift, int m, double *dense)
{
    const spw_idx n = A->n_rows;
    for (spw_idx i = 0; i < n; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            dense[(int64_t)i * n + A->col_idx[k]] = A->val[k];
    if (m == COPIED) return -1;
    for (spw_idx i = 0; i < n; i++)
        dense[(int64_t)i * n + i] =
            m == ADDED_SHIFT ? dense[(int64_t)i * n + i] + shift
                             : dense[(int64_t)i * n + i] * (m == NO_SHIFT ? 1 : 1 + shift);
    for (spw_idx k = 0; k < n; k++) {
        const double pivot = dense[(int64_t)k * n + k];
        if (!(pivot > 0)) return k;
        const double l_kk = m == NO_ROOT ? pivot : sqrt(pivot);
        dense[(int64_t)k * n + k] = l_kk;
        for (spw_idx i = k + 1; i < n && m != NOT_DIVIDED; i++) dense[(int64_t)i * n + k] /= l_kk;
        if (m == NO_SUM) continue;
        for (spw_idx i = k + 1; i < n; i++)
            for (spw_idx j = k + 1; j <= i; j++) {
                double *a = &dense[(int64_t)i * n + j];
                if (*a != 0 && !(m == PIVOT_KEPT && i == j))
                    *a -= dense[(int64_t)i * n + k] * dense[(int64_t)j * n + k];
            }
    }
    return -1;
}

/* The factor in the pattern of L; NULL: no memory. */
static double *own_factor(spw_trial *t, const spw_csr *A, const lower *L, double shift, int m,
                          spw_idx *bad)
{
    double *dense = NULL, *val = spw_trial_doubles(t, L->row_ptr[L->n]);
    if (!val || SPW_ALLOC_ZERO(&dense, (int64_t)L->n * L->n)) return NULL;
    *bad = factor_dense(A, shift, m, dense);
    for (spw_idx i = 0; i < L->n; i++)
        for (spw_idx k = L->row_ptr[i]; k < L->row_ptr[i + 1]; k++)
            val[k] = dense[(int64_t)i * L->n + L->col_idx[k]];
    spw_free(dense);
    return val;
}

/* The pattern of L in arrays of those sizes. */
static void fill_lower(const spw_csr *A, spw_idx *ptr, spw_idx *col)
{
    spw_idx nz = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        ptr[i] = nz;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            if (A->col_idx[k] <= i) col[nz++] = A->col_idx[k];
    }
    ptr[A->n_rows] = nz;
}

static spw_idx count_lower(const spw_csr *A)
{
    spw_idx nz = 0;
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) nz += A->col_idx[k] <= i;
    return nz;
}

/* L as the answer gets it. */
static const lower *give_lower(spw_trial *t, const spw_csr *A, double **val)
{
    const spw_idx nz = count_lower(A);
    spw_idx *ptr = (spw_idx *)spw_trial_input(t, "L->row_ptr", SPW_INDEX, A->n_rows + 1);
    spw_idx *col = (spw_idx *)spw_trial_input(t, "L->col_idx", SPW_INDEX, nz);
    *val = (double *)spw_trial_output(t, "L->val", SPW_DOUBLE, nz);
    if (!ptr || !col || !*val) return NULL;
    fill_lower(A, ptr, col);
    const lower L = {A->n_rows, ptr, col, *val};
    return (const lower *)spw_trial_struct(t, "L", &L, sizeof L);
}

/* What L->val[k] stands for. */
static void describe_entry(const spw_trial *t, int64_t at, char *text, int size)
{
    const lower *L = ((const problem *)spw_trial_data(t))->L;
    spw_idx i = 0;
    while (L->row_ptr[i + 1] <= at) i++;
    snprintf(text, (size_t)size, "l_ik of row %d, column %d", i, L->col_idx[at]);
}

static spw_status expect_factor(spw_trial *t, const problem *p, double shift)
{
    const int64_t nz = p->L->row_ptr[p->n];
    spw_idx bad;
    double *right = own_factor(t, p->A, p->L, shift, IC_RIGHT, &bad),
           *slack = spw_trial_doubles(t, nz);
    if (!right || !slack) return SPW_ERR_MEMORY;
    for (int64_t k = 0; k < nz; k++) slack[k] = 1e-12 * spw_system_largest(nz, right);
    spw_trial_expect(
        t, p->val,
        (spw_expectation){
            .expected = right, .tolerance = slack, .count = nz, .describe = describe_entry});
    for (int m = 1; m < IC_MISTAKES; m++) {
        double *wrong = own_factor(t, p->A, p->L, shift, m, &bad);
        if (!wrong) return SPW_ERR_MEMORY;
        spw_trial_mistake(t, p->val, wrong, ic_text[m]);
    }
    return SPW_OK;
}

static spw_status set_up_factor(spw_trial *t, const char *name)
{
    problem *p;
    spw_status status = begin(t, name, &p);
    if (status) return status;
    p->low = p->name.degree / 10.0; /* the shift */
    spw_trial_say(t, "n = %lld, shift %g", (long long)p->n, p->low);
    p->returned = (spw_idx *)spw_trial_output(t, "the returned row", SPW_INDEX, 1);
    p->L = give_lower(t, p->A, &p->val);
    if (!p->returned || !p->L) return SPW_ERR_MEMORY;
    spw_idx bad;
    if (!own_factor(t, p->A, p->L, p->low, IC_RIGHT, &bad)) return SPW_ERR_MEMORY;
    status = expect_return(t, p, bad);
    if (!status && bad < 0) status = expect_factor(t, p, p->low);
    if (bad >= 0)
        return_mistake(
            t, p, -1,
            "the root of a number below 0 is a NaN, and nobody was told. Ask before the\n"
            "root is taken, and return the row");
    else
        return_mistake(t, p, (spw_idx)p->n, "there is a factor: that is told by -1");
    return status;
}

static void call_factor(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    *p->returned = ((factor_fn)f)(p->A, p->low, p->L);
}

static spw_status set_up_ic0(spw_trial *t, const char *name)
{
    problem *p;
    spw_status status = begin(t, name, &p);
    if (status) return status;
    p->number = (double *)spw_trial_output(t, "the returned shift", SPW_DOUBLE, 1);
    p->L = give_lower(t, p->A, &p->val);
    if (!p->number || !p->L) return SPW_ERR_MEMORY;
    double shift = 0;
    for (int k = 0; k<MOST_SHIFTS; k++, shift = shift> 0 ? 2 * shift : 0.001) {
        spw_idx bad;
        if (!own_factor(t, p->A, p->L, shift, IC_RIGHT, &bad)) return SPW_ERR_MEMORY;
        if (bad < 0) break;
    }
    status = spw_trial_expect_number(t, p->number, shift, 1e-12 * shift);
    if (status) return status;
    if (shift > 0) {
        spw_trial_number_mistake(
            t, p->number, 0,
            "without a shift this matrix has no factor: the last pivot is below 0. Try 0.001, \n"
            "0.002, 0.004, ... until ic0_factor returns -1");
        spw_trial_number_mistake(t, p->number, 2 * shift,
                                 "this is the next shift: return the one that worked");
        spw_trial_number_mistake(t, p->number, 0.001,
                                 "0.001 is not enough here: double it until it is");
    } else {
        spw_trial_number_mistake(t, p->number, 0.001,
                                 "no shift is needed here: begin with 0. A shift costs iterations");
    }
    return expect_factor(t, p, shift);
}

static void call_ic0(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    *p->number = ((ic0_fn)f)(p->A, p->L);
}

/* --- triangles ------------------------------------------------------------------------------------------------- */

/* A triangle in CSR, not sorted; diagonal: 1 / it by row. */
typedef struct half {
    spw_idx n;
    int upper;
    spw_idx *row_ptr, *col_idx;
    double *val, *inverse;
} half;

static void free_half(half *h)
{
    spw_free(h->row_ptr);
    spw_free(h->col_idx);
    spw_free(h->val);
    spw_free(h->inverse);
    *h = (half){0};
}

static spw_status make_half(const spw_csr *A, int upper, half *h)
{
    const spw_idx n = A->n_rows;
    *h = (half){.n = n, .upper = upper};
    spw_status status = SPW_ALLOC(&h->row_ptr, (int64_t)n + 1);
    if (!status) status = SPW_ALLOC(&h->col_idx, A->nnz);
    if (!status) status = SPW_ALLOC(&h->val, A->nnz);
    if (!status) status = SPW_ALLOC(&h->inverse, n);
    if (status) {
        free_half(h);
        return status;
    }
    spw_idx to = 0;
    for (spw_idx i = 0; i < n; i++) {
        h->row_ptr[i] = to;
        h->inverse[i] = 1;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            const spw_idx j = A->col_idx[k];
            if (j == i) h->inverse[i] = 1 / A->val[k];
            if (upper ? j <= i : j >= i) continue;
            h->col_idx[to] = j;
            h->val[to++] = A->val[k];
        }
    }
    h->row_ptr[n] = to;
    return SPW_OK;
}

static void own_levels(const half *h, spw_idx *level, spw_idx *count)
{
    *count = 0;
    for (spw_idx m = 0; m < h->n; m++) {
        const spw_idx i = h->upper ? h->n - 1 - m : m;
        level[i] = 0;
        for (spw_idx k = h->row_ptr[i]; k < h->row_ptr[i + 1]; k++)
            if (level[i] <= level[h->col_idx[k]]) level[i] = level[h->col_idx[k]] + 1;
        if (*count <= level[i]) *count = level[i] + 1;
    }
}

/* Arrays of a triangle that is sorted by levels. */
typedef struct sorted {
    spw_idx *level_ptr, *row, *row_ptr, *col_idx;
    double *val;
} sorted;

static void sort_by_levels(const half *h, const spw_idx *level, spw_idx n_levels, const sorted *s)
{
    for (spw_idx l = 0; l <= n_levels; l++) s->level_ptr[l] = 0;
    for (spw_idx i = 0; i < h->n; i++) s->level_ptr[level[i] + 1]++;
    for (spw_idx l = 0; l < n_levels; l++) s->level_ptr[l + 1] += s->level_ptr[l];
    for (spw_idx i = 0; i < h->n; i++) s->row[s->level_ptr[level[i]]++] = i;
    for (spw_idx l = n_levels; l > 0; l--) s->level_ptr[l] = s->level_ptr[l - 1];
    if (n_levels) s->level_ptr[0] = 0;
    spw_idx to = 0;
    for (spw_idx k = 0; k < h->n; k++) {
        s->row_ptr[k] = to;
        for (spw_idx at = h->row_ptr[s->row[k]]; at < h->row_ptr[s->row[k] + 1]; at++) {
            s->col_idx[to] = h->col_idx[at];
            s->val[to++] = h->val[at];
        }
    }
    s->row_ptr[h->n] = to;
}

/* As inputs of the trial, whose names begin with prefix. */
static const triangle *give_triangle(spw_trial *t, const char *prefix, const half *h)
{
    char names[7][32];
    static const char *const fields[] = {"level_ptr", "row",     "row_ptr", "col_idx",
                                         "val",       "inverse", "triangle"};
    for (int k = 0; k < 7; k++) snprintf(names[k], sizeof names[k], "%s->%s", prefix, fields[k]);
    spw_idx *level = (spw_idx *)spw_trial_memory(t, h->n, sizeof *level), n_levels;
    if (!level) return NULL;
    own_levels(h, level, &n_levels);
    const sorted s = {(spw_idx *)spw_trial_input(t, names[0], SPW_INDEX, (int64_t)n_levels + 1),
                      (spw_idx *)spw_trial_input(t, names[1], SPW_INDEX, h->n),
                      (spw_idx *)spw_trial_input(t, names[2], SPW_INDEX, (int64_t)h->n + 1),
                      (spw_idx *)spw_trial_input(t, names[3], SPW_INDEX, h->row_ptr[h->n]),
                      (double *)spw_trial_input(t, names[4], SPW_DOUBLE, h->row_ptr[h->n])};
    double *inverse = (double *)spw_trial_input(t, names[5], SPW_DOUBLE, h->n);
    if (!s.level_ptr || !s.row || !s.row_ptr || !s.col_idx || !s.val || !inverse) return NULL;
    sort_by_levels(h, level, n_levels, &s);
    for (spw_idx i = 0; i < h->n; i++) inverse[i] = h->inverse[i];
    const triangle T = {h->n, n_levels, s.level_ptr, s.row, s.row_ptr, s.col_idx, s.val, inverse};
    return (const triangle *)spw_trial_struct(t, prefix, &T, sizeof T);
}

enum level_mistake {
    LEVELS_RIGHT,
    NOT_ONE_MORE,
    EACH_ITS_OWN,
    LAST_ONLY,
    WRONG_WAY,
    LEVEL_MISTAKES
};

static const char *const level_text[] = {
    [NOT_ONE_MORE] = "the 1 is missing: a row is one level above the highest of its columns",
    [EACH_ITS_OWN] =
        "each row has a level of its own: that is right, and no two rows can be solved\n"
        "at the same time. Only the columns that the row has count",
    [LAST_ONLY] = "only one of the columns was looked at: the highest of all counts",
    [WRONG_WAY] = "in an upper triangle row i needs the rows below it: their levels come first,\n"
                  "from the last row to the first",
};

/* By relaxation, until nothing changes: each row one above the highest of its columns. */
static void relaxed_levels(const half *h, int m, spw_idx *level)
{
    for (spw_idx i = 0; i < h->n; i++)
        level[i] = m != EACH_ITS_OWN ? 0 : h->upper ? h->n - 1 - i : i;
    for (bool changed = m != EACH_ITS_OWN; changed;) {
        changed = false;
        for (spw_idx i = 0; i < h->n; i++)
            for (spw_idx k = h->row_ptr[i]; k < h->row_ptr[i + 1]; k++) {
                if (m == LAST_ONLY && k + 1 < h->row_ptr[i + 1]) continue;
                const spw_idx least = level[h->col_idx[k]] + (m != NOT_ONE_MORE);
                if (level[i] >= least) continue;
                level[i] = least;
                changed = m != WRONG_WAY;
            }
    }
}

static spw_status set_up_levels(spw_trial *t, const char *name)
{
    half h;
    problem *p;
    spw_status status = begin(t, name, &p);
    if (!status) status = make_half(p->A, p->name.upper, &h);
    if (status) return status;
    spw_idx *ptr = (spw_idx *)spw_trial_input(t, "row_ptr", SPW_INDEX, p->n + 1);
    spw_idx *col = (spw_idx *)spw_trial_input(t, "col_idx", SPW_INDEX, h.row_ptr[p->n]);
    p->level = (spw_idx *)spw_trial_output(t, "level", SPW_INDEX, p->n);
    p->returned = (spw_idx *)spw_trial_output(t, "the returned number", SPW_INDEX, 1);
    if (!ptr || !col || !p->level || !p->returned) status = SPW_ERR_MEMORY;
    for (int m = 0; m < LEVEL_MISTAKES && !status; m++) {
        spw_idx *level = (spw_idx *)spw_trial_memory(t, p->n, sizeof *level), most = -1;
        if (!level) status = SPW_ERR_MEMORY;
        if (status || (m == WRONG_WAY && !h.upper)) continue;
        relaxed_levels(&h, m, level);
        for (int64_t i = 0; i < p->n; i++) most = level[i] > most ? level[i] : most;
        if (m)
            spw_trial_mistake(t, p->level, level, level_text[m]);
        else
            spw_trial_expect(t, p->level,
                             (spw_expectation){.expected = level, .count = p->n, .noun = "row"});
        if (m == 0) status = expect_return(t, p, most + 1);
        if (m == 0)
            return_mistake(t, p, most,
                           "this is the highest level: they begin with 0, so there is\n"
                           "one more");
    }
    if (!status) {
        memcpy(ptr, h.row_ptr, (size_t)(p->n + 1) * sizeof *ptr);
        memcpy(col, h.col_idx, (size_t)h.row_ptr[p->n] * sizeof *col);
        p->row_ptr = ptr;
        p->col_idx = col;
    }
    free_half(&h);
    return status;
}

static void call_levels(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    *p->returned = ((levels_fn)f)((spw_idx)p->n, p->row_ptr, p->col_idx, p->name.upper, p->level);
}

/* --- solving with a triangle, and by a polynomial ------------------------------------------------------------------ */

enum solve_mistake {
    SOLVE_RIGHT,
    NO_INVERSE,
    DIVIDED,
    ADDED,
    OF_B,
    STORED_INVERSE,
    SOLVE_MISTAKES
};

static const char *const solve_text[] = {
    [NO_INVERSE] = "the diagonal is missing: x_i is the difference times inverse[i]",
    [DIVIDED] = "this was divided by inverse[i]: inverse holds 1 / diagonal already",
    [ADDED] = "the sign is wrong: the known x are brought to the other side, b_i - t_ij x_j",
    [OF_B] = "the sum was made of b in the place of x: x_j of the levels before is known",
    [STORED_INVERSE] = "inverse belongs to row i = row[k], not to stored row k",
};

/* Row after row, in the order of levels, which is right whatever the triangle is. */
static void own_solve(const triangle *T, const double *b, int m, double *x)
{
    for (spw_idx k = 0; k < T->n; k++) {
        const spw_idx i = T->row[k];
        double sum = b[i];
        for (spw_idx at = T->row_ptr[k]; at < T->row_ptr[k + 1]; at++) {
            const double term = T->val[at] * (m == OF_B ? b : x)[T->col_idx[at]];
            sum -= m == ADDED ? -term : term;
        }
        const double inverse = T->inverse[m == STORED_INVERSE ? k : i];
        x[i] = m == NO_INVERSE ? sum : m == DIVIDED ? sum / inverse : sum * inverse;
    }
}

/* To which level does it belong? */
static void describe_row(const spw_trial *t, int64_t i, char *text, int size)
{
    const triangle *T = ((const problem *)spw_trial_data(t))->T;
    spw_idx k = 0, l = 0;
    while (T->row[k] != i) k++;
    while (T->level_ptr[l + 1] <= k) l++;
    snprintf(text, (size_t)size,
             "level %d of 0..%d, needs %d rows of levels before: all of those first", l,
             T->n_levels - 1, T->row_ptr[k + 1] - T->row_ptr[k]);
}

static spw_triangle library_triangle; /* of the case that is timed */

static spw_status begin_triangle(spw_trial *t, const char *name, problem **out)
{
    half h;
    spw_csr A;
    problem *p = *out = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    p->name = parse(name);
    spw_status status = make_matrix(name, spw_trial_seed(t), &A);
    if (status) return status;
    spw_trial_say_size(t, &A);
    p->n = A.n_rows;
    status = make_half(&A, p->name.upper, &h);
    if (!status) {
        p->T = give_triangle(t, "T", &h);
        free_half(&h);
    }
    if (!status && p->n >= MISTAKES_UP_TO) {
        spw_triangle_destroy(&library_triangle);
        status = spw_triangle_from_csr(&A, p->name.upper ? SPW_UPPER : SPW_LOWER, SPW_DIAGONAL_OWN,
                                       &library_triangle);
        if (!status) status = spw_triangle_schedule(&library_triangle, spw_trial_threads(t), 0);
    }
    spw_csr_destroy(&A);
    if (status) return status;
    p->r = spw_trial_random(t, "b", p->n);
    p->z = (double *)spw_trial_output(t, "x", SPW_DOUBLE, p->n);
    return p->T && p->r && p->z ? SPW_OK : SPW_ERR_MEMORY;
}

static spw_status set_up_solve(spw_trial *t, const char *name)
{
    problem *p;
    const spw_status status = begin_triangle(t, name, &p);
    if (status) return status;
    const int64_t n = p->n;
    if (!p->T->n_levels) return SPW_OK;
    spw_trial_say(t, "n = %lld, %d levels", (long long)n, p->T->n_levels);
    double *right = spw_trial_doubles(t, n), *slack = spw_trial_doubles(t, n);
    if (!right || !slack) return SPW_ERR_MEMORY;
    own_solve(p->T, p->r, SOLVE_RIGHT, right);
    const double most = spw_system_largest(n, right);
    for (int64_t i = 0; i < n; i++) slack[i] = 1e-13 * most;
    spw_trial_expect(t, p->z,
                     (spw_expectation){.expected = right,
                                       .tolerance = slack,
                                       .count = n,
                                       .noun = "row",
                                       .describe = n < MISTAKES_UP_TO ? describe_row : NULL});
    for (int m = 1; m < SOLVE_MISTAKES && n < MISTAKES_UP_TO; m++) {
        double *wrong = spw_trial_doubles(t, n);
        if (!wrong) return SPW_ERR_MEMORY;
        own_solve(p->T, p->r, m, wrong);
        spw_trial_mistake(t, p->z, wrong, solve_text[m]);
    }
    return SPW_OK;
}

static void call_solve(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    ((solve_fn)f)(p->T, p->r, p->z);
}

static spw_cost cost_of_solve(const spw_trial *t)
{
    const triangle *T = ((const problem *)spw_trial_data(t))->T;
    const double n = T->n, nz = T->row_ptr[T->n];
    return (spw_cost){.load = 12 * nz + 32 * n, .store = 8 * n, .flop = 2 * nz + n};
}

static void solve_serially(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    own_solve(p->T, p->r, SOLVE_RIGHT, p->z);
}

static void solve_by_library(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    spw_trsv_csr_omp_wait(&library_triangle, p->r, p->z);
}

enum neumann_mistake {
    NEUMANN_RIGHT,
    ONE_SHORT,
    ONE_FURTHER,
    IN_PLACE,
    N_ADDED,
    LAST_TERM,
    D_MISSING,
    B_REPLACED,
    NEUMANN_MISTAKES
};

static const char *const neumann_text[] = {
    [ONE_SHORT] = "one degree short: this is x after degree - 1 products with N. x^0 takes none",
    [ONE_FURTHER] = "one degree too many: x^0 takes no product with N, degree 1 takes one",
    [IN_PLACE] = "this is T^-1 b, exactly: x was changed while other rows still read it. On one\n"
                 "thread that solves the triangle, on several it is a race. Read x^m, write\n"
                 "x^{m+1}: two arrays",
    [N_ADDED] = "the sign is wrong: x = D^-1 (b - N x)",
    [LAST_TERM] = "this is the last power of -D^-1 N alone: the terms are to be added up",
    [D_MISSING] = "x^{m+1} was not multiplied by inverse",
    [B_REPLACED] = "x^0 is D^-1 b: the first x was b itself",
};

static void own_neumann(const triangle *T, int degree, const double *b, int m, double *x,
                        double *old)
{
    const int last = m == ONE_SHORT ? degree - 1 : m == ONE_FURTHER ? degree + 1 : degree;
    if (m == IN_PLACE) {
        own_solve(T, b, SOLVE_RIGHT, x);
        return;
    }
    for (spw_idx i = 0; i < T->n; i++) x[i] = (m == B_REPLACED ? 1 : T->inverse[i]) * b[i];
    for (int step = 0; step < last; step++) {
        memcpy(old, x, (size_t)T->n * sizeof *x);
        for (spw_idx k = 0; k < T->n; k++) {
            const spw_idx i = T->row[k];
            double sum = m == LAST_TERM ? 0 : b[i];
            for (spw_idx at = T->row_ptr[k]; at < T->row_ptr[k + 1]; at++)
                sum -= T->val[at] * old[T->col_idx[at]] * (m == N_ADDED ? -1 : 1);
            x[i] = sum * (m == D_MISSING ? 1 : T->inverse[i]);
        }
    }
}

static spw_status set_up_neumann(spw_trial *t, const char *name)
{
    problem *p;
    const spw_status status = begin_triangle(t, name, &p);
    if (status) return status;
    const int64_t n = p->n;
    spw_trial_say(t, "n = %lld, degree %d", (long long)n, p->name.degree);
    double *right = spw_trial_doubles(t, n), *old = spw_trial_doubles(t, n);
    p->work = (double *)spw_trial_output(t, "work", SPW_DOUBLE, n);
    if (!p->work || !right || !old) return SPW_ERR_MEMORY;
    own_neumann(p->T, p->name.degree, p->r, NEUMANN_RIGHT, right, old);
    expect(t, p->z, right, 1e-13, n, "row");
    for (int m = 1; m < NEUMANN_MISTAKES; m++) {
        double *wrong = spw_trial_doubles(t, n);
        if (!wrong) return SPW_ERR_MEMORY;
        own_neumann(p->T, p->name.degree, p->r, m, wrong, old);
        spw_trial_mistake(t, p->z, wrong, neumann_text[m]);
    }
    return SPW_OK;
}

static void call_neumann(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    ((neumann_fn)f)(p->T, p->name.degree, p->r, p->z, p->work);
}

/* --- ic0_apply ------------------------------------------------------------------------------------------------------- */

/* What is below the diagonal of the factor stands also above it. */
static spw_status both_triangles(const spw_csr *A, spw_csr *S)
{
    const spw_idx n = A->n_rows;
    double *dense = NULL;
    spw_status status = SPW_ALLOC_ZERO(&dense, (int64_t)n * n);
    if (status) return status;
    factor_dense(A, 0, IC_RIGHT, dense);
    for (spw_idx i = 0; i < n; i++)
        for (spw_idx j = i + 1; j < n; j++) dense[(int64_t)i * n + j] = dense[(int64_t)j * n + i];
    status = from_dense(n, dense, S);
    spw_free(dense);
    return status;
}

static spw_status give_factor(spw_trial *t, problem *p)
{
    spw_csr S;
    half low = {0}, high = {0};
    spw_status status = both_triangles(p->A, &S);
    if (status) return status;
    status = make_half(&S, 0, &low);
    if (!status) status = make_half(&S, 1, &high);
    if (!status) {
        p->T = give_triangle(t, "L", &low);
        p->U = give_triangle(t, "L_transposed", &high);
        if (!p->T || !p->U) status = SPW_ERR_MEMORY;
    }
    free_half(&low);
    free_half(&high);
    spw_csr_destroy(&S);
    return status;
}

static spw_status set_up_ic0_apply(spw_trial *t, const char *name)
{
    problem *p;
    spw_status status = begin(t, name, &p);
    if (!status) status = give_factor(t, p);
    if (status) return status;
    const int64_t n = p->n;
    p->r = spw_trial_random(t, "r", n);
    p->z = (double *)spw_trial_output(t, "z", SPW_DOUBLE, n);
    p->work = (double *)spw_trial_output(t, "work", SPW_DOUBLE, n);
    double *y = spw_trial_doubles(t, n), *z = spw_trial_doubles(t, n),
           *twice = spw_trial_doubles(t, n), *upper = spw_trial_doubles(t, n),
           *turned = spw_trial_doubles(t, n);
    if (!p->r || !p->z || !p->work || !y || !z || !twice || !upper || !turned)
        return SPW_ERR_MEMORY;
    own_solve(p->T, p->r, 0, y);
    own_solve(p->U, y, 0, z);
    own_solve(p->T, y, 0, twice);
    own_solve(p->U, p->r, 0, upper);
    own_solve(p->T, upper, 0, turned);
    expect(t, p->z, z, 1e-12, n, "row");
    spw_trial_mistake(
        t, p->z, y,
        "this is L^-1 r: the solution with the transposed triangle is missing. M = L\n"
        "L^T, and without L^T it is not even symmetric");
    spw_trial_mistake(t, p->z, twice, "L was solved with twice: the second one is L_transposed");
    spw_trial_mistake(t, p->z, upper,
                      "this is L^-T r: the solution with L is missing, it comes first");
    spw_trial_mistake(t, p->z, turned,
                      "L_transposed came first: (L L^T)^-1 r = L^-T (L^-1 r), so L comes first");
    return SPW_OK;
}

static void call_ic0_apply(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    ((ic0_apply_fn)f)(p->T, p->U, p->r, p->z, p->work);
}

/* --- chebyshev ------------------------------------------------------------------------------------------------------- */

enum chebyshev_mistake {
    CHEBYSHEV_RIGHT,
    DEGREE_SHORT,
    DEGREE_LONG,
    NO_D,
    NO_CENTER,
    RESIDUAL_KEPT,
    RHO_KEPT,
    NO_MOMENTUM,
    Z_NOT_ADDED,
    RESIDUAL_SIGN,
    HALF_WIDTH,
    CHEBYSHEV_MISTAKES
};

static const char *const chebyshev_text[] = {
    [DEGREE_SHORT] = "one degree short: degree products with A, and z has degree + 1 steps in it",
    [DEGREE_LONG] = "one degree too many: degree products with A, the first step takes none",
    [NO_D] = "inverse is missing: each step is made of D^-1 residual",
    [NO_CENTER] = "the first step is D^-1 r / center",
    [RESIDUAL_KEPT] = "the residual never changed: subtract A step from it, each time",
    [RHO_KEPT] = "rho never changed: it is the rho' of the step before",
    [NO_MOMENTUM] = "the step before is missing: step = rho' rho step + ...",
    [Z_NOT_ADDED] = "this is the last step alone: z is the sum of all steps",
    [RESIDUAL_SIGN] = "the sign is wrong: residual -= A step",
    [HALF_WIDTH] = "half is half the width of the interval, (high - low) / 2",
};

static void own_chebyshev(const problem *p, int m, double *work, double *z)
{
    const int64_t n = p->n;
    double *residual = work, *step = work + n, *product = work + 2 * n;
    const double center = (p->high + p->low) / 2;
    const double width = (p->high - p->low) / (m == HALF_WIDTH ? 1 : 2);
    const int degree = p->name.degree + (m == DEGREE_SHORT ? -1 : 0) + (m == DEGREE_LONG ? 1 : 0);
    double rho = width / center;
    for (int64_t i = 0; i < n; i++) {
        residual[i] = p->r[i];
        step[i] = (m == NO_D ? 1 : p->inverse[i]) * p->r[i] / (m == NO_CENTER ? 1 : center);
        z[i] = step[i];
    }
    for (int k = 0; k < degree; k++) {
        spw_system_product(p->A, step, product);
        const double next = 1 / (2 * center / width - rho);
        for (int64_t i = 0; i < n; i++) {
            if (m != RESIDUAL_KEPT) residual[i] -= m == RESIDUAL_SIGN ? -product[i] : product[i];
            step[i] = (m == NO_MOMENTUM ? 0 : next * rho * step[i]) +
                      2 * next / width * (m == NO_D ? 1 : p->inverse[i]) * residual[i];
            z[i] = m == Z_NOT_ADDED ? step[i] : z[i] + step[i];
        }
        if (m != RHO_KEPT) rho = next;
    }
}

static spw_status set_up_chebyshev(spw_trial *t, const char *name)
{
    problem *p;
    const spw_status status = begin(t, name, &p);
    if (status) return status;
    const int64_t n = p->n;
    p->low = 0.05;
    p->high = 2.1;
    spw_trial_say(t, "n = %lld, degree %d, eigenvalues %g to %g", (long long)n, p->name.degree,
                  p->low, p->high);
    double *work = spw_trial_doubles(t, 3 * n);
    p->inverse = inverse_of(t, p->A);
    p->r = spw_trial_random(t, "r", n);
    p->z = (double *)spw_trial_output(t, "z", SPW_DOUBLE, n);
    p->room.residual = (double *)spw_trial_output(t, "residual", SPW_DOUBLE, n);
    p->room.step = (double *)spw_trial_output(t, "step", SPW_DOUBLE, n);
    p->room.product = (double *)spw_trial_output(t, "product", SPW_DOUBLE, n);
    if (!work || !p->inverse || !p->r || !p->z || !p->room.residual || !p->room.step ||
        !p->room.product)
        return SPW_ERR_MEMORY;
    for (int m = 0; m < CHEBYSHEV_MISTAKES; m++) {
        double *z = spw_trial_doubles(t, n);
        if (!z) return SPW_ERR_MEMORY;
        own_chebyshev(p, m, work, z);
        if (m)
            spw_trial_mistake(t, p->z, z, chebyshev_text[m]);
        else
            expect(t, p->z, z, 1e-12, n, "row");
    }
    return SPW_OK;
}

static void call_chebyshev(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    ((chebyshev_fn)f)(p->A, p->inverse, p->low, p->high, p->name.degree, p->r, p->z, &p->room);
}

/* --- pcg: systems ------------------------------------------------------------------------------------------------------ */

typedef enum own_kind { M_JACOBI, M_SGS, M_ONE, M_NEGATIVE } own_kind;

static const struct {
    const char *name, *matrix; /* matrix - shift I */
    double shift;
    own_kind M;
    spw_rhs b;
    spw_guess x;
    double tolerance;
    int most;
} systems[] = {
    /* clang-format off */
    {"one-step", "laplace2d:3x2", 0, M_SGS, SPW_B_RANDOM, SPW_X_0, 0, 1},
    {"two-steps", "laplace2d:4x3", 0, M_SGS, SPW_B_RANDOM, SPW_X_0, 0, 2},
    {"three-steps", "laplace2d:9x7@s", 0, M_SGS, SPW_B_RANDOM, SPW_X_RANDOM, 0, 3},
    {"no-steps", "laplace2d:5x4", 0, M_SGS, SPW_B_RANDOM, SPW_X_RANDOM, 0, 0},
    {"one-by-one", "one-by-one", 0, M_JACOBI, SPW_B_RANDOM, SPW_X_0, 1e-8, 10},
    {"zero", "laplace2d:5x4", 0, M_SGS, SPW_B_ZERO, SPW_X_0, 1e-8, 10},
    {"solved", "laplace2d:5x4", 0, M_SGS, SPW_B_OF_ONES, SPW_X_ONES, 1e-8, 10},  /* r is 0 to the bit */
    {"scaled", "laplace2d:30x29@s", 0, M_JACOBI, SPW_B_RANDOM, SPW_X_0, 1e-8, 500},
    {"sgs", "laplace2d:30x29@s", 0, M_SGS, SPW_B_RANDOM, SPW_X_0, 1e-8, 500},
    {"small-b", "laplace2d:30x29", 0, M_SGS, SPW_B_SMALL, SPW_X_0, 1e-8, 500},
    {"far-guess", "laplace2d:30x29", 0, M_SGS, SPW_B_RANDOM, SPW_X_FAR, 1e-8, 500},
    {"too-few", "laplace2d:30x29", 0, M_SGS, SPW_B_RANDOM, SPW_X_0, 1e-8, 10},
    {"not-spd", "laplace2d:12x11", 1, M_ONE, SPW_B_RANDOM, SPW_X_0, 1e-8, 500},  /* A - I is indefinite */
    {"negative-precond", "laplace2d:5x4", 0, M_NEGATIVE, SPW_B_RANDOM, SPW_X_0, 1e-8, 500},
    /* clang-format on */
};
enum { SYSTEMS = sizeof systems / sizeof systems[0] };

/* What the method gives, with the mistake m. */
enum mistake {
    RIGHT,
    R_NEGATED,
    R_IS_B,
    FROM_ZERO,
    RHO_IS_R_R,
    ALPHA_OF_R_R,
    BETA_OF_R_R,
    BETA_OF_Z_Z,
    ALPHA_INVERTED,
    X_SIGN,
    X_SET,
    R_SIGN,
    R_STALE,
    BETA_SIGN,
    BETA_INVERTED,
    BETA_ONE,
    BETA_ZERO,
    P_OF_R,
    P_STARTS_AS_R,
    Z_STALE,
    Z_LATE,
    TWICE,
    NOT_APPLIED,
    UNTOUCHED,
    ONE_MORE,
    NO_LIMIT,
    MISTAKES
};

static const char *const mistake_text[MISTAKES] = {
    [R_NEGATED] = "it walks away from the solution: r is b - A x, this began with A x - b",
    [R_IS_B] = "it converges to another system's solution: the first r is b - A x, not b. x need\n"
               "not be 0 on entry",
    [FROM_ZERO] = "x began at 0: it must begin at the guess that x holds on entry",
    [RHO_IS_R_R] = "rho is r.r: with a preconditioner it is r.z. r.r is for the test alone",
    [ALPHA_OF_R_R] = "alpha is r.r / p.q: it is r.z / p.q",
    [BETA_OF_R_R] = "beta is r.r over the old r.r: it is r.z over the old r.z",
    [BETA_OF_Z_Z] = "beta is z.z over the old z.z: it is r.z over the old r.z",
    [ALPHA_INVERTED] = "alpha is upside down: it is r.z / p.q",
    [X_SIGN] = "the sign of alpha in x is wrong: x += alpha p",
    [X_SET] = "x was overwritten by alpha p: the steps are to be added up",
    [R_SIGN] = "the sign of alpha in r is wrong: r -= alpha q",
    [R_STALE] = "r never changed: r -= alpha q is missing",
    [BETA_SIGN] = "the sign of beta is wrong: p = z + beta p",
    [BETA_INVERTED] = "beta is upside down: the new r.z over the old one",
    [BETA_ONE] =
        "beta was 1: both rho were the same, the old one or the new one. Keep the old rho\n"
        "before the new one takes its place",
    [BETA_ZERO] = "beta was 0: p = z is steepest descent, not CG",
    [P_OF_R] = "p = r + beta p: the preconditioner never came into the directions. p = z + beta p",
    [P_STARTS_AS_R] = "the first p is r: it is z, like all that follow",
    [Z_STALE] = "z is stale: M was applied to the first r only. Each new r needs a new z",
    [Z_LATE] = "z is stale, one step behind: M was applied before r changed",
    [TWICE] = "M was applied twice: z = M^-1 r, not M^-1 M^-1 r",
    [NOT_APPLIED] = "M was not applied: this is CG, z = r",
    [UNTOUCHED] = "x was not changed",
    [ONE_MORE] = "one step too many: max_iterations is asked before the step",
    [NO_LIMIT] = "it went on to the solution: max_iterations is there so that it ends in any case",
};

typedef struct outcome {
    pcg_stop stop;
    int iterations;
    double *x;
    /* the first HISTORY residuals, also those after convergence */
    double norm[HISTORY], max_norm[HISTORY], z_norm[HISTORY], r_z[HISTORY];
    int n_history;
} outcome;

/* A preconditioner of the driver's, serial, which counts how often it is asked. */
typedef struct own_precond {
    own_kind kind;
    const spw_csr *A;
    const double *inverse;
    int calls;
    jacobi_fn jacobi; /* the answer's, where it is timed */
} own_precond;

typedef struct linear {
    const spw_csr *A;
    const double *b, *start;
    double *x;
    pcg_room room;
    own_precond *M;
    const preconditioner *given;
    double tolerance, norm_b;
    int most;
    outcome *right;
    pcg_result got;
    bool timed;
} linear;

static void apply_sgs(const own_precond *M, const double *r, double *z)
{
    const spw_csr *A = M->A;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        z[i] = r[i];
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            if (A->col_idx[k] < i) z[i] -= A->val[k] * z[A->col_idx[k]];
        z[i] *= M->inverse[i];
    }
    for (spw_idx i = A->n_rows; i-- > 0;)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            if (A->col_idx[k] > i) z[i] -= M->inverse[i] * A->val[k] * z[A->col_idx[k]];
}

static void apply_own(const void *context, const double *r, double *z)
{
    /* counts, though it is given as const: to the answer it is */
    own_precond *M = (own_precond *)(uintptr_t)context;
    M->calls++;
    if (M->jacobi) {
        M->jacobi(M->A->n_rows, M->inverse, r, z);
    } else if (M->kind == M_SGS) {
        apply_sgs(M, r, z);
    } else {
        for (spw_idx i = 0; i < M->A->n_rows; i++)
            z[i] = M->kind == M_JACOBI ? M->inverse[i] * r[i] : M->kind == M_ONE ? r[i] : -r[i];
    }
}

static void precondition(const linear *s, int m, const double *r, double *z, double *work)
{
    const int64_t n = s->A->n_rows;
    if (m == NOT_APPLIED) {
        memcpy(z, r, (size_t)n * sizeof *z);
        return;
    }
    apply_own(s->M, r, z);
    if (m != TWICE) return;
    memcpy(work, z, (size_t)n * sizeof *z);
    apply_own(s->M, work, z);
}

static double wrong_beta(int m, double rho, double old)
{
    if (m == BETA_SIGN) return -rho / old;
    if (m == BETA_INVERTED) return old / rho;
    return m == BETA_ONE ? 1 : m == BETA_ZERO ? 0 : rho / old;
}

typedef struct state {
    double *x, *r, *p, *q, *z, *kept, *work;
    double rho, r_r, z_z;
} state;

/* One step of the method or of a wrong one. */
static void take_step(const linear *s, int m, double p_q, state *v)
{
    const int64_t n = s->A->n_rows;
    const double old = v->rho, old_r_r = v->r_r, old_z_z = v->z_z;
    const double alpha =
        m == ALPHA_INVERTED ? p_q / old : (m == ALPHA_OF_R_R ? old_r_r : old) / p_q;
    if (m == Z_LATE) precondition(s, m, v->r, v->z, v->work);
    for (int64_t i = 0; i < n; i++) {
        if (m == X_SET) v->x[i] = 0;
        if (m != UNTOUCHED) v->x[i] += (m == X_SIGN ? -alpha : alpha) * v->p[i];
        if (m != R_STALE) v->r[i] += (m == R_SIGN ? alpha : -alpha) * v->q[i];
    }
    if (m != Z_LATE && m != Z_STALE) precondition(s, m, v->r, v->z, v->work);
    v->r_r = spw_system_dot(n, v->r, v->r);
    v->z_z = spw_system_dot(n, v->z, v->z);
    v->rho = m == RHO_IS_R_R ? v->r_r : spw_system_dot(n, v->r, v->z);
    const double beta = m == BETA_OF_R_R   ? v->r_r / old_r_r
                        : m == BETA_OF_Z_Z ? v->z_z / old_z_z
                                           : wrong_beta(m, v->rho, old);
    for (int64_t i = 0; i < n; i++) v->p[i] = (m == P_OF_R ? v->r : v->z)[i] + beta * v->p[i];
}

static void begin_steps(const linear *s, int m, state *v)
{
    const int64_t n = s->A->n_rows;
    memcpy(v->x, s->start, (size_t)n * sizeof *v->x);
    if (m == FROM_ZERO) memset(v->x, 0, (size_t)n * sizeof *v->x);
    spw_system_product(s->A, v->x, v->q);
    for (int64_t i = 0; i < n; i++)
        v->r[i] = m == R_NEGATED ? v->q[i] - s->b[i] : m == R_IS_B ? s->b[i] : s->b[i] - v->q[i];
    precondition(s, m, v->r, v->z, v->work);
    const double *p = m == P_STARTS_AS_R || m == P_OF_R ? v->r : v->z;
    memcpy(v->p, p, (size_t)n * sizeof *p);
    v->r_r = spw_system_dot(n, v->r, v->r);
    v->z_z = spw_system_dot(n, v->z, v->z);
    v->rho = m == RHO_IS_R_R ? v->r_r : spw_system_dot(n, v->r, v->z);
}

static void end_steps(const linear *s, outcome *o, pcg_stop stop, int k, const state *v)
{
    o->stop = stop;
    o->iterations = k;
    memcpy(v->kept, v->x, (size_t)s->A->n_rows * sizeof *v->x);
}

/* The method in plain serial loops; work: 6 n. */
static void simulate(const linear *s, int m, double *work, outcome *o)
{
    const int64_t n = s->A->n_rows;
    state v = {.x = o->x,
               .r = work,
               .p = work + n,
               .q = work + 2 * n,
               .z = work + 3 * n,
               .kept = work + 4 * n,
               .work = work + 5 * n};
    bool done = false;
    begin_steps(s, m, &v);
    for (int k = 0; k < HISTORY; k++) {
        const double norm = sqrt(v.r_r), enough = s->tolerance * s->norm_b;
        o->norm[k] = norm;
        o->max_norm[k] = spw_system_largest(n, v.r);
        o->z_norm[k] = sqrt(v.z_z);
        o->r_z[k] = sqrt(fabs(v.rho));
        o->n_history = k + 1;
        if (!done && (norm <= enough || k == s->most)) {
            end_steps(s, o, norm <= enough ? PCG_CONVERGED : PCG_ITERATIONS, k, &v);
            done = true; /* what follows is for the history alone */
        }
        if (done && (s->timed || m != RIGHT)) break;
        spw_system_product(s->A, v.p, v.q);
        const double p_q = spw_system_dot(n, v.p, v.q);
        const bool negative = m == RIGHT && !(v.rho > 0);
        if (negative || !(p_q > 0)) {
            if (!done) end_steps(s, o, negative ? PCG_PRECOND : PCG_NOT_SPD, k, &v);
            break;
        }
        take_step(s, m, p_q, &v);
    }
    memcpy(v.x, v.kept, (size_t)n * sizeof *v.x);
}

/* The iterate itself is compared where the number of steps is fixed. */
static spw_status expect_steps(spw_trial *t, linear *s, double *work)
{
    const int64_t n = s->A->n_rows;
    expect(t, s->x, s->right->x, 1e-10, n, NULL);
    outcome *o = (outcome *)spw_trial_memory(t, 1, sizeof *o);
    if (!o) return SPW_ERR_MEMORY;
    for (int m = 1; m < MISTAKES; m++) {
        o->x = spw_trial_doubles(t, n);
        if (!o->x) return SPW_ERR_MEMORY;
        linear other = *s;
        other.most = m == NO_LIMIT ? HISTORY - 1 : m == ONE_MORE ? s->most + 1 : s->most;
        other.tolerance = m == NO_LIMIT ? 1e-14 : 0;
        simulate(&other, m, work, o);
        spw_trial_mistake(t, s->x, o->x, mistake_text[m]);
    }
    return SPW_OK;
}

static spw_status give_room(spw_trial *t, linear *s)
{
    const int64_t n = s->A->n_rows;
    s->x = (double *)spw_trial_inout(t, "x", SPW_DOUBLE, n, s->start);
    s->room.p = (double *)spw_trial_output(t, "p", SPW_DOUBLE, n);
    s->room.q = (double *)spw_trial_output(t, "q", SPW_DOUBLE, n);
    s->room.r = (double *)spw_trial_output(t, "r", SPW_DOUBLE, n);
    s->room.z = (double *)spw_trial_output(t, "z", SPW_DOUBLE, n);
    s->right = (outcome *)spw_trial_memory(t, 1, sizeof *s->right);
    s->M = (own_precond *)spw_trial_memory(t, 1, sizeof *s->M);
    if (!s->x || !s->room.p || !s->room.q || !s->room.r || !s->room.z || !s->right || !s->M ||
        !(s->right->x = spw_trial_doubles(t, n)))
        return SPW_ERR_MEMORY;
    const preconditioner M = {apply_own, s->M};
    s->given = (const preconditioner *)spw_trial_struct(t, "M", &M, sizeof M);
    return s->given ? SPW_OK : SPW_ERR_MEMORY;
}

static spw_status set_up_pcg(spw_trial *t, const char *name)
{
    int k = 0;
    while (k < SYSTEMS && strcmp(name, systems[k].name) != 0) k++;
    const bool own = k < SYSTEMS;
    spw_csr A;
    linear *s = (linear *)spw_trial_memory(t, 1, sizeof *s);
    if (!s) return SPW_ERR_MEMORY;
    spw_status status = make_matrix(own ? systems[k].matrix : name, spw_trial_seed(t), &A);
    if (status) return status;
    for (spw_idx i = 0; own && i < A.n_rows; i++) *diagonal_of(&A, i) -= systems[k].shift;
    const int64_t n = A.n_rows;
    s->timed = !own;
    s->tolerance = own ? systems[k].tolerance : 0;
    s->most = own ? systems[k].most : CALL_ITERATIONS;
    s->A = spw_trial_csr(t, &A);
    double *b = (double *)spw_trial_input(t, "b", SPW_DOUBLE, n);
    double *start = spw_trial_doubles(t, n), *work = spw_trial_doubles(t, 6 * n);
    if (!s->A || !b || !start || !work) return SPW_ERR_MEMORY;
    spw_trial_say_system(t, s->A, s->timed, s->tolerance, s->most, ", jacobi");
    spw_system_right_side(s->A, own ? systems[k].b : SPW_B_RANDOM, spw_trial_seed(t), b);
    spw_system_guess(n, own ? systems[k].x : SPW_X_0, spw_trial_seed(t), start);
    s->b = b;
    s->start = start;
    s->norm_b = sqrt(spw_system_dot(n, b, b));
    status = give_room(t, s);
    if (status) return status;
    double *inverse = inverse_of(t, s->A);
    if (!inverse) return SPW_ERR_MEMORY;
    *s->M = (own_precond){own ? systems[k].M : M_JACOBI, s->A, inverse, 0, NULL};
    if (!spw_trial_checks(t)) return SPW_OK;
    simulate(s, RIGHT, work, s->right);
    return s->tolerance > 0 ? SPW_OK : expect_steps(t, s, work);
}

static void call_pcg(spw_trial *t, spw_function f)
{
    linear *s = (linear *)spw_trial_data(t);
    s->M->calls = 0;
    s->M->jacobi = s->timed ? (jacobi_fn)spw_trial_symbol(t, "jacobi") : NULL;
    s->got = ((pcg_fn)f)(s->A, s->given, s->b, s->x, s->tolerance, s->most, &s->room);
}

/* --- pcg: is it a solution? ----------------------------------------------------------------------------------------- */

static const char *name_of(pcg_stop stop)
{
    static const char *const names[] = {"PCG_CONVERGED", "PCG_ITERATIONS", "PCG_NOT_SPD",
                                        "PCG_PRECOND"};
    return stop <= PCG_PRECOND ? names[stop] : "something else";
}

static const char *other_test(const linear *s, int iterations)
{
    const outcome *o = s->right;
    const double tol = s->tolerance, b = s->norm_b;
    const int count = o->n_history;
    const struct {
        int at;
        const char *text;
    } tests[] = {
        {spw_system_first_below(o->z_norm, count, tol * b, 0),
         "That is where ||z|| falls below tolerance * ||b||: the test is on r. z = M^-1 r is as\n"
         "large as M makes it"},
        {spw_system_first_below(o->r_z, count, tol * b, 0),
         "That is where the root of r.z falls below tolerance * ||b||: the test is on r.r. r.z\n"
         "is as large as M makes it"},
        {spw_system_first_below(o->r_z, count, tol * b, 1),
         "That is where r.z falls below tolerance * ||b||: the test is on ||r||, the root of r.r"},
        {spw_system_first_below(o->norm, count, tol * o->norm[0], 0),
         "That is where ||r|| falls below tolerance * ||r0||, the first residual: it must be\n"
         "below tolerance * ||b||, whatever the guess was"},
        {spw_system_first_below(o->r_z, count, tol * o->r_z[0], 0),
         "That is where the root of r.z falls below tolerance times the first one: the test is\n"
         "||r|| <= tolerance * ||b||"},
        {spw_system_first_below(o->norm, count, tol, 0),
         "That is where ||r|| falls below the tolerance itself: it must be below\n"
         "tolerance * ||b||"},
        {spw_system_first_below(o->norm, count, tol * b, 1),
         "That is where r.r falls below tolerance * ||b||: compare its root, ||r||"},
        {spw_system_first_below(o->norm, count, tol * b * b, 1),
         "That is where r.r falls below tolerance * b.b: compare the roots"},
        {spw_system_first_below(o->max_norm, count, tol * b, 0),
         "That is where the largest |r[i]| falls below tolerance * ||b||: the norm is the\n"
         "Euclidean one, the root of r.r"},
        {o->iterations + 1, "One step too many: the test looked at the residual from before it"},
    };
    if (iterations > s->most) return "max_iterations is there so that it ends in any case";
    for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++)
        if (tests[k].at >= 0 && tests[k].at == iterations) return tests[k].text;
    if (s->right->stop == PCG_CONVERGED && iterations > s->right->iterations)
        return "Right steps, but too many of them: is beta the new r.z over the old one, p made "
               "of\n"
               "z, and the test ||r|| <= tolerance * ||b||?";
    return "Is the test ||r|| <= tolerance * ||b||, before each step?";
}

static void check_stop(spw_trial *t, const linear *s)
{
    const pcg_result got = s->got;
    const outcome *o = s->right;
    const int slack = o->stop == PCG_CONVERGED && o->iterations > 3
                          ? (int)fmax(1, ceil(0.02 * o->iterations))
                          : 0;
    if (o->stop == PCG_NOT_SPD && got.stop != PCG_NOT_SPD)
        spw_trial_fail(t,
                       "A is indefinite: in iteration %d p.q is below 0, and alpha would point "
                       "uphill.\n%s was returned after %d iterations; it must be PCG_NOT_SPD",
                       o->iterations, name_of(got.stop), got.iterations);
    else if (o->stop == PCG_PRECOND && got.stop != PCG_PRECOND)
        spw_trial_fail(t,
                       "M is not positive definite here: r.z is below 0 at once. %s was returned\n"
                       "after %d iterations; it must be PCG_PRECOND, before any step",
                       name_of(got.stop), got.iterations);
    else if (got.stop > PCG_ITERATIONS && o->stop <= PCG_ITERATIONS)
        spw_trial_fail(t,
                       "%s was returned after %d iterations, but A and M are positive definite.\n"
                       "r.z and p.q are 0 where r is: ask for convergence first",
                       name_of(got.stop), got.iterations);
    else if (abs(got.iterations - o->iterations) > slack)
        spw_trial_fail(t, "%s after %d iterations, expected %d (+- %d).\n%s", name_of(got.stop),
                       got.iterations, o->iterations, slack, other_test(s, got.iterations));
    else if (got.stop != o->stop)
        spw_trial_fail(t,
                       "%s was returned after %d iterations, expected %s: ||r|| is %.3g,\n"
                       "tolerance * ||b|| is %.3g",
                       name_of(got.stop), got.iterations, name_of(o->stop), got.residual,
                       s->tolerance * s->norm_b);
    else if (s->M->calls > got.iterations + 1)
        spw_trial_fail(
            t,
            "M was applied %d times in %d iterations: once an iteration, and once more at\n"
            "the most. It is what costs",
            s->M->calls, got.iterations);
}

static void check_claim(spw_trial *t, const linear *s)
{
    double slack;
    const double truth = spw_system_residual(s->A, s->b, s->x, s->start, &slack);
    const double said = s->got.residual, near = 1e-3 * truth + slack;
    const int k = s->got.iterations;
    const outcome *o = s->right;
    const char *why = "r has drifted away from b - A x: does r change with x, by alpha q?";
    if (fabs(said - truth) <= near) {
        if (s->got.stop == PCG_CONVERGED && truth > 1.01 * s->tolerance * s->norm_b + slack)
            spw_trial_fail(t,
                           "it says PCG_CONVERGED, but ||b - A x|| is %.3g and tolerance * ||b||"
                           " %.3g.\n%s",
                           truth, s->tolerance * s->norm_b, other_test(s, k));
        return;
    }
    if (fabs(said - truth * truth) <= 2e-3 * truth * truth)
        why = "This is r.r: residual is its root";
    else if (s->norm_b > 0 && fabs(said - truth / s->norm_b) <= near / s->norm_b)
        why = "This is ||r|| / ||b||: residual is ||r||, not divided by anything";
    else if (k < o->n_history && fabs(said - o->r_z[k]) <= 1e-3 * said)
        why = "This is the root of r.z: residual is ||r||, without M";
    else if (k < o->n_history && fabs(said - o->z_norm[k]) <= 1e-3 * said)
        why = "This is ||z||: residual is ||r||, without M";
    else if (k > 0 && k <= o->n_history && fabs(said - o->norm[k - 1]) <= 1e-3 * said)
        why = "This is a stale residual, that of one step before: x has moved on since";
    spw_trial_fail(t, "residual is %.6g, but ||b - A x|| is %.6g after %d iterations.\n%s", said,
                   truth, k, why);
}

static void check_pcg(spw_trial *t, spw_function f)
{
    (void)f;
    const linear *s = (const linear *)spw_trial_data(t);
    for (spw_idx i = 0; i < s->A->n_rows; i++)
        if (!isfinite(s->x[i])) {
            spw_trial_fail(
                t,
                "x[%d] is %g: something was divided by 0. Ask before it: has it converged? is\n"
                "r.z > 0? is p.q > 0?",
                i, s->x[i]);
            return;
        }
    if (!isfinite(s->got.residual))
        spw_trial_fail(t, "residual is %g: where was something divided by 0?", s->got.residual);
    check_stop(t, s);
    check_claim(t, s);
}

/* --- models ------------------------------------------------------------------------------------------------------------- */

/* The README's table, a row of which is one pass. */
static spw_cost true_apply(precond_kind kind, double n, double nz, double k)
{
    const double sides = nz - n;
    switch (kind) {
    case JACOBI: return (spw_cost){24 * n, 8 * n, n};
    case BLOCK_JACOBI: return (spw_cost){8 * k * n + 16 * n, 8 * n, 2 * k * n};
    case IC0: return (spw_cost){12 * sides + 64 * n, 16 * n, 2 * sides + 2 * n};
    case IC0_NEUMANN:
        return (spw_cost){48 * n + k * (12 * sides + 80 * n), 16 * n + k * 16 * n,
                          2 * n + k * (2 * sides + 2 * n)};
    case CHEBYSHEV:
        return (spw_cost){40 * n + k * (12 * nz + 60 * n), 24 * n + k * 32 * n,
                          2 * n + k * (2 * nz + 6 * n)};
    }
    return (spw_cost){0};
}

static spw_cost true_step(double n, double nz)
{
    return (spw_cost){12 * nz + 84 * n, 32 * n, 2 * nz + 12 * n};
}

/* row_ptr has n + 1 entries: who counts them exactly is as right as who counts n. */
static spw_cost rounded(spw_cost got, spw_cost truth, double products)
{
    if (got.load - truth.load == 4 * products) got.load = truth.load;
    return got;
}

/* n and nz of the case, whichever part it is of. */
static void sizes_of(const spw_trial *t, precond_kind kind, double *n, double *nz, double *k)
{
    const problem *p = (const problem *)spw_trial_data(t);
    *n = (double)p->n;
    *nz = p->A ? p->A->nnz : p->T ? (double)p->n + 2.0 * p->T->row_ptr[p->n] : 5 * *n;
    *k = kind == BLOCK_JACOBI ? p->block : p->name.degree;
}

static spw_cost predict_apply(spw_trial *t, spw_function model, precond_kind kind)
{
    double n, nz, k;
    sizes_of(t, kind, &n, &nz, &k);
    return rounded(((apply_cost_fn)model)(kind, n, nz, k), true_apply(kind, n, nz, k),
                   kind == CHEBYSHEV     ? k
                   : kind == IC0_NEUMANN ? 2 * k
                                         : 2);
}

static spw_cost cost_of_apply(const spw_trial *t, precond_kind kind)
{
    double n, nz, k;
    sizes_of(t, kind, &n, &nz, &k);
    return true_apply(kind, n, nz, k);
}

typedef struct slip {
    double load_nz, load_n, store_n, flop_nz, flop_n; /* times n, nz */
    double load_n_k, store_n_k, flop_n_k, load_nz_k;  /* times the degree too */
    const char *text;
} slip;

static void explain(double n, double nz, double k, spw_cost got, spw_cost truth, const slip *slips,
                    int count, char *text, int size)
{
    const spw_cost d = {got.load - truth.load, got.store - truth.store, got.flop - truth.flop};
    for (int s = 0; s < count; s++) {
        const slip *e = &slips[s];
        const double load =
            e->load_nz * nz + e->load_n * n + k * (e->load_n_k * n + e->load_nz_k * nz);
        const double store = e->store_n * n + k * e->store_n_k * n;
        const double flop = e->flop_nz * nz + e->flop_n * n + k * e->flop_n_k * n;
        if (fabs(d.load - load) + fabs(d.store - store) + fabs(d.flop - flop) > 5) continue;
        snprintf(text, (size_t)size, "%s", e->text);
        return;
    }
}

static const slip jacobi_slips[] = {
    {.load_n = -8,
     .text = "the write-allocate of z is missing: 8 n bytes are read because z is written"},
    {.load_n = -8, .store_n = -8, .text = "z has to be stored too, and its write-allocate loaded"},
    {.load_n = -16, .text = "two vectors are read, r and inverse, and z for its write-allocate"},
    {.store_n = -8, .text = "z is stored: 8 n"},
};
static const slip block_slips[] = {
    {.load_n = -8,
     .text = "the write-allocate of z is missing: 8 n bytes are read because z is written"},
    {.flop_n_k = -1,
     .text = "each entry of a block costs a multiplication and an addition: 2 k n flop"},
    {.load_n_k = 8,
     .load_n = -8,
     .text = "r is counted once an entry: what must be loaded is each r[j] once"},
    {.load_n_k = -8, .load_n = 8, .text = "the blocks are k entries a row: 8 k n bytes"},
    {.load_n_k = 4, .text = "the blocks are dense: no column is stored beside an entry"},
};
static const slip ic0_slips[] = {
    {.load_nz = 12,
     .load_n = -12,
     .flop_nz = 2,
     .flop_n = -2,
     .text = "both triangles together have nz - n entries beside the diagonals, not twice that"},
    {.load_n = 12,
     .flop_n = 2,
     .text = "the diagonal is not among the entries: both triangles together have nz - n of them"},
    {.load_n = 12,
     .text = "the diagonal is not among the entries: both triangles together have nz - n of them"},
    {.load_n = -16, .text = "the write-allocate of work and z is missing: 8 n bytes for each"},
    {.load_n = -8,
     .text = "each of the two solutions writes a vector that it has not read: 8 n of "
             "write-allocate\nfor each"},
    {.load_n = -24,
     .text = "is `row`, 4 n, in both solutions, and the write-allocate of work and z?"},
    {.load_n = -32,
     .store_n = -8,
     .text = "this is the solution with one triangle, or one vector is missing: ic0_apply has two"},
    {.load_nz = -6,
     .load_n = -26,
     .store_n = -8,
     .flop_nz = -1,
     .flop_n = 0,
     .text = "this is the solution with one triangle: ic0_apply has two, L and L_transposed"},
    {.load_nz = -6,
     .load_n = -26,
     .store_n = -8,
     .flop_nz = -1,
     .text = "this is one triangle: ic0_apply has two"},
    {.load_n = -16, .flop_n = -2, .text = "inverse is missing: 8 n and n flop for each triangle"},
    {.load_n = -8, .text = "`row` is missing: 4 n bytes for each triangle"},
};
static const slip neumann_slips[] = {
    {.load_n_k = -16,
     .load_n = -16,
     .text = "the write-allocate is missing: each pass writes a vector that it has not read"},
    {.load_n_k = -16, .text = "each pass reads b and the x before: 16 n for each triangle"},
    {.load_n_k = -8, .text = "`row` is missing: 4 n bytes for each triangle and pass"},
    {.load_n = -48,
     .store_n = -16,
     .flop_n = -2,
     .text = "the first term is missing: x = D^-1 b, for each triangle"},
    {.load_n_k = 12,
     .flop_n_k = 2,
     .text = "the diagonal is not among the entries: both triangles together have nz - n of them"},
    {.load_n_k = 12,
     .text = "the diagonal is not among the entries: both triangles together have nz - n of them"},
};
static const slip chebyshev_slips[] = {
    {.load_n_k = -8,
     .text = "the write-allocate of the product is missing: 8 n bytes for each degree"},
    {.load_n = -24,
     .load_n_k = -8,
     .text =
         "write-allocate is missing: residual, step and z in the first pass, the product in each"},
    {.load_n = -24, .text = "write-allocate is missing in the first pass: residual, step and z"},
    {.load_n_k = -8, .flop_n_k = -1, .text = "inverse is read in each pass, too: 8 n"},
    {.load_n_k = -4, .text = "row_ptr is missing: 4 n bytes for each degree"},
    {.store_n_k = -8,
     .text = "four vectors are stored for each degree: product, residual, step and z"},
    {.load_n = -40,
     .store_n = -24,
     .flop_n = -2,
     .text = "the first step is missing: it takes no product, but r, inverse and three vectors"},
    {.flop_n_k = -1, .text = "6 n flop for each degree: residual 1, step 4, z 1"},
};

static void explain_apply(const spw_trial *t, spw_cost got, precond_kind kind, char *text, int size)
{
    static const struct {
        const slip *slips;
        size_t bytes;
    } lists[] = {
        [JACOBI] = {jacobi_slips, sizeof jacobi_slips},
        [BLOCK_JACOBI] = {block_slips, sizeof block_slips},
        [IC0] = {ic0_slips, sizeof ic0_slips},
        [IC0_NEUMANN] = {neumann_slips, sizeof neumann_slips},
        [CHEBYSHEV] = {chebyshev_slips, sizeof chebyshev_slips},
    };
    static const char *const names[] = {"JACOBI", "BLOCK_JACOBI", "IC0", "IC0_NEUMANN",
                                        "CHEBYSHEV"};
    double n, nz, k;
    char why[256] = "";
    sizes_of(t, kind, &n, &nz, &k);
    const spw_cost truth = true_apply(kind, n, nz, k);
    explain(n, nz, k, got, truth, lists[kind].slips, (int)(lists[kind].bytes / sizeof(slip)), why,
            sizeof why);
    if (!why[0] && kind > BLOCK_JACOBI) {
        const spw_cost less = true_apply(kind, n, nz, k - 1), more = true_apply(kind, n, nz, k + 1);
        if (kind > IC0 && fabs(got.load - less.load) < 9)
            snprintf(why, sizeof why, "this is one degree short: the first pass takes no product");
        if (kind > IC0 && fabs(got.load - more.load) < 9)
            snprintf(why, sizeof why,
                     "this is one degree too many: the first pass takes no product");
    }
    snprintf(text, (size_t)size, "kind %s, k = %g%s%s", names[kind], k, why[0] ? ": " : "", why);
}

/* A part has a function for each kind, as it is told of the trial alone. */
#define MODEL_OF(name, kind)                                                                       \
    static spw_cost predict_##name(spw_trial *t, spw_function f)                                   \
    {                                                                                              \
        return predict_apply(t, f, kind);                                                          \
    }                                                                                              \
    static spw_cost cost_##name(const spw_trial *t)                                                \
    {                                                                                              \
        return cost_of_apply(t, kind);                                                             \
    }                                                                                              \
    static void explain_##name(const spw_trial *t, spw_cost got, char *text, int size)             \
    {                                                                                              \
        explain_apply(t, got, kind, text, size);                                                   \
    }
MODEL_OF(jacobi, JACOBI)
MODEL_OF(block, BLOCK_JACOBI)
MODEL_OF(ic0, IC0)
MODEL_OF(neumann, IC0_NEUMANN)
MODEL_OF(chebyshev, CHEBYSHEV)

static spw_cost cost_of_pcg(const spw_trial *t)
{
    const linear *s = (const linear *)spw_trial_data(t);
    const double n = s->A->n_rows, nz = s->A->nnz;
    const spw_cost step = true_step(n, nz), M = true_apply(JACOBI, n, nz, 0);
    if (!s->timed) return step;
    /* q = A x, r = b - q, b.b, r.r: once a call */
    return (spw_cost){CALL_ITERATIONS * (step.load + M.load) + 12 * nz + 20 * n + 40 * n,
                      CALL_ITERATIONS * (step.store + M.store) + 16 * n,
                      CALL_ITERATIONS * (step.flop + M.flop) + 2 * nz + 7 * n};
}

static spw_cost predict_step(spw_trial *t, spw_function model)
{
    const spw_csr *A = ((const linear *)spw_trial_data(t))->A;
    return rounded(((step_cost_fn)model)(A->n_rows, A->nnz), true_step(A->n_rows, A->nnz), 1);
}

static void explain_step(const spw_trial *t, spw_cost got, char *text, int size)
{
    static const slip slips[] = {
        {.load_n = -16,
         .flop_n = -2,
         .text = "r.z is missing: it reads r and z, 16 n bytes. Or is it p = z + beta p?"},
        {.load_n = -16, .text = "r.z reads r and z: 16 n bytes, which CG does not have"},
        {.load_n = -8,
         .text = "the write-allocate of q is missing: 8 n bytes are read because q is written"},
        {.load_n = -4, .text = "row_ptr is missing: 4 n bytes"},
        {.load_n = 8, .text = "r.r reads nothing: r[i] has just been computed"},
        {.load_n = 16, .text = "p.q reads nothing: row i has p[i] and q[i] at hand"},
        {.load_n = 24,
         .text = "p.q and r.r read nothing: both are in the loop that has their elements at hand"},
        {.load_n = 24,
         .store_n = 8,
         .flop_n = 1,
         .text = "z = M^-1 r is counted apart, by apply_cost"},
        {.flop_n = -2, .text = "2 n flop are missing: p.q, x, r, r.r, r.z and p take 2 n each"},
        {.flop_nz = -1, .text = "each entry costs a multiplication and an addition: 2 flop"},
    };
    const spw_csr *A = ((const linear *)spw_trial_data(t))->A;
    explain(A->n_rows, A->nnz, 0, got, true_step(A->n_rows, A->nnz), slips,
            sizeof slips / sizeof slips[0], text, size);
}

/* --- beside the whole loop -------------------------------------------------------------------------------------------- */

static void iterate(spw_trial *t, bool merged)
{
    linear *s = (linear *)spw_trial_data(t);
    const int64_t n = s->A->n_rows;
    const double *inverse = s->M->inverse;
    double *p = s->room.p, *q = s->room.q, *r = s->room.r, *z = s->room.z, rho = 0;
    spw_spmv_csr_omp(s->A, s->x, q);
    spw_copy_omp(n, s->b, r);
    spw_axpby_omp(n, -1, q, 1, r);
    for (int k = 0; k < s->most; k++) {
        const double old = rho;
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++) z[i] = inverse[i] * r[i];
        rho = merged ? spw_dot_omp_prefetch(n, r, z) : spw_dot_omp(n, r, z);
        if (k)
            spw_axpby_omp(n, 1, z, rho / old, p);
        else
            spw_copy_omp(n, z, p);
        if (!merged) spw_spmv_csr_omp(s->A, p, q);
        const double p_q = merged ? spw_spmv_dot_csr_omp(s->A, p, q) : spw_dot_omp(n, p, q);
        if (merged) {
            spw_cg_step_omp(n, rho / p_q, p, q, s->x, r);
        } else {
            spw_axpby_omp(n, rho / p_q, p, 1, s->x);
            spw_axpby_omp(n, -rho / p_q, q, 1, r);
            s->got.residual = sqrt(spw_dot_omp(n, r, r));
        }
    }
}

static void plain(spw_trial *t)
{
    iterate(t, false);
}

static void merged(spw_trial *t)
{
    iterate(t, true);
}

/* --- three systems, six preconditioners ------------------------------------------------------------------------------- */

enum { NONE = CHEBYSHEV + 1, CONTENDERS, BLOCK_ROWS = 4, NEUMANN_DEGREE = 2, CHEBYSHEV_DEGREE = 4 };

static const char *const contender_names[CONTENDERS] = {[JACOBI] = "Jacobi",
                                                        [BLOCK_JACOBI] = "block-Jacobi, 4",
                                                        [IC0] = "IC(0)",
                                                        [IC0_NEUMANN] = "IC(0), Neumann 2",
                                                        [CHEBYSHEV] = "Chebyshev 4",
                                                        [NONE] = "none"};

typedef struct answers {
    invert_fn invert_diagonal;
    jacobi_fn jacobi;
    block_fn block_jacobi;
    ic0_fn ic0;
    levels_fn levels;
    ic0_apply_fn ic0_apply;
    neumann_fn neumann;
    chebyshev_fn chebyshev;
    pcg_fn pcg;
    apply_cost_fn apply_cost;
} answers;

/* A preconditioner made of the answer's functions. */
typedef struct contender {
    int kind;
    const answers *f;
    const spw_csr *A;
    double *inverse, *blocks, *work[4];
    double low, high;
    half low_half, high_half;
    sorted low_sorted, high_sorted;
    triangle T, U;
} contender;

static void apply_contender(const void *context, const double *r, double *z)
{
    const contender *c = (const contender *)context;
    const int64_t n = c->A->n_rows;
    switch (c->kind) {
    case JACOBI: c->f->jacobi(n, c->inverse, r, z); break;
    case BLOCK_JACOBI: c->f->block_jacobi(n, BLOCK_ROWS, c->blocks, r, z); break;
    case IC0: c->f->ic0_apply(&c->T, &c->U, r, z, c->work[0]); break;
    case IC0_NEUMANN:
        c->f->neumann(&c->T, NEUMANN_DEGREE, r, c->work[0], c->work[1]);
        c->f->neumann(&c->U, NEUMANN_DEGREE, c->work[0], z, c->work[1]);
        break;
    case CHEBYSHEV:
        c->f->chebyshev(c->A, c->inverse, c->low, c->high, CHEBYSHEV_DEGREE, r, z,
                        &(chebyshev_room){c->work[0], c->work[1], c->work[2]});
        break;
    default: spw_copy_omp(n, r, z);
    }
}

/* The inverse of a positive definite block, by Gauss and Jordan, in its own place. */
static void invert_block(int m, double *a)
{
    for (int k = 0; k < m; k++) {
        const double pivot = 1 / a[k * BLOCK_ROWS + k];
        a[k * BLOCK_ROWS + k] = 1;
        for (int j = 0; j < m; j++) a[k * BLOCK_ROWS + j] *= pivot;
        for (int i = 0; i < m; i++) {
            if (i == k) continue;
            const double factor = a[i * BLOCK_ROWS + k];
            a[i * BLOCK_ROWS + k] = 0;
            for (int j = 0; j < m; j++) a[i * BLOCK_ROWS + j] -= factor * a[k * BLOCK_ROWS + j];
        }
    }
}

static spw_status make_blocks(contender *c)
{
    const spw_csr *A = c->A;
    const spw_status status = SPW_ALLOC_ZERO(&c->blocks, (int64_t)A->n_rows * BLOCK_ROWS);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (spw_idx first = 0; first < A->n_rows; first += BLOCK_ROWS) {
        const int m = A->n_rows - first < BLOCK_ROWS ? A->n_rows - first : BLOCK_ROWS;
        double *block = c->blocks + (int64_t)first * BLOCK_ROWS;
        for (int i = 0; i < m; i++)
            for (spw_idx k = A->row_ptr[first + i]; k < A->row_ptr[first + i + 1]; k++)
                if (A->col_idx[k] >= first && A->col_idx[k] < first + m)
                    block[i * BLOCK_ROWS + A->col_idx[k] - first] = A->val[k];
        invert_block(m, block);
    }
    return SPW_OK;
}

static spw_status sort_half(const answers *f, half *h, sorted *s, triangle *T)
{
    const spw_idx nz = h->row_ptr[h->n];
    spw_idx *level = NULL, n_levels = 0;
    spw_status status = SPW_ALLOC(&level, h->n);
    if (!status) n_levels = f->levels(h->n, h->row_ptr, h->col_idx, h->upper, level);
    if (!status) status = SPW_ALLOC(&s->level_ptr, (int64_t)n_levels + 1);
    if (!status) status = SPW_ALLOC(&s->row, h->n);
    if (!status) status = SPW_ALLOC(&s->row_ptr, (int64_t)h->n + 1);
    if (!status) status = SPW_ALLOC(&s->col_idx, nz);
    if (!status) status = SPW_ALLOC(&s->val, nz);
    if (!status) sort_by_levels(h, level, n_levels, s);
    spw_free(level);
    *T = (triangle){h->n,       n_levels,   s->level_ptr, s->row,
                    s->row_ptr, s->col_idx, s->val,       h->inverse};
    return status;
}

static spw_status make_ic0(contender *c)
{
    spw_csr L = {0}, U = {0};
    const spw_idx nz = count_lower(c->A);
    spw_status status = spw_csr_create(c->A->n_rows, c->A->n_rows, nz, &L);
    if (status) return status;
    fill_lower(c->A, L.row_ptr, L.col_idx);
    c->f->ic0(c->A, &(lower){L.n_rows, L.row_ptr, L.col_idx, L.val});
    status = spw_csr_transpose(&L, &U);
    if (!status) status = make_half(&L, 0, &c->low_half);
    if (!status) status = make_half(&U, 1, &c->high_half);
    if (!status) status = sort_half(c->f, &c->low_half, &c->low_sorted, &c->T);
    if (!status) status = sort_half(c->f, &c->high_half, &c->high_sorted, &c->U);
    spw_csr_destroy(&L);
    spw_csr_destroy(&U);
    return status;
}

/* Eigenvalues of D^-1 A are not above the largest sum of a row of |D^-1/2 A D^-1/2|, and by Gershgorin not as
 * far below 1 as that is above. */
static void find_interval(contender *c)
{
    const spw_csr *A = c->A;
    double high = 0;
#pragma omp parallel for schedule(static) reduction(max : high)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            sum += fabs(A->val[k]) * sqrt(c->inverse[i] * c->inverse[A->col_idx[k]]);
        if (sum > high) high = sum;
    }
    c->high = high;
    c->low = fmax(2 - high, high / (4 * (CHEBYSHEV_DEGREE + 1) * (CHEBYSHEV_DEGREE + 1)));
}

static void free_sorted(sorted *s)
{
    spw_free(s->level_ptr);
    spw_free(s->row);
    spw_free(s->row_ptr);
    spw_free(s->col_idx);
    spw_free(s->val);
}

static void free_contender(contender *c)
{
    spw_free(c->inverse);
    spw_free(c->blocks);
    for (int k = 0; k < 4; k++) spw_free(c->work[k]);
    free_half(&c->low_half);
    free_half(&c->high_half);
    free_sorted(&c->low_sorted);
    free_sorted(&c->high_sorted);
}

static spw_status make_contender(const answers *f, const spw_csr *A, int kind, contender *c)
{
    const bool diagonal = kind == JACOBI || kind == CHEBYSHEV;
    *c = (contender){.kind = kind, .f = f, .A = A};
    spw_status status = SPW_OK;
    for (int k = 0; k < 3 && !status; k++) status = SPW_ALLOC_ZERO(&c->work[k], A->n_rows);
    if (diagonal && !status) status = SPW_ALLOC(&c->inverse, A->n_rows);
    if (diagonal && !status) f->invert_diagonal(A, c->inverse);
    if (kind == CHEBYSHEV && !status) find_interval(c);
    if (kind == BLOCK_JACOBI && !status) status = make_blocks(c);
    if ((kind == IC0 || kind == IC0_NEUMANN) && !status) status = make_ic0(c);
    return status;
}

typedef struct score {
    double setup, solve; /* s */
    pcg_result result;
} score;

/* Set-up and solution to 1e-8; a short one twice, and the faster one counts. */
static spw_status run_contender(const answers *f, const spw_csr *A, int kind, const double *b,
                                double *v[5], score *out)
{
    *out = (score){.setup = INFINITY, .solve = INFINITY};
    for (int run = 0; run < 2 && (run == 0 || out->solve < 0.3); run++) {
        contender c;
        double begin = spw_now();
        const spw_status status = make_contender(f, A, kind, &c);
        if (!status) {
            out->setup = fmin(out->setup, spw_now() - begin);
            memset(v[0], 0, (size_t)A->n_rows * sizeof *v[0]);
            const preconditioner M = {apply_contender, &c};
            const pcg_room room = {v[1], v[2], v[3], v[4]};
            begin = spw_now();
            const int most = kind == NONE ? NONE_MOST : CONTEST_MOST;
            out->result = f->pcg(A, &M, b, v[0], 1e-8, most, &room);
            out->solve = fmin(out->solve, spw_now() - begin);
        }
        free_contender(&c);
        if (status) return status;
    }
    return SPW_OK;
}

static double in_products(const answers *f, const spw_csr *A, int kind)
{
    const double n = A->n_rows, nz = A->nnz;
    const double k = kind == BLOCK_JACOBI ? BLOCK_ROWS
                     : kind == CHEBYSHEV  ? CHEBYSHEV_DEGREE
                                          : NEUMANN_DEGREE;
    if (kind == NONE) return 0;
    return spw_cost_bytes(f->apply_cost((precond_kind)kind, n, nz, k)) / (12 * nz + 28 * n);
}

static void tell_scores(spw_run *run, const answers *f, const char *title, const spw_csr *A,
                        const score *scores)
{
    int best = 0;
    for (int k = 1; k < CONTENDERS; k++)
        if (scores[k].setup + scores[k].solve < scores[best].setup + scores[best].solve) best = k;
    spw_run_line(run, "%s, n = %d, nz = %.1f M", title, A->n_rows, A->nnz * 1e-6);
    for (int k = 0; k < CONTENDERS; k++) {
        const int kind = k ? k - 1 : NONE;
        const score *s = &scores[kind];
        char steps[16];
        snprintf(steps, sizeof steps, "%s%d", s->result.stop == PCG_CONVERGED ? "" : "> ",
                 s->result.iterations);
        spw_run_line(run, "  %-17s %7.2f %9s x %6.2f ms + %6.0f ms = %7.0f ms%s",
                     contender_names[kind], in_products(f, A, kind), steps,
                     1e3 * s->solve / fmax(1, s->result.iterations), 1e3 * s->setup,
                     1e3 * (s->solve + s->setup), kind == best ? " <" : "");
    }
}

static spw_status contest(spw_run *run, const answers *f, int which)
{
    static const char *const titles[] = {"short time step, odd units", "four coupled unknowns",
                                         "columns of thin layers"};
    spw_csr A;
    double *b = NULL, *v[5] = {NULL};
    score scores[CONTENDERS];
    spw_status status = which == 0   ? spw_system_short_step(36, &A)
                        : which == 1 ? spw_system_coupled(24, &A)
                                     : spw_system_columns(3000, 32, &A);
    if (status) return status;
    status = SPW_ALLOC(&b, A.n_rows);
    for (int k = 0; k < 5 && !status; k++) status = SPW_ALLOC_ZERO(&v[k], A.n_rows);
    if (!status) spw_case_vector(spw_run_seed(run), A.n_rows, b);
    for (int kind = 0; kind < CONTENDERS && !status; kind++)
        status = run_contender(f, &A, kind, b, v, &scores[kind]);
    if (!status) tell_scores(run, f, titles[which], &A, scores);
    for (int k = 0; k < 5; k++) spw_free(v[k]);
    spw_free(b);
    spw_csr_destroy(&A);
    return status;
}

static void compare_all(spw_run *run)
{
    const answers f = {(invert_fn)spw_run_symbol(run, "invert_diagonal"),
                       (jacobi_fn)spw_run_symbol(run, "jacobi"),
                       (block_fn)spw_run_symbol(run, "block_jacobi"),
                       (ic0_fn)spw_run_symbol(run, "ic0"),
                       (levels_fn)spw_run_symbol(run, "levels"),
                       (ic0_apply_fn)spw_run_symbol(run, "ic0_apply"),
                       (neumann_fn)spw_run_symbol(run, "neumann"),
                       (chebyshev_fn)spw_run_symbol(run, "chebyshev"),
                       (pcg_fn)spw_run_symbol(run, "pcg"),
                       (apply_cost_fn)spw_run_symbol(run, "apply_cost")};
    spw_run_headline(run, "your functions on three systems, to 1e-8");
    spw_run_line(run, "  %-17s %7s %9s   %9s   %9s   %10s", "", "SpMVs", "steps", "a step",
                 "set-up", "together");
    for (int which = 0; which < 3; which++)
        if (contest(run, &f, which)) spw_run_line(run, "not compared: %s", spw_message());
    spw_run_line(run,
                 "SpMVs: one application in products with A, by your model. < is the fastest.");
}

/* --- is the work shared among the threads? ------------------------------------------------------------------------------ */

/* Functions of n rows without entries beside the diagonal, which wait for nothing. */
typedef struct diagonal_case {
    spw_idx n;
    spw_idx *count, *zeros; /* [n+1]  0 1 2 ..., 0 0 0 ... */
    double *ones, *work[3]; /* [n] */
    double *out;            /* [n]  watched */
    spw_idx level_ptr[2];
} diagonal_case;

typedef void (*share_fn)(spw_function f, const diagonal_case *d);

static void share_jacobi(spw_function f, const diagonal_case *d)
{
    ((jacobi_fn)f)(d->n, d->ones, d->ones, d->out);
}

static void share_blocks(spw_function f, const diagonal_case *d)
{
    ((block_fn)f)(d->n, 1, d->ones, d->ones, d->out);
}

static triangle diagonal_triangle(const diagonal_case *d)
{
    return (triangle){d->n, 1, d->level_ptr, d->count, d->zeros, d->zeros, d->ones, d->ones};
}

static void share_solve(spw_function f, const diagonal_case *d)
{
    const triangle T = diagonal_triangle(d);
    ((solve_fn)f)(&T, d->ones, d->out);
}

static void share_neumann(spw_function f, const diagonal_case *d)
{
    const triangle T = diagonal_triangle(d);
    ((neumann_fn)f)(&T, 2, d->ones, d->out, d->work[0]);
}

static void share_chebyshev(spw_function f, const diagonal_case *d)
{
    const spw_csr A = {d->n, d->n, d->n, d->count, d->count, d->ones};
    const chebyshev_room room = {d->work[0], d->work[1], d->work[2]};
    ((chebyshev_fn)f)(&A, d->ones, 0.5, 2, 2, d->ones, d->out, &room);
}

static bool make_diagonal(spw_trial *t, int64_t n, double *out, diagonal_case *d)
{
    *d = (diagonal_case){.n = (spw_idx)n, .out = out, .level_ptr = {0, (spw_idx)n}};
    d->count = (spw_idx *)spw_trial_memory(t, n + 1, sizeof *d->count);
    d->zeros = (spw_idx *)spw_trial_memory(t, n + 1, sizeof *d->zeros);
    d->ones = spw_trial_doubles(t, n);
    for (int k = 0; k < 3; k++) d->work[k] = spw_trial_doubles(t, n);
    if (!d->count || !d->zeros || !d->ones || !d->work[0] || !d->work[1] || !d->work[2])
        return false;
    for (spw_idx i = 0; i <= n; i++) d->count[i] = i;
    for (spw_idx i = 0; i < n; i++) d->ones[i] = 1;
    return true;
}

/* On any machine, however busy: which thread comes to which page of the result first? Three times at most, as
 * a dynamic schedule may give all to one. */
static void check_share(spw_trial *t, spw_function f, const char *name, share_fn call)
{
    const int team = spw_trial_threads(t);
    diagonal_case d;
    spw_pages watch;
    int only = 0;
    if (team < 2) return;
    if (spw_pages_create(1, 16 * team, 0, team, &watch)) {
        spw_trial_fail(t, "%s", spw_message());
        return;
    }
    for (int k = 0; k < 3 && only >= 0 && make_diagonal(t, watch.n, watch.vector[0], &d); k++) {
        spw_pages_begin(&watch);
        call(f, &d);
        spw_pages_end(&watch);
        only = spw_pages_only_owner(&watch);
    }
    if (only >= 0)
        spw_trial_fail(t,
                       "%s gives the right values, but one thread did all of it: of %d threads\n"
                       "thread %d wrote all of %lld rows that do not need each other",
                       name, team, only, (long long)watch.n);
    spw_pages_destroy(&watch);
}

static void check_jacobi(spw_trial *t, spw_function f)
{
    if (((const problem *)spw_trial_data(t))->n == 1009) check_share(t, f, "jacobi", share_jacobi);
}

static void check_block(spw_trial *t, spw_function f)
{
    if (((const problem *)spw_trial_data(t))->n == 1009)
        check_share(t, f, "block_jacobi", share_blocks);
}

static void check_solve(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    if (spw_trial_checks(t) && p->n == 1240) check_share(t, f, "solve", share_solve);
}

static void check_neumann(spw_trial *t, spw_function f)
{
    if (((const problem *)spw_trial_data(t))->n == 216) check_share(t, f, "neumann", share_neumann);
}

static void check_chebyshev(spw_trial *t, spw_function f)
{
    if (((const problem *)spw_trial_data(t))->n == 216)
        check_share(t, f, "chebyshev", share_chebyshev);
}

/* --- the declaration -------------------------------------------------------------------------------------------------- */

static const char *const diagonals[] = {"one-by-one", "laplace2d:7x5@s", "missing", "zero",
                                        "negative",   "stencil27:5@s",   NULL};
static const char *const lengths[] = {"1", "0", "2", "7", "64", "1009", "100003", NULL};
static const char *const blocks[] = {"1/1", "0/4", "7/3", "5/8", "1009/5", "1003/32", "64/4", NULL};
/* the number is the shift, in tenths */
static const char *const factors[] = {"one-by-one/0",    "tridiag:5/0",     "laplace2d:9x7@s/0",
                                      "laplace2d:4x3/5", "stencil27:4@s/0", "fem1:4@s/1",
                                      "kershaw/0",       "kershaw/5",       NULL};
static const char *const shifts[] = {"laplace2d:4x3@s", "kershaw", "stencil27:4@s", NULL};
static const char *const triangles[] = {"one-by-one/lower",
                                        "laplace2d:3x3/lower",
                                        "laplace2d:3x3/upper",
                                        "tridiag:13@s/lower",
                                        "tridiag:13@s/upper",
                                        "arrow:23/lower",
                                        "arrow:23/upper",
                                        "laplace2d:40x31@s/lower",
                                        "stencil27:6@s/upper",
                                        "fem1:7@s/lower",
                                        NULL};
static const char *const factored[] = {"one-by-one", "laplace2d:3x3@s", "laplace2d:9x7@s",
                                       "stencil27:5@s", NULL};
static const char *const degrees[] = {"laplace2d:3x3@s/lower/1",
                                      "laplace2d:9x7@s/upper/2",
                                      "laplace2d:9x7@s/lower/0",
                                      "one-by-one/0",
                                      "stencil27:6@s/lower/3",
                                      "fem1:6@s/upper/4",
                                      NULL};
static const char *const polynomials[] = {"one-by-one/0",
                                          "laplace2d:3x3@s/1",
                                          "laplace2d:9x7@s/2",
                                          "laplace2d:9x7@s/0",
                                          "stencil27:6@s/3",
                                          "fem1:7@s/8",
                                          NULL};
static const char *cases[SYSTEMS + 1];

static const spw_part parts[] = {
    {.function = "invert_diagonal",
     .cases = diagonals,
     .setup = set_up_invert,
     .call = call_invert},
    {.function = "jacobi",
     .model = "apply_cost",
     .cases = lengths,
     .setup = set_up_jacobi,
     .call = call_jacobi,
     .claim = check_jacobi,
     .predict = predict_jacobi,
     .cost = cost_jacobi,
     .explain_model = explain_jacobi},
    {.function = "block_jacobi",
     .model = "apply_cost",
     .cases = blocks,
     .setup = set_up_block,
     .call = call_block,
     .claim = check_block,
     .predict = predict_block,
     .cost = cost_block,
     .explain_model = explain_block},
    {.function = "ic0_factor", .cases = factors, .setup = set_up_factor, .call = call_factor},
    {.function = "ic0", .cases = shifts, .setup = set_up_ic0, .call = call_ic0},
    {.function = "levels", .cases = triangles, .setup = set_up_levels, .call = call_levels},
    {.function = "solve",
     .cases = triangles,
     .setup = set_up_solve,
     .call = call_solve,
     .claim = check_solve,
     .cost = cost_of_solve,
     .speed = "stencil27:64@c/lower",
     .target = 0.7,
     .baseline = {"row after row, one thread", solve_serially},
     .stretch = {"library, waits for neighbours", solve_by_library}},
    {.function = "ic0_apply",
     .model = "apply_cost",
     .cases = factored,
     .setup = set_up_ic0_apply,
     .call = call_ic0_apply,
     .predict = predict_ic0,
     .cost = cost_ic0,
     .explain_model = explain_ic0},
    {.function = "neumann",
     .model = "apply_cost",
     .cases = degrees,
     .setup = set_up_neumann,
     .call = call_neumann,
     .claim = check_neumann,
     .predict = predict_neumann,
     .cost = cost_neumann,
     .explain_model = explain_neumann},
    {.function = "chebyshev",
     .model = "apply_cost",
     .cases = polynomials,
     .setup = set_up_chebyshev,
     .call = call_chebyshev,
     .claim = check_chebyshev,
     .predict = predict_chebyshev,
     .cost = cost_chebyshev,
     .explain_model = explain_chebyshev},
    {.function = "pcg",
     .model = "step_cost",
     .cases = cases,
     .setup = set_up_pcg,
     .call = call_pcg,
     .claim = check_pcg,
     .predict = predict_step,
     .cost = cost_of_pcg,
     .explain_model = explain_step,
     .speed = "stencil27:64",
     .traffic = "stencil27:40",
     .takes_matrix = true,
     .target = 0.75,
     .baseline = {"a loop a line", plain},
     .stretch = {"library", merged}},
};

static const char *const forbidden[] = {"spw_cg",
                                        "spw_pcg",
                                        "spw_precond_jacobi",
                                        "spw_precond_bjacobi",
                                        "spw_precond_ic0",
                                        "spw_precond_ic0_neumann",
                                        "spw_precond_chebyshev",
                                        "spw_triangle_from_csr",
                                        "spw_triangle_schedule",
                                        NULL};

int main(int argc, char **argv)
{
    for (int k = 0; k < SYSTEMS; k++) cases[k] = systems[k].name;
    return spw_judge(&(spw_exercise){.parts = parts,
                                     .n_parts = sizeof parts / sizeof parts[0],
                                     .forbidden = forbidden,
                                     .closing = compare_all},
                     argc, argv);
}
