/* The tests of test_cuda_block.c on a real GPU; skipped, with the reason, where there is none. */
#include "test_cuda_block.c"
