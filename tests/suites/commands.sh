#!/bin/sh
# The command line, as it is typed: tests/commands/*.bats.
. tests/tap.sh
BIN=$(out)/bin
BUILD=$(cd "$BUILD" && pwd)
case $BIN in /*) ;; *) BIN=$PWD/$BIN ;; esac
export BIN BUILD
if ! command -v bats >/dev/null 2>&1; then
    skip 'the command line' 'bats is not installed: make setup'
    done_testing
    exit
fi
if ! "$MAKE" -s -j"$JOBS" all BUILD="$BUILD" >"$tap_work/build" 2>&1; then not_ok 'make all' "$tap_work/build"; fi
bats --tap tests/commands/*.bats >"$tap_work/tap" 2>&1
sed -nE 's/^1\.\.([0-9]+)$/\1/p' "$tap_work/tap" >"$tap_work/planned"
sed -E '/^1\.\.[0-9]+$/d; s/^((not )?ok) [0-9]+ /\1 - /' "$tap_work/tap" >"$tap_work/list"
before=$tap_count
tap_join <"$tap_work/list"
if [ $((tap_count - before)) != "$(cat "$tap_work/planned")" ]; then
    not_ok 'bats ran all of its tests' "$tap_work/tap"
fi
done_testing
