/* The eight smallest eigenvalues of the symmetric positive definite matrices of $SHARED_MATRICES (default
 * ../shared/matrices), if they are there, by LOBPCG with a preconditioner: up to 2,500 rows against LAPACK's
 * dense solver, above against recorded/smallest.tsv. IC(0) comes first; where it takes more than 250
 * iterations, the whole factorisation does.
 * Below 1,100 rows, and the two that are stiffest; with LONG=1 all below 16,000. The table is printed. */
#include "solvers/lobpcg.h"

#include "collection.h"
#include "formats/generate.h"
#include "perf/timer.h"
#include "solvers/precond.h"
#include "test.h"

enum { PAIRS = 8, SMALL = 1100, DENSE = 2500, MOST = 16000, ITERATIONS = 250 };
static const char *const recorded = "tests/solvers/recorded/smallest.tsv";
static const char *const stiffest[] = {"bcsstk24.mtx.gz", "bcsstk28.mtx.gz"};

/* NULL where the workbook was built without LAPACK. */
extern void dsyevr_(const char *job, const char *range, const char *part, const int *n, double *a,
                    const int *lda, const double *low, const double *high, const int *first,
                    const int *last, const double *tolerance, int *found, double *w, double *z,
                    const int *ldz, int *support, double *work, const int *lwork, int *iwork,
                    const int *liwork, int *info) __attribute__((weak));

static double *dense_from(const spw_csr *A) {
    const size_t n = (size_t)A->n_rows;
    double *dense = zeros((int64_t)(n * n));
    for (size_t i = 0; i < n; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            dense[i * n + (size_t)A->col_idx[k]] = A->val[k];
    return dense;
}

static const struct {
    const char *name;
    spw_status (*make)(const spw_csr *A, spw_operator *M);
} preconds[] = {{"ic0", spw_precond_ic0},
                {"cholesky", spw_precond_cholesky},
                {"fsai", spw_precond_fsai},
                {"jacobi", spw_precond_jacobi}};

/* The smallest of all, by reduction to a tridiagonal matrix. */
static void dense_values(const spw_csr *A, double *w) {
    const int n = A->n_rows, first = 1, last = PAIRS, one = 1, lwork = 64 * n, liwork = 10 * n;
    const double zero = 0;
    int found = 0, info = 0;
    double *dense = dense_from(A), *work = zeros(lwork);
    double *all = zeros(n), unused;
    int *iwork = zeroed(liwork, sizeof *iwork), support[2 * PAIRS];
    dsyevr_("N", "I", "L", &n, dense, &n, &zero, &zero, &first, &last, &zero, &found, all, &unused,
            &one, support, work, &lwork, iwork, &liwork, &info);
    assert_true(info == 0 && found == PAIRS);
    memcpy(w, all, PAIRS * sizeof *w);
}

/* Those on record for the file; false where there are none. */
static bool recorded_values(const char *file, spw_idx rows, double *w) {
    char line[1024], name[64];
    bool found = false;
    int n, used;
    FILE *table = fopen(recorded, "r");
    if (!table) fail_msg("no %s: the tests run in the workbook's folder", recorded);
    while (!found && fgets(line, sizeof line, table)) {
        if (sscanf(line, "%63s %d%n", name, &n, &used) != 2 || strcmp(name, file) != 0) continue;
        char *at = line + used;
        assert_int_equal(n, rows);
        for (int j = 0; j < PAIRS; j++) w[j] = strtod(at, &at);
        found = true;
    }
    fclose(table);
    return found;
}

/* The largest sum of a row: at least the largest eigenvalue. */
static double norm_of(const spw_csr *A) {
    double largest = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) sum += fabs(A->val[k]);
        largest = fmax(largest, sum);
    }
    return largest;
}

static bool without_cholmod;

/* Those take so long with IC(0) that it is left out. */
static bool is_stiff(const char *file) {
    for (size_t k = 0; k < sizeof stiffest / sizeof *stiffest; k++)
        if (strcmp(stiffest[k], file) == 0) return true;
    return false;
}

