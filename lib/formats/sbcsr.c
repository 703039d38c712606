#include "formats/sbcsr.h"

#include "base/memory.h"
#include "base/threads.h"
#include "formats/running_sum.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* --- what A must be --------------------------------------------------------------------------------- */

/* The first entry without an equal one across the diagonal; nnz if there is none. */
static int64_t first_unlike(const spw_csr *A)
{
    int64_t first = A->nnz;
#pragma omp parallel for schedule(dynamic, 256) reduction(min : first)
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            const spw_idx other = A->col_idx[k] == i ? k : spw_csr_entry(A, A->col_idx[k], i);
            if ((other < 0 || memcmp(&A->val[k], &A->val[other], sizeof *A->val) != 0) && k < first)
                first = k;
        }
    return first;
}

static spw_status check_symmetry(const spw_csr *A)
{
    if (A->n_rows != A->n_cols)
        return spw_error(SPW_ERR_ARG, "SBCSR: the matrix is %d x %d, must be symmetric", A->n_rows,
                         A->n_cols);
    const int64_t k = first_unlike(A);
    if (k == A->nnz) return SPW_OK;
    spw_idx i = 0;
    while (A->row_ptr[i + 1] <= k) i++;
    const spw_idx j = A->col_idx[k];
    const spw_idx other = spw_csr_entry(A, j, i);
    if (other < 0)
        return spw_error(SPW_ERR_ARG,
                         "SBCSR: the matrix has an entry (%d, %d) but none at (%d, %d), must be "
                         "symmetric",
                         i, j, j, i);
    return spw_error(SPW_ERR_ARG,
                     "SBCSR: the entry (%d, %d) is %.17g and (%d, %d) is %.17g, must be symmetric",
                     i, j, A->val[k], j, i, A->val[other]);
}

/* Have all rows of block row I the same columns, in whole blocks? */
static bool is_whole(const spw_csr *A, spw_idx b, int64_t I)
{
    const spw_idx *first = A->col_idx + A->row_ptr[b * I];
    const spw_idx length = A->row_ptr[b * I + 1] - A->row_ptr[b * I];
    if (length % b) return false;
    for (spw_idx k = 0; k < length; k++)
        if (first[k] != first[k - k % b] + k % b || first[k] % b != k % b) return false;
    for (int64_t i = b * I + 1; i < b * (I + 1); i++)
        if (A->row_ptr[i + 1] - A->row_ptr[i] != length ||
            memcmp(A->col_idx + A->row_ptr[i], first, sizeof *first * (size_t)length) != 0)
            return false;
    return true;
}

static spw_idx find_block(const spw_csr *A)
{
    for (spw_idx b = SPW_SBCSR_BLOCK_MAX; b > 1; b--) {
        int64_t I = A->n_rows % b || A->n_rows == 0 ? -1 : 0;
        while (I >= 0 && I < A->n_rows / b) I = is_whole(A, b, I) ? I + 1 : -1;
        if (I >= 0) return b;
    }
    return 1;
}

/* --- from CSR --------------------------------------------------------------------------------------- */

/* Equal numbers of entries and rows; a part may be empty. */
static void cut(const spw_csr *A, spw_sbcsr *S)
{
    const int64_t all = (int64_t)A->nnz + A->n_rows;
    spw_idx I = 0;
    for (spw_idx p = 0; p < S->n_parts; p++) {
        const int64_t goal = spw_part_begin(all, p, S->n_parts);
        while (I < S->n_block_rows && A->row_ptr[S->b * I] + (int64_t)S->b * I < goal) I++;
        S->part_ptr[p] = I;
    }
    S->part_ptr[S->n_parts] = S->n_block_rows;
}

/* Walks block row I of part p. Counts its blocks; writes them, from block `to` on, if S->block_col is there. */
static int64_t walk(const spw_csr *A, const spw_sbcsr *S, spw_idx p, int64_t I, int64_t to)
{
    const int b = S->b;
    const int64_t begin = to;
    int64_t at[SPW_SBCSR_BLOCK_MAX];
    for (int r = 0; r < b; r++) at[r] = A->row_ptr[I * b + r];
    for (;;) {
        spw_idx J = SPW_IDX_MAX;
        for (int r = 0; r < b; r++)
            if (at[r] < A->row_ptr[I * b + r + 1] && A->col_idx[at[r]] / b < J)
                J = A->col_idx[at[r]] / b;
        if (J == SPW_IDX_MAX) return to - begin;
        const bool keep = J >= I || J < S->part_ptr[p], write = keep && S->block_col;
        double *block = write ? S->val + to * b * b : NULL;
        if (write) memset(block, 0, sizeof *block * (size_t)(b * b));
        if (write) S->block_col[to] = J;
        for (int r = 0; r < b; r++)
            for (; at[r] < A->row_ptr[I * b + r + 1] && A->col_idx[at[r]] / b == J; at[r]++)
                if (write) block[r * b + A->col_idx[at[r]] % b] = A->val[at[r]];
        to += keep;
    }
}

