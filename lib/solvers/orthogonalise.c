#include "solvers/orthogonalise.h"

#include "base/memory.h"
#include "kernels/block.h"
#include "solvers/orthogonalise_mixed.h"
#include "solvers/small.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* --- Gram and Schmidt ----------------------------------------------------------------------------------- */

/* x_to -= factor[0] x_first + factor[1] x_(first+1) + ..., and where from >= 0 column `from` is x_to's
 * source. Returns its new squared length. */
static double subtract(int64_t n, double *X, int64_t ld, int first, int count, const double *factor,
                       int from, int to) {
    double square = 0;
#pragma omp parallel for schedule(static) reduction(+ : square)
    for (int64_t i = 0; i < n; i++) {
        double *row = X + i * ld;
        double value = row[from];
        for (int k = 0; k < count; k++) value -= factor[k] * row[first + k];
        row[to] = value;
        square += value * value;
    }
    return square;
}

static void scale_column(int64_t n, double *X, int64_t ld, int column, double factor) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) X[i * ld + column] *= factor;
}

static spw_status gram_schmidt(bool modified, int64_t n, int nv, double *X, int64_t ld, int *rank) {
    double factor[SPW_BLOCK_MAX];
    const double dependent = 10 * nv * DBL_EPSILON;
    for (int j = 0; j < nv; j++) {
        const int to = *rank; /* dropped ones leave room */
        const double before = subtract(n, X, ld, 0, 0, factor, j, to);
        if (!isfinite(before))
            return spw_error(SPW_ERR_ARG,
                             "the squared length of vector %d is %g: a value is not finite, or "
                             "too large",
                             j, before);
        double square = before;
        if (modified) {
            for (int k = 0; k < to; k++) {
                spw_gram_omp(n, 1, X + k, ld, 1, X + to, ld, factor);
                square = subtract(n, X, ld, k, 1, factor, to, to);
            }
        } else if (to > 0) {
            spw_gram_omp(n, to, X, ld, 1, X + to, ld, factor);
            square = subtract(n, X, ld, 0, to, factor, to, to);
        }
        if (!(square > dependent * dependent * before)) continue;
        scale_column(n, X, ld, to, 1 / sqrt(square));
        ++*rank;
    }
    return SPW_OK;
}

/* --- by the Gram matrix ----------------------------------------------------------------------------------- */

static spw_status check_gram(int nv, const double *G) {
    for (int64_t k = 0; k < (int64_t)nv * nv; k++)
        if (!isfinite(G[k]))
            return spw_error(SPW_ERR_ARG,
                             "the product of vectors %d and %d is %g: a value is not finite, or "
                             "too large",
                             (int)(k / nv), (int)(k % nv), G[k]);
    return SPW_OK;
}

/* T = D^-1/2 U L^-1/2 with D^-1/2 G D^-1/2 = U L Uᵀ, largest first. work: [nv * nv + 2 nv]. */
static spw_status transform_svqb(int nv, const double *G, double *work, double *T, int *rank) {
    double *S = work, *inverse = work + (int64_t)nv * nv, *w = inverse + nv;
    for (int k = 0; k < nv; k++) inverse[k] = G[k * nv + k] > 0 ? 1 / sqrt(G[k * nv + k]) : 0;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) S[i * nv + j] = inverse[i] * G[i * nv + j] * inverse[j];
    const spw_status status = spw_small_eigen(nv, S, w);
    if (status) return status;
    for (int k = nv - 1; k >= 0; k--) {
        if (!(w[k] > nv * DBL_EPSILON * w[nv - 1])) break;
        for (int i = 0; i < nv; i++) T[i * nv + *rank] = inverse[i] * S[k * nv + i] / sqrt(w[k]);
        ++*rank;
    }
    return SPW_OK;
}

/* Of G = RᵀR and T = R^-1: r_kk^2 is what is left of vector k, squared, without those before it. Of a vector that
 * depends on them it is rounding, and its sign is chance. */
