/* Exercise 16: cases, true costs and explanations for matrix powers by levels.
 *
 * A case is a matrix and a number: "laplace2d:7x5@3" with the start for levels, the power for powers and
 * filter; "laplace2d:7x5@9000/20" with cache and most for largest_power. In a case that begins with "window "
 * the matrix's way into a cache is counted. */
#include "matrix_powers.h"

#include "kernels/spmv.h"
#include "solvers/powers.h"
#include "kit/cases.h"
#include "kit/models.h"
#include "kit/pages.h"
#include "kit/systems.h"
#include "judge/exercise.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef spw_idx (*levels_fn)(const spw_csr *, spw_idx, spw_idx *, spw_idx *);
typedef int (*largest_fn)(const level_matrix *, int64_t, int);
typedef void (*powers_fn)(const level_matrix *, int, const double *, double *const *);
typedef void (*filter_fn)(const level_matrix *, int, double, double, const double *,
                          double *const *, double *);
typedef spw_cost (*cost_fn)(const level_matrix *, int);

enum { MOST_POWERS = 12, CHECKED_UP_TO = 100000, DEFAULT_POWER = 8 };

/* --- matrices ---------------------------------------------------------------------------------------- */

typedef struct shape {
    char matrix[256];
    int64_t number; /* behind @ */
    int most;       /* behind / */
} shape;

static shape shape_of(const char *name, int64_t number)
{
    shape s = {.number = number};
    snprintf(s.matrix, sizeof s.matrix, "%s", name);
    char *at = strrchr(s.matrix, '@');
    if (!at) return s;
    *at++ = 0;
    s.number = strtoll(at, &at, 10);
    s.most = *at == '/' ? atoi(at + 1) : 0;
    return s;
}

/* A path 0-4-7, a ring 2-3-5-6-8, and 1 alone; no diagonal. */
static spw_status islands(spw_csr *A)
{
    static const spw_idx ptr[] = {0, 1, 1, 3, 5, 7, 9, 11, 12, 14};
    static const spw_idx col[] = {4, 3, 8, 2, 5, 0, 7, 3, 6, 5, 8, 4, 2, 6};
    const spw_status status = spw_csr_create(9, 9, 14, A);
    if (status) return status;
    memcpy(A->row_ptr, ptr, sizeof ptr);
    memcpy(A->col_idx, col, sizeof col);
    return SPW_OK;
}

/* Values of every entry at random where it is small, so that a_ij and a_ji differ. */
static spw_status matrix(const char *name, uint64_t seed, spw_csr *A)
{
    spw_status status = strcmp(name, "islands") == 0 ? islands(A) : spw_system_load(name, seed, A);
    if (!status && A->nnz <= CHECKED_UP_TO) spw_case_vector(seed, A->nnz, A->val);
    return status;
}

static void say_size(spw_trial *t, const spw_csr *A)
{
    if (A->nnz < 1000000)
        spw_trial_say(t, "n = %d, nz %d", A->n_rows, A->nnz);
    else
        spw_trial_say(t, "n = %.2f M, nz = %.1f M", A->n_rows * 1e-6, A->nnz * 1e-6);
    spw_trial_unit(t, "nz", A->nnz);
    spw_trial_unit(t, "n", A->n_rows);
}

/* --- levels ------------------------------------------------------------------------------------------ */

typedef struct search {
    const spw_csr *A;
    spw_idx start, n_levels, got_levels;
    spw_idx *perm, *level_ptr;      /* outputs */
    spw_idx *level, *island, *seen; /* [n]  of each row: level, component; room for the check */
} search;

/* Levels by relaxation: no queue, nothing in common with a breadth-first search. */
static void relax(search *s, spw_idx first)
{
    const spw_csr *A = s->A;
    s->level[first] = s->n_levels;
    s->island[first] = first;
    for (bool changed = true; changed;) {
        changed = false;
        for (spw_idx i = 0; i < A->n_rows; i++)
            for (spw_idx k = A->row_ptr[i]; s->level[i] >= 0 && k < A->row_ptr[i + 1]; k++) {
                const spw_idx j = A->col_idx[k];
                if (s->level[j] >= 0 && s->level[j] <= s->level[i] + 1) continue;
                s->level[j] = s->level[i] + 1;
                s->island[j] = first;
                changed = true;
            }
    }
    for (spw_idx i = 0; i < A->n_rows; i++)
        if (s->level[i] >= s->n_levels) s->n_levels = s->level[i] + 1;
}

