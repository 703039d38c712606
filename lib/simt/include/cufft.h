#error "the checker has no cuFFT (cufft.h): write the kernel"
