#!/bin/sh
# The command line, as it is typed: tests/commands/*.bats.
. tests/tap.sh
if ! command -v bats >/dev/null 2>&1; then
    skip 'the command line' 'bats is not installed: make setup'
    done_testing
    exit
fi
# By the name that the folder has elsewhere: the files of dependencies name what they are of.
if ! "$MAKE" -s -j"$JOBS" all BUILD="$BUILD" >"$tap_work/build" 2>&1; then not_ok 'make all' "$tap_work/build"; fi
BIN=$(out)/bin
BUILD=$(cd "$BUILD" && pwd)
case $BIN in /*) ;; *) BIN=$PWD/$BIN ;; esac
export BIN BUILD
# They wait more than they compute: one more at a time than there are cores. By xargs, since a shell lets its
# background jobs ignore Ctrl-C, which is among the tests; where we are such a job ourselves, env undoes it. The
# longest file first.
hears=''
sh -c 'kill -INT $$' && hears='env --default-signal=INT,QUIT'
# shellcheck disable=SC2012,SC2016
ls -S tests/commands/*.bats | $hears xargs -P "$((JOBS + 1))" -I '{}' sh -c \
    'timeout -k 10 900 bats --tap "$1" >"$2/$(basename "$1").tap" 2>&1 </dev/null' sh '{}' "$tap_work"
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
