#!/bin/sh
# nvcc takes the CUDA sources too, for two architectures and without a warning: solutions, the kernels on which
# the checker is tested. (The library's kernels are compiled by it where the unit tests are.)
. tests/tap.sh

compiles()
{
    number=$(basename "$(dirname "$1")")
    nvcc -std=c++17 -O3 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Wshadow -Ilib "-Iexercises/$number" \
        -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -c "$1" -o "$tap_work/nvcc.o"
}

for source in solutions/*/*.cu tests/simt/kernels/*.cu; do
    if command -v nvcc >/dev/null 2>&1; then
        check "nvcc compiles $source without a warning" compiles "$source"
    else
        skip "nvcc compiles $source without a warning" 'nvcc is not on the PATH'
    fi
done
done_testing
