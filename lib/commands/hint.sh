#!/bin/sh
# hint.sh N HINTS.md SHOWN RECORD [FUNCTION]: the next hint of exercise N for FUNCTION, one more at each call; without one
# for the function that failed last, by RECORD of the last judgement, else for the first of which some are left. HINTS.md
# has a section "## a, b" for the functions a and b, and in it "### Hint 1" and so on. SHOWN is a file of lines "FUNCTION
# COUNT", which the judge reads, too. Needs no compiler.
number=$1 hints=$2 shown=$3 record=$4 function=${5-}
say() { echo "$1" | fold -s -w 79 | sed 's/ $//'; }
if [ ! -r "$hints" ]; then
    echo "exercise $number has no hints: $hints cannot be read" >&2
    exit 1
fi
sections=$(sed -n 's/^## //p' "$hints")
names=$(echo "$sections" | tr -d ',' | tr '\n' ' ' | sed 's/ $//')
failed=$([ ! -r "$record" ] || awk -v rows=checks -v columns='status function' -f lib/judge/record.awk "$record" |
    awk -F '\t' '$1 == "fail" && $2 != "" { print $2; exit }')
# the section, and how many of its hints were shown
chosen=$(echo "$sections" | awk -F ', ' -v wanted="$function" -v failed="$failed" -v shown="$shown" '
    BEGIN { while ((getline line <shown) > 0) if (split(line, f, " ") == 2) count[f[1]] = f[2] + 0 }
    {
        for (k = 1; k <= NF; k++) { if ($k == wanted) asked = $0; if ($k == failed) blamed = $0 }
        seen[$0] = count[$1] + 0
        if (seen[$0] < 3 && next_one == "") next_one = $0
        if (NR == 1) first = $0
    }
    END {
        s = wanted != "" ? asked : blamed != "" ? blamed : next_one != "" ? next_one : first
        if (s != "") print seen[s] "\t" s
    }')
if [ -z "$chosen" ]; then
    say "exercise $number has no hints for '$function'. There are hints for: $names" >&2
    exit 2
fi
section=${chosen#*	} next=$((${chosen%%	*} + 1)) of='' again="make hint-$number" first=${chosen#*	}
first=${first%%,*}
case $sections in *"
"*) of=", $section" again="$again FOR=${function:-$first}" ;; esac
if [ "$next" -gt 3 ]; then
    say "You have seen all 3 hints for exercise $number$of; they stand in $hints."
    echo "make diff-$number shows your file beside the solution, make solution-$number judges the solution."
    exit 0
fi
say "Hint $next of 3 for exercise $number$of"
awk -v section="## $section" -v wanted="### Hint $next" '
    /^##* / { if (/^## /) inside = $0 == section; on = inside && $0 == wanted; next }
    on { if ($0 ~ /[^ \t\r]/) { printf "%s", gap; gap = ""; print; begun = 1 }
         else if (begun) gap = gap "\n" }' "$hints"
echo
if [ "$next" -lt 3 ]; then
    echo "One more: $again ($((next + 1)) of 3)"
else
    echo "That was the last one. After it, only make diff-$number is left."
fi
[ -z "$of" ] || say "There are hints for: $names"
# Where nothing can be written, the first hint is shown again; the file name below helps then.
mkdir -p "${shown%/*}" 2>/dev/null
if ! {
    {
        awk -v section=", $section," 'NF == 2 && index(section, ", " $1 ",") == 0' "$shown" 2>/dev/null
        echo "$section" | tr ',' '\n' | awk -v count="$next" '{ print $1, count }'
    } >"$shown.partial" && mv -f "$shown.partial" "$shown"
} 2>/dev/null; then
    echo "(Cannot write $shown, so this hint will be the next one again. All of them: $hints)"
fi
