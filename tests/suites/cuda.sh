#!/bin/sh
# nvcc takes the CUDA sources too, for two architectures and without a warning: solutions, the kernels on which
# the checker is tested. (The library's kernels are compiled by it where the unit tests are.)
. tests/tap.sh

# A source file's path as the name of a file of ours.
flat() { printf %s "$1" | tr / -; }

compiles()
{
    number=$(basename "$(dirname "$1")")
    find_out "$tap_work/$(flat "$1")" nvcc -std=c++17 -O3 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Wshadow -Ilib \
        "-Iexercises/$number" -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -c "$1" \
        -o "$tap_work/$(flat "$1").o"
}

sources=$(ls solutions/*/*.cu tests/simt/kernels/*.cu)
# shellcheck disable=SC2086
if command -v nvcc >/dev/null 2>&1; then side_by_side compiles $sources; fi
for source in $sources; do
    if command -v nvcc >/dev/null 2>&1; then
        check "nvcc compiles $source without a warning" found_before "$tap_work/$(flat "$source")"
    else
        skip "nvcc compiles $source without a warning" 'nvcc is not on the PATH'
    fi
done
done_testing
