#error "the checker has no tensor cores (mma.h): write the loop"
