#include "solvers/formats.h"

#include "base/memory.h"
#include "base/threads.h"
#include "formats/info.h"
#include "formats/sbcsr.h"
#include "formats/sdia.h"
#include "formats/sell_short.h"
#include "kernels/schedule/partition.h"
#include "kernels/spmm.h"
#include "kernels/spmv.h"
#include "kernels/spmv_with_dots.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

enum { STREAM_BYTES = 32 << 20, SLICE = 8, WINDOW = 256 };

/* matrix_bytes: what a kernel reads of the matrix; stored: entries with the padding. */
static spw_operator make(const char *name, int64_t n, int64_t matrix_bytes, int64_t stored,
                         const void *matrix) {
    const double rows = (double)n;
    return (spw_operator){.name = name,
                          .n = n,
                          .cost = {.load = (double)matrix_bytes + 8 * rows,
                                   .store = 8 * rows,
                                   .flop = 2 * (double)stored},
                          .write_allocate = 8 * rows,
                          .context = (void *)matrix};
}

/* --- CSR --------------------------------------------------------------------------------------------- */

static void apply_csr(void *context, const double *x, double *y) {
    spw_spmv_csr_omp_balanced(context, x, y);
}

static void apply_csr_dots(void *context, const double *x, const double *w, double *y, double *w_y,
                           double *y_y) {
    double unused;
    spw_spmv_with_dots_csr_omp(context, x, w, y, w_y, y_y ? y_y : &unused);
}

/* Blocks that no cache keeps are written past the caches. */
static void apply_csr_block(void *context, int nv, const double *X, int64_t ldx, double *Y,
                            int64_t ldy) {
    const spw_csr *A = context;
    const bool large = 8 * (int64_t)nv * A->n_rows > STREAM_BYTES;
    (large ? spw_spmm_csr_omp_bypass : spw_spmm_csr_omp_registers)(A, nv, X, ldx, Y, ldy);
}

static spw_status make_csr(const spw_csr *A, spw_operator *op) {
    spw_csr_shares shares;
    *op = make("csr", A->n_rows, spw_csr_bytes(A), A->nnz, A);
    op->apply = apply_csr;
    op->apply_block = apply_csr_block;
    op->further = (spw_cost){8.0 * A->n_rows, 8.0 * A->n_rows, 2.0 * A->nnz};
    /* A giant row must be shared by threads, which the product with sums does not do. */
    spw_csr_divide(A, spw_max_threads(), &shares);
    if (shares.n_giants == 0) op->apply_dots = apply_csr_dots;
    return SPW_OK;
}

/* --- other formats, in a copy of the operator's own ---------------------------------------------------- */

typedef struct converted {
    const spw_csr *A;
    spw_sell_short S; /* one of these; the others are all zero */
    spw_sbcsr H;
    spw_sdia D;
} converted;

static void apply_sell_short(void *context, const double *x, double *y) {
    spw_spmv_sell_short_omp(&((const converted *)context)->S, x, y);
}

static void apply_sell_short_dots(void *context, const double *x, const double *w, double *y,
                                  double *w_y, double *y_y) {
    double unused;
    spw_spmv_with_dots_sell_short_omp(&((const converted *)context)->S, x, w, y, w_y,
                                      y_y ? y_y : &unused);
}

static void apply_sbcsr(void *context, const double *x, double *y) {
    spw_spmv_sbcsr_omp(&((const converted *)context)->H, x, y);
}

static void apply_sbcsr_dots(void *context, const double *x, const double *w, double *y,
                             double *w_y, double *y_y) {
    double unused;
    spw_spmv_with_dots_sbcsr_omp(&((const converted *)context)->H, x, w, y, w_y,
                                 y_y ? y_y : &unused);
}

static void apply_sdia(void *context, const double *x, double *y) {
    spw_spmv_sdia_omp(&((const converted *)context)->D, x, y);
}

static void apply_sdia_dots(void *context, const double *x, const double *w, double *y, double *w_y,
                            double *y_y) {
    double unused;
    spw_spmv_with_dots_sdia_omp(&((const converted *)context)->D, x, w, y, w_y,
                                y_y ? y_y : &unused);
}

