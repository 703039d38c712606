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
run_bats() { timeout -k 10 600 bats --tap "$1" >"$tap_work/$(basename "$1").tap" 2>&1 </dev/null; }
# They wait more than they compute.
side_by_side run_bats tests/commands/*.bats
for file in tests/commands/*.bats; do
    name=$(basename "$file" .bats)
    tap=$tap_work/$name.bats.tap
    planned=$(sed -nE 's/^1\.\.([0-9]+)$/\1/p' "$tap")
    sed -E "/^1\.\.[0-9]+\$/d; s|^((not )?ok) [0-9]+ |\1 - $name: |" "$tap" >"$tap_work/list"
    before=$tap_count
    tap_join <"$tap_work/list"
    if [ $((tap_count - before)) != "$planned" ]; then not_ok "$name: bats ran all of its tests" "$tap"; fi
done
done_testing
