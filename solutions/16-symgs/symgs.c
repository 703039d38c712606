#include "symgs.h"

#include <omp.h>

enum { TEAMS = 512, TEAM_THREADS = 8 }; /* of a device */

/* 1. Predict. One visit to one colour: bytes loaded, bytes stored, flops. A colour has
 * S->slice_ptr[S->colour_ptr[colour]] .. S->slice_ptr[S->colour_ptr[colour + 1]] - 1 as entries. */
spw_cost colour_cost(const spw_coloured *S, spw_idx colour) {
    /* SOLUTION your model here: return (spw_cost){.load = ..., .store = ..., .flop = ...}; */
    const spw_idx begin = S->colour_ptr[colour], end = S->colour_ptr[colour + 1];
    const double slices = end - begin, places = C * slices;
    const double entries = S->slice_ptr[end] - S->slice_ptr[begin];
    return (spw_cost){.load = 12 * entries + 4 * slices + 16 * places + 8.0 * S->n_places,
                      .store = 8 * places,
                      .flop = 2 * entries + 3 * places};
    /* END */
}

/* 2. Predict. All visits of symgs. */
spw_cost symgs_cost(const spw_coloured *S) {
    /* SOLUTION your model here: how often does symgs come to each colour? */
    spw_cost sum = {0};
    for (spw_idx c = 0; c < S->n_colours; c++) {
        const spw_cost one = colour_cost(S, c);
        const int visits = c + 1 < S->n_colours ? 2 : 1;
        sum.load += visits * one.load;
        sum.store += visits * one.store;
        sum.flop += visits * one.flop;
    }
    return sum;
    /* END */
}

#pragma omp declare target /* what follows is compiled for both sides */

/* 3. Write. One slice: 32 rows side by side, each with a sum of its own. */
void multiply_slice(const spw_idx *slice_ptr, const spw_idx *col_idx, const double *val,
                    const double *x, int64_t s, double *sum) {
    /* SOLUTION your code here */
    const spw_idx end = slice_ptr[s + 1];
    for (int lane = 0; lane < C; lane++) sum[lane] = 0;
    for (spw_idx at = slice_ptr[s]; at < end; at += C) {
#pragma omp simd
        for (int lane = 0; lane < C; lane++) sum[lane] += val[at + lane] * x[col_idx[at + lane]];
    }
    /* END */
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
    /* SOLUTION your code here */
    const spw_idx *const slice_ptr = S->slice_ptr, *const col_idx = S->col_idx;
    const double *const val = S->val, *const inverse = S->inverse;
    const spw_idx n_slices = S->n_slices, n_stored = S->n_stored, n_places = S->n_places;
    const spw_idx begin = S->colour_ptr[colour], end = S->colour_ptr[colour + 1];
    const int device = S->on_device;
    const int teams = device ? TEAMS : 1, threads = device ? TEAM_THREADS : omp_get_max_threads();
/* clang-format off */
#pragma omp target teams distribute parallel for if (target : device)                              \
    num_teams(teams) thread_limit(threads) num_threads(threads)                                    \
    map(to : slice_ptr[0:n_slices + 1], col_idx[0:n_stored], val[0:n_stored])                      \
    map(to : inverse[0:n_places], r[0:n_places]) map(tofrom : x[0:n_places])
    /* clang-format on */
    for (spw_idx s = begin; s < end; s++) {
        double sum[C];
        multiply_slice(slice_ptr, col_idx, val, x, s, sum);
#pragma omp simd
        for (int lane = 0; lane < C; lane++) {
            const int64_t p = (int64_t)s * C + lane;
            x[p] += (r[p] - sum[lane]) * inverse[p];
        }
    }
    (void)n_slices, (void)n_stored, (void)n_places, (void)teams, (void)threads;
    /* END */
}

/* 5. Write. Forward, and back. What is on a device already is not copied again: a target data region
 * around the loops, with `if (device)`, keeps r and x there. */
void symgs(const spw_coloured *S, const double *r, double *x) {
    /* SOLUTION your code here */
    const spw_idx n_places = S->n_places;
    const int device = S->on_device;
/* clang-format off */
#pragma omp target data if (device) map(to : r[0:n_places]) map(tofrom : x[0:n_places])
    /* clang-format on */
    {
        for (spw_idx c = 0; c < S->n_colours; c++) relax_colour(S, c, r, x);
        for (spw_idx c = S->n_colours - 2; c >= 0; c--) relax_colour(S, c, r, x);
    }
    (void)n_places, (void)device;
    /* END */
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
    /* SOLUTION your code here */
    const spw_idx *const slice_ptr = S->slice_ptr, *const col_idx = S->col_idx;
    const double *const val = S->val;
    const spw_idx n_slices = S->n_slices, n_stored = S->n_stored, n_places = S->n_places;
    const int64_t middle = S->on_device ? (int64_t)(part * n_slices + 0.5) : 0;
    const int64_t rest = n_slices - middle;
#pragma omp parallel
    {
        const int me = omp_get_thread_num(), team = omp_get_num_threads();
        const int drivers = middle > 0 && team > 1; /* threads that do nothing else */
        const int share = me - drivers, shares = team - drivers;
        if (me == 0 && middle > 0) {
/* clang-format off */
#pragma omp target teams distribute parallel for                                                   \
    num_teams(TEAMS) thread_limit(TEAM_THREADS) num_threads(TEAM_THREADS)                          \
    map(to : slice_ptr[0:n_slices + 1], col_idx[0:n_stored], val[0:n_stored], x[0:n_places])       \
    map(from : w[0:middle * C])
            /* clang-format on */
            for (int64_t s = 0; s < middle; s++)
                multiply_slice(slice_ptr, col_idx, val, x, s, w + s * C);
        }
        if (share >= 0)
            multiply_here(S, middle + rest * share / shares, middle + rest * (share + 1) / shares,
                          x, w);
    }
    (void)slice_ptr, (void)col_idx, (void)val, (void)n_stored, (void)n_places;
    /* END */
}

/* 7. Predict. When do both sides end at the same time? */
double best_part(double bw_host, double bw_device) {
    /* SOLUTION your model here */
    return bw_device / (bw_host + bw_device);
    /* END */
}
