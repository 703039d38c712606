#include "commands/bench/blas_peers.h"

#include <cblas.h>
#include <stddef.h>

static void copy(operands *o) { cblas_dcopy((int)o->n, o->b, 1, o->a, 1); }

static void sum(operands *o) { operands_sink = cblas_dasum((int)o->n, o->a, 1); }

static void dot(operands *o) { operands_sink = cblas_ddot((int)o->n, o->a, 1, o->b, 1); }

static void axpy(operands *o) { cblas_daxpy((int)o->n, 0.5, o->b, 1, o->a, 1); }

static void gemv(operands *o) {
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)o->m, (int)o->n, 1, o->a, (int)o->n, o->x, 1, 0,
                o->y, 1);
}

/* X'Y and X C of kernels/block.h; C is small and changes nothing that is read. */
static double small[64 * 64];

static void gram(operands *o) {
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, o->nv, o->nv, (int)(o->n / o->nv), 1,
                o->w[0], o->nv, o->w[1], o->nv, 0, small, o->nv);
}

static void combine(operands *o) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)(o->n / o->nv), o->nv, o->nv, 1,
                o->w[0], o->nv, small, o->nv, 0, o->w[2], o->nv);
}

const blas_peer blas_peers[] = {
    {"cblas_dcopy", "copy", copy},       {"cblas_dasum (sum of |x|)", "sum", sum},
    {"cblas_ddot", "dot", dot},          {"cblas_daxpy", "axpby", axpy},
    {"cblas_dgemv", "dgemv", gemv},      {"cblas_dgemm", "gram", gram},
    {"cblas_dgemm", "combine", combine}, {NULL, NULL, NULL},
};
