#include "lobpcg.h"

/* 1. Predict the residuals of one block. Fill in loads and stores (bytes) and flops:
 *     return (spw_cost){.load = 40.0 * n, .store = 16.0 * n, .flop = 7.0 * n}; */
spw_cost residuals_cost(int64_t n, int nv) {
    /* your model here */
}

/* 2. Write R = AX - X diag(lambda) and its columns' lengths, in one pass, on all cores. */
void residuals(int64_t n, int nv, const double *AX, const double *X, const double *lambda,
               double *R, double *norm) {
    /* your code here */
}

/* 3. Predict the flops of an iteration. */
double iteration_flops(int64_t n, int64_t nz, int nv) {
    /* your formula here */
}

/* 4. Write the matrices of the small eigenproblem. Use gram (given.h) for each pair of blocks; both matrices
 * are symmetric, so that blocks below the diagonal can be copied. */
void small_matrices(int64_t n, int ld, double *const *V, double *const *AV, const int *count,
                    double *GA, double *GB) {
    /* your code here */
}

/* 5. Write the coefficients of the new X and P: what keeps [X P] orthonormal. */
int next_basis(int m, int nv, const double *GB, const double *H, const int *active, double *U) {
    /* your code here */
}

/* 6. Write the iteration. space_create, begin, keep_active, make_directions, small_pairs and combine are
 * given. */
int lobpcg(const eigenproblem *E, double *X, double *lambda, double *norm) {
    /* your code here */
}
