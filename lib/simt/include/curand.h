#error "the checker has no cuRAND (curand.h): fill the array on the host"