static spw_status set_up_levels(spw_trial *t, const char *name)
{
    spw_csr A;
    search *s = (search *)spw_trial_memory(t, 1, sizeof *s);
    if (!s) return SPW_ERR_MEMORY;
    const shape wanted = shape_of(name, 0);
    const spw_status status = matrix(wanted.matrix, spw_trial_seed(t), &A);
    if (status) return status;
    const spw_idx n = A.n_rows;
    s->start = (spw_idx)wanted.number;
    spw_trial_say(t, "n = %d, nz %d, start %d", n, A.nnz, s->start);
    s->A = spw_trial_csr(t, &A);
    s->perm = (spw_idx *)spw_trial_output(t, "perm", SPW_INDEX, n);
    s->level_ptr = (spw_idx *)spw_trial_output(t, "level_ptr", SPW_INDEX, n + 1);
    s->level = (spw_idx *)spw_trial_memory(t, n, sizeof *s->level);
    s->island = (spw_idx *)spw_trial_memory(t, n, sizeof *s->island);
    s->seen = (spw_idx *)spw_trial_memory(t, n, sizeof *s->seen);
    if (!s->A || !s->perm || !s->level_ptr || !s->level || !s->island || !s->seen)
        return SPW_ERR_MEMORY;
    for (spw_idx i = 0; i < n; i++) s->level[i] = -1;
    relax(s, s->start);
    for (spw_idx i = 0; i < n; i++)
        if (s->level[i] < 0) relax(s, i);
    return SPW_OK;
}

static void call_levels(spw_trial *t, spw_function f)
{
    search *s = (search *)spw_trial_data(t);
    s->got_levels = ((levels_fn)f)(s->A, s->start, s->perm, s->level_ptr);
}

/* Is perm a permutation? */
static bool check_perm(spw_trial *t, const search *s)
{
    const spw_idx n = s->A->n_rows;
    bool others = true; /* what is missing are other components */
    spw_idx missing = 0, first = -1;
    for (spw_idx i = 0; i < n; i++) s->seen[i] = 0;
    for (spw_idx k = 0; k < n; k++) {
        const spw_idx i = s->perm[k];
        if (i < 0 || i >= n) continue;
        if (++s->seen[i] == 2) {
            spw_trial_fail(t,
                           "row %d comes twice in perm. A row may be a neighbour of several: mark "
                           "it when\nit is found, and not when its neighbours are looked at",
                           i);
            return false;
        }
    }
    for (spw_idx i = n - 1; i >= 0; i--)
        if (!s->seen[i]) {
            others = others && s->island[i] != s->start;
            first = i;
            missing++;
        }
    if (missing == 0) return true;
    spw_trial_fail(t, "%d of %d rows are not in perm, row %d is the first.\n%s", missing, n, first,
                   others ? "No path leads to them from start: the search has to begin again in\n"
                            "each component"
                          : "They are neighbours of rows that are in it");
    return false;
}

static bool check_level_ptr(spw_trial *t, const search *s)
{
    const spw_idx n = s->A->n_rows, got = s->got_levels;
    const char *what = "";
    if (got < 1 || got > n) {
        spw_trial_fail(t, "levels returned %d, expected %d", got, s->n_levels);
        return false;
    }
    if (got == s->n_levels - 1 && s->level_ptr[got] != n)
        what = "\nThe last level is missing: its rows find no others, but are a level";
    else if (s->level_ptr[got] != n && got >= 1 && s->level_ptr[got - 1] == n)
        what = "\nThat is one too many: behind the last level there is an empty one";
    if (s->level_ptr[got] != n) {
        spw_trial_fail(t, "%d levels: level_ptr[%d] is %d, expected %d, where the last one ends%s",
                       got, got, s->level_ptr[got], n, what);
        return false;
    }
    for (spw_idx l = 0; l < got; l++)
        if (s->level_ptr[l] >= s->level_ptr[l + 1] || (l == 0 && s->level_ptr[0] != 0)) {
            spw_trial_fail(t,
                           "level %d is perm[%d] .. perm[%d - 1]: the first level begins at 0, and "
                           "each has\na row at least",
                           l, s->level_ptr[l], s->level_ptr[l + 1]);
            return false;
        }
    return true;
}

/* Row i came in level l, which is not its own. */
static void explain_level(spw_trial *t, const search *s, spw_idx i, spw_idx l)
{
    const spw_csr *A = s->A;
    if (l == 0) {
        spw_trial_fail(t, "row %d is in level 0, expected %d: the search begins with row %d alone",
                       i, s->level[i], s->start);
        return;
    }
    for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
        if (s->level[A->col_idx[k]] < s->level[i] && s->island[i] == s->island[A->col_idx[k]]) {
            spw_trial_fail(t,
                           "row %d is in level %d, expected %d: its neighbour row %d is in level "
                           "%d.\n%s",
                           i, l, s->level[i], A->col_idx[k], s->level[A->col_idx[k]],
                           l > s->level[i] ? "All neighbours of a level's rows come next, before "
                                             "any of their own neighbours"
                                           : "Rows that are found belong to the next level");
            return;
        }
    spw_trial_fail(t,
                   "row %d is in level %d, expected %d: no path leads there from start. It is the "
                   "lowest\nof the rows that are left, and makes up a level of its own, the next "
                   "one",
                   i, l, s->level[i]);
}

