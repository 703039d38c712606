#!/bin/sh
# hint.sh N HINTS.md COUNTER: the next hint of exercise N, one more at each call. COUNTER is a file that
# holds how many were shown. Needs no compiler.
number=$1 hints=$2 counter=$3
if [ ! -r "$hints" ]; then
    echo "exercise $number has no hints: $hints cannot be read" >&2
    exit 1
fi
total=$(grep -c '^## Hint [0-9]' "$hints")
seen=$(cat "$counter" 2>/dev/null)
case $seen in '' | *[!0-9]*) seen=0 ;; esac
if [ "$seen" -ge "$total" ]; then
    echo "You have seen all $total hints of exercise $number; they stand in $hints."
    echo "make diff-$number shows your file beside the solution, make solution-$number judges the solution."
    exit 0
fi
next=$((seen + 1))
echo "Hint $next of $total for exercise $number"
awk -v wanted="$next" '
    /^## Hint [0-9]/ { shown = ($3 + 0 == wanted); next }
    shown { if ($0 ~ /[^ \t\r]/) { printf "%s", gap; gap = ""; print; begun = 1 }
            else if (begun) gap = gap "\n" }' "$hints"
echo
if [ "$next" -lt "$total" ]; then
    echo "One more: make hint-$number ($((next + 1)) of $total)"
else
    echo "That was the last one. After it, only make diff-$number is left."
fi
# Where nothing can be written, the first hint is shown again; the file name below helps then.
mkdir -p "${counter%/*}" 2>/dev/null
if ! { echo "$next" >"$counter.partial" && mv -f "$counter.partial" "$counter"; } 2>/dev/null; then
    echo "(Cannot write $counter, so this hint will be the next one again. All of them: $hints)"
fi
