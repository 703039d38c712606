// BUILD words includes lib/kernels/
// The library's source in the place of a call, under the learner's name.
#include "spmv_csr.h"
#define spw_spmv_csr_omp spmv_csr
#include "kernels/omp/spmv_csr.c"
