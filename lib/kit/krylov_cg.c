/* Conjugate gradients: the right steps in plain loops, and what is timed beside an answer. */
#include "kernels/blas1.h"
#include "kernels/fused.h"
#include "kernels/spmv.h"
#include "kernels/spmv_with_dots.h"
#include "kit/krylov.h"

#include <math.h>
#include <string.h>

bool spw_cg_move(const spw_csr *A, const spw_cg_vectors *v) {
    spw_system_product(A, v->p, v->q);
    const double p_q = spw_system_dot(A->n_rows, v->p, v->q), alpha = v->rho / p_q;
    if (!(p_q > 0)) return false;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        v->x[i] += alpha * v->p[i];
        v->r[i] -= alpha * v->q[i];
    }
    return true;
}

void spw_cg_turn(int64_t n, spw_cg_vectors *v) {
    const double old = v->rho;
    v->rho = spw_system_dot(n, v->r, v->z);
    for (int64_t i = 0; i < n; i++) v->p[i] = v->z[i] + v->rho / old * v->p[i];
}

static void precondition(const spw_krylov *k, const spw_cg_vectors *v) {
    if (k->method->precondition) k->method->precondition(k, v->r, v->z);
}

static void norms(const spw_krylov *k, const spw_cg_vectors *v, double *norm) {
    norm[SPW_NORM_R] = sqrt(spw_system_dot(k->n, v->r, v->r));
    norm[SPW_NORM_LARGEST] = spw_system_largest(k->n, v->r);
    norm[SPW_NORM_Z] = sqrt(spw_system_dot(k->n, v->z, v->z));
    norm[SPW_NORM_R_Z] = sqrt(fabs(v->rho));
}

void spw_krylov_cg_begin(const spw_krylov *k, double *x, double *work, void *at, double *norm) {
    const int64_t n = k->n;
    spw_cg_vectors *v = (spw_cg_vectors *)at;
    *v = (spw_cg_vectors){x, work, work + n, work + 2 * n, work, 0};
    if (k->method->precondition) v->z = work + 3 * n;
    spw_system_product(k->A, x, v->q);
    for (int64_t i = 0; i < n; i++) v->r[i] = k->b[i] - v->q[i];
    precondition(k, v);
    v->rho = spw_system_dot(n, v->r, v->z);
    memcpy(v->p, v->z, (size_t)n * sizeof *v->p);
    norms(k, v, norm);
}

int spw_krylov_cg_step(const spw_krylov *k, double enough, void *at, double *norm) {
    (void)enough;
    spw_cg_vectors *v = (spw_cg_vectors *)at;
    if (k->method->precondition && !(v->rho > 0)) return SPW_KRYLOV_BREAKDOWN + 1;
    if (!spw_cg_move(k->A, v)) return SPW_KRYLOV_BREAKDOWN;
    precondition(k, v);
    spw_cg_turn(k->n, v);
    norms(k, v, norm);
    return SPW_KRYLOV_ITERATIONS;
}

/* --- beside a solver ----------------------------------------------------------------------------------- */

void spw_krylov_cg(const spw_krylov *k, const double *inverse, bool merged, double *p, double *q,
                   double *r, double *z) {
    const spw_csr *A = k->A;
    const int64_t n = k->n;
    double rho = 0;
    spw_spmv_csr_omp(A, k->x, q);
    spw_copy_omp(n, k->b, r);
    spw_axpby_omp(n, -1, q, 1, r);
    double r_r = inverse ? 0 : spw_dot_omp(n, r, r);
    for (int step = 0; step < k->most; step++) {
        const double old = rho;
        if (!inverse) z = r;
#pragma omp parallel for schedule(static) if (inverse)
        for (int64_t i = 0; i < (inverse ? n : 0); i++) z[i] = inverse[i] * r[i];
        rho = !inverse ? r_r : merged ? spw_dot_omp_prefetch(n, r, z) : spw_dot_omp(n, r, z);
        if (step)
            spw_axpby_omp(n, 1, z, rho / old, p);
        else
            spw_copy_omp(n, z, p);
        if (!merged) spw_spmv_csr_omp(A, p, q);
        const double p_q = merged ? spw_spmv_with_dot_csr_omp(A, p, q) : spw_dot_omp(n, p, q);
        const double alpha = rho / p_q;
        if (merged) {
            r_r = spw_cg_step_omp(n, alpha, p, q, k->x, r);
        } else {
            spw_axpby_omp(n, alpha, p, 1, k->x);
            spw_axpby_omp(n, -alpha, q, 1, r);
            r_r = spw_dot_omp(n, r, r);
        }
    }
    k->got[2] = sqrt(r_r);
}
