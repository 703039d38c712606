#include "orthogonalise.h"

/* 1. Predict C = XᵀY. Each block is moved once. Fill in loads and stores (bytes) and flops:
 *     return (spw_cost){.load = 40.0 * n, .store = 16.0 * n, .flop = 7.0 * n}; */
spw_cost gram_cost(int64_t n, int p, int q) {
    /* SOLUTION your model here */
    return (spw_cost){.load = 8.0 * n * (p + q), .store = 8.0 * p * q, .flop = 2.0 * n * p * q};
    /* END */
}

/* SOLUTION */
enum { TILE = 8, CHUNK = 64 };

/* Sums of TILE columns of X and VEC of Y over some rows, in registers. */
static void gram_tile(int64_t rows, const double *X, const double *Y, int64_t ld, double *C,
                      int q) {
    vec sum[TILE];
    for (int a = 0; a < TILE; a++) sum[a] = vec_load(C + a * q);
    for (int64_t i = 0; i < rows; i++) {
        const vec y = vec_load(Y + i * ld);
        for (int a = 0; a < TILE; a++) sum[a] += X[i * ld + a] * y;
    }
    for (int a = 0; a < TILE; a++) vec_store(C + a * q, sum[a]);
}

/* The same of what is left at the edges, fewer columns. */
static void gram_edge(int64_t rows, int p, const double *X, int columns, const double *Y,
                      int64_t ld, double *C, int q) {
    for (int64_t i = 0; i < rows; i++)
        for (int a = 0; a < p; a++)
            for (int b = 0; b < columns; b++) C[a * q + b] += X[i * ld + a] * Y[i * ld + b];
}

/* All columns of a few rows, which stay in the caches meanwhile. */
static void gram_chunk(int64_t rows, int p, const double *X, int q, const double *Y, int64_t ld,
                       double *C) {
    const int p_whole = p - p % TILE, q_whole = q - q % VEC;
    for (int a = 0; a < p_whole; a += TILE)
        for (int b = 0; b < q_whole; b += VEC) gram_tile(rows, X + a, Y + b, ld, C + a * q + b, q);
    if (q > q_whole) gram_edge(rows, p_whole, X, q - q_whole, Y + q_whole, ld, C + q_whole, q);
    if (p > p_whole) gram_edge(rows, p - p_whole, X + p_whole, q, Y, ld, C + p_whole * q, q);
}

/* END */
/* 2. Write C = XᵀY, on all cores. Each thread sums its rows up for itself; then the sums are added. */
void gram(int64_t n, int p, const double *X, int q, const double *Y, int64_t ld, double *C) {
    /* SOLUTION your code here */
    memset(C, 0, sizeof *C * (size_t)(p * q));
#pragma omp parallel
    {
        double mine[MAX_VECTORS * MAX_VECTORS];
        memset(mine, 0, sizeof *mine * (size_t)(p * q));
#pragma omp for schedule(static) nowait
        for (int64_t i = 0; i < n; i += CHUNK)
            gram_chunk(n - i < CHUNK ? n - i : CHUNK, p, X + i * ld, q, Y + i * ld, ld, mine);
#pragma omp critical
        for (int k = 0; k < p * q; k++) C[k] += mine[k];
    }
    /* END */
}

/* 3. Predict Y = X C. */
spw_cost combine_cost(int64_t n, int nv) {
    /* SOLUTION your model here */
    return (spw_cost){
        .load = 8.0 * n * nv + 8.0 * nv * nv, .store = 8.0 * n * nv, .flop = 2.0 * n * nv * nv};
    /* END */
}

/* SOLUTION */
enum { ROWS = 8 };

/* At most ROWS rows. They are copied before the first is written: Y may be X. */
static void combine_rows(int rows, int nv, const double *X, const double *C, double *Y) {
    double copy[ROWS * MAX_VECTORS] = {0};
    memcpy(copy, X, sizeof *X * (size_t)(rows * nv));
    int b = 0;
    for (; b + VEC <= nv; b += VEC) {
        vec sum[ROWS] = {{0}};
        for (int a = 0; a < nv; a++) {
            const vec c = vec_load(C + a * nv + b);
            for (int r = 0; r < ROWS; r++) sum[r] += copy[r * nv + a] * c;
        }
        for (int r = 0; r < rows; r++) vec_store(Y + r * nv + b, sum[r]);
    }
    for (; b < nv; b++)
        for (int r = 0; r < rows; r++) {
            double sum = 0;
            for (int a = 0; a < nv; a++) sum += copy[r * nv + a] * C[a * nv + b];
            Y[r * nv + b] = sum;
        }
}

/* END */
/* 4. Write Y = X C, on all cores. Y may be X: a row must be read whole before it is written. */
void combine(int64_t n, int nv, const double *X, const double *C, double *Y) {
    /* SOLUTION your code here */
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i += ROWS)
        combine_rows(n - i < ROWS ? (int)(n - i) : ROWS, nv, X + i * nv, C, Y + i * nv);
    /* END */
}

