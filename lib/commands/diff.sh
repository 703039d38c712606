#!/bin/sh
# diff.sh FILE SOLUTION: the learner's file beside the solution: two columns where the terminal is wide
# enough for both, else lines with - (yours) and + (the solution).
file=$1 solution=$2
for f in "$file" "$solution"; do
    if [ ! -r "$f" ]; then
        echo "cannot read $f" >&2
        exit 1
    fi
done
work=$(mktemp) || exit 1
trap 'rm -f "$work"' EXIT
trap 'exit 130' INT TERM
grep -Ev '^[[:space:]]*/\* (SOLUTION( .*)?|END) ?\*/[[:space:]]*$' "$solution" >"$work"

columns=80 colour=never
if [ -t 1 ]; then
    columns=$(stty size 2>/dev/null </dev/tty | awk '{ print $2 }')
    if [ -z "${NO_COLOR-}" ] && [ "${TERM-dumb}" != dumb ] && diff --color=never /dev/null /dev/null 2>/dev/null; then
        colour=always
    fi
fi
if [ "${columns:-80}" -ge 180 ]; then
    echo "left: $file    right: $solution"
    diff -y -W "$columns" "$file" "$work"
else
    set --
    if [ $colour = always ]; then set -- --color=always; fi
    diff -u "$@" --label "yours: $file" --label "solution: $solution" "$file" "$work"
fi
case $? in
    0) echo "$file is the solution, word for word." ;;
    1) ;;
    *) exit 1 ;;
esac
