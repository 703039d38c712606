#include "kernels/variants.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The name is made from the symbol, so that the two cannot differ, and the compiler checks that the
 * function has the type of its operation. */
/* clang-format off */
#define ROW(member, op, format, symbol, backend, idea, text)                                       \
    {#symbol, SPW_OP_##op, SPW_FORMAT_##format, SPW_##backend, idea, text, {.member = symbol}}

static const spw_variant variants[] = {
#define COPY(...) ROW(copy, COPY, VECTOR, __VA_ARGS__)
    COPY(spw_copy_ref,               REFERENCE, "",         "serial loop"),
    COPY(spw_copy_omp,               OPENMP,    "",         "all cores; each stored line is fetched first"),
    COPY(spw_copy_omp_stream,        OPENMP,    "stream",   "saves that fetch, 8 of 24 bytes; y ends up in no cache"),
#define SUM(...) ROW(sum, SUM, VECTOR, __VA_ARGS__)
    SUM(spw_sum_ref,                 REFERENCE, "",         "serial: each addition waits for the one before"),
    SUM(spw_sum_omp,                 OPENMP,    "",         "all cores, one vector of sums each"),
    SUM(spw_sum_omp_prefetch,        OPENMP,    "prefetch", "eight vectors of sums, software prefetch; more code"),
#define DOT(...) ROW(dot, DOT, VECTOR, __VA_ARGS__)
    DOT(spw_dot_ref,                 REFERENCE, "",         "serial: each addition waits for the one before"),
    DOT(spw_dot_omp,                 OPENMP,    "",         "all cores, one vector of sums each"),
    DOT(spw_dot_omp_prefetch,        OPENMP,    "prefetch", "eight vectors of sums, software prefetch; more code"),
#define TRIAD(...) ROW(triad, TRIAD, VECTOR, __VA_ARGS__)
    TRIAD(spw_triad_ref,             REFERENCE, "",         "serial loop"),
    TRIAD(spw_triad_omp,             OPENMP,    "",         "all cores; each stored line is fetched first"),
    TRIAD(spw_triad_omp_stream,      OPENMP,    "stream",   "saves that fetch, 8 of 32 bytes; a ends up in no cache"),
#define AXPBY(...) ROW(axpby, AXPBY, VECTOR, __VA_ARGS__)
    AXPBY(spw_axpby_ref,             REFERENCE, "",         "serial loop"),
    AXPBY(spw_axpby_omp,             OPENMP,    "",         "all cores; y is read anyway, so there is no fetch to save"),
#define FUSED(member, OP, ...) ROW(member, OP, VECTOR, __VA_ARGS__)
    FUSED(scal, SCAL, spw_scal_ref, REFERENCE, "", "serial loop"),
    FUSED(scal, SCAL, spw_scal_omp, OPENMP,    "", "all cores, in place"),
    FUSED(diag, DIAG, spw_diag_ref, REFERENCE, "", "serial loop"),
    FUSED(diag, DIAG, spw_diag_omp, OPENMP,    "", "all cores; each stored line is fetched first"),
    FUSED(diag_dot, DIAG_DOT, spw_diag_dot_ref, REFERENCE, "", "serial loop"),
    FUSED(diag_dot, DIAG_DOT, spw_diag_dot_omp, OPENMP,    "", "all cores, a line at a time, software prefetch"),
    FUSED(cg_step, CG_STEP, spw_cg_step_ref, REFERENCE, "", "serial loop"),
    FUSED(cg_step, CG_STEP, spw_cg_step_omp, OPENMP,    "", "all cores, a line at a time, software prefetch"),
    FUSED(bicgstab_direction, BICGSTAB_DIRECTION, spw_bicgstab_direction_ref, REFERENCE, "", "serial loop"),
    FUSED(bicgstab_direction, BICGSTAB_DIRECTION, spw_bicgstab_direction_omp, OPENMP,    "", "all cores, a line at a time, software prefetch"),
    FUSED(bicgstab_half, BICGSTAB_HALF, spw_bicgstab_half_ref, REFERENCE, "", "serial loop"),
    FUSED(bicgstab_half, BICGSTAB_HALF, spw_bicgstab_half_omp, OPENMP,    "", "all cores, a line at a time, software prefetch"),
    FUSED(bicgstab_step, BICGSTAB_STEP, spw_bicgstab_step_ref, REFERENCE, "", "serial loop"),
    FUSED(bicgstab_step, BICGSTAB_STEP, spw_bicgstab_step_omp, OPENMP,    "", "all cores, a line at a time, software prefetch"),
#define DGEMV(...) ROW(dgemv, DGEMV, DENSE, __VA_ARGS__)
    DGEMV(spw_dgemv_ref,             REFERENCE, "",         "serial, one sum a row"),
    DGEMV(spw_dgemv_omp,             OPENMP,    "",         "rows among the cores, one vector of sums a row"),
    DGEMV(spw_dgemv_omp_rows4,       OPENMP,    "rows4",    "four rows share each load of x; needs 4 rows a thread"),
#define DGEMM(...) ROW(dgemm, DGEMM, DENSE, __VA_ARGS__)
    DGEMM(spw_dgemm_ref,             REFERENCE, "",         "serial, one sum an entry of C"),
    DGEMM(spw_dgemm_omp,             OPENMP,    "",         "rows among the cores; loads and stores at every step"),
    DGEMM(spw_dgemm_omp_blocked,     OPENMP,    "blocked",  "blocks in registers, L1 and L2; needs blocks for all cores"),
#define GRAM(...) ROW(gram, GRAM, DENSE, __VA_ARGS__)
    GRAM(spw_gram_ref,               REFERENCE, "",         "serial, a pass through both blocks for every entry"),
    GRAM(spw_gram_omp,               OPENMP,    "",         "one pass; sums of a tile in registers, threads' sums added"),
#define GRAM_DD(...) ROW(gram_dd, GRAM_DD, DENSE, __VA_ARGS__)
    GRAM_DD(spw_gram_dd_ref,         REFERENCE, "",         "serial, every product and sum with its error"),
    GRAM_DD(spw_gram_dd_omp,         OPENMP,    "",         "one pass; the sums of a row of C side by side in a vector"),
#define COMBINE(...) ROW(combine, COMBINE, DENSE, __VA_ARGS__)
    COMBINE(spw_combine_ref,         REFERENCE, "",         "serial, one sum an element"),
    COMBINE(spw_combine_omp,         OPENMP,    "",         "one pass; sums of a tile in registers; large Y past caches"),
#define RESIDUAL(...) ROW(residual, RESIDUAL, DENSE, __VA_ARGS__)
    RESIDUAL(spw_residual_ref,       REFERENCE, "",         "serial, vector after vector"),
    RESIDUAL(spw_residual_omp,       OPENMP,    "",         "one pass, rows among the cores"),
#define SPMV_COO(...) ROW(spmv_coo, SPMV, COO, __VA_ARGS__)
    SPMV_COO(spw_spmv_coo_ref,       REFERENCE, "",         "serial, any order"),
    SPMV_COO(spw_spmv_coo_omp,       OPENMP,    "",         "entries among the cores; an atomic for each run of one row"),
#define SPMV_CSR(...) ROW(spmv_csr, SPMV, CSR, __VA_ARGS__)
    SPMV_CSR(spw_spmv_csr_ref,          REFERENCE, "",         "serial, one sum a row"),
    SPMV_CSR(spw_spmv_csr_omp,          OPENMP,    "",         "rows among the cores; uneven rows leave cores idle"),
    SPMV_CSR(spw_spmv_csr_omp_prefetch, OPENMP,    "prefetch", "eight sums a row, software prefetch; the same shares"),
    SPMV_CSR(spw_spmv_csr_omp_balanced, OPENMP,    "balanced", "equal shares of entries, long rows are shared"),
#define SPMV_ELL(...) ROW(spmv_ell, SPMV, ELL, __VA_ARGS__)
    SPMV_ELL(spw_spmv_ell_ref,          REFERENCE, "",         "serial, one sum a row"),
    SPMV_ELL(spw_spmv_ell_omp,          OPENMP,    "",         "a vector holds sums of several rows; all rows padded"),
#define SPMV_SELL(...) ROW(spmv_sell, SPMV, SELL, __VA_ARGS__)
    SPMV_SELL(spw_spmv_sell_ref,          REFERENCE, "",         "serial, one sum a row"),
    SPMV_SELL(spw_spmv_sell_omp,          OPENMP,    "",         "a vector holds sums of C rows; chunks among the cores"),
    SPMV_SELL(spw_spmv_sell_omp_pairs,    OPENMP,    "pairs",    "two chunks at a time are four streams; C = 8, 16, 32"),
#define SPMV_SELLP(...) ROW(spmv_sellp, SPMV, SELLP, __VA_ARGS__)
    SPMV_SELLP(spw_spmv_sellp_ref,      REFERENCE, "",         "serial, one sum a row"),
    SPMV_SELLP(spw_spmv_sellp_omp,      OPENMP,    "",         "a vector holds sums of b rows; padding to t is in vain"),
#define SPMV_SELLS(...) ROW(spmv_sells, SPMV, SELLS, __VA_ARGS__)
    SPMV_SELLS(spw_spmv_sells_ref,      REFERENCE, "",         "serial, one sum a row"),
    SPMV_SELLS(spw_spmv_sells_omp,      OPENMP,    "",         "pairs of chunks; next to no column indices in a mesh"),
#define SPMV_SBCSR(...) ROW(spmv_sbcsr, SPMV, SBCSR, __VA_ARGS__)
    SPMV_SBCSR(spw_spmv_sbcsr_ref,      REFERENCE, "",         "serial, each block for itself and its mirror image"),
    SPMV_SBCSR(spw_spmv_sbcsr_omp,      OPENMP,    "",         "half of the bytes, for blocks"),
#define SPMV_DOT_CSR(...) ROW(spmv_dot_csr, SPMV_DOT, CSR, __VA_ARGS__)
    SPMV_DOT_CSR(spw_spmv_dot_csr_ref,   REFERENCE, "",        "serial, one sum a row"),
    SPMV_DOT_CSR(spw_spmv_dot_csr_omp,   OPENMP,    "",        "saves the pass of a dot; rows among the cores"),
#define SPMV_DOT_SELL(...) ROW(spmv_dot_sell, SPMV_DOT, SELL, __VA_ARGS__)
    SPMV_DOT_SELL(spw_spmv_dot_sell_ref, REFERENCE, "",        "serial, one sum a row"),
    SPMV_DOT_SELL(spw_spmv_dot_sell_omp, OPENMP,    "",        "saves the pass of a dot; pairs of chunks"),
#define SPMM_CSR(...) ROW(spmm_csr, SPMM, CSR, __VA_ARGS__)
    SPMM_CSR(spw_spmm_csr_ref,           REFERENCE, "",          "serial, one vector after the other"),
    SPMM_CSR(spw_spmm_csr_omp,           OPENMP,    "",          "an entry for all vectors; sums are loaded and stored"),
    SPMM_CSR(spw_spmm_csr_omp_registers, OPENMP,    "registers", "sums in registers, A and X fetched ahead; more code"),
    SPMM_CSR(spw_spmm_csr_omp_stream,    OPENMP,    "stream",    "saves the fetch of Y's lines; Y ends up in no cache"),
#define SPMM_SELLP(...) ROW(spmm_sellp, SPMM, SELLP, __VA_ARGS__)
    SPMM_SELLP(spw_spmm_sellp_ref,           REFERENCE, "",          "serial, one vector after the other"),
    SPMM_SELLP(spw_spmm_sellp_omp,           OPENMP,    "",          "an entry for all vectors; padding is work"),
    SPMM_SELLP(spw_spmm_sellp_omp_registers, OPENMP,    "registers", "sums in registers, A and X fetched ahead; more code"),
    SPMM_SELLP(spw_spmm_sellp_omp_stream,    OPENMP,    "stream",    "saves the fetch of Y's lines; Y ends up in no cache"),
#define TRANSPOSE(...) ROW(transpose, TRANSPOSE, DENSE, __VA_ARGS__)
    TRANSPOSE(spw_transpose_ref,         REFERENCE, "",        "serial, row after row"),
    TRANSPOSE(spw_transpose_omp,         OPENMP,    "",        "all cores; one element of a line at a time"),
    TRANSPOSE(spw_transpose_omp_blocked, OPENMP,    "blocked", "whole lines of both arrays, past the caches; more code"),
#define TRSV_CSR(...) ROW(trsv_csr, TRSV, CSR, __VA_ARGS__)
    TRSV_CSR(spw_trsv_csr_ref,          REFERENCE, "",         "serial, one row after the other"),
    TRSV_CSR(spw_trsv_csr_omp,          OPENMP,    "",         "levels among the cores, a barrier behind each"),
    TRSV_CSR(spw_trsv_csr_omp_wait,     OPENMP,    "wait",     "waits only for what a thread's own rows need"),
#define TRSM_CSR(...) ROW(trsm_csr, TRSM, CSR, __VA_ARGS__)
    TRSM_CSR(spw_trsm_csr_ref,          REFERENCE, "",         "serial, one vector after the other"),
    TRSM_CSR(spw_trsm_csr_omp_wait,     OPENMP,    "wait",     "eight vectors for each entry read; waits as that does"),

    /* On the device, kernels/cuda.h. */
    ROW(copy_cuda,       COPY,  VECTOR, spw_copy_cuda,              CUDA, "",         "a thread an element, whole lines"),
    ROW(sum_cuda,        SUM,   VECTOR, spw_sum_cuda,               CUDA, "",         "shuffles in a warp, one atomic a block"),
    ROW(dot_cuda,        DOT,   VECTOR, spw_dot_cuda,               CUDA, "",         "shuffles in a warp, one atomic a block"),
    ROW(triad_cuda,      TRIAD, VECTOR, spw_triad_cuda,             CUDA, "",         "a thread an element, whole lines"),
    ROW(axpby_cuda,      AXPBY, VECTOR, spw_axpby_cuda,             CUDA, "",         "a thread an element, whole lines"),
    ROW(axpby_cuda_device, AXPBY, VECTOR, spw_axpby_cuda_device,    CUDA, "device",   "scalars in device memory: no round trip to the host"),
    ROW(diag_dot_cuda,   DIAG_DOT, VECTOR, spw_diag_dot_cuda,       CUDA, "",         "resident blocks; a partial sum each, no atomics"),
    ROW(cg_step_cuda,    CG_STEP, VECTOR, spw_cg_step_cuda,         CUDA, "",         "one pass, scalar from device memory, partial sums"),
    ROW(bicgstab_direction_cuda, BICGSTAB_DIRECTION, VECTOR, spw_bicgstab_direction_cuda, CUDA, "", "one pass, scalars from device memory"),
    ROW(bicgstab_half_cuda, BICGSTAB_HALF, VECTOR, spw_bicgstab_half_cuda, CUDA, "",   "one pass, scalar from device memory, partial sums"),
    ROW(bicgstab_step_cuda, BICGSTAB_STEP, VECTOR, spw_bicgstab_step_cuda, CUDA, "",   "one pass for x and r, partial sums of two dots"),
    ROW(spmv_coo_cuda,   SPMV,  COO,    spw_spmv_coo_cuda,          CUDA, "",         "a thread an entry, one atomic each"),
    ROW(spmv_coo_cuda,   SPMV,  COO,    spw_spmv_coo_cuda_runs,     CUDA, "runs",     "one atomic for a warp's entries of one row"),
    ROW(spmv_csr_cuda,   SPMV,  CSR,    spw_spmv_csr_cuda,          CUDA, "",         "a thread a row: lanes read a row apart"),
    ROW(spmv_csr_cuda,   SPMV,  CSR,    spw_spmv_csr_cuda_warp,     CUDA, "warp",     "2 to 32 lanes a row; uneven rows leave lanes idle"),
    ROW(spmv_ell_cuda,   SPMV,  ELL,    spw_spmv_ell_cuda,          CUDA, "",         "a thread a row, whole lines; all rows padded"),
    ROW(spmv_sell_cuda,  SPMV,  SELL,   spw_spmv_sell_cuda,         CUDA, "",         "a thread a row, whole lines; y is scattered"),
    ROW(spmv_sellp_cuda, SPMV,  SELLP,  spw_spmv_sellp_cuda,        CUDA, "",         "t threads a row, added in shared memory"),
    ROW(spmm_csr_cuda,   SPMM,  CSR,    spw_spmm_csr_cuda,          CUDA, "",         "lanes a row, third dimension over vectors"),
    ROW(spmm_sellp_cuda, SPMM,  SELLP,  spw_spmm_sellp_cuda,        CUDA, "",         "b x t threads, third dimension over vectors"),
    ROW(spmm_sellp_cuda, SPMM,  SELLP,  spw_spmm_sellp_cuda_vectors, CUDA, "vectors", "lanes are vectors: X and Y by whole lines"),
    ROW(gram_cuda,       GRAM,  DENSE,  spw_gram_cuda,              CUDA, "",         "a part of the rows a block, parts added in order"),
    ROW(combine_cuda,    COMBINE, DENSE, spw_combine_cuda,          CUDA, "",         "32 rows a block, their sums in registers"),
};
/* clang-format on */

enum { COUNT = sizeof variants / sizeof *variants };

int spw_variant_count(void)
{
    return COUNT;
}

const spw_variant *spw_variant_at(int i)
{
    assert(i >= 0 && i < COUNT);
    return &variants[i];
}

static const spw_variant *next(const spw_variant *after, spw_op op, spw_format format,
                               bool on_device)
{
    for (const spw_variant *v = after ? after + 1 : variants; v < variants + COUNT; v++)
        if ((op == SPW_OP_ANY || v->op == op) &&
            (format == SPW_FORMAT_ANY || v->format == format) &&
            (v->backend == SPW_CUDA) == on_device)
            return v;
    return NULL;
}

const spw_variant *spw_variant_next(const spw_variant *after, spw_op op, spw_format format)
{
    return next(after, op, format, false);
}

const spw_variant *spw_variant_next_cuda(const spw_variant *after, spw_op op, spw_format format)
{
    return next(after, op, format, true);
}

const spw_variant *spw_variant_find(const char *symbol)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(variants[i].symbol, symbol) == 0) return &variants[i];
    return NULL;
}