static void check_levels(spw_trial *t, spw_function f)
{
    (void)f;
    const search *s = (const search *)spw_trial_data(t);
    if (!check_perm(t, s) || !check_level_ptr(t, s)) return;
    for (spw_idx l = 0; l < s->got_levels; l++)
        for (spw_idx k = s->level_ptr[l]; k < s->level_ptr[l + 1]; k++)
            if (s->level[s->perm[k]] != l) {
                explain_level(t, s, s->perm[k], l);
                return;
            }
}

/* --- a matrix by levels -------------------------------------------------------------------------------- */

typedef struct problem {
    level_matrix L;            /* what the driver uses: arrays are those below */
    const level_matrix *given; /* what the answer is given */
    spw_powers P;              /* the library's: its groups, for the stretch goal */
    int p;
    const double *x;
    double *y[MOST_POWERS];      /* of powers; y[0] of filter */
    double *const *arrays;       /* y as the answer is given it, or work */
    double *before[MOST_POWERS]; /* what y held before the call; NULL: not kept */
    double c, e;                 /* of filter */
    bool watched;
    double passes; /* of the matrix */
    int64_t cache; /* of largest_power */
    int most;
    spw_idx *got;
} problem;

/* Into the order of the levels. A is destroyed. Kept of the library's are the sizes of its groups. */
static spw_status in_levels(spw_trial *t, spw_csr *A, problem *p)
{
    spw_powers P;
    const spw_status status = spw_powers_create(A, &P);
    spw_csr_destroy(A);
    if (status) return status;
    say_size(t, &P.A);
    p->P = (spw_powers){.n_levels = P.n_levels, .n_groups = P.n_groups};
    p->P.group_ptr = (spw_idx *)spw_trial_memory(t, P.n_groups + 1, sizeof *P.group_ptr);
    if (p->P.group_ptr)
        memcpy(p->P.group_ptr, P.group_ptr, (size_t)(P.n_groups + 1) * sizeof *P.group_ptr);
    const spw_idx count = P.n_levels + 1;
    p->L.n_levels = P.n_levels;
    p->L.level_ptr =
        (const spw_idx *)spw_trial_adopt(t, "level_ptr", SPW_INDEX, count, P.level_ptr);
    P.level_ptr = NULL;
    p->L.A = spw_trial_csr(t, &P.A);
    spw_powers_destroy(&P);
    if (!p->L.A || !p->L.level_ptr || !p->P.group_ptr) return SPW_ERR_MEMORY;
    p->P.A = *p->L.A;
    p->given = (const level_matrix *)spw_trial_struct(t, "the levels", &p->L, sizeof p->L);
    return p->given ? SPW_OK : SPW_ERR_MEMORY;
}

/* "window NAME": with one thread, and the passes of the matrix counted. */
static problem *begin(spw_trial *t, const char *name, int64_t number, shape *s)
{
    static const char window[] = "window ";
    const size_t length = strlen(window);
    spw_csr A;
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return NULL;
    p->watched = strncmp(name, window, length) == 0;
    *s = shape_of(p->watched ? name + length : name, number);
    return matrix(s->matrix, spw_trial_seed(t), &A) || in_levels(t, &A, p) ? NULL : p;
}

static spw_idx level_of(const level_matrix *L, int64_t i)
{
    spw_idx l = 0;
    while (L->level_ptr[l + 1] <= i) l++;
    return l;
}

/* The values lie where their passes are counted. One thread: the order is then the answer's own. */
static void run_watched(spw_trial *t, spw_function f, problem *p,
                        void (*run)(const problem *, const level_matrix *, spw_function))
{
    spw_pages watch;
    if (spw_pages_create(1, SPW_PAGES_OF_PASSES, SPW_PAGES_IN_CACHE, 1, &watch)) {
        spw_trial_fail(t, "%s", spw_message());
        return;
    }
    spw_csr A = *p->L.A;
    memcpy(watch.vector[0], A.val, (size_t)A.nnz * sizeof *A.val);
    A.val = watch.vector[0];
    const level_matrix L = {&A, p->L.n_levels, p->L.level_ptr};
    spw_pages_begin(&watch);
    run(p, &L, f);
    spw_pages_end(&watch);
    p->passes = watch.passes[0];
    spw_pages_destroy(&watch);
}

static void check_passes(spw_trial *t, spw_function f)
{
    (void)f;
    const problem *p = (const problem *)spw_trial_data(t);
    if (!p->watched || p->passes < 1.6) return;
    spw_trial_fail(t,
                   "right, but the matrix came from memory %.2g times for %d steps: once is "
                   "enough.\n"
                   "Each step went over all rows, or over more of them than a cache holds, before "
                   "the\n"
                   "next one came. Do step k on level l as soon as step k - 1 is done on level "
                   "l + 1",
                   p->passes, p->p);
}

