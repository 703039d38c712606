/* By LAPACK's Fortran interface, which every LAPACK has. Its matrices are column-major: a symmetric one is
 * the same either way, its lower triangle there is the upper one here. */
#include "solvers/small.h"

#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

void dsyevd_(const char *job, const char *part, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info);
void dsygvd_(const int *type, const char *job, const char *part, const int *n, double *a,
             const int *lda, double *b, const int *ldb, double *w, double *work, const int *lwork,
             int *iwork, const int *liwork, int *info);
void dpotrf_(const char *part, const int *n, double *a, const int *lda, int *info);
void dtrtri_(const char *part, const char *diagonal, const int *n, double *a, const int *lda,
             int *info);

/* Weak: another LAPACK does not have them. */
int openblas_get_num_threads(void) __attribute__((weak));
void openblas_set_num_threads(int threads) __attribute__((weak));

enum { SERIAL = 256 }; /* rows up to which one thread is faster */

/* OpenBLAS wakes its threads for the smallest matrix, and then ours, which wait for their next region, keep
 * them from the cores: with 48 rows an eigenproblem took 4.5 ms on two cores, and 0.8 ms with one thread (Intel
 * Xeon, family 6 model 143, 2 vCPU KVM virtual machine, OpenBLAS 0.3.21, 2026-11-21). Returns how many threads
 * there were; 0: nothing was changed. */
static int begin_serial(int n) {
    if (n > SERIAL || !openblas_get_num_threads || !openblas_set_num_threads) return 0;
    const int threads = openblas_get_num_threads();
    openblas_set_num_threads(1);
    return threads;
}

static void end_serial(int threads) {
    if (threads) openblas_set_num_threads(threads);
}

static spw_status check_finite(int n, const double *A) {
    for (int64_t k = 0; k < (int64_t)n * n; k++)
        if (!isfinite(A[k]))
            return spw_error(SPW_ERR_ARG, "entry %d, %d of a dense matrix of %d rows is %g",
                             (int)(k / n), (int)(k % n), n, A[k]);
    return SPW_OK;
}

/* Both eigenproblems; B NULL: the plain one. *bad: see the header; -1 before. */
static spw_status eigen(int n, double *A, double *B, double *w, int *bad) {
    spw_status status = check_finite(n, A);
    if (!status && B) status = check_finite(n, B);
    if (status) return status;
    const int size = 1 + 6 * n + 2 * n * n, isize = 3 + 5 * n, type = 1;
    double *work = NULL;
    int *iwork = NULL, info = 0;
    if ((status = SPW_ALLOC(&work, size)) || (status = SPW_ALLOC(&iwork, isize))) goto out;
    const int threads = begin_serial(n);
    if (B)
        dsygvd_(&type, "V", "L", &n, A, &n, B, &n, w, work, &size, iwork, &isize, &info);
    else
        dsyevd_("V", "L", &n, A, &n, w, work, &size, iwork, &isize, &info);
    end_serial(threads);
    if (info > n) *bad = info - n - 1;
    if (info > n)
        status = spw_error(SPW_ERR_ARG,
                           "a dense matrix of %d rows is not positive definite: row %d", n, *bad);
    else if (info)
        status = spw_error(SPW_ERR_ARG, "LAPACK found no eigenvalues of a matrix of %d rows (%d)",
                           n, info);
out:
    spw_free(work);
    spw_free(iwork);
    return status;
}

spw_status spw_small_eigen(int n, double *A, double *w) {
    int unused;
    return eigen(n, A, NULL, w, &unused);
}

spw_status spw_small_eigen_general(int n, double *A, double *B, double *w, int *bad) {
    *bad = -1;
    return eigen(n, A, B, w, bad);
}

spw_status spw_small_cholesky_inverse(int n, double *A, double *T, int *rank) {
    int info = 0;
    *rank = 0;
    const spw_status status = check_finite(n, A);
    if (status) return status;
    const int threads = begin_serial(n);
    dpotrf_("L", &n, A, &n, &info);
    *rank = info > 0 ? info - 1 : n;
    if (info == 0) dtrtri_("L", "N", &n, A, &n, &info);
    end_serial(threads);
    if (info > 0) *rank = info - 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) T[i * n + j] = j < i ? 0 : A[i * n + j];
    return SPW_OK;
}
