/* cuda_runtime.h of the checker: CUDA's names for g++, in as far as exercises use them.
 *
 * The same .cu file goes through nvcc with the real header of this name. The words __global__,
 * __device__, __constant__, __shared__ and <<< >>> stay as they are here: simt/rewrite.c takes them out
 * after the preprocessor. clang reads these headers too, as a lint that knows host from device. */
#ifndef SPW_SIMT_CUDA_RUNTIME_H
#define SPW_SIMT_CUDA_RUNTIME_H
/* By these others know that the runtime is there: helper_cuda.h of NVIDIA's samples. */
#define __CUDA_RUNTIME_H__
#define __DRIVER_TYPES_H__
#define CUDART_VERSION 12000

#ifndef __cplusplus
#error "CUDA source is C++: compile it with lib/simt/compile.sh"
#endif

#include "spw_simt/words.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <type_traits>
#include <utility>

#ifndef __CUDA__
using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;
#endif
#include "spw_simt/lint_math.h"

SPW_SIMT_BOTH_SIDES_BEGIN
#include "simt/shim.h"
#include "spw_simt/vectors.h"
#include "spw_simt/device.h"
SPW_SIMT_BOTH_SIDES_END

#include "spw_simt/host.h"
#include "spw_simt/launch.h"

#endif
