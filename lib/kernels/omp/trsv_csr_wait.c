/* Level after level, but a thread waits only for what its own rows need: trsv_wait.inc. */
#include "kernels/trsv.h"

#include "kernels/omp/trsv_wait.inc"

#include <assert.h>

typedef struct vectors {
    const double *b;
    double *x;
} vectors;

static inline void rows(const spw_triangle *T, spw_idx begin, spw_idx end, const void *with)
{
    const vectors *v = with;
    spw_trsv_rows(T, begin, end, v->b, v->x);
}

void spw_trsv_csr_omp_wait(const spw_triangle *T, const double *b, double *x)
{
    assert(T && (T->n == 0 || (b && x && T->share_ptr)));
    spw_trsv_wait(T, rows, &(vectors){b, x});
}
