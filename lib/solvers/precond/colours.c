/* Symmetric Gauss-Seidel in colours. */
#include "solvers/precond.h"

#include "base/memory.h"
#include "kernels/symgs.h"
#include "perf/timer.h"
#include "solvers/precond/parts.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

typedef struct coloured {
    spw_coloured S;
    double part;   /* for the device */
    double *r, *x; /* [n_places] */
} coloured;

static void apply(void *context, const double *r, double *z) {
    const coloured *G = context;
    spw_coloured_gather(&G->S, r, G->r);
#pragma omp parallel for schedule(static)
    for (spw_idx p = 0; p < G->S.n_places; p++) G->x[p] = 0;
    spw_symgs_coloured_target(&G->S, G->part, G->r, G->x);
    spw_coloured_scatter(&G->S, G->x, z);
}

static void destroy(void *context) {
    coloured *G = context;
    spw_coloured_destroy(&G->S);
    spw_free(G->r);
    spw_free(G->x);
    spw_free(G);
}

static spw_status make(const spw_csr *A, int percent, coloured *G) {
    double *d;
    spw_status status = SPW_ALLOC(&d, A->n_rows);
    if (!status) status = spw_precond_diagonal("sgs_colour", A, false, d);
    spw_free(d);
    if (!status) status = spw_coloured_from_csr(A, &G->S);
    if (!status && percent > 0) status = spw_coloured_to_device(&G->S);
    if (!status) status = SPW_ALLOC(&G->r, G->S.n_places);
    if (!status) status = SPW_ALLOC(&G->x, G->S.n_places);
    G->part = percent / 100.0;
    return status;
}

spw_status spw_precond_sgs_colour(const spw_csr *A, int percent, spw_operator *M) {
    const double begin = spw_now(), n = A->n_rows;
    coloured *G = NULL;
    *M = (spw_operator){0};
    if (percent < 0 || percent > 100)
        return spw_error(SPW_ERR_ARG, "sgs_colour: %d %% for the device, must be 0 to 100",
                         percent);
    spw_status status = SPW_ALLOC_ZERO(&G, 1);
    if (!status) status = make(A, percent, G);
    if (status) {
        if (G) destroy(G);
        return status;
    }
    const spw_coloured *const S = &G->S;
    const double places = S->n_places;
    /* The last colour is done once, the others twice. */
    const spw_idx once =
        S->n_colours ? S->slice_ptr[S->n_slices] - S->slice_ptr[S->colour_ptr[S->n_colours - 1]]
                     : 0;
    const double entries = 2.0 * S->n_stored - once;
    const spw_cost around = {.load = 12 * places + 12 * n, .store = 16 * places + 8 * n};
    const spw_cost sweeps = {
        .load = 12 * entries + 48 * places, .store = 16 * places, .flop = 2 * entries + 6 * places};
    *M =
        (spw_operator){.name = "sgs_colour",
                       .n = A->n_rows,
                       .cost = spw_cost_sum(around, sweeps),
                       .write_allocate = 16 * places + 8 * n,
                       .setup = {.load = 3.0 * (double)spw_csr_bytes(A),
                                 .store = (double)spw_csr_bytes(A) + (double)spw_coloured_bytes(S)},
                       .context = G,
                       .apply = apply,
                       .destroy = destroy};
    snprintf(M->note, sizeof M->note, "%" PRId32 " colour%s, %.0f %% padding%s", S->n_colours,
             S->n_colours == 1 ? "" : "s",
             S->n_stored ? 100 * (1 - (double)S->nnz / S->n_stored) : 0,
             S->on_device ? ", in part on the device" : "");
    M->setup_seconds = spw_now() - begin;
    return SPW_OK;
}