/* 5. How often does the block go through memory? Count loops over the rows: the README says which. */
double passes(method which, int nv) {
    /* SOLUTION your formula here */
    switch (which) {
    case CGS: return 3.0 * nv - 2;
    case MGS: return (double)nv * nv;
    case CHOLQR2: return 4;
    default: return 2;
    }
    /* END */
}

/* 6. Up to which kappa is ||I - QᵀQ|| at most `loss`? */
double largest_kappa(method which, double loss) {
    /* SOLUTION your formula here */
    switch (which) {
    case MGS: return loss / EPS;
    case CHOLQR2: return 1 / sqrt(EPS);
    default: return sqrt(loss / EPS);
    }
    /* END */
}

/* SOLUTION */
/* q_j -= sum over k < count of factor[k] q_(first + k); returns its squared length. */
static double subtract(int64_t n, int nv, double *Q, int first, int count, const double *factor,
                       int j) {
    double square = 0;
#pragma omp parallel for schedule(static) reduction(+ : square)
    for (int64_t i = 0; i < n; i++) {
        double value = Q[i * nv + j];
        for (int k = 0; k < count; k++) value -= factor[k] * Q[i * nv + first + k];
        Q[i * nv + j] = value;
        square += value * value;
    }
    return square;
}

static void scale(int64_t n, int nv, double *Q, int j, double factor) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) Q[i * nv + j] *= factor;
}

/* Length 1, or zero where next to nothing is left. Returns 1 or 0. */
static int normalise(int64_t n, int nv, double *Q, int j, double before, double square) {
    const int keep = sqrt(square) > LEAST_LENGTH * sqrt(before);
    scale(n, nv, Q, j, keep ? 1 / sqrt(square) : 0);
    return keep;
}

/* END */
/* 7. Classical Gram-Schmidt: for each vector all dots at once, then one subtraction. A vector of which next
 * to nothing is left becomes zero. */
int cgs(int64_t n, int nv, const double *X, double *Q) {
    /* SOLUTION your code here */
    double factor[MAX_VECTORS];
    int count = 0;
    memcpy(Q, X, sizeof *Q * (size_t)n * (size_t)nv);
    for (int j = 0; j < nv; j++) {
        const double before = subtract(n, nv, Q, 0, 0, factor, j);
        if (j > 0) gram(n, j, Q, 1, Q + j, nv, factor);
        count += normalise(n, nv, Q, j, before, subtract(n, nv, Q, 0, j, factor, j));
    }
    return count;
    /* END */
}

/* 8. Modified Gram-Schmidt: the vector has become another one before the next dot is taken. */
int mgs(int64_t n, int nv, const double *X, double *Q) {
    /* SOLUTION your code here */
    int count = 0;
    memcpy(Q, X, sizeof *Q * (size_t)n * (size_t)nv);
    for (int j = 0; j < nv; j++) {
        double factor = 0, square = subtract(n, nv, Q, 0, 0, &factor, j);
        const double before = square;
        for (int k = 0; k < j; k++) {
            gram(n, 1, Q + k, 1, Q + j, nv, &factor);
            square = subtract(n, nv, Q, k, 1, &factor, j);
        }
        count += normalise(n, nv, Q, j, before, square);
    }
    return count;
    /* END */
}

/* 9. Cholesky-QR: XᵀX = RᵀR, Q = X R^-1; and the same with Q where times is 2. */
int cholqr(int64_t n, int nv, const double *X, double *Q, int times) {
    /* SOLUTION your code here */
    double G[MAX_VECTORS * MAX_VECTORS], T[MAX_VECTORS * MAX_VECTORS];
    for (int k = 0; k < times; k++) {
        const double *from = k == 0 ? X : Q;
        gram(n, nv, from, nv, from, nv, G);
        if (!cholesky_inverse(nv, G, T)) {
            memset(Q, 0, sizeof *Q * (size_t)n * (size_t)nv);
            return 0;
        }
        combine(n, nv, from, T, Q);
    }
    return nv;
    /* END */
}

/* 10. SVQB: with D = diag(XᵀX) and D^-1/2 XᵀX D^-1/2 = U W Uᵀ, Q = X D^-1/2 U W^-1/2. */
int svqb(int64_t n, int nv, const double *X, double *Q) {
    /* SOLUTION your code here */
    double S[MAX_VECTORS * MAX_VECTORS], T[MAX_VECTORS * MAX_VECTORS] = {0};
    double w[MAX_VECTORS], inverse[MAX_VECTORS];
    int count = 0;
    gram(n, nv, X, nv, X, nv, S);
    for (int j = 0; j < nv; j++) inverse[j] = S[j * nv + j] > 0 ? 1 / sqrt(S[j * nv + j]) : 0;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) S[i * nv + j] *= inverse[i] * inverse[j];
    if (!eigen(nv, S, w)) {
        memset(Q, 0, sizeof *Q * (size_t)n * (size_t)nv);
        return 0;
    }
    for (int k = nv - 1; k >= 0 && w[k] > LEAST_EIGENVALUE * w[nv - 1]; k--) {
        for (int i = 0; i < nv; i++) T[i * nv + count] = inverse[i] * S[k * nv + i] / sqrt(w[k]);
        count++;
    }
    combine(n, nv, X, T, Q);
    return count;
    /* END */
}
