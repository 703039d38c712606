/* Exercise 20: cases, true costs and explanations for matrix powers by levels.
 *
 * A case is a matrix and a number: "laplace2d:7x5@3" with the start for levels, the power for powers and
 * filter, most for largest_power. In a case that begins with "window " the matrix's way into a cache is counted; of
 * largest_power it is one with so many entries, by its row_ptr, that their bytes outgrow an int. */
#include "matrix_powers.h"

#include "kernels/spmv.h"
#include "solvers/powers.h"
#include "kit/kit.h"
#include "kit/pages.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problem.h"

enum { MOST_POWERS = 12 };

/* --- a matrix by levels -------------------------------------------------------------------------------- */

typedef struct problem {
    spw_trial *trial;
    level_matrix L;            /* what the driver uses: arrays are those below */
    const level_matrix *given; /* what the answer is given */
    spw_powers P;              /* the library's: its groups, for the stretch goal */
    int p;
    const double *x;
    double *y[MOST_POWERS];      /* of powers; y[0] of filter */
    double *const *arrays;       /* y as the answer is given it, or work */
    double *before[MOST_POWERS]; /* what y held before the call; NULL: not kept */
    double *right[MOST_POWERS], *error[MOST_POWERS];
    double c, e; /* of filter */
    bool watched;
    double passes; /* of the matrix */
    int most;      /* of largest_power */
    spw_idx *got;
} problem;

/* The matrix of the case in the order of its levels; many: row_ptr counts entries that are not there. Kept of the
 * library's are the sizes of its groups. */
static void prepare_levels(spw_trial *t, const char *name, void *at, bool many) {
    problem *p = (problem *)at;
    spw_csr A;
    spw_powers P;
    spw_kit_must(t, mp_matrix(t, at, &A));
    const spw_status status = spw_powers_create(&A, &P);
    spw_csr_destroy(&A);
    spw_kit_must(t, status);
    for (spw_idx i = 0; many && i <= P.A.n_rows; i++) P.A.row_ptr[i] *= INT32_MAX / P.A.nnz;
    const spw_idx count = P.n_levels + 1;
    p->trial = t;
    spw_trial_result(t, &p->passes, sizeof p->passes);
    p->watched = strncmp(name, "window ", 7) == 0;
    p->P = (spw_powers){.n_levels = P.n_levels, .n_groups = P.n_groups};
    p->P.group_ptr = spw_kit_indices(t, P.n_groups + 1);
    memcpy(p->P.group_ptr, P.group_ptr, (size_t)(P.n_groups + 1) * sizeof *P.group_ptr);
    p->L.n_levels = P.n_levels;
    p->L.level_ptr =
        (const spw_idx *)spw_trial_adopt(t, "level_ptr", SPW_INDEX, count, P.level_ptr);
    P.level_ptr = NULL;
    p->L.A = spw_trial_csr(t, &P.A);
    spw_powers_destroy(&P);
    spw_kit_need(t, p->L.level_ptr);
    p->P.A = *(const spw_csr *)spw_kit_need(t, p->L.A);
    p->given = (const level_matrix *)spw_kit_need(
        t, spw_trial_struct(t, "the levels", &p->L, sizeof p->L));
    spw_kit_quantity(t, ".levels", p->L.n_levels);
}

static void prepare(spw_trial *t, const char *name, void *at) {
    prepare_levels(t, name, at, false);
}

/* Arrays of the answer, and an array of pointers to them. */
static void outputs(spw_trial *t, problem *p, const char *name, int count) {
    double *arrays[MOST_POWERS];
    for (int k = 0; k < count; k++) {
        char numbered[32];
        snprintf(numbered, sizeof numbered, "%s[%d]", name, k);
        arrays[k] = spw_kit_need(t, spw_trial_output(t, numbered, SPW_DOUBLE, p->L.A->n_rows));
        if (*name == 'y') p->y[k] = arrays[k];
    }
    p->arrays = (double *const *)spw_kit_need(
        t, spw_trial_struct(t, name, arrays, count * (int64_t)sizeof *arrays));
}

