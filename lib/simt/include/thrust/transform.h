#error "the checker has no Thrust (thrust/transform.h): use cudaMalloc and a kernel"
