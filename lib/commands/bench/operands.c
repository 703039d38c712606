#include "commands/bench/operands.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "formats/generate.h"
#include "perf/timer.h"

#include <stdlib.h>

volatile double operands_sink;

static void call_spmv(operands *o, const spw_variant *v)
{
    switch (v->format) {
    case SPW_FORMAT_COO: v->run.spmv_coo(&o->C, o->x, o->y); break;
    case SPW_FORMAT_CSR: v->run.spmv_csr(&o->A, o->x, o->y); break;
    case SPW_FORMAT_ELL: v->run.spmv_ell(&o->E, o->x, o->y); break;
    case SPW_FORMAT_SELL: v->run.spmv_sell(&o->S, o->x, o->y); break;
    case SPW_FORMAT_SELLP: v->run.spmv_sellp(&o->P, o->x, o->y); break;
    case SPW_FORMAT_SELLS: v->run.spmv_sells(&o->N, o->x, o->y); break;
    case SPW_FORMAT_SBCSR: v->run.spmv_sbcsr(&o->H, o->x, o->y); break;
    case SPW_FORMAT_ANY:
    case SPW_FORMAT_VECTOR:
    case SPW_FORMAT_DENSE: break;
    }
}

/* With factors that leave the vectors about as they are, however often it is called. */
static void call_fused(operands *o, const spw_variant *v)
{
    static const double tiny = 1e-9;
    double *const *w = o->w, sum = 0;
    const int64_t n = o->n;
    switch (v->op) {
    case SPW_OP_SCAL: v->run.scal(n, 1 + 1e-15, w[0]); break;
    case SPW_OP_DIAG: v->run.diag(n, w[1], w[2], w[0]); break;
    case SPW_OP_DIAG_DOT: sum = v->run.diag_dot(n, w[1], w[2], w[0]); break;
    case SPW_OP_CG_STEP: sum = v->run.cg_step(n, tiny, w[2], w[3], w[0], w[1]); break;
    case SPW_OP_BICGSTAB_DIRECTION: v->run.bicgstab_direction(n, 0.5, 0.5, w[1], w[2], w[0]); break;
    case SPW_OP_BICGSTAB_HALF: sum = v->run.bicgstab_half(n, tiny, w[1], w[0]); break;
    case SPW_OP_BICGSTAB_STEP: /* s is r: no preconditioner */
        operands_sink =
            v->run.bicgstab_step(n, tiny, tiny, w[2], w[1], w[3], w[4], w[0], w[1], &sum);
        break;
    default: break;
    }
    operands_sink = sum;
}

/* The vectors as blocks of a few columns. */
static void call_block(operands *o, const spw_variant *v)
{
    static double C[SPW_BLOCK_MAX * SPW_BLOCK_MAX], low[SPW_BLOCK_MAX * SPW_BLOCK_MAX];
    double *const *w = o->w;
    const int nv = o->nv;
    const int64_t rows = o->n / nv;
    const spw_block X = {w[0], nv, nv}, Y = {w[2], nv, nv};
    switch (v->op) {
    case SPW_OP_GRAM_DD:
        v->run.gram_dd(rows, nv, w[0], nv, nv, w[1], nv, C, low);
        operands_sink = C[0];
        break;
    case SPW_OP_GRAM:
        v->run.gram(rows, nv, w[0], nv, nv, w[1], nv, C);
        operands_sink = C[0];
        break;
    case SPW_OP_COMBINE: v->run.combine(rows, 1, &X, C, 1, &Y); break;
    case SPW_OP_RESIDUAL: v->run.residual(rows, nv, C, w[0], nv, w[1], nv, w[2], nv, C + nv); break;
    default: break;
    }
}

void operands_call(operands *o, const spw_variant *v)
{
    switch (v->op) {
    case SPW_OP_COPY: v->run.copy(o->n, o->b, o->a); break;
    case SPW_OP_SUM: operands_sink = v->run.sum(o->n, o->a); break;
    case SPW_OP_DOT: operands_sink = v->run.dot(o->n, o->a, o->b); break;
    case SPW_OP_TRIAD: v->run.triad(o->n, 0.5, o->b, o->c, o->a); break;
    case SPW_OP_AXPBY: v->run.axpby(o->n, 0.5, o->b, 0.25, o->a); break;
    case SPW_OP_DGEMV: v->run.dgemv(o->m, o->n, o->a, o->x, o->y); break;
    case SPW_OP_SPMV: call_spmv(o, v); break;
    case SPW_OP_SPMV_DOT:
        if (v->format == SPW_FORMAT_CSR)
            operands_sink = v->run.spmv_dot_csr(&o->A, o->x, o->y);
        else
            operands_sink = v->run.spmv_dot_sell(&o->S, o->x, o->y);
        break;
    case SPW_OP_SCAL:
    case SPW_OP_DIAG:
    case SPW_OP_DIAG_DOT:
    case SPW_OP_CG_STEP:
    case SPW_OP_BICGSTAB_DIRECTION:
    case SPW_OP_BICGSTAB_HALF:
    case SPW_OP_BICGSTAB_STEP: call_fused(o, v); break;
    case SPW_OP_GRAM:
    case SPW_OP_COMBINE:
    case SPW_OP_GRAM_DD:
    case SPW_OP_RESIDUAL: call_block(o, v); break;
    case SPW_OP_SPMM:
        if (v->format == SPW_FORMAT_CSR)
            v->run.spmm_csr(&o->A, o->nv, o->x, o->nv, o->y, o->nv);
        else if (v->format == SPW_FORMAT_SELLP)
            v->run.spmm_sellp(&o->P, o->nv, o->x, o->nv, o->y, o->nv);
        else
            abort(); /* a format that is new here */
        break;
    case SPW_OP_TRANSPOSE:
        v->run.transpose(o->nv, o->A.n_cols, o->x, o->A.n_cols, o->y, o->nv);
        break;
    default: break; /* is in none of the groups */
    }
}

