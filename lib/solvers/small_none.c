/* Without LAPACK. */
#include "solvers/small.h"

static spw_status absent(void) {
    return spw_error(SPW_ERR_UNAVAILABLE,
                     "this build has no LAPACK for small dense matrices. Type make setup, which "
                     "installs OpenBLAS");
}

spw_status spw_small_eigen(int n, double *A, double *w) {
    (void)n, (void)A, (void)w;
    return absent();
}

spw_status spw_small_eigen_general(int n, double *A, double *B, double *w, int *bad) {
    (void)n, (void)A, (void)B, (void)w;
    *bad = -1;
    return absent();
}

spw_status spw_small_cholesky_inverse(int n, double *A, double *T, int *rank) {
    (void)n, (void)A, (void)T;
    *rank = 0;
    return absent();
}