/* All block rows: counts first, then, where there is room, blocks. */
static void walk_all(const spw_csr *A, const spw_sbcsr *S)
{
    const bool write = S->block_col != NULL;
#pragma omp parallel for schedule(static, 1)
    for (spw_idx p = 0; p < S->n_parts; p++)
        for (int64_t I = S->part_ptr[p]; I < S->part_ptr[p + 1]; I++) {
            const int64_t n = walk(A, S, p, I, write ? S->block_ptr[I] : 0);
            if (!write) S->block_ptr[I + 1] = (spw_idx)n;
        }
}

static spw_status check_arguments(const spw_csr *A, spw_idx b, int n_parts)
{
    if (b < 0 || b > SPW_SBCSR_BLOCK_MAX || (b > 0 && A->n_rows % b))
        return spw_error(SPW_ERR_ARG,
                         "SBCSR: b is %d, must be 1 to %d and divide the number of rows, %d; or 0",
                         b, SPW_SBCSR_BLOCK_MAX, A->n_rows);
    if (n_parts < 1)
        return spw_error(SPW_ERR_ARG, "SBCSR: n_parts is %d, must be at least 1", n_parts);
    return check_symmetry(A);
}

spw_status spw_sbcsr_from_csr(const spw_csr *A, spw_idx b, int n_parts, spw_sbcsr *S)
{
    *S = (spw_sbcsr){0};
    spw_status status = check_arguments(A, b, n_parts);
    if (status) return status;
    if (b == 0) b = find_block(A);
    spw_sbcsr B = {.n_rows = A->n_rows,
                   .nnz = A->nnz,
                   .b = b,
                   .n_block_rows = A->n_rows / b,
                   .n_parts = n_parts};
    int64_t elements;
    status = SPW_ALLOC(&B.part_ptr, (int64_t)n_parts + 1);
    if (!status) status = SPW_ALLOC(&B.block_ptr, (int64_t)B.n_block_rows + 1);
    if (status) goto done;
    cut(A, &B);
    B.block_ptr[0] = 0;
    walk_all(A, &B); /* there are at most nnz blocks */
    spw_running_sum(B.block_ptr + 1, B.n_block_rows);
    B.n_blocks = B.block_ptr[B.n_block_rows];
    elements = (int64_t)B.n_blocks * b * b;
    if (elements > SPW_IDX_MAX) {
        status = spw_error(SPW_ERR_RANGE,
                           "SBCSR: %d entries would be %" PRId64 " elements of blocks of %d x %d; "
                           "at most %d fit",
                           A->nnz, elements, b, b, SPW_IDX_MAX);
        goto done;
    }
    status = spw_memory_check("a matrix in SBCSR", spw_sbcsr_bytes(&B));
    if (!status) status = SPW_ALLOC(&B.block_col, B.n_blocks);
    if (!status) status = SPW_ALLOC(&B.val, elements + SPW_SBCSR_SPARE);
    if (status) goto done;
    walk_all(A, &B);
    memset(B.val + elements, 0, sizeof *B.val * SPW_SBCSR_SPARE);
    *S = B;
done:
    if (status) spw_sbcsr_destroy(&B);
    return status;
}

/* --- back ------------------------------------------------------------------------------------------- */

/* Is the mirror image of block (I, J) of part p not stored? */
static bool is_mirrored(const spw_sbcsr *S, spw_idx p, int64_t I, spw_idx J)
{
    return J > I && J < S->part_ptr[p + 1];
}

/* Adds element (i, j), at place at[i], which moves on; without A it is only counted. */
static void put(spw_csr *A, spw_idx *at, int64_t i, int64_t j, double value)
{
    if (value == 0) return;
    if (A) {
        A->col_idx[at[i]] = (spw_idx)j;
        A->val[at[i]] = value;
    }
    at[i]++;
}

/* Elements of a row by ascending columns: mirrored blocks in front of the diagonal come while the rows above
 * are walked, behind those couplings that stand to the left of the part. These go first, in a pass of their
 * own. */
static void put_all(const spw_sbcsr *S, spw_csr *A, spw_idx *at)
{
    const int b = S->b;
    for (spw_idx p = 0; p < S->n_parts; p++)
        for (int pass = 0; pass < 2; pass++)
            for (int64_t I = S->part_ptr[p]; I < S->part_ptr[p + 1]; I++)
                for (int64_t k = S->block_ptr[I]; k < S->block_ptr[I + 1]; k++) {
                    const spw_idx J = S->block_col[k];
                    const double *block = S->val + k * b * b;
                    if ((J < S->part_ptr[p]) != (pass == 0)) continue;
                    for (int e = 0; e < b * b; e++)
                        put(A, at, I * b + e / b, (int64_t)J * b + e % b, block[e]);
                    for (int e = 0; e < b * b && is_mirrored(S, p, I, J); e++)
                        put(A, at, (int64_t)J * b + e / b, I * b + e % b, block[e % b * b + e / b]);
                }
}

