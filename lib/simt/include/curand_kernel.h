#error "the checker has no cuRAND (curand_kernel.h): fill the array on the host"
