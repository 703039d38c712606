/* commands/bench/operands.h -- what the kernels of the table are called with.
 *
 * One struct has the operands of all operations; a group of `make bench` fills in what its kernels
 * need. A format that is new in the table of kernels gets its lines in operands.c; the compiler asks
 * for them. */
#ifndef SPW_COMMANDS_BENCH_OPERANDS_H
#define SPW_COMMANDS_BENCH_OPERANDS_H

#include "base/status.h"
#include "kernels/variants.h"

#include <stdint.h>

enum { BENCH_FORMATS = 16 }; /* room for a flag each */

typedef struct operands {
    int64_t m, n;             /* of vectors: n; of a dense matrix: m x n */
    double *a, *b, *c, *w[5]; /* [n] each */
    spw_csr A;
    spw_coo C;
    spw_ell E;
    spw_sell S;
    spw_sellp P;
    spw_sells N;   /* narrow column indices */
    spw_sbcsr H;   /* half of a symmetric matrix */
    int nv;        /* columns of the blocks x and y, row-major; of w taken as blocks, too */
    double *x, *y; /* [n_cols * nv], [n_rows * nv] */
} operands;

/* A matrix in one of the formats. */
typedef struct shape {
    spw_format format;
    double bytes;     /* of the matrix that a product reads, and of writing y more than once */
    const char *text; /* "-32-256": behind the format's name */
} shape;

extern volatile double operands_sink; /* keeps the compiler from dropping a sum that nobody reads */

/* Calls a kernel of the host once. */
void operands_call(operands *o, const spw_variant *v);

/* x[i] in [0.5, 1.5), the same in every run. */
void operands_fill(int64_t n, double *x);

/* A, and x and y with nv columns, which o->nv may then be made less than. *seconds: that the matrix took. On failure everything is freed. */
spw_status operands_load(const char *name, int nv, operands *o, double *seconds);

/* Puts A into another format, besides those it is in. A format in which it would be several times as
 * large is SPW_ERR_ARG, and the message has the figures. */
spw_status operands_convert(operands *o, spw_format format, shape *s);

/* Frees A in one of the formats. */
void operands_drop(operands *o, spw_format format);

/* Frees the sparse matrices, x and y. */
void operands_free(operands *o);

/* Bytes that y = A x must move with A in CSR: A and x once, y once. */
double operands_csr_traffic(const spw_csr *A);

#endif
