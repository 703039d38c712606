/* kernels/omp/spmv_sbcsr.h -- the code of spw_spmv_sbcsr_omp for each kind of CPU. Internal. */
#ifndef SPW_KERNELS_OMP_SPMV_SBCSR_H
#define SPW_KERNELS_OMP_SPMV_SBCSR_H

#include "kernels/omp/cpu.h"
#include "kernels/spmv.h"

/* y = A x by the code for that kind of CPU, which this one must be able to run: for tests. */
void spw_sbcsr_multiply_on(spw_cpu cpu, const spw_sbcsr *A, const double *x, double *y);

#endif
