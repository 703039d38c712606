/* kernels/omp/cpu.h -- code for the CPU that a program runs on, not for the one it was built on. Internal.
 *
 * A program built with OPT=-O3 runs everywhere, and so must not hold one instruction of AVX outside of
 * functions that are called only where the CPU has it. Such a function is compiled for a target of its own:
 *     static SPW_FOR_AVX512 void rows_avx512(...);
 *     switch (spw_cpu_best()) { case SPW_CPU_AVX512: rows_avx512(...); ...
 * On other processors all targets are the same and spw_cpu_best is SPW_CPU_ANY. */
#ifndef SPW_KERNELS_OMP_CPU_H
#define SPW_KERNELS_OMP_CPU_H

typedef enum spw_cpu { SPW_CPU_ANY, SPW_CPU_AVX2, SPW_CPU_AVX512 } spw_cpu;

#if defined(__x86_64__)
#define SPW_FOR_AVX2   __attribute__((target("avx2,fma")))
#define SPW_FOR_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx2,fma")))
#else
#define SPW_FOR_AVX2
#define SPW_FOR_AVX512
#endif
#define SPW_FOR_ANY

/* A few loads: for every call of a kernel, not for every row. */
static inline spw_cpu spw_cpu_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return SPW_CPU_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return SPW_CPU_AVX2;
#endif
    return SPW_CPU_ANY;
}

#endif
