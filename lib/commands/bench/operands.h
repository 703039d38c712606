/* commands/bench/operands.h -- what the kernels of the table are called with.
 *
 * One struct has the operands of all operations; a group of `make bench` fills in what its kernels
 * need. An operation or a format that is new in the table of kernels gets its lines in operands.c. */
#pragma once

#include "base/status.h"
#include "kernels/kernels.h"
#include "kernels/spmv.h"

#include <stdint.h>

/* A format that is more than TIMES_CSR times as large as CSR is left out: peers need the memory. */
enum { BENCH_OPERATION = 64, TIMES_CSR = 4 };

/* Sparse formats; the kernels of one are those of the operations spmv_NAME, spmm_NAME. */
typedef enum bench_format {
    BENCH_COO,
    BENCH_CSR,
    BENCH_ELL,
    BENCH_SELL,
    BENCH_SELLP,
    BENCH_SELL_SHORT,
    BENCH_SBCSR,
    BENCH_SDIA,
    BENCH_FORMATS
} bench_format;
extern const char *const bench_format_names[BENCH_FORMATS];

typedef struct operands {
    int64_t m, n;             /* of vectors: n; of a dense matrix: m x n */
    double *a, *b, *c, *w[5]; /* [n] each */
    spw_csr A;
    spw_coo coo;
    spw_ell ell;
    spw_sell sell;
    spw_sellp sellp;
    spw_sell_short sell_short;
    spw_sbcsr sbcsr; /* half of a symmetric matrix */
    spw_sdia sdia;
    int nv;        /* columns of the blocks x and y, row-major; of w taken as blocks, too */
    double *x, *y; /* [n_cols * nv], [n_rows * nv] */
} operands;

/* A matrix in one of the formats. */
typedef struct shape {
    bench_format format;
    double bytes;     /* of the matrix that a product reads, and of writing y more than once */
    const char *text; /* "-32-256": behind the format's name */
} shape;

extern volatile double operands_sink; /* keeps the compiler from dropping a sum that nobody reads */

/* How kernels of an operation are called. */
typedef void (*operands_call)(operands *o, spw_kernel_fn f);
operands_call operands_call_of(const char *operation);

/* The kernels of a product, "spmv" or "spmm", in that format; NULL if there are none. *operation: its name. */
const spw_kernel *operands_kernels(const char *product, bench_format format,
                                   char operation[BENCH_OPERATION]);

/* Bytes that a call of a kernel moves at the least, by the cost in its row of the table. */
double operands_bytes(const operands *o, const char *operation, const spw_kernel *k);

/* A, and x and y with nv columns, which o->nv may then be made less than. On failure everything is freed. */
spw_status operands_load(const char *name, int nv, operands *o);

/* Puts A into another format, besides those it is in. A format in which it would be several times as
 * large is SPW_ERR_ARG, and the message has the figures. */
spw_status operands_convert(operands *o, bench_format format, shape *s);

/* One line on it. */
void operands_tell(const operands *o, const shape *s);

/* Frees A in one of the formats. */
void operands_drop(operands *o, bench_format format);

/* Frees all of it. */
void operands_free(operands *o);

/* A vector, or block, of numbers from 0.5 to 1.5, the same in every run; and frees it. */
spw_status operands_vector(double **x, int64_t n);
void operands_drop_vector(double **x);

/* SPW_ERR_ARG, with a message that says by how much it is none, unless A is symmetric up to rounding. */
spw_status operands_symmetric(const spw_csr *A);

/* Bytes that y = A x must move with A in CSR: A and x once, y once. */
double operands_csr_traffic(const spw_csr *A);