/* By the first preconditioner that gets there; its name, or NULL. */
static const char *solve(const spw_csr *A, bool stiff, spw_lobpcg_result *result) {
    const spw_lobpcg_options options = {
        .nv = PAIRS, .tolerance = 1e-5, .max_iterations = ITERATIONS};
    spw_operator op;
    const char *by = NULL;
    assert_ok(spw_operator_from_csr(A, &op));
    for (size_t p = stiff; p < sizeof preconds / sizeof *preconds && !by; p++) {
        OWN(spw_operator) M;
        spw_lobpcg_result_destroy(result);
        const spw_status made = preconds[p].make(A, &M);
        without_cholmod |= made == SPW_ERR_UNAVAILABLE;
        if (made) continue;
        assert_ok(spw_lobpcg(&op, NULL, &M, NULL, 0, &options, result));
        if (result->stop == SPW_STOP_CONVERGED) by = preconds[p].name;
    }
    spw_operator_destroy(&op);
    return by;
}

/* Rounding moves LAPACK's values by some eps ||A||, and ours. */
static void try_matrix(const collected *R, int *failures) {
    OWN(spw_csr) A = generated(R->path);
    OWN(spw_lobpcg_result) result = {0};
    const double norm = norm_of(&A), begin = spw_now();
    const char *by = solve(&A, is_stiff(R->file), &result);
    const double seconds = spw_now() - begin;
    double w[PAIRS], worst = 0, rounding = 0;
    bool compared = result.lambda != NULL;
    if (compared && A.n_rows <= DENSE)
        dense_values(&A, w);
    else if (compared)
        compared = recorded_values(R->file, A.n_rows, w);
    for (int j = 0; j < PAIRS && compared; j++) {
        const double error = fabs(result.lambda[j] - w[j]) / fabs(w[j]);
        worst = fmax(worst, isfinite(error) ? error : INFINITY);
        rounding = fmax(rounding, 20 * DBL_EPSILON * norm / fabs(w[j]));
    }
    /* Laplacians in closed form, to more digits. */
    const double most = strncmp(R->name, "lap", 3) == 0 ? 1e-8 : 1e-6;
    const bool right = compared && by && worst <= most + rounding;
    const bool excused = without_cholmod && !by; /* said by the table's end */
    *failures += !right && !excused;
    print_message("%-14s %6d %-8s %5d %6.2f s %12.5e %12.5e  ", R->name, A.n_rows, by ? by : "none",
                  result.iterations, seconds, result.lambda ? result.lambda[0] : NAN,
                  result.lambda ? result.lambda[PAIRS - 1] : NAN);
    if (compared)
        print_message("%8.1e %8.1e%s\n", worst, rounding, right ? "" : "  WRONG");
    else
        print_message("NOT COMPARED\n");
}

TEST(smallest_of_the_collection) {
    const int all = getenv("LONG") != NULL;
    const collected *rows;
    const int n = collection(&rows);
    int n_done = 0, failures = 0;
    if (!dsyevr_) print_message("skipped: no LAPACK\n");
    if (!n || !dsyevr_) skip();
    spw_set_threads(1);
    print_message("%-14s %6s %-8s %5s %8s %12s %12s  %8s %8s\n", "matrix", "rows", "precond",
                  "iter.", "time", "first", "eighth", "error", "rounding");
    for (int k = 0; k < n; k++) {
        if (!rows[k].spd || rows[k].n_rows < PAIRS) continue;
        if (rows[k].n_rows > (all || is_stiff(rows[k].file) ? MOST : SMALL)) continue;
        try_matrix(&rows[k], &failures);
        n_done++;
    }
    if (without_cholmod) print_message("without CHOLMOD: what needs cholesky may be missing\n");
    assert_true(n_done >= 5);
    assert_int_equal(failures, 0);
}