const char *spw_op_name(spw_op op)
{
    switch (op) {
    case SPW_OP_ANY: return "any";
    case SPW_OP_COPY: return "copy";
    case SPW_OP_SUM: return "sum";
    case SPW_OP_DOT: return "dot";
    case SPW_OP_TRIAD: return "triad";
    case SPW_OP_AXPBY: return "axpby";
    case SPW_OP_SCAL: return "scal";
    case SPW_OP_DIAG: return "diag";
    case SPW_OP_DIAG_DOT: return "diag_dot";
    case SPW_OP_CG_STEP: return "cg_step";
    case SPW_OP_BICGSTAB_DIRECTION: return "bicgstab_direction";
    case SPW_OP_BICGSTAB_HALF: return "bicgstab_half";
    case SPW_OP_BICGSTAB_STEP: return "bicgstab_step";
    case SPW_OP_DGEMV: return "dgemv";
    case SPW_OP_DGEMM: return "dgemm";
    case SPW_OP_GRAM: return "gram";
    case SPW_OP_GRAM_DD: return "gram_dd";
    case SPW_OP_COMBINE: return "combine";
    case SPW_OP_RESIDUAL: return "residual";
    case SPW_OP_TRSV: return "trsv";
    case SPW_OP_TRSM: return "trsm";
    case SPW_OP_SPMV: return "spmv";
    case SPW_OP_SPMV_DOT: return "spmv_dot";
    case SPW_OP_SPMM: return "spmm";
    case SPW_OP_TRANSPOSE: return "transpose";
    case SPW_OP_END: break;
    }
    return "unknown";
}

const char *spw_format_name(spw_format format)
{
    switch (format) {
    case SPW_FORMAT_ANY: return "any";
    case SPW_FORMAT_VECTOR: return "vector";
    case SPW_FORMAT_DENSE: return "dense";
    case SPW_FORMAT_COO: return "coo";
    case SPW_FORMAT_CSR: return "csr";
    case SPW_FORMAT_ELL: return "ell";
    case SPW_FORMAT_SELL: return "sell";
    case SPW_FORMAT_SELLP: return "sellp";
    case SPW_FORMAT_SELLS: return "sells";
    case SPW_FORMAT_SBCSR: return "sbcsr";
    }
    return "unknown";
}

const char *spw_backend_name(spw_backend backend)
{
    switch (backend) {
    case SPW_REFERENCE: return "ref";
    case SPW_OPENMP: return "omp";
    case SPW_CUDA: return "cuda";
    }
    return "unknown";
}
