#include "kernels/kernels.h"

#include "kernels/blas1.h"
#include "kernels/block.h"
#include "kernels/costs.h"
#include "kernels/cuda.h"
#include "kernels/cuda_block.h"
#include "kernels/cuda_solver.h"
#include "kernels/dense.h"
#include "kernels/fused.h"
#include "kernels/incomplete.h"
#include "kernels/float.h"
#include "kernels/spmm.h"
#include "kernels/spmv.h"
#include "kernels/spmv_with_dots.h"
#include "kernels/symgs.h"
#include "kernels/trsv.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name is made from the symbol, so that the two cannot differ. */
#define ROW(function, cost, text)                                                                  \
    { NULL, #function, (spw_kernel_fn)(function), cost, text }
/* The head of an operation's rows, and the end of those before. */
#define OPERATION(name)                                                                            \
    { .operation = #name }

/* clang-format off */

const spw_kernel spw_kernel_rows[] = {
    OPERATION(copy),
    ROW(spw_copy_ref, SPW_COST_COPY, "serial loop"),
    ROW(spw_copy_omp, SPW_COST_COPY, "all cores; each stored line is fetched first"),
    ROW(spw_copy_omp_bypass, SPW_COST_COPY, "saves that fetch, 8 of 24 bytes; y ends up in no cache"),
    OPERATION(sum),
    ROW(spw_sum_ref, SPW_COST_SUM, "serial: each addition waits for the one before"),
    ROW(spw_sum_omp, SPW_COST_SUM, "all cores, one vector of sums each"),
    ROW(spw_sum_omp_prefetch, SPW_COST_SUM, "eight vectors of sums, software prefetch; more code"),
    OPERATION(dot),
    ROW(spw_dot_ref, SPW_COST_DOT, "serial: each addition waits for the one before"),
    ROW(spw_dot_omp, SPW_COST_DOT, "all cores, one vector of sums each"),
    ROW(spw_dot_omp_prefetch, SPW_COST_DOT, "eight vectors of sums, software prefetch; more code"),
    OPERATION(triad),
    ROW(spw_triad_ref, SPW_COST_TRIAD, "serial loop"),
    ROW(spw_triad_omp, SPW_COST_TRIAD, "all cores; each stored line is fetched first"),
    ROW(spw_triad_omp_bypass, SPW_COST_TRIAD, "saves that fetch, 8 of 32 bytes; a ends up in no cache"),
    OPERATION(axpby),
    ROW(spw_axpby_ref, SPW_COST_AXPBY, "serial loop"),
    ROW(spw_axpby_omp, SPW_COST_AXPBY, "all cores; y is read anyway, so there is no fetch to save"),
    OPERATION(scal),
    ROW(spw_scal_ref, SPW_COST_SCAL, "serial loop"),
    ROW(spw_scal_omp, SPW_COST_SCAL, "all cores, in place"),
    OPERATION(diag),
    ROW(spw_diag_ref, SPW_COST_DIAG, "serial loop"),
    ROW(spw_diag_omp, SPW_COST_DIAG, "all cores; each stored line is fetched first"),
    OPERATION(diag_dot),
    ROW(spw_diag_dot_ref, SPW_COST_DIAG_DOT, "serial loop"),
    ROW(spw_diag_dot_omp, SPW_COST_DIAG_DOT, "all cores, a line at a time, software prefetch"),
    OPERATION(cg_step),
    ROW(spw_cg_step_ref, SPW_COST_CG_STEP, "serial loop"),
    ROW(spw_cg_step_omp, SPW_COST_CG_STEP, "all cores, a line at a time, software prefetch"),
    OPERATION(bicgstab_direction),
    ROW(spw_bicgstab_direction_ref, SPW_COST_BICGSTAB_DIRECTION, "serial loop"),
    ROW(spw_bicgstab_direction_omp, SPW_COST_BICGSTAB_DIRECTION, "all cores, a line at a time, software prefetch"),
    OPERATION(bicgstab_half),
    ROW(spw_bicgstab_half_ref, SPW_COST_BICGSTAB_HALF, "serial loop"),
    ROW(spw_bicgstab_half_omp, SPW_COST_BICGSTAB_HALF, "all cores, a line at a time, software prefetch"),
    OPERATION(bicgstab_step),
    ROW(spw_bicgstab_step_ref, SPW_COST_BICGSTAB_STEP, "serial loop"),
    ROW(spw_bicgstab_step_omp, SPW_COST_BICGSTAB_STEP, "all cores, a line at a time, software prefetch"),
    OPERATION(dgemv),
    ROW(spw_dgemv_ref, SPW_COST_DGEMV, "serial, one sum a row"),
    ROW(spw_dgemv_omp, SPW_COST_DGEMV, "rows among the cores, one vector of sums a row"),
    ROW(spw_dgemv_omp_rows4, SPW_COST_DGEMV, "four rows share each load of x; needs 4 rows a thread"),
    OPERATION(dgemm),
    ROW(spw_dgemm_ref, SPW_COST_DGEMM, "serial, one sum an entry of C"),
    ROW(spw_dgemm_omp, SPW_COST_DGEMM, "rows among the cores; loads and stores at every step"),
    ROW(spw_dgemm_omp_blocked, SPW_COST_DGEMM, "blocks in registers, L1 and L2; needs blocks for all cores"),
    OPERATION(gram),
    ROW(spw_gram_ref, SPW_COST_GRAM, "serial, a pass through both blocks for every entry"),
    ROW(spw_gram_omp, SPW_COST_GRAM, "one pass; sums of a tile in registers, threads' sums added"),
    OPERATION(gram_dd),
    ROW(spw_gram_dd_ref, SPW_COST_GRAM_DD, "serial, every product and sum with its error"),
    ROW(spw_gram_dd_omp, SPW_COST_GRAM_DD, "one pass; the sums of a row of C side by side in a vector"),
    OPERATION(combine),
    ROW(spw_combine_ref, SPW_COST_COMBINE, "serial, one sum an element"),
    ROW(spw_combine_omp, SPW_COST_COMBINE, "one pass; sums of a tile in registers; large Y past caches"),
    OPERATION(residual),
    ROW(spw_residual_ref, SPW_COST_RESIDUAL, "serial, vector after vector"),
    ROW(spw_residual_omp, SPW_COST_RESIDUAL, "one pass, rows among the cores"),
    OPERATION(spmv_coo),
    ROW(spw_spmv_coo_ref, SPW_COST_SPMV_COO, "serial, any order"),
    ROW(spw_spmv_coo_omp, SPW_COST_SPMV_COO, "entries among the cores; an atomic for each run of one row"),
    OPERATION(spmv_csr),
    ROW(spw_spmv_csr_ref, SPW_COST_SPMV_CSR, "serial, one sum a row"),
    ROW(spw_spmv_csr_omp, SPW_COST_SPMV_CSR, "rows among the cores; uneven rows leave cores idle"),
    ROW(spw_spmv_csr_omp_balanced, SPW_COST_SPMV_CSR, "equal shares of entries, prefetch; long rows are shared"),
    OPERATION(spmv_ell),
    ROW(spw_spmv_ell_ref, SPW_COST_SPMV_ELL, "serial, one sum a row"),
    ROW(spw_spmv_ell_omp, SPW_COST_SPMV_ELL, "a vector holds sums of several rows; all rows padded"),
    OPERATION(spmv_sell),
    ROW(spw_spmv_sell_ref, SPW_COST_SPMV_SELL, "serial, one sum a row"),
    ROW(spw_spmv_sell_omp, SPW_COST_SPMV_SELL, "a vector holds sums of C rows; chunks among the cores"),
    ROW(spw_spmv_sell_omp_pairs, SPW_COST_SPMV_SELL, "two chunks at a time are four streams; C = 8, 16, 32"),
    OPERATION(spmv_sellp),
    ROW(spw_spmv_sellp_ref, SPW_COST_SPMV_SELLP, "serial, one sum a row"),
    ROW(spw_spmv_sellp_omp, SPW_COST_SPMV_SELLP, "a vector holds sums of b rows; padding to t is in vain"),
    OPERATION(spmv_sell_short),
    ROW(spw_spmv_sell_short_ref, SPW_COST_SPMV_MATRIX, "serial, one sum a row"),
    ROW(spw_spmv_sell_short_omp, SPW_COST_SPMV_MATRIX, "pairs of chunks; next to no column indices in a mesh"),
    OPERATION(spmv_sbcsr),
    ROW(spw_spmv_sbcsr_ref, SPW_COST_SPMV_MATRIX, "serial, each block for itself and its mirror image"),
    ROW(spw_spmv_sbcsr_omp, SPW_COST_SPMV_MATRIX, "half of the bytes, for blocks"),
    OPERATION(spmv_sdia),
    ROW(spw_spmv_sdia_ref, SPW_COST_SPMV_MATRIX, "serial, a row after the other"),
    ROW(spw_spmv_sdia_omp, SPW_COST_SPMV_MATRIX, "half of the bytes and no indices, for grids"),
    OPERATION(spmm_csr),
    ROW(spw_spmm_csr_ref, SPW_COST_SPMM_CSR, "serial, one vector after the other"),
    ROW(spw_spmm_csr_omp, SPW_COST_SPMM_CSR, "an entry for all vectors; sums are loaded and stored"),
    ROW(spw_spmm_csr_omp_registers, SPW_COST_SPMM_CSR, "sums in registers, A and X fetched ahead; more code"),
    ROW(spw_spmm_csr_omp_bypass, SPW_COST_SPMM_CSR, "saves the fetch of Y's lines; Y ends up in no cache"),
    OPERATION(spmm_sellp),
    ROW(spw_spmm_sellp_ref, SPW_COST_SPMM_SELLP, "serial, one vector after the other"),
    ROW(spw_spmm_sellp_omp, SPW_COST_SPMM_SELLP, "an entry for all vectors; padding is work"),
    ROW(spw_spmm_sellp_omp_registers, SPW_COST_SPMM_SELLP, "sums in registers, A and X fetched ahead; more code"),
    ROW(spw_spmm_sellp_omp_bypass, SPW_COST_SPMM_SELLP, "saves the fetch of Y's lines; Y ends up in no cache"),
    OPERATION(transpose),
    ROW(spw_transpose_ref, SPW_COST_TRANSPOSE, "serial, row after row"),
    ROW(spw_transpose_omp, SPW_COST_TRANSPOSE, "all cores; one element of a line at a time"),
    ROW(spw_transpose_omp_blocked, SPW_COST_TRANSPOSE, "whole lines of both arrays, past the caches; more code"),
    OPERATION(trsv_csr),
    ROW(spw_trsv_csr_ref, SPW_COST_TRSV, "serial, one row after the other"),
    ROW(spw_trsv_csr_omp, SPW_COST_TRSV, "levels among the cores, a barrier behind each"),
    ROW(spw_trsv_csr_omp_wait, SPW_COST_TRSV, "waits only for what a thread's own rows need"),
    OPERATION(trsm_csr),
    ROW(spw_trsm_csr_ref, SPW_COST_TRSM, "serial, one vector after the other"),
    ROW(spw_trsm_csr_omp_wait, SPW_COST_TRSM, "eight vectors for each entry read; waits as that does"),
    OPERATION(spmv_with_dots_csr),
    ROW(spw_spmv_with_dots_csr_ref, SPW_COST_SPMV_WITH_DOTS_CSR, "serial, one sum a row"),
    ROW(spw_spmv_with_dots_csr_omp, SPW_COST_SPMV_WITH_DOTS_CSR, "saves the pass of two dots"),
    OPERATION(spmv_with_dots_sell_short),
    ROW(spw_spmv_with_dots_sell_short_ref, SPW_COST_SPMV_WITH_DOTS_MATRIX, "serial, one sum a row"),
    ROW(spw_spmv_with_dots_sell_short_omp, SPW_COST_SPMV_WITH_DOTS_MATRIX,
        "saves the pass of two dots; pairs of slices"),
    OPERATION(spmv_with_dots_sbcsr),
    ROW(spw_spmv_with_dots_sbcsr_ref, SPW_COST_SPMV_WITH_DOTS_MATRIX, "serial, each block for itself and its mirror image"),
    ROW(spw_spmv_with_dots_sbcsr_omp, SPW_COST_SPMV_WITH_DOTS_MATRIX, "saves the pass of two dots"),
    OPERATION(spmv_with_dots_sdia),
    ROW(spw_spmv_with_dots_sdia_ref, SPW_COST_SPMV_WITH_DOTS_MATRIX, "serial, a row after the other"),
    ROW(spw_spmv_with_dots_sdia_omp, SPW_COST_SPMV_WITH_DOTS_MATRIX, "saves the pass of two dots"),
    OPERATION(gram_blocks),
    ROW(spw_gram_blocks_omp, SPW_COST_GRAM, "each block is read once, whatever its partners"),
    OPERATION(spmv_with_dot_float),
    ROW(spw_spmv_with_dot_float_ref, SPW_COST_SPMV_WITH_DOT_FLOAT, "serial, one sum a row"),
    ROW(spw_spmv_with_dot_float_omp, SPW_COST_SPMV_WITH_DOT_FLOAT, "values of half the bytes; rows among the cores"),
    OPERATION(spmv_with_dot_sell_short_float),
    ROW(spw_spmv_with_dot_sell_short_float_ref, SPW_COST_SPMV_WITH_DOT_FLOAT_MATRIX, "serial, one sum a row"),
    ROW(spw_spmv_with_dot_sell_short_float_omp, SPW_COST_SPMV_WITH_DOT_FLOAT_MATRIX,
        "half the bytes, next to no column indices in a mesh"),
    OPERATION(spmv_mixed),
    ROW(spw_spmv_mixed_ref, SPW_COST_SPMV_MIXED, "serial, one sum a row"),
    ROW(spw_spmv_mixed_omp, SPW_COST_SPMV_MIXED, "sums in double of values in float"),
    OPERATION(cg_step_float),
    ROW(spw_cg_step_float_ref, SPW_COST_CG_STEP_FLOAT, "serial loop"),
    ROW(spw_cg_step_float_omp, SPW_COST_CG_STEP_FLOAT, "half the bytes; sums of lines in float, then in double"),
    OPERATION(direction_float),
    ROW(spw_direction_float_ref, SPW_COST_DIRECTION_FLOAT, "serial loop"),
    ROW(spw_direction_float_omp, SPW_COST_DIRECTION_FLOAT, "all cores; half the bytes"),
    OPERATION(add_float),
    ROW(spw_add_float_omp, SPW_COST_ADD_FLOAT, "all cores; a correction in float goes into double"),
    OPERATION(round_float),
    ROW(spw_round_float_omp, SPW_COST_ROUND_FLOAT, "all cores; double to float"),
    OPERATION(ic0),
    ROW(spw_ic0_omp, SPW_COST_INCOMPLETE, "rows in the order of the solution, all cores"),
    OPERATION(ilu0),
    ROW(spw_ilu0_omp, SPW_COST_INCOMPLETE, "rows in the order of the solution, all cores"),
    OPERATION(spmv_coloured),
    ROW(spw_spmv_coloured_target, SPW_COST_SPMV_COLOURED, "OpenMP for host and device, a part of the rows each"),
    OPERATION(symgs_coloured),
    ROW(spw_symgs_coloured_target, SPW_COST_SYMGS_COLOURED, "colour after colour, each among host and device"),
    OPERATION(sum_cuda),
    ROW(spw_sum_cuda, SPW_COST_SUM, "shuffles in a warp, one atomic a block"),
    OPERATION(dot_cuda),
    ROW(spw_dot_cuda, SPW_COST_DOT, "shuffles in a warp, one atomic a block"),
    OPERATION(triad_cuda),
    ROW(spw_triad_cuda, SPW_COST_TRIAD, "a thread an element, whole lines"),
    OPERATION(axpby_cuda),
    ROW(spw_axpby_cuda, SPW_COST_AXPBY, "a thread an element, whole lines"),
    OPERATION(cg_step_cuda),
    ROW(spw_cg_step_cuda, SPW_COST_CG_STEP, "one pass, scalar from device memory, partial sums"),
    OPERATION(bicgstab_direction_cuda),
    ROW(spw_bicgstab_direction_cuda, SPW_COST_BICGSTAB_DIRECTION, "one pass, scalars from device memory"),
    OPERATION(bicgstab_half_cuda),
    ROW(spw_bicgstab_half_cuda, SPW_COST_BICGSTAB_HALF, "one pass, scalar from device memory, partial sums"),
    OPERATION(bicgstab_step_cuda),
    ROW(spw_bicgstab_step_cuda, SPW_COST_BICGSTAB_STEP, "one pass for x and r, partial sums of two dots"),
    OPERATION(spmv_coo_cuda),
    ROW(spw_spmv_coo_cuda, SPW_COST_SPMV_COO, "a thread an entry, one atomic each"),
    ROW(spw_spmv_coo_cuda_runs, SPW_COST_SPMV_COO, "one atomic for a warp's entries of one row"),
    OPERATION(spmv_csr_cuda),
    ROW(spw_spmv_csr_cuda, SPW_COST_SPMV_CSR, "a thread a row: lanes read a row apart"),
    ROW(spw_spmv_csr_cuda_warp, SPW_COST_SPMV_CSR, "2 to 32 lanes a row; uneven rows leave lanes idle"),
    OPERATION(spmv_ell_cuda),
    ROW(spw_spmv_ell_cuda, SPW_COST_SPMV_ELL, "a thread a row, whole lines; all rows padded"),
    OPERATION(spmv_sell_cuda),
    ROW(spw_spmv_sell_cuda, SPW_COST_SPMV_SELL, "a thread a row, whole lines; y is scattered"),
    OPERATION(spmv_sellp_cuda),
    ROW(spw_spmv_sellp_cuda, SPW_COST_SPMV_SELLP, "t threads a row, added in shared memory"),
    OPERATION(spmm_csr_cuda),
    ROW(spw_spmm_csr_cuda, SPW_COST_SPMM_CSR, "lanes a row, third dimension over vectors"),
    OPERATION(spmm_sellp_cuda),
    ROW(spw_spmm_sellp_cuda, SPW_COST_SPMM_SELLP, "b x t threads, third dimension over vectors"),
    ROW(spw_spmm_sellp_cuda_vectors, SPW_COST_SPMM_SELLP, "lanes are vectors: X and Y by whole lines"),
    OPERATION(gram_cuda),
    ROW(spw_gram_cuda, SPW_COST_GRAM, "a part of the rows a block, parts added in order"),
    OPERATION(combine_cuda),
    ROW(spw_combine_cuda, SPW_COST_COMBINE, "32 rows a block, their sums in registers"),
    OPERATION(spmv_with_dots_csr_cuda),
    ROW(spw_spmv_with_dots_csr_cuda, SPW_COST_SPMV_WITH_DOTS_CSR, "lanes a row, partial sums of two dots"),
    OPERATION(residual_block_cuda),
    ROW(spw_residual_block_cuda, SPW_COST_RESIDUAL, "one pass, parts of the rows added in order"),
    OPERATION(select_cuda),
    ROW(spw_select_cuda, SPW_COST_SELECT, "a thread an element; columns in another order"),
    {0}};
/* clang-format on */

const spw_kernel *spw_kernels(const char *operation) {
    for (const spw_kernel *k = spw_kernel_rows; k->symbol || k->operation; k++)
        if (k->operation && strcmp(k->operation, operation) == 0) return k + 1;
    fprintf(stderr, "there is no operation %s\n", operation);
    abort();
}

const spw_kernel *spw_kernel_find(const char *symbol) {
    for (const spw_kernel *k = spw_kernel_rows; k->symbol || k->operation; k++)
        if (k->symbol && strcmp(k->symbol, symbol) == 0) return k;
    return NULL;
}

bool spw_kernel_is_reference(const spw_kernel *k) {
    const size_t length = strlen(k->symbol);
    return length > 4 && strcmp(k->symbol + length - 4, "_ref") == 0;
}