/* --- largest_power ------------------------------------------------------------------------------------- */

/* The largest p for which as many levels have room, counted in a way of one's own. */
typedef struct counting {
    int entry, row;  /* bytes */
    bool everywhere; /* or at the first levels alone */
    bool average;    /* of all levels, instead of those that there are */
    int result;      /* added to it */
} counting;

static int largest(const problem *p, counting way)
{
    const level_matrix *L = &p->L;
    const spw_idx n = L->n_levels;
    int best = 1;
    for (int q = 1; q <= p->most; q++) {
        double window = 0;
        for (spw_idx l = 0; l < (way.everywhere ? n : 1); l++) {
            const spw_idx end = l + q < n ? l + q : n;
            const double rows = L->level_ptr[end] - L->level_ptr[l];
            const double nz = L->A->row_ptr[L->level_ptr[end]] - L->A->row_ptr[L->level_ptr[l]];
            window = fmax(window, way.entry * nz + way.row * rows);
        }
        if (way.average)
            window = q * (way.entry * 1.0 * L->A->nnz + way.row * 1.0 * L->A->n_rows) / n;
        if (window <= (double)p->cache) best = q;
    }
    best += way.result;
    return best > p->most ? p->most : best < 1 ? 1 : best;
}

static const struct {
    counting way;
    const char *text;
} miscounts[] = {
    {{12, 28, true, false, -1}, "One more has room: p levels at a time, not p + 1"},
    {{12, 28, true, false, +1}, "This is the first p that has no room"},
    {{12, 28, false, false, 0},
     "So many of the first levels have room. But levels have all sizes: those in the\n"
     "middle may be larger"},
    {{12, 28, true, true, 0},
     "So many levels of average size have room. But the front comes to the large ones, too"},
    {{12, 4, true, false, 0},
     "The elements of three vectors have to have room as well, 24 bytes a row"},
    {{12, 12, true, false, 0},
     "One vector is counted; there are elements of three, 24 bytes a row"},
    {{12, 20, true, false, 0},
     "Two vectors are counted; there are elements of three, 24 bytes a row"},
    {{12, 24, true, false, 0}, "row_ptr is read as well, 4 bytes a row"},
    {{8, 28, true, false, 0}, "An entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
    {{12, 0, true, false, 0},
     "Only the entries are counted: there are 4 bytes of row_ptr and 24 of vectors, too"},
};

/* A number is a weak trace: what two of them would give tells nothing. */
static spw_status expect_miscounts(spw_trial *t, const problem *p, spw_idx right)
{
    enum { N = sizeof miscounts / sizeof miscounts[0] };
    spw_idx *values = (spw_idx *)spw_trial_memory(t, N, sizeof *values);
    if (!values) return SPW_ERR_MEMORY;
    for (int m = 0; m < N; m++) values[m] = largest(p, miscounts[m].way);
    for (int m = 0; m < N; m++) {
        bool alone = values[m] != right;
        for (int k = 0; k < N && alone; k++) alone = k == m || values[k] != values[m];
        if (alone) spw_trial_mistake(t, p->got, &values[m], miscounts[m].text);
    }
    return SPW_OK;
}

static spw_status set_up_largest(spw_trial *t, const char *name)
{
    shape s;
    problem *p = begin(t, name, 0, &s);
    spw_idx *right = (spw_idx *)spw_trial_memory(t, 1, sizeof *right);
    if (!p || !right) return SPW_ERR_MEMORY;
    p->cache = s.number;
    p->most = s.most;
    spw_trial_say(t, "n = %d, nz %d, %d levels, cache %" PRId64 " B, most %d", p->L.A->n_rows,
                  p->L.A->nnz, p->L.n_levels, p->cache, p->most);
    p->got = (spw_idx *)spw_trial_output(t, "p", SPW_INDEX, 1);
    if (!p->got) return SPW_ERR_MEMORY;
    *right = largest(p, (counting){12, 28, true, false, 0});
    spw_trial_expect(t, p->got, (spw_expectation){.expected = right, .count = 1, .noun = ""});
    return expect_miscounts(t, p, *right);
}

static void call_largest(spw_trial *t, spw_function f)
{
    const problem *p = (const problem *)spw_trial_data(t);
    *p->got = ((largest_fn)f)(p->given, p->cache, p->most);
}

/* --- powers -------------------------------------------------------------------------------------------- */

/* to = A from; error: the rounding of it on top of that of from. */
static void multiply(const spw_csr *A, bool transposed, const double *from,
                     const double *error_from, double *to, double *error)
{
    if (transposed) memset(to, 0, (size_t)A->n_rows * sizeof *to);
#pragma omp parallel for schedule(static) if (!transposed)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0, bound = 0, inherited = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            const spw_idx j = A->col_idx[k];
            if (transposed) {
                to[j] += A->val[k] * from[i];
                continue;
            }
            sum += A->val[k] * from[j];
            bound += fabs(A->val[k] * from[j]);
            if (error_from) inherited += fabs(A->val[k]) * error_from[j];
        }
        if (transposed) continue;
        to[i] = sum;
        if (error)
            error[i] =
                inherited + 4 * (A->row_ptr[i + 1] - A->row_ptr[i] + 1) * DBL_EPSILON * bound;
    }
}

