/* base/extern_c.h -- C's declarations for CUDA source, which is C++: they stand between the two. */
#pragma once

#ifdef __cplusplus
#define SPW_C_BEGIN extern "C" {
#define SPW_C_END   }
#else
#define SPW_C_BEGIN
#define SPW_C_END
#endif
