/* Streaming stores: a line that is overwritten whole is not fetched first. That saves the write-allocate
 * read, a third of the traffic of copy and a quarter of triad. The price: the result is in no cache
 * afterwards, so that these lose where the arrays fit there.
 * Speed of 64 MB vectors against the plain loops: copy 1.21, triad 1.27 (one thread, AMD EPYC, family 26 model 2,
 * 2 vCPU KVM virtual machine with other work on it, gcc 12.2, 2026-11-22; medians of 15 by turns). */
#include "kernels/blas1.h"

#include "base/threads.h"
#include "kernels/expert/arrays.h"

#include <assert.h>

enum { UNROLL = 8, AHEAD = 512 /* bytes; further gains nothing */ };

/* a = b + s c, or a = b if c is NULL. Loads first, then stores: each goes out as one run of lines. */
static inline __attribute__((always_inline)) void share(int64_t n, double s, const double *b,
                                                        const double *c, double *a) {
    int64_t i = 0;
    for (const int64_t head = spw_to_boundary(a, n); i < head; i++)
        a[i] = c ? b[i] + s * c[i] : b[i];
    for (; i + UNROLL * SPW_VEC <= n; i += UNROLL * SPW_VEC) {
        spw_vec v[UNROLL];
        for (int u = 0; u < UNROLL; u++) {
            v[u] = spw_vec_load_any(b + i + u * SPW_VEC);
            spw_prefetch_ahead(b + i + u * SPW_VEC, AHEAD);
            if (c) {
                v[u] += s * spw_vec_load_any(c + i + u * SPW_VEC);
                spw_prefetch_ahead(c + i + u * SPW_VEC, AHEAD);
            }
        }
        for (int u = 0; u < UNROLL; u++) spw_vec_bypass(a + i + u * SPW_VEC, v[u]);
    }
    for (; i < n; i++) a[i] = c ? b[i] + s * c[i] : b[i];
    spw_bypass_fence();
}

void spw_copy_omp_bypass(int64_t n, const double *x, double *y) {
    assert(n >= 0 && (n == 0 || (x && y)));
#pragma omp parallel
    {
        const int64_t begin = spw_part_begin(n, spw_thread(), spw_team_size());
        const int64_t end = spw_part_begin(n, spw_thread() + 1, spw_team_size());
        if (begin < end) share(end - begin, 0, x + begin, NULL, y + begin);
    }
}

void spw_triad_omp_bypass(int64_t n, double s, const double *b, const double *c, double *a) {
    assert(n >= 0 && (n == 0 || (b && c && a)));
#pragma omp parallel
    {
        const int64_t begin = spw_part_begin(n, spw_thread(), spw_team_size());
        const int64_t end = spw_part_begin(n, spw_thread() + 1, spw_team_size());
        if (begin < end) share(end - begin, s, b + begin, c + begin, a + begin);
    }
}
