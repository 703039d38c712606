/* SpMV and symmetric Gauss-Seidel in target regions.
 *
 * A slice is one function for both sides. What its loops become:
 *                                 host             GPU
 *     slices                      threads          teams and threads (warps)
 *     rows of a slice, simd       vector lanes     lanes of a warp, where the compiler makes them
 *     entries of a row            one after the other, each row with a sum of its own
 *
 * With part = 1 a target region has all slices; `if` sends it to the device or, without one, to the host. With less
 * the threads of the host share the rest, and thread 0 has a target region only where it goes to a device: on
 * the host libgomp (12) makes new threads for each such region, and libomp (14) leaves rows out where it stands
 * inside of a parallel one. */
#include "kernels/symgs.h"

#include "base/threads.h"

#include <assert.h>
#include <stdbool.h>

enum { C = SPW_COLOURED_C, DEVICE_TEAMS = 512, DEVICE_THREADS = 8 };

#pragma omp declare target

/* sum[lane] = row of A times x, for the rows of slice s. */
static inline void multiply_slice(const spw_idx *slice_ptr, const spw_idx *col_idx,
                                  const double *val, const double *x, int64_t s, double *sum) {
    const int64_t first = slice_ptr[s], length = (slice_ptr[s + 1] - first) / C;
    for (int lane = 0; lane < C; lane++) sum[lane] = 0;
    for (int64_t k = 0; k < length; k++) {
#pragma omp simd
        for (int lane = 0; lane < C; lane++)
            sum[lane] += val[first + k * C + lane] * x[col_idx[first + k * C + lane]];
    }
}

static inline void store_slice(const double *sum, int64_t s, double *w) {
#pragma omp simd
    for (int lane = 0; lane < C; lane++) w[s * C + lane] = sum[lane];
}

/* No row of a colour reads what another one of it writes. */
static inline void relax_slice(const double *sum, const double *inverse, const double *r, int64_t s,
                               double *x) {
#pragma omp simd
    for (int lane = 0; lane < C; lane++)
        x[s * C + lane] += (r[s * C + lane] - sum[lane]) * inverse[s * C + lane];
}

#pragma omp end declare target

/* Slices of one thread. */
typedef struct share {
    bool target; /* by a target region, with as many threads where that stays on the host */
    int threads;
    int64_t begin, end;
} share;

/* w = A x. */
static void multiply(const spw_coloured *S, share own, const double *x, double *w) {
    const spw_idx *const slice_ptr = S->slice_ptr, *const col_idx = S->col_idx;
    const double *const val = S->val;
    const int64_t n_slices = S->n_slices, n_stored = S->n_stored, n_places = S->n_places;
    const int64_t begin = own.begin, end = own.end;
    const bool device = S->on_device;
    const int teams = device ? DEVICE_TEAMS : 1, threads = device ? DEVICE_THREADS : own.threads;
    double sum[C];
    if (!own.target) {
        for (int64_t s = begin; s < end; s++) {
            multiply_slice(slice_ptr, col_idx, val, x, s, sum);
            store_slice(sum, s, w);
        }
    } else if (begin < end) {
#pragma omp target teams distribute parallel for if (target                                        \
                                                     : device) num_teams(teams)                    \
    thread_limit(threads) num_threads(threads) private(sum)                                        \
        map(to                                                                                     \
            : slice_ptr [0:n_slices + 1], col_idx [0:n_stored], val [0:n_stored])                  \
            map(to                                                                                 \
                : x [0:n_places]) map(from                                                         \
                                      : w [begin * C:(end - begin) * C])
        for (int64_t s = begin; s < end; s++) {
            multiply_slice(slice_ptr, col_idx, val, x, s, sum);
            store_slice(sum, s, w);
        }
    }
    (void)n_slices, (void)n_stored, (void)n_places, (void)teams, (void)threads;
}

/* x += D^-1 (r - A x), for slices of one colour. */
static void relax(const spw_coloured *S, share own, const double *r, double *x) {
    const spw_idx *const slice_ptr = S->slice_ptr, *const col_idx = S->col_idx;
    const double *const val = S->val, *const inverse = S->inverse;
    const int64_t n_slices = S->n_slices, n_stored = S->n_stored, n_places = S->n_places;
    const int64_t begin = own.begin, end = own.end;
    const bool device = S->on_device;
    const int teams = device ? DEVICE_TEAMS : 1, threads = device ? DEVICE_THREADS : own.threads;
    double sum[C];
    if (!own.target) {
        for (int64_t s = begin; s < end; s++) {
            multiply_slice(slice_ptr, col_idx, val, x, s, sum);
            relax_slice(sum, inverse, r, s, x);
        }
    } else if (begin < end) {
#pragma omp target teams distribute parallel for if (target                                        \
                                                     : device) num_teams(teams)                    \
    thread_limit(threads) num_threads(threads) private(sum)                                        \
        map(to                                                                                     \
            : slice_ptr [0:n_slices + 1], col_idx [0:n_stored], val [0:n_stored])                  \
            map(to                                                                                 \
                : inverse [0:n_places], r [0:n_places]) map(tofrom                                 \
                                                            : x [0:n_places])
        for (int64_t s = begin; s < end; s++) {
            multiply_slice(slice_ptr, col_idx, val, x, s, sum);
            relax_slice(sum, inverse, r, s, x);
        }
    }
    (void)n_slices, (void)n_stored, (void)n_places, (void)teams, (void)threads;
}