static spw_idx level_of(const level_matrix *L, int64_t i) {
    spw_idx l = 0;
    while (L->level_ptr[l + 1] <= i) l++;
    return l;
}

/* The values lie where their passes are counted. One thread: the order is then the answer's own. */
static void run_watched(problem *p, spw_function f,
                        void (*run)(const problem *, const level_matrix *, spw_function)) {
    spw_pages watch;
    if (spw_pages_create(1, SPW_PAGES_OF_PASSES, SPW_PAGES_IN_CACHE, 1, &watch)) {
        spw_trial_fail(p->trial, "%s", spw_message());
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

static void check_passes(spw_trial *t) {
    const problem *p = (const problem *)spw_kit_arguments(t);
    if (!p->watched || p->passes < 1.6) return;
    spw_trial_fail(
        t,
        "right, but the matrix came from memory %.2g times for %d steps: once is enough.\n"
        "Each step went over all rows, or over more of them than a cache holds, before the\n"
        "next one came. Do step k on level l as soon as step k - 1 is done on level l + 1",
        p->passes, p->p);
}

/* --- largest_power ------------------------------------------------------------------------------------- */

/* Of many caches: one p is a weak trace of how it was found. */
enum { CACHES = 36 };

/* The bytes of the largest window of q levels. */
static int64_t largest_window(const level_matrix *L, int q) {
    int64_t largest = 0;
    for (spw_idx l = 0; l < L->n_levels; l++) {
        const spw_idx begin = L->level_ptr[l],
                      end = L->level_ptr[l + q < L->n_levels ? l + q : L->n_levels];
        const int64_t bytes =
            12 * ((int64_t)L->A->row_ptr[end] - L->A->row_ptr[begin]) + 28 * ((int64_t)end - begin);
        if (bytes > largest) largest = bytes;
    }
    return largest;
}

/* Every third one holds a window to the last byte. */
static int64_t cache_of(const problem *p, int64_t k) {
    return k % 3 == 1 ? largest_window(&p->L, 1 + (int)k / 3)
                      : (int64_t)(100 * pow(1.7, (double)(k - (k + 1) / 3)));
}

static void describe_cache(const spw_trial *t, int64_t k, char *text, int size) {
    const problem *p = (const problem *)spw_kit_arguments(t);
    snprintf(text, (size_t)size, "a cache of %lld bytes%s", (long long)cache_of(p, k),
             k % 3 == 1 ? ", which a window fills to the last byte" : "");
}

static void prepare_largest(spw_trial *t, const char *name, void *at) {
    prepare_levels(t, name, at, strncmp(name, "window ", 7) == 0);
    spw_kit_quantity(t, ".caches", CACHES);
}

static const spw_argument of_largest[] = {
    SPW_VALUE(problem, most, "most"),
    SPW_OUTPUT_AS("p", problem, got, "caches", .describe = describe_cache),
    {0}};

static void expect_largest(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    spw_idx *right = spw_kit_indices(t, CACHES);
    for (int k = 0; k < CACHES; k++) right[k] = 1;
    for (int q = 2; q <= p->most; q++) {
        const int64_t window = largest_window(&p->L, q);
        for (int k = 0; k < CACHES; k++)
            if (window <= cache_of(p, k)) right[k] = q;
    }
    spw_kit_expect(t, p->got, right, NULL);
}

static void call_largest(const void *at, spw_function f) {
    const problem *p = (const problem *)at;
    for (int k = 0; k < CACHES; k++)
        p->got[k] = SPW_AS(largest_power, f)(p->given, cache_of(p, k), p->most);
}

static const spw_kit largest_kit = SPW_KIT_OF(
    of_largest, problem, call_largest, expect_largest, .parameters = "@most=0",
    .prepare = prepare_largest, .facts = "n = {n}, nz {nz}, {levels} levels, most {most}");

/* --- powers -------------------------------------------------------------------------------------------- */

/* to = A from; error: the rounding of it on top of that of from, or NULL. */
static void multiply(const spw_csr *A, const double *from, const double *error_from, double *to,
                     double *error) {
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0, bound = 0, inherited = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            const spw_idx j = A->col_idx[k];
            sum += A->val[k] * from[j];
            bound += fabs(A->val[k] * from[j]);
            if (error_from) inherited += fabs(A->val[k]) * error_from[j];
        }
        to[i] = sum;
        if (error)
            error[i] =
                inherited + 4 * (A->row_ptr[i + 1] - A->row_ptr[i] + 1) * DBL_EPSILON * bound;
    }
}