/* Row i of A^(k+1) x, where A^k x was not there yet in the columns first .. end-1 of the row. */
static bool would_give(const problem *p, int k, int64_t i, spw_idx first, spw_idx end)
{
    const spw_csr *A = p->L.A;
    double sum = 0, size = 0;
    for (spw_idx at = A->row_ptr[i]; at < A->row_ptr[i + 1]; at++) {
        const double *from = at >= first && at < end ? p->before[k - 1] : p->y[k - 1];
        sum += A->val[at] * from[A->col_idx[at]];
        size += fabs(A->val[at] * from[A->col_idx[at]]);
    }
    return fabs(sum - p->y[k][i]) <= 1e-11 * size;
}

/* The row of A^k x that was not there yet when row i of A^(k+1) x was computed, and all behind it, or all
 * before it: -1 if that is not what went wrong. */
static spw_idx missed_row(const problem *p, int k, int64_t i)
{
    const spw_csr *A = p->L.A;
    const spw_idx begin = A->row_ptr[i], end = A->row_ptr[i + 1];
    for (spw_idx at = end - 1; at >= begin; at--) {
        if (would_give(p, k, i, at, end)) return A->col_idx[at];
        if (would_give(p, k, i, begin, at + 1)) return A->col_idx[at];
    }
    return -1;
}

static void describe_power(const spw_trial *t, int64_t i, int k, char *text, int size)
{
    const problem *p = (const problem *)spw_trial_data(t);
    const spw_idx l = level_of(&p->L, i);
    const spw_idx missed = k > 0 && p->before[k - 1] ? missed_row(p, k, i) : -1;
    if (missed >= 0)
        snprintf(text, (size_t)size,
                 "level %d of 0 .. %d:\ny[%d] was not there yet in row %d of level %d, a "
                 "neighbour",
                 l, p->L.n_levels - 1, k - 1, missed, level_of(&p->L, missed));
    else
        snprintf(text, (size_t)size, "level %d of 0 .. %d", l, p->L.n_levels - 1);
}

#define DESCRIBE(K)                                                                                \
    static void describe_##K(const spw_trial *t, int64_t i, char *text, int size)                  \
    {                                                                                              \
        describe_power(t, i, K, text, size);                                                       \
    }
DESCRIBE(0)
DESCRIBE(1)
DESCRIBE(2)
DESCRIBE(3)
DESCRIBE(4)
DESCRIBE(5)
DESCRIBE(6)
DESCRIBE(7)
DESCRIBE(8)
DESCRIBE(9)
DESCRIBE(10)
DESCRIBE(11)
static void (*const describe[MOST_POWERS])(const spw_trial *, int64_t, char *, int) = {
    describe_0, describe_1, describe_2, describe_3, describe_4,  describe_5,
    describe_6, describe_7, describe_8, describe_9, describe_10, describe_11};

static spw_status power_mistakes(spw_trial *t, const problem *p, double *const *right)
{
    const spw_csr *A = p->L.A;
    const int64_t n = A->n_rows;
    double *transposed = spw_trial_doubles(t, n);
    if (!transposed) return SPW_ERR_MEMORY;
    multiply(A, true, p->x, NULL, transposed, NULL);
    spw_trial_mistake(t, p->y[0], transposed,
                      "this is the product with the transpose: row i of the result is row i of A "
                      "times x");
    spw_trial_mistake(t, p->y[0], p->x, "y[0] is A x, not x itself: y[k] = A^(k+1) x");
    for (int k = 1; k < p->p; k++) {
        spw_trial_mistake(t, p->y[k], right[0],
                          "this is A x once more: power k + 1 is A times power k, not A times x");
        spw_trial_mistake(t, p->y[k], right[k - 1], "this is the power before, copied");
    }
    if (p->p > 1)
        spw_trial_mistake(t, p->y[0], right[1],
                          "this is A^2 x: y[0] is A x, and y[k] is A^(k+1) x");
    if (p->p > 1)
        spw_trial_mistake(t, p->y[0], right[p->p - 1],
                          "this is the last power: each has an array of its own");
    return SPW_OK;
}

