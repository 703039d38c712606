#!/bin/sh
# Units and solutions again under AddressSanitizer, its leak check, and UBSan.
. tests/tap.sh
. tests/judge.sh
folder=$(out SANITIZE=1)
if ! echo 'int main(void) { return 0; }' |
    "$CC" -fsanitize=address,undefined -x c - -o "$tap_work/empty" 2>"$tap_work/why" || ! "$tap_work/empty"; then
    skip 'units and solutions with SANITIZE=1' "$CC has no working sanitizers here"
    done_testing
    exit
fi
export ASAN_OPTIONS=detect_leaks=1
# These take a third of the time: the checker of CUDA runs them, which looks after memory itself, or they are
# one more round of what others do.
long=''
[ "${LONG:-}" = 1 ] ||
    long='device/test_cuda device/test_cuda_spmm simt/test_traffic solvers/test_lobpcg_matrices perf/test_machine'
# Lines are all that a report shows: a quarter of the compile time.
VARIABLES="SANITIZE=1 CFLAGS=-g1" LEFT_OUT=$long sh tests/suites/units.sh | grep -v '^1\.\.' >"$tap_work/units"
sed -E 's/^((not )?ok) [0-9]+ - /\1 - /' "$tap_work/units" >"$tap_work/list"
tap_join <"$tap_work/list"

built SANITIZE=1 CFLAGS=-g1
solutions_pass 'the solution is clean' sanitized
done_testing
