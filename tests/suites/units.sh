#!/bin/sh
# The unit tests, one program for each file of the library. VARIABLES are for make: SANITIZE=1, CC=clang.
# LEFT_OUT: programs that take too long this way.
. tests/tap.sh
export OMP_WAIT_POLICY=passive # tests ask for more threads than there are cores: none shall wait in a loop
variables=${VARIABLES-}
# shellcheck disable=SC2086
folder=$(out $variables)

# shellcheck disable=SC2086
if ! "$MAKE" -s -j"$JOBS" probe BUILD="$BUILD" $variables >"$tap_work/build" 2>&1; then
    not_ok "make probe $variables" "$tap_work/build"
    done_testing
    exit
fi
if ! grep -q '^CMOCKA_LIBS' "$folder/probe.mk"; then
    skip 'unit tests' 'cmocka is not installed: make setup'
    done_testing
    exit
fi
# shellcheck disable=SC2086
if ! "$MAKE" -s -k -j"$JOBS" unit-tests BUILD="$BUILD" $variables >"$tap_work/build" 2>&1; then
    not_ok "make unit-tests $variables" "$tap_work/build"
elif [ -s "$tap_work/build" ]; then
    not_ok "make unit-tests $variables: without a word of the compiler" "$tap_work/build"
else
    ok "make unit-tests $variables: without a word of the compiler"
fi

# run_program NAME: its cases as lines "ok - NAME: case"
run_program()
{
    name=$1
    tap=$tap_work/$(echo "$name" | tr / -)
    CMOCKA_MESSAGE_OUTPUT=TAP timeout 300 "$folder/tests/$name" >"$tap.tap" 2>&1
    status=$?
    # cmocka writes "not ok 3 # SKIP name", and "# ok - name" or the like at its end
    sed -E "/^1\.\./d; /^# (not )?ok - /d
        s|^(not )?ok [0-9]+ # SKIP (.*)|ok - $name: \2 # SKIP|
        s|^((not )?ok) [0-9]+ - |\1 - $name: |" "$tap.tap" >"$tap.list"
    # a program that dies has not said so; and a long message may swallow the line of its case
    planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$tap.tap")
    seen=$(grep -cE '^(not )?ok - ' "$tap.list")
    if [ $status -eq 0 ] || grep -v '# SKIP' "$tap.list" | grep -q '^not ok'; then
        if [ "$seen" != "$planned" ]; then echo "not ok - $name: $seen of $planned cases have reported"; fi
    fi >>"$tap.list"
    if [ $status -ne 0 ] && ! grep -v '# SKIP' "$tap.list" | grep -q '^not ok'; then
        echo "not ok - $name: it ended with status $status, after:"
        tail -n 30 "$tap.tap" | sed 's/^/# /'
    fi >>"$tap.list"
}

names=''
# shellcheck disable=SC2086
for name in $("$MAKE" -s print-tests BUILD="$BUILD" $variables); do
    [ -x "$folder/tests/$name" ] || continue
    case " ${LEFT_OUT-} " in
        *" $name "*) skip "$name with $variables" 'for the time it takes: with LONG=1' ;;
        *) names="$names $name" ;;
    esac
done
# shellcheck disable=SC2086
side_by_side run_program $names
for name in $names; do tap_join <"$tap_work/$(echo "$name" | tr / -).list"; done
done_testing
