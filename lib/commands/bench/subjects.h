/* commands/bench/subjects.h -- what `make bench` can be about: a function each, and rows in the table of bench.c. */
#pragma once

#include "commands/bench/report.h"

typedef struct bench_case bench_case;

/* 0, or 1: spw_message() says why, and b->about of what. */
typedef int bench_subject(bench *b, const bench_case *c);

/* May a matrix of the user's take the place of its own? ASKED: where the subject is named by ONLY=. */
typedef enum bench_user { USER_NOT, USER_ALWAYS, USER_ASKED } bench_user;

struct bench_case {
    const char *subject; /* as ONLY= has it */
    bench_subject *run;
    const char *matrix, *quick; /* NULL: it takes none */
    bench_user user;
    bool device;     /* needs a GPU */
    int nv;          /* of eigen: vectors */
    double goals[3]; /* 0: none, as with a matrix of the user's */
};

bench_subject bench_bandwidth; /* the loops of perf/bandwidth.h against likwid-bench */
bench_subject bench_vectors;   /* blas1 and dense, against CBLAS */
bench_subject bench_fused;
bench_subject bench_dense;
bench_subject bench_block; /* blocks of 16 vectors: X'Y, X C, U - V diag, against dgemm */

/* Every format and peer on one matrix. goals: share of the roof of the best format; how much faster it is than the
 * row-parallel loop. spmm: the same for blocks of 8, 16 and 32 vectors, beside as many single products; goals[0]: ours
 * has some. */
bench_subject bench_spmv, bench_spmm;
bench_subject bench_uneven; /* matrices of uneven rows against those of even rows */

/* Is there a GPU that this build can use? One line says which, or why not. */
bool bench_has_device(const bench *b);
/* Every CUDA kernel and peer on one matrix. Blocks of 16, 32 and 64 vectors there: X'Y, X C, U - V diag, against the
 * roof and a library's dgemm. 100 iterations of LOBPCG there, of 16, 32 and 48 vectors; A is symmetric. */
bench_subject bench_cuda, bench_block_cuda, bench_lobpcg_cuda;

bench_subject bench_make; /* generators, COO to CSR, CSR to the others, reading text */

/* Stored entries of ELLPACK and SELL-P beside those of the papers, where the matrices were fetched. */
bench_subject bench_padding;

/* Solvers merged against plain, in single precision against double; matrix powers against products. */
bench_subject bench_solvers;

/* Conjugate gradients beside other libraries: the time of an iteration, without a preconditioner; the time to
 * a residual, with Jacobi and with an incomplete factorisation. A is SPD. goals of cg: all of A, and less than A,
 * against the best peer with all of A; less than A against the best peer of that kind. goals[0] of pcg: ours has
 * some. */
bench_subject bench_cg, bench_pcg;

/* A hundred iterations of LOBPCG for nv of the smallest eigenvalues, beside other libraries; one product with a
 * block beside single ones. goals: how much faster than SLEPc, than hypre, and than single products. */
bench_subject bench_eigen;

/* A triangular solve by levels against the serial one; every preconditioner's set-up and application in
 * products with the matrix. */
bench_subject bench_trsv, bench_preconds;
