#include "formats/csr.h"

#include "base/memory.h"
#include "base/threads.h"
#include "formats/sizes.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

spw_status spw_csr_create(int64_t n_rows, int64_t n_cols, int64_t nnz, spw_csr *A) {
    *A = (spw_csr){0};
    spw_status status = spw_check_sizes(n_rows, n_cols, nnz);
    if (status) return status;

    spw_csr B = {.n_rows = (spw_idx)n_rows, .n_cols = (spw_idx)n_cols, .nnz = (spw_idx)nnz};
    /* The three arrays together: each of them might fit alone. */
    status = spw_memory_check("a CSR matrix", spw_csr_bytes(&B));
    if (!status) status = SPW_ALLOC(&B.row_ptr, n_rows + 1);
    if (!status) status = SPW_ALLOC(&B.col_idx, nnz);
    if (!status) status = SPW_ALLOC(&B.val, nnz);
    if (status)
        spw_csr_destroy(&B);
    else
        *A = B;
    return status;
}

/* The first row whose end is before its start or behind the last entry; n_rows if there is none. */
static int64_t first_bad_row_ptr(const spw_csr *A) {
    int64_t first = A->n_rows;
#pragma omp parallel for schedule(static) reduction(min : first)
    for (int64_t i = 0; i < A->n_rows; i++) {
        const spw_idx begin = A->row_ptr[i], end = A->row_ptr[i + 1];
        if ((end < begin || end > A->nnz) && i < first) first = i;
    }
    return first;
}

/* The first entry whose column is outside the matrix or not above the one before it in its row; nnz
 * if there is none. row_ptr must be right. */
static int64_t first_bad_column(const spw_csr *A) {
    int64_t first = A->nnz;
#pragma omp parallel for schedule(dynamic, 4096) reduction(min : first)
    for (int64_t i = 0; i < A->n_rows; i++) {
        spw_idx previous = -1;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            if ((A->col_idx[k] <= previous || A->col_idx[k] >= A->n_cols) && k < first) first = k;
            previous = A->col_idx[k];
        }
    }
    return first;
}

