#include "symgs.h"

#include <omp.h>

enum { TEAMS = 512, TEAM_THREADS = 8 }; /* of a device */

/* 1. Predict. One visit to one colour: bytes loaded, bytes stored, flops. A colour has
 * S->slice_ptr[S->colour_ptr[colour]] .. S->slice_ptr[S->colour_ptr[colour + 1]] - 1 as entries. */
spw_cost colour_cost(const spw_coloured *S, spw_idx colour) {
    /* your model here: return (spw_cost){.load = ..., .store = ..., .flop = ...}; */
}

/* 2. Predict. All visits of symgs. */
spw_cost symgs_cost(const spw_coloured *S) {
    /* your model here: how often does symgs come to each colour? */
}

#pragma omp declare target /* what follows is compiled for both sides */

/* 3. Write. One slice: 32 rows side by side, each with a sum of its own. */
void multiply_slice(const spw_idx *slice_ptr, const spw_idx *col_idx, const double *val,
                    const double *x, int64_t s, double *sum) {
    /* your code here */
}

#pragma omp end declare target

/* Given, to be read: w = A x in one target region. `if (target : device)` says whether it leaves the
 * host. A device gets TEAMS teams of TEAM_THREADS threads, the host one team of all its threads: the
 * same loop. What it reads or writes must be mapped, by variables of its own: a device cannot follow S.
 * clang-format would break the clauses apart. */
void spmv_target(const spw_coloured *S, const double *x, double *w) {
    const spw_idx *const slice_ptr = S->slice_ptr, *const col_idx = S->col_idx;
    const double *const val = S->val;
    const spw_idx n_slices = S->n_slices, n_stored = S->n_stored, n_places = S->n_places;
    const int device = S->on_device;
    const int teams = device ? TEAMS : 1, threads = device ? TEAM_THREADS : omp_get_max_threads();
/* clang-format off */
#pragma omp target teams distribute parallel for if (target : device)                              \
    num_teams(teams) thread_limit(threads) num_threads(threads)                                    \
    map(to : slice_ptr[0:n_slices + 1], col_idx[0:n_stored], val[0:n_stored], x[0:n_places])       \
    map(from : w[0:n_places])
    /* clang-format on */
    for (spw_idx s = 0; s < n_slices; s++)
        multiply_slice(slice_ptr, col_idx, val, x, s, w + (int64_t)s * C);
    /* not used without a device */
    (void)n_slices, (void)n_stored, (void)n_places, (void)teams, (void)threads;
}

/* 4. Write. One colour, one target region, in the likeness of spmv_target. */
void relax_colour(const spw_coloured *S, spw_idx colour, const double *r, double *x) {
    /* your code here */
}

/* 5. Write. Forward, and back. What is on a device already is not copied again: a target data region
 * around the loops, with `if (device)`, keeps r and x there. */
void symgs(const spw_coloured *S, const double *r, double *x) {
    /* your code here */
}

/* Given. w = A x in slices begin .. end-1, by the thread that calls it. */
void multiply_here(const spw_coloured *S, int64_t begin, int64_t end, const double *x, double *w) {
    for (int64_t s = begin; s < end; s++)
        multiply_slice(S->slice_ptr, S->col_idx, S->val, x, s, w + s * C);
}

/* 6. Write. One parallel region. With a device thread 0 sends it its slices, in a target region without
 * `if`, of which only that part of w comes back; the other threads share the rest, and a thread alone
 * does one after the other. Without a device all threads share all slices. */
void spmv_split(const spw_coloured *S, double part, const double *x, double *w) {
    /* your code here */
}

/* 7. Predict. When do both sides end at the same time? */
double best_part(double bw_host, double bw_device) {
    /* your model here */
}
