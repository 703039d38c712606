#include "formats/sbcsr.h"

#include "base/memory.h"
#include "base/threads.h"
#include "formats/running_sum.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* --- what A must be --------------------------------------------------------------------------------- */

/* Have all rows of block row I the same columns, in whole blocks? */
static bool is_whole(const spw_csr *A, spw_idx b, int64_t I) {
    const spw_idx *first = A->col_idx + A->row_ptr[b * I];
    const spw_idx length = A->row_ptr[b * I + 1] - A->row_ptr[b * I];
    if (length % b) return false;
    spw_idx unlike = 0;
    for (spw_idx k = 0; k < length; k += b) {
        unlike |= first[k] % b;
        for (spw_idx c = 1; c < b; c++) unlike |= first[k + c] - first[k] - c;
    }
    for (int64_t i = b * I + 1; i < b * (I + 1) && !unlike; i++)
        if (A->row_ptr[i + 1] - A->row_ptr[i] != length ||
            memcmp(A->col_idx + A->row_ptr[i], first, sizeof *first * (size_t)length) != 0)
            return false;
    return !unlike;
}

spw_idx spw_sbcsr_block(const spw_csr *A) {
    for (spw_idx b = SPW_SBCSR_BLOCK_MAX; b > 1; b--) {
        if (A->n_rows % b || A->n_rows == 0) continue;
        int whole = is_whole(A, b, 0); /* which tells most of them */
#pragma omp parallel for schedule(static) reduction(&& : whole) if (whole)
        for (int64_t I = 0; I < A->n_rows / b; I++) whole = whole && is_whole(A, b, I);
        if (whole) return b;
    }
    return 1;
}

/* Is the block of block row I that begins at entry k of its first row the transpose of the one across the
 * diagonal, to the last bit? */
static bool is_mirrored(const spw_csr *A, spw_idx b, int64_t I, int64_t k) {
    const int64_t J = A->col_idx[k] / b;
    const spw_idx there = spw_csr_entry(A, (spw_idx)(b * J), (spw_idx)(b * I));
    if (there < 0) return false;
    const int64_t from_begin = k - A->row_ptr[b * I], to_begin = there - A->row_ptr[b * J];
    for (spw_idx r = 0; r < b; r++)
        for (spw_idx c = 0; c < b; c++)
            if (memcmp(A->val + A->row_ptr[b * I + r] + from_begin + c,
                       A->val + A->row_ptr[b * J + c] + to_begin + r, sizeof *A->val) != 0)
                return false;
    return true;
}

/* The first row of a block that is not mirrored, n_rows if there is none. */
static int64_t first_unlike(const spw_csr *A, spw_idx b) {
    int64_t bad = A->n_rows;
#pragma omp parallel for schedule(dynamic, 256) reduction(min : bad)
    for (int64_t I = 0; I < A->n_rows / b; I++)
        for (int64_t k = A->row_ptr[b * I]; k < A->row_ptr[b * I + 1] && b * I < bad; k += b)
            if (!is_mirrored(A, b, I, k)) bad = b * I;
    return bad;
}

static spw_status check(const spw_csr *A, spw_idx b, int n_parts) {
    if (n_parts < 1)
        return spw_error(SPW_ERR_ARG, "SBCSR: n_parts is %d, must be at least 1", n_parts);
    if (A->n_rows != A->n_cols)
        return spw_error(SPW_ERR_ARG, "SBCSR: the matrix is %d x %d, must be symmetric", A->n_rows,
                         A->n_cols);
    if (b < 2) return spw_error(SPW_ERR_ARG, "SBCSR: the matrix does not consist of blocks");
    if (spw_csr_mirrors_itself(A)) return SPW_OK;
    const int64_t bad = first_unlike(A, b);
    return spw_error(SPW_ERR_ARG,
                     "SBCSR: rows and columns %" PRId64 " to %" PRId64
                     " differ, the matrix must be symmetric",
                     bad, bad + b - 1);
}

/* --- from CSR --------------------------------------------------------------------------------------- */

/* Equal numbers of entries and rows; a part may be empty. */
static void cut(const spw_csr *A, spw_sbcsr *S) {
    const int64_t all = (int64_t)A->nnz + A->n_rows;
    spw_idx I = 0;
    for (spw_idx p = 0; p < S->n_parts; p++) {
        const int64_t target = spw_part_begin(all, p, S->n_parts);
        while (I < S->n_block_rows && A->row_ptr[S->b * I] + (int64_t)S->b * I < target) I++;
        S->part_ptr[p] = I;
    }
    S->part_ptr[S->n_parts] = S->n_block_rows;
}

/* The blocks from entry `at` to `end` of the first row of block row I become blocks from `to` on. Fetched two block rows
 * ahead: half of the entries are left out, where a prefetcher of the hardware stops. */