spw_status spw_csr_from_sbcsr(const spw_sbcsr *S, spw_csr *A)
{
    spw_csr C = {0};
    spw_idx *at = NULL;
    int64_t nnz = 0;
    *A = (spw_csr){0};
    spw_status status = SPW_ALLOC_ZERO(&at, S->n_rows);
    if (status) return status;
    put_all(S, NULL, at);
    for (spw_idx i = 0; i < S->n_rows; i++) nnz += at[i];
    status = spw_csr_create(S->n_rows, S->n_rows, nnz, &C);
    if (status) goto done;
    C.row_ptr[0] = 0;
    for (spw_idx i = 0; i < S->n_rows; i++) {
        C.row_ptr[i + 1] = C.row_ptr[i] + at[i];
        at[i] = C.row_ptr[i];
    }
    put_all(S, &C, at);
    *A = C;
done:
    spw_free(at);
    return status;
}

/* --- validation ------------------------------------------------------------------------------------- */

static spw_status validate_sizes(const spw_sbcsr *S)
{
    if (S->n_rows < 0 || S->nnz < 0 || S->b < 1 || S->b > SPW_SBCSR_BLOCK_MAX || S->n_parts < 1 ||
        S->n_blocks < 0 || S->n_rows % S->b || S->n_block_rows != S->n_rows / S->b)
        return spw_error(SPW_ERR_ARG,
                         "SBCSR: n_rows %d, nnz %d, b %d, n_block_rows %d, n_blocks %d, n_parts %d "
                         "do not fit together",
                         S->n_rows, S->nnz, S->b, S->n_block_rows, S->n_blocks, S->n_parts);
    if (!S->part_ptr || !S->block_ptr || !S->val || (S->n_blocks > 0 && !S->block_col))
        return spw_error(SPW_ERR_ARG, "SBCSR: an array is NULL");
    if (S->part_ptr[0] != 0 || S->part_ptr[S->n_parts] != S->n_block_rows || S->block_ptr[0] != 0 ||
        S->block_ptr[S->n_block_rows] != S->n_blocks)
        return spw_error(SPW_ERR_ARG,
                         "SBCSR: parts are %d to %d of %d block rows, blocks %d to %d of %d",
                         S->part_ptr[0], S->part_ptr[S->n_parts], S->n_block_rows, S->block_ptr[0],
                         S->block_ptr[S->n_block_rows], S->n_blocks);
    for (spw_idx p = 0; p < S->n_parts; p++)
        if (S->part_ptr[p + 1] < S->part_ptr[p] || S->part_ptr[p + 1] > S->n_block_rows)
            return spw_error(SPW_ERR_ARG, "SBCSR: part %d has the block rows %d to %d of %d", p,
                             S->part_ptr[p], S->part_ptr[p + 1], S->n_block_rows);
    const double *spare = S->val + (int64_t)S->n_blocks * S->b * S->b;
    for (int k = 0; k < SPW_SBCSR_SPARE; k++)
        if (!(spare[k] == 0))
            return spw_error(SPW_ERR_ARG, "SBCSR: spare double %d is %g, must be 0", k, spare[k]);
    return SPW_OK;
}

static spw_status validate_row(const spw_sbcsr *S, spw_idx p, spw_idx I)
{
    const spw_idx begin = S->block_ptr[I], end = S->block_ptr[I + 1];
    if (end < begin || end > S->n_blocks)
        return spw_error(SPW_ERR_ARG, "SBCSR: block row %d has the blocks %d to %d of %d", I, begin,
                         end, S->n_blocks);
    for (spw_idx k = begin; k < end; k++) {
        const spw_idx J = S->block_col[k];
        if (J < 0 || J >= S->n_block_rows || (k > begin && J <= S->block_col[k - 1]) ||
            (J < I && J >= S->part_ptr[p]))
            return spw_error(SPW_ERR_ARG,
                             "SBCSR: block %d of block row %d has the column %d: must ascend, be "
                             "below %d, and not be one of %d to %d, which the part's rows mirror",
                             k, I, J, S->n_block_rows, S->part_ptr[p], I - 1);
    }
    return SPW_OK;
}

spw_status spw_sbcsr_validate(const spw_sbcsr *S)
{
    spw_status status = validate_sizes(S);
    for (spw_idx p = 0; p < S->n_parts && !status; p++)
        for (spw_idx I = S->part_ptr[p]; I < S->part_ptr[p + 1] && !status; I++)
            status = validate_row(S, p, I);
    return status;
}

void spw_sbcsr_destroy(spw_sbcsr *S)
{
    if (!S) return;
    spw_free(S->part_ptr);
    spw_free(S->block_ptr);
    spw_free(S->block_col);
    spw_free(S->val);
    *S = (spw_sbcsr){0};
}

int64_t spw_sbcsr_bytes(const spw_sbcsr *S)
{
    return (8 * (int64_t)S->b * S->b + 4) * S->n_blocks + 4 * ((int64_t)S->n_block_rows + 1) +
           4 * ((int64_t)S->n_parts + 1);
}
