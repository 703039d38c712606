#include "kernels/placement.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/partition.h"

#include <string.h>

static void copy_entries(const spw_csr *A, spw_csr *B, int64_t begin, int64_t end)
{
    const size_t n = (size_t)(end - begin);
    memcpy(B->col_idx + begin, A->col_idx + begin, n * sizeof *A->col_idx);
    memcpy(B->val + begin, A->val + begin, n * sizeof *A->val);
}

static void copy_share(const spw_csr_shares *s, int part, spw_csr *B)
{
    const spw_csr *A = s->A;
    const spw_csr_cut from = spw_csr_share_begin(s, part), to = spw_csr_share_begin(s, part + 1);
    memcpy(B->row_ptr + from.row, A->row_ptr + from.row,
           (size_t)(to.row - from.row) * sizeof *A->row_ptr);
    int64_t begin = from.entry;
    for (int g = 0; g < s->n_giants; g++) {
        const spw_idx giant = s->giants[g];
        copy_entries(A, B, spw_csr_giant_begin(s, g, part), spw_csr_giant_begin(s, g, part + 1));
        if (giant < from.row || giant >= to.row) continue;
        copy_entries(A, B, begin, A->row_ptr[giant]);
        begin = A->row_ptr[giant + 1];
    }
    copy_entries(A, B, begin, to.entry);
}

spw_status spw_csr_place(const spw_csr *A, spw_csr *B)
{
    spw_csr_shares s;
    const spw_status status = spw_csr_create(A->n_rows, A->n_cols, A->nnz, B);
    if (status) return status;
    spw_csr_divide(A, spw_max_threads(), &s);
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < s.parts; part++) copy_share(&s, part, B);
    B->row_ptr[B->n_rows] = B->nnz;
    return SPW_OK;
}

spw_status spw_csr_place_rows(const spw_csr *A, double **y)
{
    spw_csr_shares s;
    const spw_status status = SPW_ALLOC(y, A->n_rows);
    if (status) return status;
    spw_csr_divide(A, spw_max_threads(), &s);
#pragma omp parallel for schedule(static, 1)
    for (int part = 0; part < s.parts; part++) {
        const spw_idx begin = spw_csr_share_begin(&s, part).row;
        const spw_idx end = spw_csr_share_begin(&s, part + 1).row;
        memset(*y + begin, 0, (size_t)(end - begin) * sizeof **y);
    }
    return SPW_OK;
}
