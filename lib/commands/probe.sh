#!/bin/sh
# Asks what this machine has and prints it as make variables. The Makefile runs it once for each
# compiler; `make info` shows the result, `make doctor` explains it.
CC=${CC:-gcc}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM

# links FLAGS...: does the C file on standard input compile and link with these flags?
links()
{
    cat >"$work/probe.c"
    $CC "$work/probe.c" -o "$work/probe" "$@" >/dev/null 2>&1
}

# Empty where there is no such compiler, or it finds no C library: then nothing can be built.
if echo '#include <stdio.h>
int main(void) { return puts("") < 0; }' | links; then
    echo "CC_VERSION := $($CC -dumpfullversion 2>/dev/null || $CC -dumpversion 2>/dev/null)"
else
    echo 'CC_VERSION :='
fi
if echo '#include <zlib.h>
int main(void) { return zlibVersion()[0] == 0; }' | links -lz; then
    echo 'ZLIB_LIBS := -lz'
else
    echo 'ZLIB_LIBS :='
fi

if echo '#include <omp.h>
int main(void) { return omp_get_max_threads() < 1; }' | links -fopenmp; then
    echo 'OPENMP := -fopenmp'
else
    echo 'OPENMP :='
fi
if echo '#include <hwloc.h>
int main(void) { hwloc_topology_t t; return hwloc_topology_init(&t); }' | links -lhwloc; then
    echo 'HWLOC_LIBS := -lhwloc'
fi
if echo '#include <cblas.h>
int main(void) { double x = 1; return cblas_ddot(1, &x, 1, &x, 1) != 1; }' | links -lopenblas; then
    echo 'BLAS_LIBS := -lopenblas'
fi
for libs in -lopenblas '-llapack -lopenblas'; do
    if echo 'void dsyevd_(void), dsygvd_(void), dpotrf_(void), dtrtri_(void);
int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 9) dsyevd_(), dsygvd_(), dpotrf_(), dtrtri_();
    return 0;
}' | links $libs; then
        echo "LAPACK_LIBS := $libs"
        break
    fi
done
for folder in '' -I/usr/include/suitesparse; do
    if echo '#include <cholmod.h>
int main(void)
{
    cholmod_common c;
    return !cholmod_start(&c) || !cholmod_finish(&c);
}' | links $folder -lcholmod; then
        echo "CHOLMOD_CFLAGS := $folder"
        echo 'CHOLMOD_LIBS := -lcholmod'
        break
    fi
done
if echo '#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
static void passes(void **state) { (void)state; }
int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}' |
    links -lcmocka; then
    echo 'CMOCKA_LIBS := -lcmocka'
fi

# What mpicc would hand to the compiler, whichever MPI it is of.
flags=$(mpicc -show 2>/dev/null | sed 's/^[^ ]*//')
if [ -n "$flags" ] && echo '#include <mpi.h>
int main(int argc, char **argv) { return MPI_Init(&argc, &argv); }' | links $flags; then
    echo "MPI_FLAGS :=$flags"
fi

# CUDA: for the GPUs that are here, else for the usual two and, as PTX, for any later one.
if nvcc=$(command -v "${NVCC:-nvcc}") && printf '%s\n' '__global__ void k() {}' >"$work/probe.cu" &&
    "$nvcc" -c "$work/probe.cu" -o "$work/probe.o" >/dev/null 2>&1; then
    here=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | grep -E '^[0-9]+\.[0-9]+$' |
        tr -d . | sort -u)
    code=
    for a in ${here:-80 90}; do code="$code -gencode arch=compute_$a,code=sm_$a"; done
    [ -n "$here" ] || code="$code -gencode arch=compute_90,code=compute_90"
    home=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
    for lib in "$home/lib64" "$home/lib" "$home/targets/x86_64-linux/lib" /usr/lib/x86_64-linux-gnu; do
        [ -f "$lib/libcudart_static.a" ] || continue
        echo "CUDA_VERSION := $("$nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')"
        echo "CUDA_CODE :=$code"
        echo "CUDA_LIBS := -L$lib -lcudart_static -lstdc++ -lrt -lpthread"
        # what judges are linked with that time answers on the GPU
        [ -e "$lib/libcudart.so" ] && echo "CUDA_SHARED := $lib"
        break
    done
fi
if gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null); then
    printf 'GPU_NAME := %s\n' "$(printf '%s\n' "$gpu" | sed 's/[^-A-Za-z0-9 ._()\/]//g; q')"
fi
# A folder built without a GPU in sight may be used where there is one: the makefile asks again.
echo "GPU_NODES := $(ls -d /dev/nvidia[0-9]* /dev/dxg 2>/dev/null | tr '\n' ' ')"
