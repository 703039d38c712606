#include "orthogonalise.h"

/* 1. Predict C = XᵀY. Each block is moved once. Fill in loads and stores (bytes) and flops:
 *     return (spw_cost){.load = 40.0 * n, .store = 16.0 * n, .flop = 7.0 * n}; */
spw_cost gram_cost(int64_t n, int p, int q) {
    /* your model here */
}

/* 2. Write C = XᵀY, on all cores. Each thread sums its rows up for itself; then the sums are added. */
void gram(int64_t n, int p, const double *X, int q, const double *Y, int64_t ld, double *C) {
    /* your code here */
}

/* 3. Predict Y = X C. */
spw_cost combine_cost(int64_t n, int nv) {
    /* your model here */
}

/* 4. Write Y = X C, on all cores. Y may be X: a row must be read whole before it is written. */
void combine(int64_t n, int nv, const double *X, const double *C, double *Y) {
    /* your code here */
}

/* 5. How often does the block go through memory? Count loops over the rows: the README says which. */
double passes(method which, int nv) {
    /* your formula here */
}

/* 6. Up to which kappa is ||I - QᵀQ|| at most `loss`? */
double largest_kappa(method which, double loss) {
    /* your formula here */
}

/* 7. Classical Gram-Schmidt: for each vector all dots at once, then one subtraction. A vector of which next
 * to nothing is left becomes zero. */
int cgs(int64_t n, int nv, const double *X, double *Q) {
    /* your code here */
}

/* 8. Modified Gram-Schmidt: the vector has become another one before the next dot is taken. */
int mgs(int64_t n, int nv, const double *X, double *Q) {
    /* your code here */
}

/* 9. Cholesky-QR: XᵀX = RᵀR, Q = X R^-1; and the same with Q where times is 2. */
int cholqr(int64_t n, int nv, const double *X, double *Q, int times) {
    /* your code here */
}

/* 10. SVQB: with D = diag(XᵀX) and D^-1/2 XᵀX D^-1/2 = U W Uᵀ, Q = X D^-1/2 U W^-1/2. */
int svqb(int64_t n, int nv, const double *X, double *Q) {
    /* your code here */
}