/* Behind the device's part of begin .. end-1. */
static int64_t cut(int64_t begin, int64_t end, double part) {
    return begin + (int64_t)(part * (double)(end - begin) + 0.5);
}

/* Number `number` of the shares of begin .. end-1 that a team of the host has: `part` is number 0 if it is
 * not empty, the threads' own follow; all others are empty. */
static share share_of(const spw_coloured *S, int64_t begin, int64_t end, double part, int number,
                      int team) {
    const int64_t middle = cut(begin, end, part);
    const int first = middle > begin, others = team > first ? team - first : 1;
    if (number < first) return (share){S->on_device, 1, begin, middle};
    if (number >= first + others) return (share){false, 1, end, end};
    return (share){false, 1, middle + spw_part_begin(end - middle, number - first, others),
                   middle + spw_part_begin(end - middle, number - first + 1, others)};
}

void spw_spmv_coloured_target(const spw_coloured *S, double part, const double *x, double *w) {
    assert(S && part >= 0 && part <= 1 && (S->n == 0 || (x && w)));
    if (part == 1) {
        multiply(S, (share){true, spw_max_threads(), 0, S->n_slices}, x, w);
        return;
    }
    /* A thread alone has the device's part and its own. */
#pragma omp parallel
    for (int k = 0; k < (spw_team_size() == 1 ? 2 : 1); k++)
        multiply(S, share_of(S, 0, S->n_slices, part, spw_thread() + k, spw_team_size()), x, w);
}

/* Each side's part of a colour goes to the other. */
static void exchange(int64_t begin, int64_t end, double part, double *x) {
    const int64_t middle = cut(begin, end, part);
    (void)x;
    if (middle > begin) {
#pragma omp target update from(x [begin * C:(middle - begin) * C])
    }
    if (middle < end) {
#pragma omp target update to(x [middle * C:(end - middle) * C])
    }
}

/* All threads call it; nobody leaves before all are done. */
static void relax_colour(const spw_coloured *S, double part, spw_idx colour, const double *r,
                         double *x) {
    const int64_t begin = S->colour_ptr[colour], end = S->colour_ptr[colour + 1];
    for (int k = 0; k < (spw_team_size() == 1 ? 2 : 1); k++)
        relax(S, share_of(S, begin, end, part, spw_thread() + k, spw_team_size()), r, x);
#pragma omp barrier
    if (!S->on_device || part == 0) return;
    if (spw_thread() == 0) exchange(begin, end, part, x);
#pragma omp barrier
}

static void relax_by_target(const spw_coloured *S, spw_idx colour, const double *r, double *x) {
    relax(S, (share){true, spw_max_threads(), S->colour_ptr[colour], S->colour_ptr[colour + 1]}, r,
          x);
}

/* There, and back from the last colour but one. */
static void sweep(const spw_coloured *S, double part, const double *r, double *x) {
    if (part == 1) {
        for (spw_idx c = 0; c < S->n_colours; c++) relax_by_target(S, c, r, x);
        for (spw_idx c = S->n_colours - 2; c >= 0; c--) relax_by_target(S, c, r, x);
        return;
    }
#pragma omp parallel
    {
        for (spw_idx c = 0; c < S->n_colours; c++) relax_colour(S, part, c, r, x);
        for (spw_idx c = S->n_colours - 2; c >= 0; c--) relax_colour(S, part, c, r, x);
    }
}

void spw_symgs_coloured_target(const spw_coloured *S, double part, const double *r, double *x) {
    assert(S && part >= 0 && part <= 1 && (S->n == 0 || (r && x)));
    const int64_t n_places = S->n_places;
    const bool device = S->on_device && part > 0;
#pragma omp target data map(to : r [0:n_places]) map(tofrom : x [0:n_places]) if (device)
    { sweep(S, part, r, x); }
    (void)n_places, (void)device;
}
