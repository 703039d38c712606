#error "the checker has no cuSOLVER (cusolverDn.h): write the kernel"
