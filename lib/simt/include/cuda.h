/* cuda.h of the checker: the driver's interface is not here, the runtime's is. */
#ifndef CUDA_VERSION
#define CUDA_VERSION 12000
#endif
#include "cuda_runtime.h"
