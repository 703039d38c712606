/* The tests of test_lobpcg_cuda.c on a real GPU; skipped, with the reason, where there is none. */
#include "test_lobpcg_cuda.c"
