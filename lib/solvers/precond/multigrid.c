/* A V(1,1) cycle from 0 as a preconditioner. */
#include "solvers/precond.h"

#include "perf/timer.h"
#include "solvers/multigrid.h"

#include <stdio.h>

static void apply(void *context, const double *r, double *z) {
    spw_multigrid_cycle(context, 1, 1, false, r, z);
}

static void destroy(void *context) { spw_multigrid_destroy(context); }

spw_status spw_precond_multigrid(const spw_csr *A, spw_operator *M) {
    const double begin = spw_now();
    spw_multigrid *G;
    spw_idx m;
    int dim, levels;
    *M = (spw_operator){0};
    const spw_status status = spw_multigrid_create(A, &G);
    if (status) return status;
    *M = (spw_operator){.name = "multigrid",
                        .n = A->n_rows,
                        .setup = {.load = (double)spw_csr_bytes(A)},
                        .setup_seconds = spw_now() - begin,
                        .context = G,
                        .apply = apply,
                        .destroy = destroy};
    M->cost = spw_multigrid_cost(G, 1, 1, false, &M->write_allocate);
    spw_multigrid_size(G, &dim, &m, &levels);
    snprintf(M->note, sizeof M->note, "V(1,1), %d levels from %d^%d points to 1, no matrix", levels,
             (int)m, dim);
    return SPW_OK;
}
