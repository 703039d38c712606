#include "kernels/partition.h"

#include <assert.h>

static int64_t work_before(const spw_csr *A, int64_t row)
{
    return A->row_ptr[row] + row;
}

spw_csr_cut spw_csr_cut_at(const spw_csr *A, int part, int parts)
{
    assert(parts >= 1 && part >= 0 && part <= parts);
    const int64_t all = work_before(A, A->n_rows);
    const int64_t goal = all / parts * part + all % parts * part / parts;

    int64_t low = 0, row = A->n_rows; /* the first row with at least the goal in front of it */
    while (low < row) {
        const int64_t middle = low + (row - low) / 2;
        if (work_before(A, middle) < goal)
            low = middle + 1;
        else
            row = middle;
    }
    if (work_before(A, row) > goal) { /* the goal lies inside the row before */
        const int64_t begin = A->row_ptr[row - 1], end = A->row_ptr[row];
        const int64_t entry = goal - (row - 1);
        if (end - begin >= SPW_SHARE_FROM) {
            if (entry < end) return (spw_csr_cut){(spw_idx)(row - 1), (spw_idx)entry};
        } else if (entry - begin < end - entry) {
            row--;
        }
    }
    return (spw_csr_cut){(spw_idx)row, A->row_ptr[row]};
}