static void apply_converted_block(void *context, int nv, const double *X, int64_t ldx, double *Y,
                                  int64_t ldy) {
    apply_csr_block((void *)((const converted *)context)->A, nv, X, ldx, Y, ldy);
}

static void destroy_converted(void *context) {
    converted *c = context;
    spw_sell_short_destroy(&c->S);
    spw_sbcsr_destroy(&c->H);
    spw_sdia_destroy(&c->D);
    spw_free(c);
}

/* How a format is taken: the copy, then what it is. Rows in their order, or sorted where that saves padding. */
static spw_status take_slices(converted *c, const char *name, spw_idx sigma, spw_operator *op) {
    spw_status status = spw_sell_short_from_csr(c->A, SLICE, sigma, &c->S);
    if (status) return status;
    *op = make(name, c->A->n_rows, spw_sell_short_bytes(&c->S), c->S.n_stored, c);
    op->apply = apply_sell_short;
    op->apply_dots = apply_sell_short_dots;
    return SPW_OK;
}

static spw_status take_sell_short(converted *c, spw_operator *op) {
    int suits;
    spw_status status = spw_sell_short_suits(c->A, SLICE, &suits);
    if (!status && !suits)
        status = spw_error(SPW_ERR_ARG, "SELL-S: padding would be a twentieth or more");
    return status ? status : take_slices(c, "sell_short", 1, op);
}

static spw_status take_sell_sorted(converted *c, spw_operator *op) {
    int suits;
    int64_t stored = 0;
    spw_status status = spw_sell_short_suits(c->A, SLICE, &suits);
    if (!status && !suits) status = spw_csr_sliced_entries(c->A, SLICE, WINDOW, 1, &stored);
    if (!status && (suits || 5 * (stored - c->A->nnz) >= c->A->nnz))
        status =
            spw_error(SPW_ERR_ARG, "SELL-S: sorting saves nothing, or leaves too much padding");
    return status ? status : take_slices(c, "sell_sorted", WINDOW, op);
}

static spw_status take_sbcsr(converted *c, spw_operator *op) {
    const spw_status status = spw_sbcsr_from_csr(c->A, spw_max_threads(), &c->H);
    if (status) return status;
    *op = make("sbcsr", c->A->n_rows, spw_sbcsr_bytes(&c->H), c->A->nnz, c);
    op->apply = apply_sbcsr;
    op->apply_dots = apply_sbcsr_dots;
    return SPW_OK;
}

static spw_status take_sdia(converted *c, spw_operator *op) {
    const spw_status status = spw_sdia_from_csr(c->A, &c->D);
    if (status) return status;
    *op = make("sdia", c->A->n_rows, spw_sdia_bytes(&c->D), c->A->nnz, c);
    op->apply = apply_sdia;
    op->apply_dots = apply_sdia_dots;
    return SPW_OK;
}

static spw_status convert(const spw_csr *A, spw_status (*take)(converted *c, spw_operator *op),
                          spw_operator *op) {
    converted *c = NULL;
    spw_operator csr;
    spw_status status = SPW_ALLOC_ZERO(&c, 1);
    if (status) return status;
    c->A = A;
    status = take(c, op);
    if (status) {
        destroy_converted(c);
        *op = (spw_operator){0};
        return status;
    }
    (void)make_csr(A, &csr);
    op->apply_block = apply_converted_block;
    op->further = csr.further;
    op->destroy = destroy_converted;
    return SPW_OK;
}

static const struct {
    const char *name;
    spw_status (*take)(converted *c, spw_operator *op); /* NULL: CSR */
} formats[SPW_OPERATOR_FORMATS] = {{"csr", NULL},
                                   {"sdia", take_sdia},
                                   {"sbcsr", take_sbcsr},
                                   {"sell_short", take_sell_short},
                                   {"sell_sorted", take_sell_sorted}};

const char *spw_operator_format(int k) { return formats[k].name; }

spw_status spw_operator_take(const spw_csr *A, int k, spw_operator *op) {
    *op = (spw_operator){0};
    return formats[k].take ? convert(A, formats[k].take, op) : make_csr(A, op);
}
