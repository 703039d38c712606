/* The eight smallest eigenvalues of the symmetric positive definite matrices of $SHARED_MATRICES (default
 * ../shared/matrices), if they are there, by LOBPCG with a preconditioner, against LAPACK's dense solver. IC(0)
 * comes first; where it takes more than 250 iterations, the whole factorisation does.
 * Below 1,100 rows; with LONG=1 below 16,000, of which those up to 2,500 are compared. The table is printed. */
#include "solvers/lobpcg.h"

#include "base/threads.h"
#include "formats/generate.h"
#include "perf/timer.h"
#include "solvers/patient.h"
#include "solvers/precond.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { PAIRS = 8, SMALL = 1100, DENSE = 2500, WHOLE = 5000, MOST = 16000, ITERATIONS = 250 };

/* NULL where the workbook was built without LAPACK. */
extern void dsyevr_(const char *job, const char *range, const char *part, const int *n, double *a,
                    const int *lda, const double *low, const double *high, const int *first,
                    const int *last, const double *tolerance, int *found, double *w, double *z,
                    const int *ldz, int *support, double *work, const int *lwork, int *iwork,
                    const int *liwork, int *info) __attribute__((weak));

extern void dpotrf_(const char *part, const int *n, double *a, const int *lda, int *info)
    __attribute__((weak));
extern void dpotrs_(const char *part, const int *n, const int *columns, const double *a,
                    const int *lda, double *b, const int *ldb, int *info) __attribute__((weak));

static double *dense_from(const spw_csr *A)
{
    const size_t n = (size_t)A->n_rows;
    double *dense = calloc(n * n, sizeof *dense);
    assert_non_null(dense);
    for (size_t i = 0; i < n; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            dense[i * n + (size_t)A->col_idx[k]] = A->val[k];
    return dense;
}

/* --- the whole factorisation, for matrices that no incomplete one is near enough to: z = A^-1 r -------- */

typedef struct factor {
    int n;
    double *L;
} factor;

static void apply_factor(void *context, const double *x, double *y)
{
    const factor *f = context;
    const int one = 1;
    int info = 0;
    memcpy(y, x, sizeof *y * (size_t)f->n);
    dpotrs_("L", &f->n, &one, f->L, &f->n, y, &f->n, &info);
}

static void destroy_factor(void *context)
{
    free(((factor *)context)->L);
    free(context);
}

static spw_status whole(const spw_csr *A, spw_operator *M)
{
    if (A->n_rows > WHOLE) return SPW_ERR_ARG;
    factor *f = calloc(1, sizeof *f);
    int info = 0;
    assert_non_null(f);
    *f = (factor){A->n_rows, dense_from(A)};
    dpotrf_("L", &f->n, f->L, &f->n, &info);
    *M = (spw_operator){
        .name = "whole", .n = f->n, .context = f, .apply = apply_factor, .destroy = destroy_factor};
    if (!info) return SPW_OK;
    spw_operator_destroy(M);
    return SPW_ERR_ARG;
}

static const struct {
    const char *name;
    spw_status (*make)(const spw_csr *A, spw_operator *M);
} preconds[] = {{"ic0", spw_precond_ic0},
                {"whole", whole},
                {"fsai", spw_precond_fsai},
                {"jacobi", spw_precond_jacobi}};

/* The smallest of all, by reduction to a tridiagonal matrix. */
static void dense_values(const spw_csr *A, double *w)
{
    const int n = A->n_rows, first = 1, last = PAIRS, one = 1, lwork = 64 * n, liwork = 10 * n;
    const double zero = 0;
    int found = 0, info = 0;
    double *dense = dense_from(A), *work = calloc((size_t)lwork, 8);
    double *all = calloc((size_t)n, sizeof *all), unused;
    int *iwork = calloc((size_t)liwork, sizeof *iwork), support[2 * PAIRS];
    assert_true(work && all && iwork);
    dsyevr_("N", "I", "L", &n, dense, &n, &zero, &zero, &first, &last, &zero, &found, all, &unused,
            &one, support, work, &lwork, iwork, &liwork, &info);
    assert_true(info == 0 && found == PAIRS);
    memcpy(w, all, PAIRS * sizeof *w);
    free(dense);
    free(work);
    free(all);
    free(iwork);
}

/* The largest sum of a row: at least the largest eigenvalue. */
static double norm_of(const spw_csr *A)
{
    double largest = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) sum += fabs(A->val[k]);
        largest = fmax(largest, sum);
    }
    return largest;
}

