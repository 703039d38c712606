#!/bin/sh
# The second compiler: builds everything without a warning, and what it builds is right.
. tests/tap.sh
. tests/judge.sh
folder=$(out CC=clang)
if ! echo 'int main(void) { return 0; }' | clang -x c - -o "$tap_work/empty" 2>"$tap_work/why"; then
    skip 'everything with clang' 'clang is not installed: make setup'
    done_testing
    exit
fi
if [ "${LONG:-}" = 1 ]; then
    VARIABLES="CC=clang CFLAGS=-g1" sh tests/suites/units.sh | grep -v '^1\.\.' >"$tap_work/units"
    sed -E 's/^((not )?ok) [0-9]+ - /\1 - /' "$tap_work/units" >"$tap_work/list"
    tap_join <"$tap_work/list"
    check 'ThreadSanitizer watches solution 6' "$MAKE" -s solution-6 SANITIZE=thread CHECK=1 BUILD="$BUILD"
else
    skip 'unit tests by clang, ThreadSanitizer' 'for the time they take to compile: make test ONLY=clang LONG=1'
fi

# Lines are all that is asked of debugging: a sixth of the compile time.
built CC=clang CFLAGS=-g1
check 'make all CC=clang' "$MAKE" -s -j"$JOBS" all BUILD="$BUILD" CC=clang CFLAGS=-g1
solutions_pass 'the solution is right by clang' clang
done_testing
