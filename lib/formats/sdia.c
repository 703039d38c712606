#include "formats/sdia.h"

#include "base/memory.h"
#include "base/threads.h"

#include <stdbool.h>
#include <string.h>

/* Offsets seen so far, ascending; too many: n is SPW_SDIA_MOST + 1. */
typedef struct offsets {
    int n;
    spw_idx offset[SPW_SDIA_MOST];
} offsets;

static void insert(offsets *o, spw_idx offset) {
    int at = 0;
    while (at < o->n && o->offset[at] < offset) at++;
    if (o->n > SPW_SDIA_MOST || (at < o->n && o->offset[at] == offset)) return;
    if (o->n++ == SPW_SDIA_MOST) return;
    memmove(o->offset + at + 1, o->offset + at, sizeof offset * (size_t)(o->n - 1 - at));
    o->offset[at] = offset;
}

/* Those of rows begin .. end-1. An entry's place in the list is mostly behind that of the entry before. */
static void find_in(const spw_csr *A, int64_t begin, int64_t end, offsets *o) {
    for (int64_t i = begin; i < end && o->n <= SPW_SDIA_MOST; i++) {
        int at = 0;
        spw_idx e = spw_csr_first_from(A, (spw_idx)i, (spw_idx)i);
        for (; e < A->row_ptr[i + 1] && o->n <= SPW_SDIA_MOST; e++) {
            const spw_idx offset = A->col_idx[e] - (spw_idx)i;
            while (at < o->n && o->offset[at] < offset) at++;
            if (at == o->n || o->offset[at] != offset) insert(o, offset);
        }
    }
}

/* A stretch in the middle tells most matrices that have too many. */
static offsets find(const spw_csr *A) {
    enum { STRETCH = 1024 };
    offsets all = {1, {0}};
    const int64_t middle = A->n_rows / 2;
    find_in(A, middle, middle + STRETCH < A->n_rows ? middle + STRETCH : A->n_rows, &all);
    if (all.n > SPW_SDIA_MOST) return all;
#pragma omp parallel
    {
        offsets mine = {1, {0}};
        find_in(A, spw_part_begin(A->n_rows, spw_thread(), spw_team_size()),
                spw_part_begin(A->n_rows, spw_thread() + 1, spw_team_size()), &mine);
#pragma omp critical(spw_sdia)
        {
            for (int k = 0; k < mine.n && k < SPW_SDIA_MOST; k++) insert(&all, mine.offset[k]);
            if (mine.n > SPW_SDIA_MOST) all.n = SPW_SDIA_MOST + 1;
        }
    }
    return all;
}

/* The upper half, and zeros. */
static void fill(const spw_csr *A, spw_sdia *S) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < A->n_rows; i++) {
        spw_idx e = spw_csr_first_from(A, (spw_idx)i, (spw_idx)i);
        for (int k = 0; k < S->n_diagonals; k++) {
            const bool there = e < A->row_ptr[i + 1] && A->col_idx[e] - i == S->offset[k];
            S->val[k * S->stride + i] = there ? A->val[e++] : 0;
        }
    }
}

spw_status spw_sdia_from_csr(const spw_csr *A, spw_sdia *S) {
    *S = (spw_sdia){0};
    if (A->n_rows != A->n_cols)
        return spw_error(SPW_ERR_ARG, "SDIA: the matrix is %d x %d, must be symmetric", A->n_rows,
                         A->n_cols);
    const offsets all = find(A);
    if (all.n > SPW_SDIA_MOST)
        return spw_error(SPW_ERR_ARG, "SDIA: there are more than %d diagonals",
                         2 * SPW_SDIA_MOST - 1);
    if ((int64_t)all.n * A->n_rows > A->nnz)
        return spw_error(SPW_ERR_ARG, "SDIA: %d diagonals would be as large as all entries",
                         2 * all.n - 1);
    if (!spw_csr_mirrors_itself(A))
        return spw_error(SPW_ERR_ARG, "SDIA: the matrix is not symmetric");
    spw_sdia B = {.n_rows = A->n_rows,
                  .nnz = A->nnz,
                  .n_diagonals = all.n,
                  .stride = (int64_t)A->n_rows / 512 * 512 + 512 + 40};
    memcpy(B.offset, all.offset, sizeof B.offset);
    spw_status status = spw_memory_check("a matrix in SDIA", spw_sdia_bytes(&B));
    if (!status) status = SPW_ALLOC(&B.val, B.n_diagonals * B.stride);
    if (status) return status;
    fill(A, &B);
    *S = B;
    return SPW_OK;
}

void spw_sdia_destroy(spw_sdia *S) {
    if (!S) return;
    spw_free(S->val);
    *S = (spw_sdia){0};
}

int64_t spw_sdia_bytes(const spw_sdia *S) { return 8 * (int64_t)S->n_diagonals * S->n_rows; }
