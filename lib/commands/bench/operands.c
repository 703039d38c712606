#include "commands/bench/operands.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "formats/generate.h"
#include "formats/info.h"
#include "kernels/blas1.h"
#include "kernels/block.h"
#include "kernels/dense.h"
#include "kernels/fused.h"
#include "kernels/spmm.h"
#include "kernels/spmv.h"
#include "perf/terms.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

volatile double operands_sink;

const char *const bench_format_names[BENCH_FORMATS] = {"coo",   "csr",        "ell",   "sell",
                                                       "sellp", "sell_short", "sbcsr", "sdia"};

/* --- calls: with factors that leave the vectors about as they are, however often it is called ---------------- */

static const double tiny = 1e-9;

/* The function of an operation, called with these; SUM: it returns a number. */
#define CALL(operation, ...)                                                                       \
    static void operation(operands *o, spw_kernel_fn f) {                                          \
        ((spw_##operation##_fn *)f)(__VA_ARGS__);                                                  \
    }
#define SUM(operation, ...)                                                                        \
    static void operation(operands *o, spw_kernel_fn f) {                                          \
        operands_sink = ((spw_##operation##_fn *)f)(__VA_ARGS__);                                  \
    }

CALL(copy, o->n, o->b, o->a)
SUM(sum, o->n, o->a)
SUM(dot, o->n, o->a, o->b)
CALL(triad, o->n, 0.5, o->b, o->c, o->a)
CALL(axpby, o->n, 0.5, o->b, 0.25, o->a)
CALL(scal, o->n, 1 + 1e-15, o->w[0])
CALL(diag, o->n, o->w[1], o->w[2], o->w[0])
SUM(diag_dot, o->n, o->w[1], o->w[2], o->w[0])
SUM(cg_step, o->n, tiny, o->w[2], o->w[3], o->w[0], o->w[1])
CALL(bicgstab_direction, o->n, 0.5, 0.5, o->w[1], o->w[2], o->w[0])
SUM(bicgstab_half, o->n, tiny, o->w[1], o->w[0])

/* s is r: no preconditioner */
static double c_r;
SUM(bicgstab_step, o->n, tiny, tiny, o->w[2], o->w[1], o->w[3], o->w[4], o->w[0], o->w[1], &c_r)

/* The vectors as blocks of a few columns. */
static double C[SPW_BLOCK_MAX * SPW_BLOCK_MAX], low[SPW_BLOCK_MAX * SPW_BLOCK_MAX];

CALL(gram, o->n / o->nv, o->nv, o->w[0], o->nv, o->nv, o->w[1], o->nv, C)
CALL(gram_dd, o->n / o->nv, o->nv, o->w[0], o->nv, o->nv, o->w[1], o->nv, C, low)
CALL(combine, o->n / o->nv, 1, &(spw_block){o->w[0], o->nv, o->nv}, C, 1,
     &(spw_block){o->w[2], o->nv, o->nv})
CALL(residual, o->n / o->nv, o->nv, C, o->w[0], o->nv, o->w[1], o->nv, o->w[2], o->nv, C + o->nv)

CALL(dgemv, o->m, o->n, o->a, o->x, o->y)
CALL(transpose, o->nv, o->A.n_cols, o->x, o->A.n_cols, o->y, o->nv)
CALL(spmv_coo, &o->coo, o->x, o->y)
CALL(spmv_csr, &o->A, o->x, o->y)
CALL(spmv_ell, &o->ell, o->x, o->y)
CALL(spmv_sell, &o->sell, o->x, o->y)
CALL(spmv_sellp, &o->sellp, o->x, o->y)
CALL(spmv_sell_short, &o->sell_short, o->x, o->y)
CALL(spmv_sbcsr, &o->sbcsr, o->x, o->y)
CALL(spmv_sdia, &o->sdia, o->x, o->y)
CALL(spmm_csr, &o->A, o->nv, o->x, o->nv, o->y, o->nv)
CALL(spmm_sellp, &o->sellp, o->nv, o->x, o->nv, o->y, o->nv)

#define ROW(operation)                                                                             \
    { #operation, operation, false }
#define BLOCK(operation)                                                                           \
    { #operation, operation, true }
static const struct {
    const char *operation;
    operands_call call;
    bool blocks; /* of vectors: they have n / nv rows */
} calls[] = {
    ROW(copy),          ROW(sum),
    ROW(dot),           ROW(triad),
    ROW(axpby),         ROW(scal),
    ROW(diag),          ROW(diag_dot),
    ROW(cg_step),       ROW(bicgstab_direction),
    ROW(bicgstab_half), ROW(bicgstab_step),
    BLOCK(gram),        BLOCK(gram_dd),
    BLOCK(combine),     BLOCK(residual),
    ROW(dgemv),         ROW(transpose),
    ROW(spmv_coo),      ROW(spmv_csr),
    ROW(spmv_ell),      ROW(spmv_sell),
    ROW(spmv_sellp),    ROW(spmv_sell_short),
    ROW(spmv_sbcsr),    ROW(spmv_sdia),
    ROW(spmm_csr),      ROW(spmm_sellp),
};
enum { CALLS = sizeof calls / sizeof *calls };

static int call_of(const char *operation) {
    for (int k = 0; k < CALLS; k++)
        if (strcmp(calls[k].operation, operation) == 0) return k;
    return -1;
}

operands_call operands_call_of(const char *operation) {
    const int k = call_of(operation);
    if (k < 0) abort(); /* an operation that is new here */
    return calls[k].call;
}

const spw_kernel *operands_kernels(const char *product, bench_format format,
                                   char operation[BENCH_OPERATION]) {
    snprintf(operation, BENCH_OPERATION, "%s_%s", product, bench_format_names[format]);
    return call_of(operation) >= 0 ? spw_kernels(operation) : NULL;
}

/* --- costs ------------------------------------------------------------------------------------------------ */

typedef struct job {
    const operands *o;
    const char *operation;
} job;

static bool ends(const char *text, const char *end) {
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static double stored(const operands *o, const char *operation) {
    if (ends(operation, "_ell")) return o->ell.n_stored;
    return ends(operation, "_sellp") ? o->sellp.n_stored : o->sell.n_stored;
}

/* The arguments of the transposition are those of a block of vectors. */
static double quantity(const void *context, const char *name, size_t length) {
    const job *j = context;
    const operands *o = j->o;
    const int call = call_of(j->operation);
    const double n = o->n ? (double)o->n : o->A.n_cols;
    const struct {
        const char *name;
        double value;
    } known[] = {
        {"n", call >= 0 && calls[call].blocks ? n / o->nv : n},
        {"m", o->m ? (double)o->m : o->nv},
        {"p", o->nv},
        {"q", o->nv},
        {"nv", o->nv},
        {"nz", o->A.nnz},
        {"n_rows", o->A.n_rows},
        {"n_cols", o->A.n_cols},
        {"n_stored", stored(o, j->operation)},
        {"n_chunks", o->sell.n_chunks},
        {"n_slices", o->sellp.n_slices},
        {"matrix", (double)(ends(j->operation, "_sbcsr")  ? spw_sbcsr_bytes(&o->sbcsr)
                            : ends(j->operation, "_sdia") ? spw_sdia_bytes(&o->sdia)
                                                          : spw_sell_short_bytes(&o->sell_short))},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strlen(known[k].name) == length && memcmp(known[k].name, name, length) == 0)
            return known[k].value;
    abort(); /* a quantity that is new here */
}

double operands_bytes(const operands *o, const char *operation, const spw_kernel *k) {
    const job j = {o, operation};
    return spw_cost_bytes(spw_terms_cost(k->cost, (spw_quantities){quantity, &j}));
}

double operands_csr_traffic(const spw_csr *A) {
    return operands_bytes(&(operands){.A = *A}, "spmv_csr", spw_kernels("spmv_csr"));
}

void operands_drop(operands *o, bench_format format) {
    switch (format) {
    case BENCH_COO: spw_coo_destroy(&o->coo); break;
    case BENCH_CSR: spw_csr_destroy(&o->A); break;
    case BENCH_ELL: spw_ell_destroy(&o->ell); break;
    case BENCH_SELL: spw_sell_destroy(&o->sell); break;
    case BENCH_SELLP: spw_sellp_destroy(&o->sellp); break;
    case BENCH_SELL_SHORT: spw_sell_short_destroy(&o->sell_short); break;
    case BENCH_SBCSR: spw_sbcsr_destroy(&o->sbcsr); break;
    case BENCH_SDIA: spw_sdia_destroy(&o->sdia); break;
    case BENCH_FORMATS: break;
    }
}

spw_status operands_vector(double **x, int64_t n) {
    const spw_status status = SPW_ALLOC(x, n);
    if (status) return status;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) (*x)[i] = 0.5 + spw_random_double(1, (uint64_t)i);
    return SPW_OK;
}

void operands_drop_vector(double **x) {
    spw_free(*x);
    *x = NULL;
}

void operands_free(operands *o) {
    for (int format = 0; format < BENCH_FORMATS; format++) operands_drop(o, (bench_format)format);
    double *const vectors[] = {o->a, o->b, o->c, o->x, o->y};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) spw_free(vectors[k]);
    for (size_t k = 0; k < sizeof o->w / sizeof *o->w; k++) spw_free(o->w[k]);
    *o = (operands){0};
}

spw_status operands_load(const char *name, int nv, operands *o) {
    *o = (operands){.nv = nv};
    spw_status status = spw_csr_load(name, &o->A);
    if (!status) status = operands_vector(&o->x, (int64_t)o->A.n_cols * nv);
    if (!status) status = operands_vector(&o->y, (int64_t)o->A.n_rows * nv);
    if (status) operands_free(o);
    return status;
}

spw_status operands_symmetric(const spw_csr *A) {
    spw_csr_info info;
    const spw_status status = spw_csr_inspect(A, &info);
    if (status || info.asymmetry <= 1e-12) return status;
    return spw_error(SPW_ERR_ARG, "it is not symmetric: |a_ij - a_ji| is up to %.3g of max |a|",
                     info.asymmetry);
}

/* ELL pads every row to the longest: not where that makes it several times as large. */
static spw_status refuse_padding(const spw_csr *A) {
    int64_t padded;
    const spw_status status = spw_csr_sliced_entries(A, A->n_rows ? A->n_rows : 1, 1, 1, &padded);
    if (status || padded <= TIMES_CSR * (int64_t)A->nnz) return status;
    return spw_error(SPW_ERR_ARG, "padding would make %.3g entries of %.3g, %.3g GB",
                     (double)padded, (double)A->nnz, 12e-9 * (double)padded);
}

spw_status operands_convert(operands *o, bench_format format, shape *s) {
    spw_status status = SPW_OK;
    *s = (shape){.format = format, .text = ""};
    switch (format) {
    case BENCH_COO:
        status = spw_coo_from_csr(&o->A, &o->coo);
        s->bytes = (double)spw_coo_bytes(&o->coo) + 8.0 * o->A.n_rows; /* y: zero, then sums */
        s->text = ", sorted by rows";
        break;
    case BENCH_CSR: s->bytes = (double)spw_csr_bytes(&o->A); break;
    case BENCH_ELL:
        status = refuse_padding(&o->A);
        if (!status) status = spw_ell_from_csr(&o->A, &o->ell);
        s->bytes = (double)spw_ell_bytes(&o->ell);
        break;
    case BENCH_SELL:
        status = spw_sell_from_csr(&o->A, 32, 256, &o->sell);
        s->bytes = (double)spw_sell_bytes(&o->sell);
        s->text = "-32-256";
        break;
    case BENCH_SELLP:
        status = spw_sellp_from_csr(&o->A, 8, 4, &o->sellp);
        s->bytes = (double)spw_sellp_bytes(&o->sellp);
        s->text = " 8x4";
        break;
    case BENCH_SELL_SHORT:
        status = spw_sell_short_from_csr(&o->A, 8, 1, &o->sell_short);
        s->bytes = (double)spw_sell_short_bytes(&o->sell_short);
        s->text = "-8-1";
        break;
    case BENCH_SBCSR:
        status = spw_sbcsr_from_csr(&o->A, spw_max_threads(), &o->sbcsr);
        s->bytes = (double)spw_sbcsr_bytes(&o->sbcsr);
        s->text = o->sbcsr.b == 3 ? ", blocks of 3 x 3" : ", blocks";
        break;
    case BENCH_SDIA:
        status = spw_sdia_from_csr(&o->A, &o->sdia);
        s->bytes = (double)spw_sdia_bytes(&o->sdia);
        break;
    case BENCH_FORMATS: break;
    }
    return status;
}

void operands_tell(const operands *o, const shape *s) {
    printf("  %s%s: %.4g MB, %.2f bytes an entry\n", bench_format_names[s->format], s->text,
           1e-6 * s->bytes, s->bytes / o->A.nnz);
}
