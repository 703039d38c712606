#include "kernels/placement.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/partition.h"

#include <string.h>

/* The two ends of the calling thread's share. */
typedef struct share {
    spw_csr_cut from, to;
} share;

static share my_share(const spw_csr *A)
{
    return (share){spw_csr_cut_at(A, spw_thread(), spw_team_size()),
                   spw_csr_cut_at(A, spw_thread() + 1, spw_team_size())};
}

spw_status spw_csr_place(const spw_csr *A, spw_csr *B)
{
    const spw_status status = spw_csr_create(A->n_rows, A->n_cols, A->nnz, B);
    if (status) return status;
#pragma omp parallel
    {
        const share s = my_share(A);
        const size_t rows = (size_t)(s.to.row - s.from.row);
        const size_t entries = (size_t)(s.to.entry - s.from.entry);
        memcpy(B->row_ptr + s.from.row, A->row_ptr + s.from.row, rows * sizeof *A->row_ptr);
        memcpy(B->col_idx + s.from.entry, A->col_idx + s.from.entry, entries * sizeof *A->col_idx);
        memcpy(B->val + s.from.entry, A->val + s.from.entry, entries * sizeof *A->val);
    }
    B->row_ptr[B->n_rows] = B->nnz;
    return SPW_OK;
}

spw_status spw_csr_place_rows(const spw_csr *A, double **y)
{
    const spw_status status = SPW_ALLOC(y, A->n_rows);
    if (status) return status;
#pragma omp parallel
    {
        const share s = my_share(A);
        memset(*y + s.from.row, 0, (size_t)(s.to.row - s.from.row) * sizeof **y);
    }
    return SPW_OK;
}
