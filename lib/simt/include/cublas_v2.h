#error "the checker has no cuBLAS (cublas_v2.h): write the kernel"
