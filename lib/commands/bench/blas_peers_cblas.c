#include "commands/bench/blas_peers.h"

#include <cblas.h>
#include <stddef.h>

static void copy(operands *o)
{
    cblas_dcopy((int)o->n, o->b, 1, o->a, 1);
}

static void sum(operands *o)
{
    operands_sink = cblas_dasum((int)o->n, o->a, 1);
}

static void dot(operands *o)
{
    operands_sink = cblas_ddot((int)o->n, o->a, 1, o->b, 1);
}

static void axpy(operands *o)
{
    cblas_daxpy((int)o->n, 0.5, o->b, 1, o->a, 1);
}

static void gemv(operands *o)
{
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)o->m, (int)o->n, 1, o->a, (int)o->n, o->x, 1, 0,
                o->y, 1);
}

const blas_peer blas_peers[] = {
    {"cblas_dcopy", SPW_OP_COPY, copy},  {"cblas_dasum (sum of |x|)", SPW_OP_SUM, sum},
    {"cblas_ddot", SPW_OP_DOT, dot},     {"cblas_daxpy", SPW_OP_AXPBY, axpy},
    {"cblas_dgemv", SPW_OP_DGEMV, gemv}, {NULL, SPW_OP_ANY, NULL},
};
