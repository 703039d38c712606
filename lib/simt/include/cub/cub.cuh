#error "the checker has no CUB (cub/cub.cuh): write the kernel"
