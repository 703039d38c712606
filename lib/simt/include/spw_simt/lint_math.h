/* For clang as a lint only: the C functions that kernels may call exist on the device too. */
#ifndef SPW_SIMT_LINT_MATH_H
#define SPW_SIMT_LINT_MATH_H

#ifdef __CUDA__
#define SPW_SIMT_LINT_1(name)                                                                      \
    __device__ double name(double);                                                                \
    __device__ float name(float);                                                                  \
    extern "C" __device__ float name##f(float);
#define SPW_SIMT_LINT_2(name)                                                                      \
    __device__ double name(double, double);                                                        \
    __device__ float name(float, float);                                                           \
    extern "C" __device__ float name##f(float, float);
/* clang-format off */
SPW_SIMT_LINT_1(sqrt) SPW_SIMT_LINT_1(cbrt) SPW_SIMT_LINT_1(fabs) SPW_SIMT_LINT_1(exp)
SPW_SIMT_LINT_1(exp2) SPW_SIMT_LINT_1(expm1) SPW_SIMT_LINT_1(log) SPW_SIMT_LINT_1(log2)
SPW_SIMT_LINT_1(log10) SPW_SIMT_LINT_1(log1p) SPW_SIMT_LINT_1(sin) SPW_SIMT_LINT_1(cos)
SPW_SIMT_LINT_1(tan) SPW_SIMT_LINT_1(asin) SPW_SIMT_LINT_1(acos) SPW_SIMT_LINT_1(atan)
SPW_SIMT_LINT_1(sinh) SPW_SIMT_LINT_1(cosh) SPW_SIMT_LINT_1(tanh) SPW_SIMT_LINT_1(floor)
SPW_SIMT_LINT_1(ceil) SPW_SIMT_LINT_1(round) SPW_SIMT_LINT_1(trunc) SPW_SIMT_LINT_1(rint)
SPW_SIMT_LINT_1(erf) SPW_SIMT_LINT_1(erfc)
SPW_SIMT_LINT_2(pow) SPW_SIMT_LINT_2(fmin) SPW_SIMT_LINT_2(fmax) SPW_SIMT_LINT_2(fmod)
SPW_SIMT_LINT_2(atan2) SPW_SIMT_LINT_2(hypot) SPW_SIMT_LINT_2(copysign)
    /* clang-format on */
    __device__ double fma(double, double, double);
__device__ float fma(float, float, float);
extern "C" __device__ float fmaf(float, float, float);
__device__ bool isnan(double);
__device__ bool isinf(double);
__device__ bool isfinite(double);
extern "C" __device__ void sincos(double, double *, double *);
extern "C" __device__ void sincosf(float, float *, float *);
extern "C" __device__ clock_t clock(void);
__device__ int abs(int);
__device__ long abs(long);
__device__ double abs(double);
extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ void *memcpy(void *, const void *, size_t);
extern "C" __device__ void *memset(void *, int, size_t);
#endif

#endif
