#!/bin/sh
# reset.sh SOLUTION FILE: makes the learner's FILE as it was shipped, from the solution. What stood in it
# is kept as FILE.backup, FILE.backup.2, and so on; no backup is ever overwritten. Every file is written
# under another name first, so that an interruption leaves either the old or the new one. Needs no compiler.
solution=$1 file=$2
fresh=$file.partial
trap 'rm -f "$fresh" "$file.backup.partial"' EXIT
trap 'exit 130' INT TERM

if ! awk -f lib/commands/strip.awk "$solution" >"$fresh"; then
    echo "$file was left as it is: cannot write its first version from $solution" >&2
    exit 1
fi
if [ ! -s "$fresh" ]; then
    echo "$file was left as it is: nothing came out of $solution" >&2
    exit 1
fi
if cmp -s "$fresh" "$file"; then
    echo "$file is as shipped already."
    exit 0
fi
if [ -e "$file" ]; then
    backup=$file.backup n=1
    while [ -e "$backup" ]; do
        n=$((n + 1))
        backup=$file.backup.$n
    done
    if ! { cp -p "$file" "$file.backup.partial" && mv "$file.backup.partial" "$backup"; }; then
        echo "$file was left as it is: no backup of it can be written" >&2
        exit 1
    fi
    echo "Yours is kept as $backup"
fi
mv "$fresh" "$file" && echo "$file is as shipped again."
