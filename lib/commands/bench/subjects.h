/* commands/bench/subjects.h -- what `make bench` can be about: a file and a name for ONLY= each.
 *
 * All return 0, or 1 after one line of what went wrong. */
#pragma once

#include "commands/bench/report.h"

int bench_bandwidth(bench *b); /* the loops of perf/bandwidth.h against likwid-bench */
int bench_vectors(bench *b);   /* blas1 and dense, against CBLAS */
int bench_fused(bench *b);
int bench_dense(bench *b);
int bench_block(bench *b); /* blocks of 16 vectors: X'Y, X C, U - V diag, against dgemm */

/* Every format and peer on one matrix; its goals, if it is one of ours for which there are some. */
typedef struct spmv_goals {
    double roof;  /* best format, share of the roof */
    double plain; /* best format against the row-parallel loop */
} spmv_goals;
int bench_spmv(bench *b, const char *name, spmv_goals goals);
/* The same for blocks of 8, 16 and 32 vectors, beside as many single products. */
int bench_spmm(bench *b, const char *name, bool goals);
/* A matrix of uneven rows against one of even rows. */
int bench_uneven(bench *b, const char *name, const char *even_name);

/* Is there a GPU that this build can use? One line says which, or why not. */
bool bench_has_device(const bench *b);
/* Every CUDA kernel and peer on one matrix. */
int bench_cuda(bench *b, const char *name);
/* Blocks of 16, 32 and 64 vectors there: X'Y, X C, U - V diag, against the roof and a library's dgemm. */
int bench_block_cuda(bench *b);
/* 100 iterations of LOBPCG there, of 16, 32 and 48 vectors. A is symmetric. */
int bench_lobpcg_cuda(bench *b, const char *name);

/* Making matrices: generators, COO to CSR, CSR to the others, reading text. */
int bench_generate(bench *b, const char *name);
int bench_sort(bench *b, const char *name);
int bench_convert(bench *b, const char *name);
int bench_parse(bench *b, const char *name);

/* Stored entries of ELLPACK and SELL-P beside those of the papers, where the matrices were fetched. */
int bench_padding(bench *b);

/* Solvers merged against plain, in single precision against double; matrix powers against products. */
int bench_solvers(bench *b);

/* Conjugate gradients beside other libraries: the time of an iteration, without a preconditioner; the time to
 * a residual, with Jacobi and with an incomplete factorisation. A is SPD. goals: ours has some. */
int bench_cg(bench *b, const char *name, bool goals);
int bench_pcg(bench *b, const char *name, bool goals);

/* A hundred iterations of LOBPCG for nv of the smallest eigenvalues, beside other libraries; one product with a
 * block beside single ones. goals.blocked: by which factor the former must be faster. */
typedef struct eigen_goals {
    double slepc, hypre, blocked;
} eigen_goals;
int bench_eigen(bench *b, const char *name, int nv, eigen_goals goals);

/* A triangular solve by levels against the serial one; every preconditioner's set-up and application in
 * products with the matrix. */
int bench_trsv(bench *b, const char *name);
int bench_preconds(bench *b, const char *name);