static spw_status expect_powers(spw_trial *t, problem *p)
{
    const spw_csr *A = p->L.A;
    const int64_t n = A->n_rows;
    const bool small = A->nnz <= CHECKED_UP_TO;
    double *right[MOST_POWERS], *error[MOST_POWERS];
    for (int k = 0; k < p->p; k++) {
        right[k] = small || k < 2 ? spw_trial_doubles(t, n) : right[k - 2];
        error[k] = small || k < 2 ? spw_trial_doubles(t, n) : error[k - 2];
        if (!right[k] || !error[k]) return SPW_ERR_MEMORY;
        multiply(A, false, k ? right[k - 1] : p->x, k ? error[k - 1] : NULL, right[k], error[k]);
        if (small) p->before[k] = spw_trial_doubles(t, n);
        if (!small && k + 1 < p->p) continue; /* of a large one the last power alone */
        spw_trial_expect(
            t, p->y[k],
            (spw_expectation){
                .expected = right[k], .tolerance = error[k], .count = n, .describe = describe[k]});
    }
    return small ? power_mistakes(t, p, right) : SPW_OK;
}

/* The arrays of the answer, and an array of pointers to them. */
static bool outputs(spw_trial *t, problem *p, const char *name, int count)
{
    double *arrays[MOST_POWERS];
    for (int k = 0; k < count; k++) {
        char numbered[32];
        snprintf(numbered, sizeof numbered, "%s[%d]", name, k);
        arrays[k] = (double *)spw_trial_output(t, numbered, SPW_DOUBLE, p->L.A->n_rows);
        if (!arrays[k]) return false;
        if (*name == 'y') p->y[k] = arrays[k];
    }
    p->arrays = (double *const *)spw_trial_struct(t, name, arrays, count * (int64_t)sizeof *arrays);
    return p->arrays != NULL;
}

static spw_status set_up_powers(spw_trial *t, const char *name)
{
    shape s;
    problem *p = begin(t, name, DEFAULT_POWER, &s);
    if (!p) return SPW_ERR_MEMORY;
    p->p = (int)s.number;
    char facts[64];
    snprintf(facts, sizeof facts, "n = %d, nz %d", p->L.A->n_rows, p->L.A->nnz);
    if (p->L.A->nnz >= 1000000)
        snprintf(facts, sizeof facts, "n = %.2f M, nz = %.1f M", p->L.A->n_rows * 1e-6,
                 p->L.A->nnz * 1e-6);
    spw_trial_say(t, "%s, %d levels, p = %d", facts, p->L.n_levels, p->p);
    p->x = spw_trial_random(t, "x", p->L.A->n_rows);
    if (!p->x || !outputs(t, p, "y", p->p)) return SPW_ERR_MEMORY;
    return spw_trial_checks(t) ? expect_powers(t, p) : SPW_OK;
}

static void run_powers(const problem *p, const level_matrix *L, spw_function f)
{
    ((powers_fn)f)(L, p->p, p->x, p->arrays);
}

static void call_powers(spw_trial *t, spw_function f)
{
    problem *p = (problem *)spw_trial_data(t);
    for (int k = 0; k < p->p; k++)
        if (p->before[k]) memcpy(p->before[k], p->y[k], (size_t)p->L.A->n_rows * sizeof(double));
    if (p->watched)
        run_watched(t, f, p, run_powers);
    else
        run_powers(p, p->given, f);
}

static spw_cost predict_powers(spw_trial *t, spw_function model)
{
    const problem *p = (const problem *)spw_trial_data(t);
    return ((cost_fn)model)(p->given, p->p);
}

static spw_cost cost_powers(const spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    const double n = p->L.A->n_rows, nz = p->L.A->nnz;
    return (spw_cost){
        .load = 12 * nz + 4 * (n + 1) + 8 * n, .store = 8 * n * p->p, .flop = 2 * nz * p->p};
}

static void explain_powers(const spw_trial *t, spw_cost got, char *text, int size)
{
    const problem *p = (const problem *)spw_trial_data(t);
    const double n = p->L.A->n_rows, nz = p->L.A->nnz, q = p->p, ptr = 4 * (n + 1);
    const spw_known_cost known[] = {
        {(q - 1) * (12 * nz + ptr + 8 * n), 0, 0,
         "this is p plain products: here the matrix comes from memory once, and each power\n"
         "finds the one before in the cache"},
        {(q - 1) * (12 * nz + ptr), 0, 0,
         "the matrix is counted p times. While the window of levels fits a cache, it comes\n"
         "from memory once"},
        {(q - 1) * 12 * nz, 0, 0,
         "the entries are counted p times. While the window of levels fits a cache, they\n"
         "come from memory once"},
        {(q - 1) * 8 * n, 0, 0,
         "y[k-1] is read for y[k] a few levels after it was written: from the cache"},
        {8 * n * q, 0, 0, "y is written, not read: the write-allocate read is not in the model"},
        {0, -8 * n * (q - 1), 0, "each of the p powers is written: 8 n p bytes"},
        {-8 * n, 0, 0, "x has to be loaded as well: 8 bytes a row"},
        {-ptr, 0, 0, "row_ptr has to be loaded too: n + 1 entries of 4 bytes"},
        {-4, 0, 0, "row_ptr has one entry more than there are rows"},
        {4 * (p->L.n_levels + 1.0), 0, 0,
         "level_ptr is not counted: it is small beside all others"},
        {-4 * nz, 0, 0, "the column of each entry has to be loaded as well as its value"},
        {0, 0, -2 * nz * (q - 1), "the flops are done p times: only the bytes are saved"},
        {0, 0, -nz * q, "each entry costs a multiplication and an addition: 2 flop, p times"},
    };
    const spw_cost truth = cost_powers(t);
    spw_known_cost_tell(known, sizeof known / sizeof known[0], got, truth, 0.5, text, size);
}

