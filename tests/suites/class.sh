#!/bin/sh
# A class: what is handed in is read, attacks get their lines and leave nothing, who is killed goes on.
. tests/tap.sh
unset ONLY JOBS # this make's own are not meant
if ! command -v python3 >/dev/null 2>&1; then
    skip 'a class' 'python3 is not installed: make setup'
    done_testing
    exit
fi
python3 -B tests/grade/test_grade.py >"$tap_work/grade" 2>"$tap_work/said"
status=$?
tap_join <"$tap_work/grade"
if [ $status != 0 ]; then not_ok 'make grade is tested to the end' "$tap_work/said"; fi
done_testing
