#!/bin/sh
# What is made of a class's records, and the page of a room: tests/grade/exports.py, which reads all of it back, and a browser.
. tests/tap.sh
if ! command -v python3 >/dev/null 2>&1; then
    skip 'exports of a class' 'python3 is not installed: make setup'
    done_testing
    exit
fi
mkdir "$tap_work/class"
python3 -B tests/grade/exports.py "$tap_work/class" >"$tap_work/list" 2>"$tap_work/said" || not_ok 'the tests of the exports came to their end' "$tap_work/said"
tap_join <"$tap_work/list"

commands()
{
    "$MAKE" -s grade-export GRADES="$tap_work/class/class" && "$MAKE" -s room ONCE=1 HTML=1 BUILD="$tap_work/build" FOLDERS="$tap_work/class/room/*/workbook" &&
        [ -s "$tap_work/build/pages/room.html" ]
}
scripts_are_read()
{
    for script in lib/grade/run_autograder lib/grade/run_prairielearn; do
        sh -n $script && [ -x $script ] || return 1
        if command -v shellcheck >/dev/null 2>&1; then shellcheck $script || return 1; fi
    done
}
check 'make grade-export, make room' commands
check 'the scripts of the platforms can be read' scripts_are_read
# Scripts, and so that of the test, are forbidden by a line of the page itself.
in_browser()
{
    grep -v 'Content-Security-Policy' "$tap_work/$1.html" >"$tap_work/page.html"
    sh tests/pages/page.sh "$tap_work/page.html"
}
for page in class/class/overview class/room; do
    if command -v chromium >/dev/null 2>&1; then check "$page in the browser" in_browser "$page"
    else skip "$page in the browser" 'chromium is not installed'; fi
done
done_testing