void operands_fill(int64_t n, double *x)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) x[i] = 0.5 + spw_random_double(1, (uint64_t)i);
}

double operands_csr_traffic(const spw_csr *A)
{
    return (double)spw_csr_bytes(A) + 8.0 * A->n_cols + 8.0 * A->n_rows;
}

void operands_drop(operands *o, spw_format format)
{
    switch (format) {
    case SPW_FORMAT_COO: spw_coo_destroy(&o->C); break;
    case SPW_FORMAT_CSR: spw_csr_destroy(&o->A); break;
    case SPW_FORMAT_ELL: spw_ell_destroy(&o->E); break;
    case SPW_FORMAT_SELL: spw_sell_destroy(&o->S); break;
    case SPW_FORMAT_SELLP: spw_sellp_destroy(&o->P); break;
    case SPW_FORMAT_SELLS: spw_sells_destroy(&o->N); break;
    case SPW_FORMAT_SBCSR: spw_sbcsr_destroy(&o->H); break;
    case SPW_FORMAT_ANY:
    case SPW_FORMAT_VECTOR:
    case SPW_FORMAT_DENSE: break;
    }
}

void operands_free(operands *o)
{
    for (int format = 0; format < BENCH_FORMATS; format++) operands_drop(o, (spw_format)format);
    spw_free(o->x);
    spw_free(o->y);
    *o = (operands){0};
}

spw_status operands_load(const char *name, int nv, operands *o, double *seconds)
{
    *o = (operands){0};
    const double begin = spw_now();
    spw_status status = spw_csr_load(name, &o->A);
    *seconds = spw_now() - begin;
    if (!status) status = SPW_ALLOC(&o->x, (int64_t)o->A.n_cols * nv);
    if (!status) status = SPW_ALLOC(&o->y, (int64_t)o->A.n_rows * nv);
    if (status) {
        operands_free(o);
        return status;
    }
    o->nv = nv;
    operands_fill((int64_t)o->A.n_cols * nv, o->x);
    operands_fill((int64_t)o->A.n_rows * nv, o->y);
    return SPW_OK;
}

/* ELL pads every row to the longest: not where that makes it several times as large. */
static spw_status refuse_padding(const spw_csr *A)
{
    int64_t longest = 0;
    for (spw_idx i = 0; i < A->n_rows; i++)
        if (A->row_ptr[i + 1] - A->row_ptr[i] > longest)
            longest = A->row_ptr[i + 1] - A->row_ptr[i];
    const double padded = (double)longest * A->n_rows;
    if (padded <= 4.0 * A->nnz) return SPW_OK;
    return spw_error(SPW_ERR_ARG, "padding would make %.3g entries of %.3g, %.3g GB", padded,
                     (double)A->nnz, 12e-9 * padded);
}

spw_status operands_convert(operands *o, spw_format format, shape *s)
{
    spw_status status = SPW_OK;
    *s = (shape){.format = format, .text = ""};
    switch (format) {
    case SPW_FORMAT_COO:
        status = spw_coo_from_csr(&o->A, &o->C);
        s->bytes = (double)spw_coo_bytes(&o->C) + 8.0 * o->A.n_rows; /* y: zero, then sums */
        s->text = ", sorted by rows";
        break;
    case SPW_FORMAT_CSR: s->bytes = (double)spw_csr_bytes(&o->A); break;
    case SPW_FORMAT_ELL:
        status = refuse_padding(&o->A);
        if (!status) status = spw_ell_from_csr(&o->A, &o->E);
        s->bytes = (double)spw_ell_bytes(&o->E);
        break;
    case SPW_FORMAT_SELL:
        status = spw_sell_from_csr(&o->A, 32, 256, &o->S);
        s->bytes = (double)spw_sell_bytes(&o->S);
        s->text = "-32-256";
        break;
    case SPW_FORMAT_SELLP:
        status = spw_sellp_from_csr(&o->A, 8, 4, &o->P);
        s->bytes = (double)spw_sellp_bytes(&o->P);
        s->text = " 8x4";
        break;
    case SPW_FORMAT_SELLS:
        status = spw_sells_from_csr(&o->A, 8, 1, &o->N);
        s->bytes = (double)spw_sells_bytes(&o->N);
        s->text = "-8-1";
        break;
    case SPW_FORMAT_SBCSR:
        status = spw_sbcsr_from_csr(&o->A, spw_max_threads(), &o->H);
        s->bytes = (double)spw_sbcsr_bytes(&o->H);
        s->text = o->H.b == 3 ? ", blocks of 3 x 3" : ", blocks";
        break;
    case SPW_FORMAT_ANY:
    case SPW_FORMAT_VECTOR:
    case SPW_FORMAT_DENSE:
        return spw_error(SPW_ERR_ARG, "%s is no sparse format", spw_format_name(format));
    }
    return status;
}