static inline __attribute__((always_inline)) void copy_of(spw_idx b, const spw_csr *A,
                                                          const spw_sbcsr *S, int64_t I, spw_idx at,
                                                          spw_idx end, int64_t to) {
    const spw_idx *const row = A->row_ptr + b * I;
    const int64_t ahead = 2 * ((int64_t)row[b] - row[0]);
    double *block = S->val + to * b * b;
    for (; at < end; at += b, to++) {
        S->block_col[to] = A->col_idx[at] / b;
        __builtin_prefetch((const void *)((uintptr_t)(A->col_idx + at) + 4 * (uintptr_t)ahead));
        for (spw_idx r = 0; r < b; r++, block += b) {
            const double *const from = A->val + row[r] + (at - row[0]);
            __builtin_prefetch((const void *)((uintptr_t)from + 8 * (uintptr_t)ahead));
            for (spw_idx c = 0; c < b; c++) block[c] = from[c];
        }
    }
}

static void copy(const spw_csr *A, const spw_sbcsr *S, int64_t I, spw_idx at, spw_idx end,
                 int64_t to) {
    switch (S->b) { /* a constant of the compiler for the most common */
    case 2: copy_of(2, A, S, I, at, end, to); break;
    case 3: copy_of(3, A, S, I, at, end, to); break;
    case 4: copy_of(4, A, S, I, at, end, to); break;
    case 6: copy_of(6, A, S, I, at, end, to); break;
    default: copy_of(S->b, A, S, I, at, end, to);
    }
}

/* Of block row I of part p the blocks that are stored, those in front of the part and those from the diagonal on: returns
 * how many; writes them, from block `to` on, if S->block_col is there. */
static spw_idx keep(const spw_csr *A, const spw_sbcsr *S, spw_idx p, int64_t I, int64_t to) {
    const spw_idx row = (spw_idx)(S->b * I), begin = A->row_ptr[row], end = A->row_ptr[row + 1];
    const spw_idx own = spw_csr_first_from(A, row, S->b * S->part_ptr[p]);
    const spw_idx upper = spw_csr_first_from(A, row, row), others = (own - begin) / S->b;
    if (S->block_col) {
        copy(A, S, I, begin, own, to);
        copy(A, S, I, upper, end, to + others);
    }
    return others + (end - upper) / S->b;
}

/* All block rows: counts first, then, where there is room, blocks. */
static void keep_all(const spw_csr *A, const spw_sbcsr *S) {
    const bool write = S->block_col != NULL;
#pragma omp parallel for schedule(static, 1)
    for (spw_idx p = 0; p < S->n_parts; p++)
        for (int64_t I = S->part_ptr[p]; I < S->part_ptr[p + 1]; I++) {
            const spw_idx n = keep(A, S, p, I, write ? S->block_ptr[I] : 0);
            if (!write) S->block_ptr[I + 1] = n;
        }
}

spw_status spw_sbcsr_from_csr(const spw_csr *A, int n_parts, spw_sbcsr *S) {
    *S = (spw_sbcsr){0};
    const spw_idx b = spw_sbcsr_block(A);
    spw_status status = check(A, b, n_parts);
    if (status) return status;
    spw_sbcsr B = {.n_rows = A->n_rows,
                   .nnz = A->nnz,
                   .b = b,
                   .n_block_rows = A->n_rows / b,
                   .n_parts = n_parts};
    status = SPW_ALLOC(&B.part_ptr, (int64_t)n_parts + 1);
    if (!status) status = SPW_ALLOC(&B.block_ptr, (int64_t)B.n_block_rows + 1);
    if (status) goto done;
    cut(A, &B);
    B.block_ptr[0] = 0;
    keep_all(A, &B);
    spw_running_sum(B.block_ptr + 1, B.n_block_rows);
    B.n_blocks = B.block_ptr[B.n_block_rows];
    status = spw_memory_check("a matrix in SBCSR", spw_sbcsr_bytes(&B));
    if (!status) status = SPW_ALLOC(&B.val, (int64_t)B.n_blocks * b * b + SPW_SBCSR_SPARE);
    if (!status) status = SPW_ALLOC(&B.block_col, B.n_blocks);
    if (status) goto done;
    keep_all(A, &B);
    memset(B.val + (int64_t)B.n_blocks * b * b, 0, sizeof *B.val * SPW_SBCSR_SPARE);
    *S = B;
done:
    if (status) spw_sbcsr_destroy(&B);
    return status;
}

void spw_sbcsr_destroy(spw_sbcsr *S) {
    if (!S) return;
    spw_free(S->part_ptr);
    spw_free(S->block_ptr);
    spw_free(S->block_col);
    spw_free(S->val);
    *S = (spw_sbcsr){0};
}

int64_t spw_sbcsr_bytes(const spw_sbcsr *S) {
    return (8 * (int64_t)S->b * S->b + 4) * S->n_blocks + 4 * ((int64_t)S->n_block_rows + 1) +
           4 * ((int64_t)S->n_parts + 1);
}
