#!/bin/sh
# watch.sh N FILE: judges exercise N again whenever its file is saved, until Ctrl-C. Waits for the system's
# word where inotifywait is installed, else looks once a second. MAKE is the make to call; the variables of
# the command line (CHECK=1, THREADS=2) reach it through MAKEFLAGS.
number=$1 file=$2
stop() { printf '\nNo longer watching %s.\n' "$file"; exit 0; }
trap stop INT TERM

# Editors save by writing a new file and renaming it, so the folder is watched, and what counts is the content.
content() { cksum "$file" 2>/dev/null; }
wait_for_save()
{
    while [ "$(content)" = "$before" ]; do
        if command -v inotifywait >/dev/null 2>&1; then
            # the time limit mends a save that fell between the look and the wait
            inotifywait -qq -t 5 -e close_write,moved_to "${file%/*}" 2>/dev/null
            [ $? = 1 ] && sleep 1 # it could not watch: do not ask it again at once
        else
            sleep 1
        fi
        [ -d "${file%/*}" ] || stop # the whole workbook has gone
    done
}

if [ ! -r "$file" ]; then
    echo "cannot read $file" >&2
    exit 1
fi
while :; do
    before=$(content)
    if [ -t 1 ] && [ "${TERM-dumb}" != dumb ]; then printf '\033[H\033[2J'; fi
    # the report goes straight to the terminal; of make's own words, the line on the status is left out
    { ${MAKE:-make} --no-print-directory "exercise-$number" 2>&1 >&3 | grep -v '^make.* Error [0-9]' >&2; } 3>&1
    echo
    echo "Watching $file (Ctrl-C ends)"
    wait_for_save
done
