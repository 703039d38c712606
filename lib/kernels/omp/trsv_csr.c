/* Level after level, with a barrier between two. */
#include "kernels/trsv.h"

#include "base/threads.h"
#include "kernels/expert/trsv_rows.h"

#include <assert.h>

void spw_trsv_csr_omp(const spw_triangle *T, const double *b, double *x) {
    assert(T && (T->n == 0 || (b && x && T->share_ptr)));
    if (T->n_blocks <= 1) {
        spw_trsv_rows(T, 0, T->n, b, x);
        return;
    }
#pragma omp parallel
    for (spw_idx l = 0; l < T->n_levels; l++) {
        spw_idx block, end;
        spw_trsv_share(T, l, spw_thread(), spw_team_size(), &block, &end);
        for (; block < end; block++) spw_trsv_rows(T, T->begin[block], T->end[block], b, x);
#pragma omp barrier
    }
}
