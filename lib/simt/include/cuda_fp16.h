#error "the checker has no half precision (cuda_fp16.h): use float"
