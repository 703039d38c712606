#error                                                                                             \
    "the checker has no asynchronous copies to shared memory (cuda_pipeline.h): load, store and __syncthreads()"