/* Row i of A^(k+1) x, where A^k x was not there yet in the columns first .. end-1 of the row. */
static bool would_give(const problem *p, int k, int64_t i, spw_idx first, spw_idx end) {
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
static spw_idx missed_row(const problem *p, int k, int64_t i) {
    const spw_csr *A = p->L.A;
    const spw_idx begin = A->row_ptr[i], end = A->row_ptr[i + 1];
    for (spw_idx at = end - 1; at >= begin; at--) {
        if (would_give(p, k, i, at, end)) return A->col_idx[at];
        if (would_give(p, k, i, begin, at + 1)) return A->col_idx[at];
    }
    return -1;
}

/* Where values are right with one thread. */
static const char meet[] =
    ".\nWhere another part begins, each step stops one level earlier than the one before:\n"
    "a part has two slopes, and needs 2 levels a step. The triangles come after a barrier";

/* Of the first power that is wrong in row i: what is told is told of that. */
static void describe_power(const spw_trial *t, int64_t i, char *text, int size) {
    const problem *p = (const problem *)spw_kit_arguments(t);
    const spw_idx l = level_of(&p->L, i);
    int k = 0;
    while (k + 1 < p->p && fabs(p->y[k][i] - p->right[k][i]) <= p->error[k][i]) k++;
    const spw_idx missed = k > 0 && p->before[k - 1] ? missed_row(p, k, i) : -1;
    if (missed >= 0)
        snprintf(text, (size_t)size,
                 "level %d of 0 .. %d:\ny[%d] was not there yet in row %d of level %d, a neighbour",
                 l, p->L.n_levels - 1, k - 1, missed, level_of(&p->L, missed));
    else
        snprintf(text, (size_t)size, "level %d of 0 .. %d%s", l, p->L.n_levels - 1,
                 spw_trial_threads(t) == 1 || !p->before[0] ? "" : meet);
}

static void expect_powers(spw_trial *t, const void *at) {
    problem *p = (problem *)(uintptr_t)at;
    const spw_csr *A = p->L.A;
    const int64_t n = A->n_rows;
    const bool small = A->nnz <= CHECKED_UP_TO;
    for (int k = 0; k < p->p; k++) {
        p->right[k] = spw_kit_doubles(t, n);
        p->error[k] = spw_kit_doubles(t, n);
        multiply(A, k ? p->right[k - 1] : p->x, k ? p->error[k - 1] : NULL, p->right[k],
                 p->error[k]);
        if (small) p->before[k] = spw_kit_doubles(t, n);
        if (small) spw_trial_result(t, p->before[k], n * (int64_t)sizeof(double));
        spw_trial_expect(t, p->y[k],
                         (spw_expectation){.expected = p->right[k],
                                           .tolerance = p->error[k],
                                           .count = n,
                                           .describe = describe_power});
    }
}

static void prepare_powers(spw_trial *t, const char *name, void *at) {
    problem *p = (problem *)at;
    prepare(t, name, at);
    p->p = (int)spw_kit_value(t, "p");
    outputs(t, p, "y", p->p);
}

static const spw_argument of_powers[] = {SPW_RANDOM(problem, x, "n"), {0}};

static void run_powers(const problem *p, const level_matrix *L, spw_function f) {
    SPW_AS(powers, f)(L, p->p, p->x, p->arrays);
}

static void call_powers(const void *at, spw_function f) {
    problem *p = (problem *)(uintptr_t)at;
    for (int k = 0; k < p->p; k++)
        if (p->before[k]) memcpy(p->before[k], p->y[k], (size_t)p->L.A->n_rows * sizeof(double));
    if (p->watched)
        run_watched(p, f, run_powers);
    else
        run_powers(p, p->given, f);
}

SPW_PREDICT(predict_powers, powers_cost, const problem *p, p->given, p->p)

static const spw_slip slips[] = {
    {"load (p - 1) (12 nz + 4 (n + 1) + 8 n)",
     "this is p plain products: here the matrix comes from memory once, and each power\n"
     "finds the one before in the cache"},
    {"load (p - 1) (12 nz + 4 (n + 1))",
     "the matrix is counted p times. While the window of levels fits a cache, it comes\n"
     "from memory once"},
    {"load (p - 1) 12 nz",
     "the entries are counted p times. While the window of levels fits a cache, they\n"
     "come from memory once"},
    {"load (p - 1) 8 n",
     "y[k-1] is read for y[k] a few levels after it was written: from the cache"},
    {"load 8 n p", "y is written, not read: the write-allocate read is not in the model"},
    {"store -8 n (p - 1)", "each of the p powers is written: 8 n p bytes"},
    {"load -8 n", "x has to be loaded as well: 8 bytes a row"},
    {"load -4 (n + 1)", "row_ptr has to be loaded too: n + 1 entries of 4 bytes"},
    {"load -4", "row_ptr has one entry more than there are rows"},
    {"load 4 (levels + 1)", "level_ptr is not counted: it is small beside all others"},
    {"load -4 nz", "the column of each entry has to be loaded as well as its value"},
    {"load 16 n - 4",
     "these are the bytes of a window in the cache. From memory come the matrix and x"},
    {"load 8 n", "from memory come the matrix and one vector, x"},
    {"flop -2 nz (p - 1)", "the flops are done p times: only the bytes are saved"},
    {"flop -nz p", "each entry costs a multiplication and an addition: 2 flop, p times"},
    {0}};

static const spw_kit powers_kit = SPW_KIT_OF(
    of_powers, problem, call_powers, expect_powers, .parameters = "@p=8", .prepare = prepare_powers,
    .facts = "n = {n}, nz {nz}, {levels} levels, p = {p}", .predict = predict_powers,
    .cost = "load 12 nz + 4 (n + 1) + 8 n; store 8 n p; flop 2 nz p", .slips = slips);

static void plain_products(spw_trial *t) {
    const problem *p = (const problem *)spw_kit_called(t);
    for (int k = 0; k < p->p; k++) spw_spmv_csr_omp(p->L.A, k ? p->y[k - 1] : p->x, p->y[k]);
}

SPW_RIVAL(library_powers, const problem *p, spw_powers_multiply(&p->P, p->p, p->x, p->y))

/* --- filter -------------------------------------------------------------------------------------------- */

static void describe_level(const spw_trial *t, int64_t i, char *text, int size) {
    const problem *p = (const problem *)spw_kit_arguments(t);
    snprintf(text, (size_t)size, "level %d of 0 .. %d%s", level_of(&p->L, i), p->L.n_levels - 1,
             spw_trial_threads(t) == 1 ? "" : meet);
}

/* The recurrence, with one multiplication after the other. */
static void expect_filter(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const int64_t n = p->L.A->n_rows;
    double *last = spw_kit_copy(t, p->x, n), *before = spw_kit_doubles(t, n),
           *next = spw_kit_doubles(t, n), largest_of = 0;
    for (int k = 1; k <= p->p; k++) {
        multiply(p->L.A, last, NULL, next, NULL);
        for (int64_t i = 0; i < n; i++) {
            next[i] = (k == 1 ? 1 : 2) / p->e * (next[i] - p->c * last[i]) - before[i];
            largest_of = fmax(largest_of, fabs(next[i]));
        }
        double *const old = before;
        before = last;
        last = next;
        next = old;
    }
    spw_kit_expect_within(t, p->y[0], last, 1e-12 * largest_of, 0);
}

/* c and e: of an interval that holds all eigenvalues, moved a little: c is never 0. */
static void prepare_filter(spw_trial *t, const char *name, void *at) {
    problem *p = (problem *)at;
    prepare(t, name, at);
    const spw_csr *A = p->L.A;
    p->p = (int)spw_kit_value(t, "degree");
    p->c = 0.3;
    p->e = 1;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) sum += fabs(A->val[k]);
        p->e = fmax(p->e, sum + p->c);
    }
    spw_kit_quantity(t, ".c", p->c);
    spw_kit_quantity(t, ".e", p->e);
    outputs(t, p, "work", 3);
}

