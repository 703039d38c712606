#error "the checker has no Thrust (thrust/reduce.h): use cudaMalloc and a kernel"
