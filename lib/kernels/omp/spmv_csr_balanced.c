/* A thread writes y of the rows that *end* in its share. If its share ends inside a row, the sum of the
 * entries in front of the cut is carried to the thread behind. The carries are added one after the other
 * when all are done, in the order of the threads: atomics would give other bits in every run. */
#include "kernels/spmv.h"

#include "base/threads.h"
#include "kernels/omp/csr_row.h"
#include "kernels/partition.h"

#include <assert.h>

enum { NONE = -1 };

typedef struct carry {
    spw_idx row; /* NONE: the share ends between two rows */
    double sum;
} carry;

void spw_spmv_csr_omp_balanced(const spw_csr *A, const double *x, double *y)
{
    assert(A && (x || A->n_cols == 0) && (y || A->n_rows == 0));
    carry carries[spw_max_threads()]; /* on the stack: a kernel has no way to say "no memory" */
    int team = 1;
#pragma omp parallel
    {
        const int thread = spw_thread();
        const spw_csr_cut from = spw_csr_cut_at(A, thread, spw_team_size());
        const spw_csr_cut to = spw_csr_cut_at(A, thread + 1, spw_team_size());
        const spw_idx *row_ptr = A->row_ptr, *col_idx = A->col_idx;
        const double *val = A->val;

        spw_idx begin = from.entry;
        for (spw_idx i = from.row; i < to.row; i++) {
            const spw_idx end = row_ptr[i + 1];
            y[i] = spw_row_dot(end - begin, val + begin, col_idx + begin, x);
            begin = end;
        }
        carries[thread] = (carry){
            .row = begin < to.entry ? to.row : NONE,
            .sum = spw_row_dot(to.entry - begin, val + begin, col_idx + begin, x),
        };
        if (thread == 0) team = spw_team_size();
    }
    for (int t = 0; t < team; t++)
        if (carries[t].row != NONE) y[carries[t].row] += carries[t].sum;
}
