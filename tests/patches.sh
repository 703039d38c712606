#!/bin/sh
# patches.sh unfold NN-slug: writes each patch of tests/wrong/NN-slug as the file that it makes of the solution, its
#     head as lines of "// ", into build/patches/NN-slug.
# patches.sh fold NN-slug [FOLDER]: writes the patches anew, from these files and the solution as it is by then, into
#     tests/wrong/NN-slug or FOLDER.
# patches.sh first NN-slug[.gpu]: judges those that say something, and writes the part and the case that fail first into
#     their second line.
# To change a solution: unfold, make the same change in the solution and in these files (a renaming, a formatter),
# fold. To add a wrong answer: a copy of the solution among the files, with its head above, then fold.
# The environment may name another BUILD.
files=${BUILD:-build}/patches/$2
wrong=tests/wrong/${2%.gpu}
[ -d "$wrong" ] || { echo "there is no $wrong; usage: patches.sh unfold|fold NN-slug" >&2; exit 2; }

# solution FILE: of that ending
solution() { ls "solutions/${wrong##*/}"/*."${1##*.}"; }

unfold()
{
    rm -rf "$files"
    mkdir -p "$files" || return 1
    for patch in "$wrong"/*.patch; do
        name=${patch##*/}
        name=${name%.patch}
        case $name in *.cu) ;; *) name=$name.c ;; esac
        sed '/^@@ /,$d; s/^/\/\/ /' "$patch" >"$files/$name"
        awk -f tests/apply_patch.awk "$patch" "$(solution "$name")" >>"$files/$name" || failed=1
    done
}

# one_above: a unified diff without names; of its context the line above each hunk stays
one_above()
{
    awk '
    function tell(   k, old, new) {
        if (n > 1 && line[1] ~ /^ / && line[n] ~ /^ /) n--
        for (k = 1; k <= n; k++) { old += line[k] !~ /^\+/; new += line[k] !~ /^-/ }
        if (n) print "@@ " from (old == 1 ? "" : "," old) " " to (new == 1 ? "" : "," new) " @@"
        for (k = 1; k <= n; k++) print line[k]
        n = 0
    }
    /^@@ / { tell(); from = $2; to = $3; sub(/,.*/, "", from); sub(/,.*/, "", to); next }
    from { line[++n] = $0 }
    END { tell() }'
}

fold()
{
    into=${1:-$wrong}
    for file in "$files"/*; do
        name=${file##*/}
        from=$(solution "$name")
        patch=$into/${name%.c}.patch
        {
            sed '/^\/\/ /!q' "$file" | sed -n 's/^\/\/ //p'
            sed '1,/^[^/]/{/^\/\/ /d;}' "$file" | diff -U1 "$from" - | one_above
        } >"$patch.new"
        mv "$patch.new" "$patch"
        awk -f tests/apply_patch.awk "$patch" "$from" >/dev/null || failed=1
    done
}

first()
{
    . tests/judge.sh
    export MAKE="${MAKE:-make}" BUILD="${BUILD:-build}"
    folder=$($MAKE -s print-out)
    $MAKE -s "$folder/judge/$1" "$folder/solutions/$1/answer.so" || return 1
    for patch in $(wrong_sources "$1"); do
        grep -Eq '^(CORRECT|SAFE) says ' "$patch" || continue
        seen_first=
        gets_verdict "$1" "$patch" >"$folder/first.report" 2>&1
        line=$seen_first
        if [ -z "$line" ]; then
            echo "$patch fails neither CORRECT nor SAFE:"
            cat "$folder/first.report"
            failed=1
        elif [ "$(stated_first "$patch")" != "$line" ]; then
            line="$line$(sed -n '2s/^first .* also / also /p' "$patch")"
            sed "2{/^first /d;}" "$patch" | sed "1a\\
$line" >"$patch.new" && mv "$patch.new" "$patch"
            echo "$patch: $line"
        fi
    done
}

failed=0
case $1 in
    unfold) unfold ;;
    fold) fold "$3" ;;
    first) first "$2" ;;
    *) failed=2 ;;
esac
exit $failed
