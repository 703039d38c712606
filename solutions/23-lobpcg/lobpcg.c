#include "lobpcg.h"

/* 1. Predict the residuals of one block. Fill in loads and stores (bytes) and flops:
 *     return (spw_cost){.load = 40.0 * n, .store = 16.0 * n, .flop = 7.0 * n}; */
spw_cost residuals_cost(int64_t n, int nv) {
    /* SOLUTION your model here */
    return (spw_cost){.load = 16.0 * n * nv, .store = 8.0 * n * nv, .flop = 4.0 * n * nv};
    /* END */
}

/* 2. Write R = AX - X diag(lambda) and its columns' lengths, in one pass, on all cores. */
void residuals(int64_t n, int nv, const double *AX, const double *X, const double *lambda,
               double *R, double *norm) {
    /* SOLUTION your code here */
    double square[MAX_NV] = {0};
#pragma omp parallel
    {
        double mine[MAX_NV] = {0};
#pragma omp for schedule(static) nowait
        for (int64_t i = 0; i < n; i++) {
#pragma omp simd
            for (int j = 0; j < nv; j++) {
                const double r = AX[i * nv + j] - X[i * nv + j] * lambda[j];
                R[i * nv + j] = r;
                mine[j] += r * r;
            }
        }
#pragma omp critical
        for (int j = 0; j < nv; j++) square[j] += mine[j];
    }
    for (int j = 0; j < nv; j++) norm[j] = sqrt(square[j]);
    /* END */
}

/* 3. Predict the flops of an iteration. */
double iteration_flops(int64_t n, int64_t nz, int nv) {
    /* SOLUTION your formula here */
    return 2.0 * nz * nv + 60.0 * n * nv * nv;
    /* END */
}

/* 4. Write the matrices of the small eigenproblem. Use gram (given.h) for each pair of blocks; both matrices
 * are symmetric, so that blocks below the diagonal can be copied. */
void small_matrices(int64_t n, int ld, double *const *V, double *const *AV, const int *count,
                    double *GA, double *GB) {
    /* SOLUTION your code here */
    const int m = count[BX] + count[BW] + count[BP];
    double part[MAX_NV * MAX_NV];
    for (int a = 0, row = 0; a < BLOCKS; row += count[a++])
        for (int b = a, column = row; b < BLOCKS; column += count[b++])
            for (int k = 0; k < 2 && count[a] && count[b]; k++) {
                double *G = k ? GB : GA;
                gram(n, count[a], V[a], count[b], k ? V[b] : AV[b], ld, part);
                for (int i = 0; i < count[a]; i++)
                    for (int j = 0; j < count[b]; j++)
                        G[(row + i) * m + column + j] = G[(column + j) * m + row + i] =
                            part[i * count[b] + j];
            }
    /* END */
}

/* SOLUTION */
/* aᵀ GB b for columns a and b of U. */
static double product(int m, int ld, const double *GB, const double *U, int a, int b) {
    double sum = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) sum += U[i * ld + a] * GB[i * m + j] * U[j * ld + b];
    return sum;
}

/* END */
/* 5. Write the coefficients of the new X and P: what keeps [X P] orthonormal. */
int next_basis(int m, int nv, const double *GB, const double *H, const int *active, double *U) {
    /* SOLUTION your code here */
    const int ld = 2 * nv;
    int np = 0;
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < m; i++) U[i * ld + j] = H[j * m + i];
    for (int j = 0; j < nv; j++) {
        if (!active[j]) continue;
        const int to = nv + np;
        for (int i = 0; i < m; i++) U[i * ld + to] = i < nv ? 0 : H[j * m + i];
        const double before = product(m, ld, GB, U, to, to);
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < to; k++) {
                const double h = product(m, ld, GB, U, k, to);
                for (int i = 0; i < m; i++) U[i * ld + to] -= h * U[i * ld + k];
            }
        const double length = sqrt(product(m, ld, GB, U, to, to));
        if (!(length > LEAST_PART * sqrt(before))) continue;
        for (int i = 0; i < m; i++) U[i * ld + to] /= length;
        np++;
    }
    return np;
    /* END */
}

/* SOLUTION */
/* The directions of this iteration and A times them. */
static void directions(const eigenproblem *E, space *s, const int *active) {
    keep_active(s, active);
    if (E->precondition) {
        E->precondition(E, s->count[BW], s->V[BW], s->AV[BW]);
        double *swap = s->V[BW];
        s->V[BW] = s->AV[BW];
        s->AV[BW] = swap;
    }
    make_directions(s);
    if (s->count[BW]) E->multiply(E, s->count[BW], s->V[BW], s->AV[BW]);
}

/* The small problem; without P where the basis has become singular. Returns m, 0 where nothing helps. */
static int rayleigh_ritz(space *s) {
    for (int attempt = 0; attempt < 2; attempt++) {
        const int m = s->count[BX] + s->count[BW] + s->count[BP];
        small_matrices(s->n, s->nv, s->V, s->AV, s->count, s->GA, s->GB);
        if (small_pairs(m, s->GA, s->GB, s->H, s->w)) return m;
        s->count[BP] = 0;
    }
    return 0;
}

/* END */
/* 6. Write the iteration. space_create, begin, keep_active, make_directions, small_pairs and combine are
 * given. */
int lobpcg(const eigenproblem *E, double *X, double *lambda, double *norm) {
    /* SOLUTION your code here */
    space *s = space_create(E);
    const int nv = E->nv;
    int iterations = -1;
    if (s && begin(E, s, X, lambda)) {
        for (iterations = 0; iterations < E->max_iterations; iterations++) {
            int active[MAX_NV], n_active = 0, m;
            residuals(E->n, nv, s->AV[BX], s->V[BX], lambda, s->V[BW], norm);
            for (int j = 0; j < nv; j++)
                n_active += active[j] = norm[j] > E->tolerance * fabs(lambda[j]);
            if (!n_active) break;
            directions(E, s, active);
            if (!s->count[BW] || !(m = rayleigh_ritz(s))) break;
            combine(s, next_basis(m, nv, s->GB, s->H, active, s->U));
            memcpy(lambda, s->w, sizeof *lambda * (size_t)nv);
        }
        residuals(E->n, nv, s->AV[BX], s->V[BX], lambda, s->V[BW], norm);
        memcpy(X, s->V[BX], sizeof *X * (size_t)(E->n * nv));
    }
    space_destroy(s);
    return iterations;
    /* END */
}