static const spw_argument of_filter[] = {
    SPW_RANDOM(problem, x, "n"),
    SPW_OUTPUT_AS("y", problem, y, "n", .describe = describe_level),
    {0}};

static void run_filter(const problem *p, const level_matrix *L, spw_function f) {
    SPW_AS(filter, f)(L, p->p, p->c, p->e, p->x, p->arrays, p->y[0]);
}

static void call_filter(const void *at, spw_function f) {
    problem *p = (problem *)(uintptr_t)at;
    if (p->watched)
        run_watched(p, f, run_filter);
    else
        run_filter(p, p->given, f);
}

static const spw_kit filter_kit =
    SPW_KIT_OF(of_filter, problem, call_filter, expect_filter, .parameters = "@degree=8",
               .prepare = prepare_filter,
               .facts = "n = {n}, nz {nz}, {levels} levels, degree {degree}, c {c:1}, e {e:2}");

/* --- the declaration ----------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const level_cases[] = {
    "islands@3", "tridiag:9@4", "one-by-one@0", "laplace2d:7x5@0", "diagonal@2", "arrow@5", "fem3@17",
    "laplace2d:40x30@611", "stencil27@0", NULL};
static const char *const largest_cases[] = {
    "laplace2d:30x400@200", "laplace2d:41x60@40", "tridiag:9@30", "islands@5", "stencil27@10",
    "laplace2d:90x100@64", "window laplace2d:7x5@8", NULL};
/* Of 24 and 30 levels three parts of p levels could be made, but none has room for two slopes, 2 p. */
static const char *const power_cases[] = {
    "islands@3", "tridiag:9@4", "laplace2d:7x5@1", "one-by-one@3", "diagonal@2",
    "arrow@4", "prime@2", "fem3@3", "stencil27@5", "mostly-empty@3", "tridiag:24@8", "tridiag:30@8", "tridiag:211@9",
    "laplace2d:40x9@2", "window laplace2d:20x669@8", "laplace2d:60x70@8", NULL};
static const char *const filter_cases[] = {
    "islands@4", "tridiag:9@4", "laplace2d:7x5@1", "laplace2d:7x5@2", "one-by-one@3", "diagonal@2", "arrow@4",
    "prime@3", "tridiag:24@8", "tridiag:30@8", "tridiag:211@9", "fem3@7", "laplace2d:60x70@8", "window laplace2d:20x669@8", NULL};
/* clang-format on */

static const spw_part parts[] = {
    SPW_PART("levels", level_cases, mp_levels, .derive = mp_find_levels),
    SPW_PART("largest_power", largest_cases, largest_kit, ),
    SPW_PART("powers", power_cases, powers_kit, .model = "powers_cost", .claim = check_passes,
             .speed = "stencil27:16x16x2000@8", .traffic = "stencil27:16x16x300@8",
             .takes_matrix = true, .target = 0.5,
             .baseline = {.label = "p plain products", .call = plain_products},
             .stretch = {.label = "library, with prefetch", .call = library_powers}),
    SPW_PART("filter", filter_cases, filter_kit, .claim = check_passes),
};

SPW_DRIVER(parts)
