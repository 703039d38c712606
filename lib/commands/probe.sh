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
if echo '#define LIKWID_PERFMON
#include <likwid-marker.h>
int main(void) { LIKWID_MARKER_INIT; LIKWID_MARKER_CLOSE; return 0; }' | links -llikwid; then
    echo 'LIKWID_CFLAGS := -DLIKWID_PERFMON'
    echo 'LIKWID_LIBS := -llikwid'
fi
if echo '#include <cblas.h>
int main(void) { double x = 1; return cblas_ddot(1, &x, 1, &x, 1) != 1; }' | links -lopenblas; then
    echo 'BLAS_LIBS := -lopenblas'
    echo 'BLAS_CFLAGS := -DSPW_HAVE_CBLAS'
fi
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