/* The row that entry k belongs to: the last one that starts at or before k and is not empty. */
static spw_idx row_of_entry(const spw_csr *A, int64_t k) {
    int64_t low = 0, high = A->n_rows; /* row_ptr[low] <= k < row_ptr[high] */
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (A->row_ptr[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return (spw_idx)low;
}

spw_status spw_csr_validate(const spw_csr *A) {
    if (A->n_rows < 0 || A->n_cols < 0 || A->nnz < 0)
        return spw_error(SPW_ERR_ARG, "CSR: n_rows is %d, n_cols %d, nnz %d: none may be negative",
                         A->n_rows, A->n_cols, A->nnz);
    if (!A->row_ptr || (A->nnz > 0 && (!A->col_idx || !A->val)))
        return spw_error(SPW_ERR_ARG, "CSR: n_rows is %d and nnz %d, but an array is NULL",
                         A->n_rows, A->nnz);
    if (A->row_ptr[0] != 0)
        return spw_error(SPW_ERR_ARG, "CSR: row_ptr[0] is %d, must be 0", A->row_ptr[0]);

    const int64_t row = first_bad_row_ptr(A);
    if (row < A->n_rows)
        return spw_error(SPW_ERR_ARG,
                         "CSR: row %" PRId64
                         " has the entries %d .. %d-1 of %d: row_ptr must ascend",
                         row, A->row_ptr[row], A->row_ptr[row + 1], A->nnz);
    if (A->row_ptr[A->n_rows] != A->nnz)
        return spw_error(SPW_ERR_ARG, "CSR: row_ptr[n_rows] is %d, must be nnz = %d",
                         A->row_ptr[A->n_rows], A->nnz);

    const int64_t k = first_bad_column(A);
    if (k == A->nnz) return SPW_OK;
    const spw_idx i = row_of_entry(A, k);
    if (A->col_idx[k] < 0 || A->col_idx[k] >= A->n_cols)
        return spw_error(SPW_ERR_ARG, "CSR: entry %" PRId64 ", row %d, is in column %d of %d", k, i,
                         A->col_idx[k], A->n_cols);
    return spw_error(SPW_ERR_ARG,
                     "CSR: entry %" PRId64
                     ", row %d, is in column %d after column %d: columns must ascend",
                     k, i, A->col_idx[k], A->col_idx[k - 1]);
}

void spw_csr_destroy(spw_csr *A) {
    if (!A) return;
    spw_free(A->row_ptr);
    spw_free(A->col_idx);
    spw_free(A->val);
    *A = (spw_csr){0};
}

int64_t spw_csr_bytes(const spw_csr *A) {
    return (int64_t)A->nnz * (int64_t)(sizeof(spw_idx) + sizeof(double)) +
           ((int64_t)A->n_rows + 1) * (int64_t)sizeof(spw_idx);
}

/* row_idx[k] = the row of entry k. Cut by entries, not by rows, so that one dense row is shared. */
static void expand_rows(const spw_csr *A, spw_idx *row_idx) {
    const int parts = spw_max_threads();
#pragma omp parallel for schedule(static)
    for (int part = 0; part < parts; part++) {
        int64_t k = spw_part_begin(A->nnz, part, parts);
        const int64_t end = spw_part_begin(A->nnz, part + 1, parts);
        if (k == end) continue;
        for (spw_idx i = row_of_entry(A, k); k < end; i++)
            for (; k < end && k < A->row_ptr[i + 1]; k++) row_idx[k] = i;
    }
}

spw_status spw_coo_from_csr(const spw_csr *A, spw_coo *C) {
    *C = (spw_coo){0};
    spw_status status = spw_csr_validate(A);
    if (!status) status = spw_coo_create(A->n_rows, A->n_cols, A->nnz, C);
    if (status) return status;

    expand_rows(A, C->row_idx);
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < A->nnz; k++) {
        C->col_idx[k] = A->col_idx[k];
        C->val[k] = A->val[k];
    }
    return SPW_OK;
}

spw_status spw_csr_transpose(const spw_csr *A, spw_csr *T) {
    *T = (spw_csr){0};
    spw_status status = spw_csr_validate(A);
    if (status) return status;

    /* The transpose in COO is A with its two index arrays exchanged; it borrows what A has. */
    spw_idx *row_idx = NULL;
    status = SPW_ALLOC(&row_idx, A->nnz);
    if (status) return status;
    expand_rows(A, row_idx);
    const spw_coo C = {A->n_cols, A->n_rows, A->nnz, A->col_idx, row_idx, A->val};
    status = spw_csr_from_coo(&C, T);
    spw_free(row_idx);
    return status;
}

/* Of an entry at (low, high) or across: an odd number times what is mixed is one to one, and shifts bring the upper bits
 * down. */
static inline uint64_t mix(uint64_t low, uint64_t high, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = (bits ^ (low << 32 | high)) * UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ bits >> 32 ^ low * UINT64_C(0xc2b2ae3d27d4eb4f)) * UINT64_C(0xff51afd7ed558ccd);
    return bits ^ bits >> 29;
}

/* Has each entry of a few rows its like across the diagonal? That tells most matrices that are not symmetric. */
static bool some_mirror_themselves(const spw_csr *A) {
    enum { SOME = 16, ENTRIES = 32 };
    for (int64_t r = 0; r < SOME && r < A->n_rows; r++) {
        const spw_idx i = (spw_idx)(A->n_rows * (2 * r + 1) / (2 * SOME));
        for (spw_idx e = A->row_ptr[i]; e < A->row_ptr[i + 1] && e < A->row_ptr[i] + ENTRIES; e++) {
            const spw_idx across = spw_csr_entry(A, A->col_idx[e], i);
            if (across < 0 || memcmp(&A->val[across], &A->val[e], sizeof *A->val)) return false;
        }
    }
    return true;
}

int spw_csr_mirrors_itself(const spw_csr *A) {
    uint64_t balance = 0;
    if (!some_mirror_themselves(A)) return false;
#pragma omp parallel for schedule(static) reduction(+ : balance)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx middle = spw_csr_first_from(A, i, i);
        for (spw_idx e = A->row_ptr[i]; e < middle; e++)
            balance -= mix((uint64_t)A->col_idx[e], (uint64_t)i, A->val[e]);
        for (spw_idx e = middle; e < A->row_ptr[i + 1]; e++)
            if (A->col_idx[e] != i) balance += mix((uint64_t)i, (uint64_t)A->col_idx[e], A->val[e]);
    }
    return balance == 0;
}
