/* perf/simd.h -- one vector register of doubles, and the store that bypasses the caches.
 *
 * spw_vec is GCC's vector extension at the width of this CPU's registers: + and * work on it as they
 * do on a double. This is the only place that knows which CPU it is compiled for.
 * A bypass store (streaming, non-temporal) writes whole cache lines straight to memory. The line is
 * not fetched first, which saves the write-allocate read; the price is that the data is in no cache
 * afterwards. Where a CPU has none, it is an ordinary store and SPW_HAVE_BYPASS is 0. */
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* SPW_VEC_GATHER is a register of x[c[0]], x[c[1]] and so on: single loads, put together. That is faster than
 * the gather instruction (kernels/expert/csr_row.h) and up to 1.3 times as fast as a loop over the lanes (SELL-S
 * of fem3:48, AMD EPYC, family 26 model 2, gcc 12.2, 2026-11-22). */
#define SPW_VEC_TWO(x, c)  (x)[(c)[0]], (x)[(c)[1]]
#define SPW_VEC_FOUR(x, c) SPW_VEC_TWO(x, c), SPW_VEC_TWO(x, (c) + 2)
#if defined(__AVX512F__)
#define SPW_VEC_BYTES        64
#define SPW_VEC_GATHER(x, c) ((spw_vec){SPW_VEC_FOUR(x, c), SPW_VEC_FOUR(x, (c) + 4)})
#elif defined(__AVX__)
#define SPW_VEC_BYTES        32
#define SPW_VEC_GATHER(x, c) ((spw_vec){SPW_VEC_FOUR(x, c)})
#else
#define SPW_VEC_BYTES        16
#define SPW_VEC_GATHER(x, c) ((spw_vec){SPW_VEC_TWO(x, c)})
#endif

enum { SPW_VEC = SPW_VEC_BYTES / 8 }; /* doubles in a register */

/* may_alias: it is laid over arrays of doubles. */
typedef double spw_vec __attribute__((vector_size(SPW_VEC_BYTES), may_alias));

/* at: aligned to SPW_VEC_BYTES. */
static inline spw_vec spw_vec_load(const double *at) { return *(const spw_vec *)at; }

static inline void spw_vec_store(double *at, spw_vec v) { *(spw_vec *)at = v; }

static inline double spw_vec_sum(spw_vec v) {
    double sum = 0;
    for (int i = 0; i < SPW_VEC; i++) sum += v[i];
    return sum;
}

#if defined(__AVX512F__)
#define SPW_HAVE_BYPASS 1
static inline void spw_vec_bypass(double *at, spw_vec v) { _mm512_stream_pd(at, (__m512d)v); }
#elif defined(__AVX__)
#define SPW_HAVE_BYPASS 1
static inline void spw_vec_bypass(double *at, spw_vec v) { _mm256_stream_pd(at, (__m256d)v); }
#elif defined(__x86_64__)
#define SPW_HAVE_BYPASS 1
static inline void spw_vec_bypass(double *at, spw_vec v) { _mm_stream_pd(at, (__m128d)v); }
#else
#define SPW_HAVE_BYPASS 0
static inline void spw_vec_bypass(double *at, spw_vec v) { spw_vec_store(at, v); }
#endif

/* Streaming stores are not ordered with others: call this before another thread may read. */
static inline void spw_bypass_fence(void) {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}
