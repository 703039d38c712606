#error "the checker has no Thrust (thrust/host_vector.h): use cudaMalloc and a kernel"
