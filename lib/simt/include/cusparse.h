#error "the checker has no cuSPARSE (cusparse.h): write the kernel"