/* By the first preconditioner that gets there; its name, or NULL. */
static const char *solve(const spw_csr *A, spw_lobpcg_result *result)
{
    const spw_lobpcg_options options = {
        .nv = PAIRS, .tolerance = 1e-5, .max_iterations = ITERATIONS};
    spw_operator op;
    const char *by = NULL;
    assert_int_equal(spw_operator_from_csr(A, &op), SPW_OK);
    for (size_t p = 0; p < sizeof preconds / sizeof *preconds && !by; p++) {
        spw_operator M;
        spw_lobpcg_result_destroy(result);
        if (preconds[p].make(A, &M)) continue;
        assert_int_equal(spw_lobpcg(&op, NULL, &M, NULL, 0, &options, result), SPW_OK);
        if (result->stop == SPW_STOP_CONVERGED) by = preconds[p].name;
        spw_operator_destroy(&M);
    }
    spw_operator_destroy(&op);
    return by;
}

/* Rounding moves LAPACK's values by some eps ||A||, and ours. */
static void try_matrix(const char *folder, const char *name, const char *file, int *failures)
{
    char path[1024];
    spw_csr A;
    spw_lobpcg_result result = {0};
    snprintf(path, sizeof path, "%s/%s", folder, file);
    assert_int_equal(spw_csr_load(path, &A), SPW_OK);
    const double norm = norm_of(&A), begin = spw_now();
    const char *by = solve(&A, &result);
    const double seconds = spw_now() - begin;
    double w[PAIRS], worst = 0, rounding = 0;
    const int compared = A.n_rows <= DENSE && result.lambda;
    if (compared) dense_values(&A, w);
    for (int j = 0; j < PAIRS && compared; j++) {
        const double error = fabs(result.lambda[j] - w[j]) / fabs(w[j]);
        worst = fmax(worst, isfinite(error) ? error : INFINITY);
        rounding = fmax(rounding, 20 * DBL_EPSILON * norm / fabs(w[j]));
    }
    const int right = by && (!compared || worst <= 1e-6 + rounding);
    *failures += !right;
    print_message("%-14s %6d %-7s %5d %6.2f s %12.5e %12.5e  ", name, A.n_rows, by ? by : "none",
                  result.iterations, seconds, result.lambda ? result.lambda[0] : NAN,
                  result.lambda ? result.lambda[PAIRS - 1] : NAN);
    if (compared)
        print_message("%8.1e %8.1e%s\n", worst, rounding, right ? "" : "  WRONG");
    else
        print_message("not compared%s\n", right ? "" : "  NOT CONVERGED");
    spw_lobpcg_result_destroy(&result);
    spw_csr_destroy(&A);
}

static void smallest_of_the_collection(void **state)
{
    const char *folder = getenv("SHARED_MATRICES");
    const int all = getenv("LONG") != NULL;
    char path[1024], line[4096], name[64], file[64], rows[32], spd[32];
    int n_done = 0, failures = 0;
    (void)state;
    if (!folder || !*folder) folder = "../shared/matrices";
    snprintf(path, sizeof path, "%s/README.md", folder);
    FILE *table = fopen(path, "r");
    if (!table || !dsyevr_) {
        print_message(table ? "skipped: no LAPACK\n"
                            : "skipped: no folder %s; set SHARED_MATRICES\n",
                      folder);
        if (table) fclose(table);
        skip();
    }
    spw_set_threads(1);
    print_message("%-14s %6s %-7s %5s %8s %12s %12s  %8s %8s\n", "matrix", "rows", "precond",
                  "iter.", "time", "first", "eighth", "error", "rounding");
    while (fgets(line, sizeof line, table)) {
        /* | name | file | group | rows | cols | stored | nnz | symmetry | field | SPD | ... */
        if (sscanf(line,
                   "| %63s | %63s | %*[^|] | %31s | %*[^|] | %*[^|] | %*[^|] | %*[^|] | %*[^|] | "
                   "%31s |",
                   name, file, rows, spd) != 4)
            continue;
        const long n = strtol(rows, NULL, 10);
        if (strcmp(spd, "yes") != 0 || !strstr(file, ".mtx") || n < PAIRS) continue;
        if (n > (all ? MOST : SMALL)) continue;
        try_matrix(folder, name, file, &failures);
        n_done++;
    }
    fclose(table);
    assert_true(n_done >= 5);
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
    (void)argc;
    be_patient(argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(smallest_of_the_collection)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