static void plain_products(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    for (int k = 0; k < p->p; k++) spw_spmv_csr_omp(p->L.A, k ? p->y[k - 1] : p->x, p->y[k]);
}

static void library_powers(spw_trial *t)
{
    const problem *p = (const problem *)spw_trial_data(t);
    spw_powers_multiply(&p->P, p->p, p->x, p->y);
}

/* --- filter -------------------------------------------------------------------------------------------- */

/* The recurrence, right or with one thing wrong. */
typedef enum variant {
    RIGHT,
    NO_TWO,
    TWO_IN_FIRST,
    ADDED,
    TWO_TERMS,
    NO_SHIFT,
    SHIFT_ADDED,
    NO_SCALE,
    ONE_LESS,
    ONE_MORE,
    ALWAYS_X,
    VARIANTS
} variant;

static const char *const variants[VARIANTS] = {
    [NO_TWO] = "the factor 2 is missing: T_k = 2 (A - c I) / e T_(k-1) - T_(k-2) from k = 2 on",
    [TWO_IN_FIRST] = "T_1 is (A - c I) / e x, without the 2: that is there from k = 2 on",
    [ADDED] = "T_(k-2) was added: it is subtracted",
    [TWO_TERMS] = "T_(k-2) is missing: the recurrence has three terms",
    [NO_SHIFT] = "c is missing: it is A - c I, so c times T_(k-1) is subtracted",
    [SHIFT_ADDED] = "c times T_(k-1) was added: it is A - c I",
    [NO_SCALE] = "the product was not divided by e",
    [ONE_LESS] = "this is T_(d-1), one step less",
    [ONE_MORE] = "this is T_(d+1), one step more",
    [ALWAYS_X] = "x was taken for T_(k-2) in every step: it is the vector two steps before",
};

static double recurrence(const problem *p, variant v, double *const room_of[4])
{
    const spw_csr *A = p->L.A;
    const int64_t n = A->n_rows;
    const double e = v == NO_SCALE ? 1 : p->e;
    const double c = v == NO_SHIFT ? 0 : v == SHIFT_ADDED ? -p->c : p->c;
    const int degree = p->p + (v == ONE_MORE) - (v == ONE_LESS);
    double *last = room_of[0], *before = room_of[1], *next = room_of[2], largest_of = 0;
    memcpy(last, p->x, (size_t)n * sizeof *last);
    memset(before, 0, (size_t)n * sizeof *before);
    for (int k = 1; k <= degree; k++) {
        const double two = v == NO_TWO || (k == 1 && v != TWO_IN_FIRST) ? 1 : 2;
        const double sign = k == 1 || v == TWO_TERMS ? 0 : v == ADDED ? -1 : 1;
        multiply(A, false, last, NULL, next, NULL);
        for (int64_t i = 0; i < n; i++) {
            next[i] =
                two / e * (next[i] - c * last[i]) - sign * (v == ALWAYS_X ? p->x[i] : before[i]);
            largest_of = fmax(largest_of, fabs(next[i]));
        }
        double *const old = before;
        before = last;
        last = next;
        next = old;
    }
    memcpy(room_of[3], last, (size_t)n * sizeof *last);
    return largest_of;
}

static void describe_filter(const spw_trial *t, int64_t i, char *text, int size)
{
    const problem *p = (const problem *)spw_trial_data(t);
    snprintf(text, (size_t)size, "level %d of 0 .. %d", level_of(&p->L, i), p->L.n_levels - 1);
}

static spw_status expect_filter(spw_trial *t, const problem *p)
{
    const int64_t n = p->L.A->n_rows;
    double *space[4] = {spw_trial_doubles(t, n), spw_trial_doubles(t, n), spw_trial_doubles(t, n),
                        NULL},
           *right = NULL;
    double *tolerance = spw_trial_doubles(t, n), size = 0;
    if (!space[0] || !space[1] || !space[2] || !tolerance) return SPW_ERR_MEMORY;
    for (variant v = RIGHT; v < VARIANTS; v++) {
        if (!(space[3] = spw_trial_doubles(t, n))) return SPW_ERR_MEMORY;
        const double largest_of = recurrence(p, v, space);
        if (v != RIGHT) {
            bool same = true;
            for (int64_t i = 0; i < n; i++)
                same = same && fabs(space[3][i] - right[i]) <= 8 * tolerance[i];
            if (!same) spw_trial_mistake(t, p->y[0], space[3], variants[v]);
            continue;
        }
        right = space[3];
        size = largest_of;
        for (int64_t i = 0; i < n; i++) tolerance[i] = 1e-12 * size;
        spw_trial_expect(t, p->y[0],
                         (spw_expectation){.expected = right,
                                           .tolerance = tolerance,
                                           .count = n,
                                           .describe = describe_filter});
    }
    return SPW_OK;
}

