#!/bin/sh
# Asks what this machine has and prints it as make variables. Run by the Makefile once; `make info`
# shows the result, `make doctor` explains it.
CC=${CC:-gcc}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM

# compiles WHAT FLAGS...: does this C file on standard input link with these flags?
compiles()
{
    cat >"$work/probe.c"
    # shellcheck disable=SC2086
    $CC "$work/probe.c" -o "$work/probe" "$@" >/dev/null 2>&1
}

if echo '#include <omp.h>
int main(void) { return omp_get_max_threads() < 1; }' | compiles -fopenmp; then
    echo "OPENMP := -fopenmp"
else
    echo "OPENMP :="
fi
