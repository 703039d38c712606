/* What differs when clang reads the headers as CUDA (-x cuda), to tell host functions from device ones:
 * there the words are attributes, here they are left for the rewriter. */
#ifndef SPW_SIMT_WORDS_H
#define SPW_SIMT_WORDS_H

#ifdef __CUDA__
#define __global__                __attribute__((global))
#define __device__                __attribute__((device))
#define __host__                  __attribute__((host))
#define __shared__                __attribute__((shared))
#define __constant__              __attribute__((constant))
#define __managed__               __attribute__((device))
#define __syncthreads             spw_simt_syncthreads /* clang has one of its own */
#define threadIdx                 (::spw_simt_thread_index())
#define blockIdx                  (::spw_simt_block_index())
#define blockDim                  (::spw_simt_block_size())
#define gridDim                   (::spw_simt_grid_size())
#define SPW_SIMT_BOTH_SIDES_BEGIN _Pragma("clang force_cuda_host_device begin")
#define SPW_SIMT_BOTH_SIDES_END   _Pragma("clang force_cuda_host_device end")
#else
#define __CUDACC__    1
/* As for the limits in cudaDeviceProp. Code for older devices stays out, an atomicAdd of doubles for one. */
#define __CUDA_ARCH__ 900
#define SPW_SIMT_BOTH_SIDES_BEGIN
#define SPW_SIMT_BOTH_SIDES_END
#endif

#define __launch_bounds__(...)
#define __forceinline__ inline
#ifdef __CUDA__ /* else the rewriter's: libstdc++ has __attribute__((__noinline__)) */
#define __noinline__ __attribute__((noinline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__

/* Functions of these headers: always part of their caller, so that a line is the learner's. */
#define SPW_SIMT_INLINE inline __attribute__((always_inline))
/* Functions that touch memory on the runtime's account: their accesses are not the learner's. */
#if defined __has_attribute && !defined __clang__
#if __has_attribute(no_sanitize_coverage)
#define SPW_SIMT_UNSEEN __attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage))
#endif
#endif
#ifndef SPW_SIMT_UNSEEN
#define SPW_SIMT_UNSEEN __attribute__((noinline, no_sanitize("thread")))
#endif

#endif
