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

/* Of a stretch in the middle: it has all of a regular grid, and tells most matrices that have too many. */
static offsets find_some(const spw_csr *A) {
    enum { STRETCH = 1024 };
    offsets some = {1, {0}};
    const int64_t begin = A->n_rows > STRETCH ? (A->n_rows - STRETCH) / 2 : 0;
    find_in(A, begin, begin + STRETCH < A->n_rows ? begin + STRETCH : A->n_rows, &some);
    return some;
}

static void find_all(const spw_csr *A, offsets *all) {
#pragma omp parallel
    {
        offsets mine = {1, {0}};
        find_in(A, spw_part_begin(A->n_rows, spw_thread(), spw_team_size()),
                spw_part_begin(A->n_rows, spw_thread() + 1, spw_team_size()), &mine);
#pragma omp critical(spw_sdia)
        {
            for (int k = 0; k < mine.n && k < SPW_SDIA_MOST; k++) insert(all, mine.offset[k]);
            if (mine.n > SPW_SDIA_MOST) all->n = SPW_SDIA_MOST + 1;
        }
    }
}

/* The upper half, and zeros. False: not all entries are on these diagonals. */
static bool fill(const spw_csr *A, const spw_sdia *S) {
    bool whole = true;
#pragma omp parallel for schedule(static) reduction(&& : whole)
    for (int64_t i = 0; i < A->n_rows; i++) {
        spw_idx e = spw_csr_first_from(A, (spw_idx)i, (spw_idx)i);
        for (int k = 0; k < S->n_diagonals; k++) {
            const bool there = e < A->row_ptr[i + 1] && A->col_idx[e] - i == S->offset[k];
            S->val[k * S->stride + i] = there ? A->val[e++] : 0;
        }
        whole = whole && e == A->row_ptr[i + 1];
    }
    return whole;
}

/* May A be on these diagonals? */
static spw_status check(const spw_csr *A, const offsets *o) {
    if (o->n > SPW_SDIA_MOST)
        return spw_error(SPW_ERR_ARG, "SDIA: there are more than %d diagonals",
                         2 * SPW_SDIA_MOST - 1);
    if ((int64_t)o->n * A->n_rows > A->nnz)
        return spw_error(SPW_ERR_ARG, "SDIA: %d diagonals would be as large as all entries",
                         2 * o->n - 1);
    return SPW_OK;
}

static spw_status convert(const spw_csr *A, const offsets *o, spw_sdia *S, bool *whole) {
    spw_sdia B = {.n_rows = A->n_rows,
                  .nnz = A->nnz,
                  .n_diagonals = o->n,
                  .stride = (int64_t)A->n_rows / 512 * 512 + 512 + 40};
    memcpy(B.offset, o->offset, sizeof B.offset);
    spw_status status = spw_memory_check("a matrix in SDIA", spw_sdia_bytes(&B));
    if (!status) status = SPW_ALLOC(&B.val, B.n_diagonals * B.stride);
    if (status) return status;
    *whole = fill(A, &B);
    *S = B;
    return SPW_OK;
}

spw_status spw_sdia_from_csr(const spw_csr *A, spw_sdia *S) {
    bool whole = false;
    *S = (spw_sdia){0};
    if (A->n_rows != A->n_cols)
        return spw_error(SPW_ERR_ARG, "SDIA: the matrix is %d x %d, must be symmetric", A->n_rows,
                         A->n_cols);
    offsets found = find_some(A);
    spw_status status = check(A, &found);
    if (!status && !spw_csr_mirrors_itself(A))
        status = spw_error(SPW_ERR_ARG, "SDIA: the matrix is not symmetric");
    if (!status) status = convert(A, &found, S, &whole);
    if (status || whole) return status;
    spw_sdia_destroy(S);
    find_all(A, &found);
    status = check(A, &found);
    return status ? status : convert(A, &found, S, &whole);
}

void spw_sdia_destroy(spw_sdia *S) {
    if (!S) return;
    spw_free(S->val);
    *S = (spw_sdia){0};
}

int64_t spw_sdia_bytes(const spw_sdia *S) { return 8 * (int64_t)S->n_diagonals * S->n_rows; }
