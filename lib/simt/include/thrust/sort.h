#error "the checker has no Thrust (thrust/sort.h): use cudaMalloc and a kernel"