/* Centre and half width of an interval that holds all eigenvalues, moved a little: c is never 0. */
static void interval(problem *p)
{
    const spw_csr *A = p->L.A;
    p->c = 0.3;
    p->e = 1;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) sum += fabs(A->val[k]);
        p->e = fmax(p->e, sum + p->c);
    }
}

static spw_status set_up_filter(spw_trial *t, const char *name)
{
    shape s;
    problem *p = begin(t, name, DEFAULT_POWER, &s);
    if (!p) return SPW_ERR_MEMORY;
    p->p = (int)s.number;
    interval(p);
    spw_trial_say(t, "n = %d, nz %d, %d levels, degree %d, c %.3g, e %.3g", p->L.A->n_rows,
                  p->L.A->nnz, p->L.n_levels, p->p, p->c, p->e);
    p->x = spw_trial_random(t, "x", p->L.A->n_rows);
    p->y[0] = (double *)spw_trial_output(t, "y", SPW_DOUBLE, p->L.A->n_rows);
    if (!p->x || !p->y[0] || !outputs(t, p, "work", 3)) return SPW_ERR_MEMORY;
    return expect_filter(t, p);
}

static void run_filter(const problem *p, const level_matrix *L, spw_function f)
{
    ((filter_fn)f)(L, p->p, p->c, p->e, p->x, p->arrays, p->y[0]);
}

static void call_filter(spw_trial *t, spw_function f)
{
    problem *p = (problem *)spw_trial_data(t);
    if (p->watched)
        run_watched(t, f, p, run_filter);
    else
        run_filter(p, p->given, f);
}

/* --- the declaration ----------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const level_cases[] = {
    "islands@3", "tridiag:9@4", "one-by-one@0", "laplace2d:7x5@0", "diagonal@2", "arrow@5", "fem3@17",
    "laplace2d:40x30@611", "stencil27@0", NULL};
static const char *const largest_cases[] = {
    "laplace2d:30x400@264900/200", "laplace2d:41x60@40100/40", "laplace2d:41x60@3000/40", "laplace2d:41x60@9000000/40",
    "tridiag:9@1000/30", "islands@100/5", "stencil27@60000/10", "laplace2d:90x100@150000/64",
    "laplace2d:90x100@100/64", NULL};
static const char *const power_cases[] = {
    "islands@3", "tridiag:9@4", "laplace2d:7x5@1", "one-by-one@3", "diagonal@2",
    "arrow@4", "prime@2", "fem3@3", "stencil27@5", "mostly-empty@3", "tridiag:211@9",
    "laplace2d:40x9@2", "window laplace2d:20x669@8", "laplace2d:60x70@8", NULL};
static const char *const filter_cases[] = {
    "islands@3", "tridiag:9@4", "laplace2d:7x5@1", "laplace2d:7x5@2", "one-by-one@3", "diagonal@2", "arrow@4",
    "prime@3", "tridiag:211@9", "fem3@7", "laplace2d:60x70@8", "window laplace2d:20x669@8", NULL};
/* clang-format on */

static const spw_part parts[] = {
    {.function = "levels",
     .cases = level_cases,
     .setup = set_up_levels,
     .call = call_levels,
     .claim = check_levels},
    {.function = "largest_power",
     .cases = largest_cases,
     .setup = set_up_largest,
     .call = call_largest},
    {.function = "powers",
     .model = "powers_cost",
     .cases = power_cases,
     .setup = set_up_powers,
     .call = call_powers,
     .claim = check_passes,
     .predict = predict_powers,
     .cost = cost_powers,
     .explain_model = explain_powers,
     .speed = "stencil27:16x16x2000@8",
     .traffic = "stencil27:16x16x300@8",
     .takes_matrix = true,
     .target = 0.5,
     .baseline = {"p plain products", plain_products},
     .stretch = {"library, with prefetch", library_powers}},
    {.function = "filter",
     .cases = filter_cases,
     .setup = set_up_filter,
     .call = call_filter,
     .claim = check_passes},
};

static const char *const forbidden[] = {"spw_powers_create", "spw_powers_multiply",
                                        "spw_powers_recur", "spw_chebyshev_filter", NULL};

int main(int argc, char **argv)
{
    return spw_judge(&(spw_exercise){.parts = parts,
                                     .n_parts = sizeof parts / sizeof parts[0],
                                     .forbidden = forbidden},
                     argc, argv);
}