static bool all_independent(int nv, const double *G, const double *T) {
    for (int k = 0; k < nv; k++)
        if (!(nv * DBL_EPSILON * G[k * nv + k] * T[k * nv + k] * T[k * nv + k] < 1)) return false;
    return true;
}

spw_status spw_ortho_transform(spw_ortho method, int nv, const double *G, double *T, int *rank) {
    assert(nv >= 1 && nv <= SPW_BLOCK_MAX);
    const int64_t size = (int64_t)nv * nv;
    double *work = NULL;
    *rank = 0;
    spw_status status = check_gram(nv, G);
    if (status || (status = SPW_ALLOC(&work, size + 2 * nv))) return status;
    if (method != SPW_ORTHO_SVQB) {
        memcpy(work, G, sizeof *G * (size_t)size);
        status = spw_small_cholesky_inverse(nv, work, T, rank);
        if (status || (*rank == nv && all_independent(nv, G, T))) goto out;
        *rank = 0;
    }
    memset(T, 0, sizeof *T * (size_t)size);
    status = transform_svqb(nv, G, work, T, rank);
out:
    spw_free(work);
    return status;
}

/* X := X T, once. */
static spw_status once(spw_ortho method, int64_t n, double *X, int64_t ld, double *work,
                       int *rank) {
    const int nv = *rank;
    double *G = work, *lo = G + (int64_t)nv * nv, *T = lo + (int64_t)nv * nv;
    spw_status status;
    if (method == SPW_ORTHO_CHOLQR_MIXED) {
        spw_gram_dd_omp(n, nv, X, ld, nv, X, ld, G, lo);
        status = spw_ortho_transform_dd(nv, G, lo, T, rank);
    } else {
        spw_gram_omp(n, nv, X, ld, nv, X, ld, G);
        status = spw_ortho_transform(method, nv, G, T, rank);
    }
    if (!status) spw_combine_in_place(n, nv, X, ld, T);
    return status;
}

static double loss_of(int nv, const double *G) {
    double square = 0;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) {
            const double rest = G[i * nv + j] - (i == j);
            square += rest * rest;
        }
    return sqrt(square);
}

spw_status spw_orthonormalise(spw_ortho method, int64_t n, int nv, double *X, int64_t ld,
                              int *rank) {
    assert(n >= 0 && nv >= 1 && nv <= SPW_BLOCK_MAX && ld >= nv && (X || n == 0));
    double *work = NULL;
    *rank = 0;
    spw_status status = SPW_ALLOC(&work, 3 * (int64_t)nv * nv);
    if (status) return status;
    if (method == SPW_ORTHO_CGS || method == SPW_ORTHO_MGS) {
        status = gram_schmidt(method == SPW_ORTHO_MGS, n, nv, X, ld, rank);
    } else {
        *rank = nv;
        status = once(method, n, X, ld, work, rank);
        if (!status && method == SPW_ORTHO_CHOLQR2 && *rank > 0) {
            spw_gram_omp(n, *rank, X, ld, *rank, X, ld, work);
            if (loss_of(*rank, work) > 4 * *rank * DBL_EPSILON)
                status = once(SPW_ORTHO_CHOLQR, n, X, ld, work, rank);
        }
    }
    if (status) *rank = 0;
    if (!status && *rank < nv) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++)
            for (int j = *rank; j < nv; j++) X[i * ld + j] = 0;
    }
    spw_free(work);
    return status;
}

double spw_orthogonality_loss(int64_t n, int nv, const double *Q, int64_t ld) {
    assert(n >= 0 && nv >= 0 && nv <= SPW_BLOCK_MAX && ld >= nv);
    if (nv == 0) return 0;
    double *G;
    if (SPW_ALLOC(&G, (int64_t)nv * nv)) return NAN;
    spw_gram_omp(n, nv, Q, ld, nv, Q, ld, G);
    const double loss = loss_of(nv, G);
    spw_free(G);
    return loss;
}
