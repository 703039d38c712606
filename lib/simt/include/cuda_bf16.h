#error "the checker has no bfloat16 (cuda_bf16.h): use float"
