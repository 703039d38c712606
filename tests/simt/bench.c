/* Times of the checker: seven kernels counted at n = 1e4, and a warp-a-row SpMV with 1e5 rows uncounted.
 * Processor time, so that a busy machine does not count. make simt-bench; prints, asserts nothing. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct job {
    int n, which, nx, width;
    int *row_ptr, *col, *ell_col;
    double *val, *ell_val, *x, *y;
    spw_any_function f;
} job;

static void call(void *argument) {
    const job *j = argument;
    switch (j->which) {
    case 0:
    case 1:
    case 2: ((void (*)(int, const double *, double *))j->f)(j->nx, j->x, j->y); break;
    case 3:
    case 4:
        ((void (*)(int, const int *, const int *, const double *, const double *, double *))j->f)(
            j->n, j->row_ptr, j->col, j->val, j->x, j->y);
        break;
    case 5:
        ((void (*)(int, int, const int *, const double *, const double *, double *))j->f)(
            j->n, j->width, j->ell_col, j->ell_val, j->x, j->y);
        break;
    default: ((void (*)(int, int, const double *, double *))j->f)(96, 1, j->x, j->y); break;
    }
}

static const char *const names[] = {
    "launch_copy",     "launch_copy_strided", "launch_copy_double2", "launch_csr_thread",
    "launch_csr_warp", "launch_ell",          "launch_transpose"};

static void copy_all(job *j, const spw_csr *A) {
    const ell_matrix E = ell_of(A);
    double *x = calloc((size_t)A->n_rows, sizeof *x);
    j->n = A->n_rows;
    j->width = E.width;
    spw_simt_copy_in("row_ptr", A->row_ptr, A->n_rows + 1, 4, &j->row_ptr);
    spw_simt_copy_in("col", A->col_idx, A->nnz, 4, &j->col);
    spw_simt_copy_in("val", A->val, A->nnz, 8, &j->val);
    spw_simt_copy_in("ell col", E.col, (int64_t)E.n * E.width, 4, &j->ell_col);
    spw_simt_copy_in("ell val", E.val, (int64_t)E.n * E.width, 8, &j->ell_val);
    spw_simt_copy_in("x", x, A->n_rows, 8, &j->x);
    spw_simt_room("y", A->n_rows, 8, &j->y);
    free(x);
    free(E.col);
    free(E.val);
}

static void seven(bool check, bool count) {
    const spw_csr A = stencil27(10, 25, 40);
    const int sizes[] = {10000, 10000 / 32, 5000, 0, 0, 0, 0};
    double sum = 0;
    begin_checker((spw_simt_options){.check = check, .count = count});
    job j;
    copy_all(&j, &A);
    for (int k = 0; k < 7; k++) {
        j.which = k;
        j.nx = sizes[k];
        j.f = kernel_function("traffic", "check", names[k]);
        spw_simt_reset();
        const double start = now();
        spw_simt_run(call, &j);
        const double ran = now();
        const int rows = spw_simt_row_count(), findings = spw_simt_finding_count();
        const double end = now();
        sum += end - start;
        printf("  %-22s %7.3f s and %.3f s to look up lines; %d rows, %d findings\n", names[k],
               ran - start, end - ran, rows, findings);
        if (getenv("TABLES")) {
            static char text[1 << 16];
            spw_simt_print_traffic(text, sizeof text);
            puts(text);
            print_findings();
        }
    }
    printf("seven kernels, n = 1e4%s%s: %.3f s\n", check ? ", checked" : "",
           count ? ", counted" : "", sum);
    spw_simt_end();
    free(A.row_ptr);
    free(A.col_idx);
    free(A.val);
}

static void large(bool portable) {
    const spw_csr A = stencil27(50, 50, portable ? 4 : 40);
    begin_checker((spw_simt_options){.limit = 60, .portable_fibers = portable});
    job j = {.which = 4, .f = kernel_function("traffic", "fast", "launch_csr_warp")};
    copy_all(&j, &A);
    const double start = now();
    spw_simt_run(call, &j);
    printf("a warp a row, %d rows x 27, not counted%s: %.3f s\n", A.n_rows,
           portable ? ", ucontext" : "", now() - start);
    spw_simt_end();
    free(A.row_ptr);
    free(A.col_idx);
    free(A.val);
}

int main(void) {
    seven(false, true);
    seven(true, true);
    large(false);
    large(true);
    return 0;
}
