#error "the checker has no Thrust (thrust/device_vector.h): use cudaMalloc and a kernel"
