/* The walk of trsv_wait.c for one vector. */
#include "kernels/trsv.h"

#include "kernels/expert/trsv_rows.h"

#include <assert.h>

typedef struct vectors {
    const double *b;
    double *x;
} vectors;

static void rows(const spw_triangle *T, spw_idx begin, spw_idx end, const void *with) {
    const vectors *v = with;
    spw_trsv_rows(T, begin, end, v->b, v->x);
}

void spw_trsv_csr_omp_wait(const spw_triangle *T, const double *b, double *x) {
    assert(T && (T->n == 0 || (b && x && T->share_ptr)));
    spw_trsv_wait(T, rows, &(vectors){b, x});
}
