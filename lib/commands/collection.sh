#!/bin/sh
# collection.sh PROGRAM BUILD [--reference FOLDER] [--device NAME] [--quick] [--fresh] [--threads N] [--limit S]: `make collection`.
# Times SpMV by PROGRAM of all matrices at hand, the smallest file first, then of generators, which lie in memory, and draws it
# into BUILD/plots. SHARED_MATRICES: a folder of more files. FOLDER: published times, drawn behind.
#
# BUILD/collection.tsv has a row for each kernel, as lib/commands/collection.c writes them, behind a key: of program, processor
# and threads, and of a file's content. What is there up to its last row is not measured again. The rows of a matrix are added at
# once when it is done: who stops it loses one matrix.
program=$1 build=$2 reference='' device='' quick='' fresh='' threads='' limit=60
shift 2
while [ $# -gt 0 ]; do
    case $1 in
        --reference) reference=$2 && shift ;;
        --device) device=$2 && shift ;;
        --threads) threads="--threads $2" && shift ;;
        --limit) limit=$2 && shift ;;
        --quick) quick=1 ;;
        --fresh) fresh=1 ;;
    esac
    shift
done
fail() {
    echo "$@" >&2
    exit 1
}
[ -z "${SHARED_MATRICES-}" ] || [ -d "$SHARED_MATRICES" ] || fail "SHARED_MATRICES is no folder: $SHARED_MATRICES"
[ -z "$reference" ] || [ -d "$reference" ] || fail "REFERENCE is no folder: $reference"
[ -z "$reference" ] || ls "$reference"/spmv-*.tsv >/dev/null 2>&1 || fail "REFERENCE has no file spmv-DEVICE.tsv: $reference"
# shellcheck disable=SC2086 # an option and its value
facts=$("$program" --facts $threads --limit "$limit") || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'echo; echo "Stopped. The same line goes on from here."; exit 130' INT TERM
table=$build/collection.tsv plots=$build/plots
mkdir -p "$plots" && touch "$table" || exit 1
[ -z "$fresh" ] || : >"$table" || exit 1
[ -z "$(tail -c 1 "$table")" ] || echo >>"$table" # it was cut off within a row

machine=$({ cat "$program" && echo "$facts"; } | cksum | tr ' ' -)
# KEY, series and what MATRIX= takes
files() {
    for folder in matrices matrices/collection ${SHARED_MATRICES:+"$SHARED_MATRICES"}; do
        ls "$folder"/*.mtx "$folder"/*.mtx.gz 2>/dev/null
    done | tr '\n' '\0' | xargs -0 ls -rS | tr '\n' '\0' | xargs -0 cksum |
        awk -v machine="$machine" '{ key = $1 "-" $2; sub(/^[0-9]+ [0-9]+ /, ""); print machine "-" key "\tfiles\t" $0 }'
}
series() { # NAME SIZE...
    name=$1
    shift
    for size; do printf '%s-%s:%s\t%s\t%s:%s\n' "$machine" "$name" "$size" "$name" "$name" "$size"; done
}
generators() {
    series laplace2d 150 450 1400 2400
    series laplace3d 25 52 114 160
    series stencil27 16 34 72 100
    series fem1 17 36 75 100
    series fem3 9 17 36 50
    series powerlaw 10000 60000 500000
    series random 10000x10000x12 80000x80000x12 800000x800000x12
}
{
    files
    if [ "$quick" ]; then series laplace2d 30 && series powerlaw 500; else generators; fi
} | awk -F '\t' '!seen[$1]++' >"$work/list"
awk -F '\t' -v OFS='\t' -v limit="$limit" '
    FILENAME == ARGV[1] { if (NF == 16 && $8 == "-" && !($10 ~ /^longer than/ && substr($10, 13) + 0 < limit)) done[$1] = 1; next }
    !($1 in done)' "$table" "$work/list" >"$work/todo"

n=0 left_out=0 begin=$(date +%s) date=$(date +%Y-%m-%d)
all=$(wc -l <"$work/todo")
tell() { # NAME
    if [ -t 2 ]; then
        k=$((20 * n / all))
        printf '\r\033[K[%.*s%.*s] %d/%d  %d s  %s' $k '####################' $((20 - k)) '....................' \
            $n "$all" $(($(date +%s) - begin)) "$1" >&2
    elif [ $((n % 10)) = 9 ]; then
        echo "  $n of $all done, $(($(date +%s) - begin)) s, now $1" >&2
    fi
}
while IFS='	' read -r key series path; do
    name=${path##*/}
    name=${name%.gz}
    label=$(printf '%s\t%s\t%s\t%s' "$key" "$series" "${name%.mtx}" "$date")
    tell "${name%.mtx}"
    # shellcheck disable=SC2086
    "$program" --matrix "$path" $threads --limit "$limit" --label "$label" >"$work/rows" 2>"$work/words"
    status=$?
    case $status in
        0) state= ;;
        124) state="longer than $limit s" ;;
        *) state="it ended with status $status: $(head -n 1 "$work/words")" ;;
    esac
    [ -z "$state" ] || printf '%s\t0\t0\t0\t-\t-\t%s\t0\t0\t0\t0\t0\t0\n' "$label" "$state" >>"$work/rows"
    cat "$work/rows" >>"$table" || exit 1
    state=$(tail -n 1 "$work/rows" | cut -f 10)
    [ "$state" = "done" ] || {
        left_out=$((left_out + 1))
        [ ! -t 2 ] || printf '\r\033[K' >&2
        echo "  ${name%.mtx} is left out: $state"
    }
    n=$((n + 1))
done <"$work/todo"
[ ! -t 2 ] || printf '\r\033[K' >&2
echo "$n measured in $(($(date +%s) - begin)) s, $left_out of them left out; $(($(wc -l <"$work/list") - n)) known from before"

failed=0
rm -f "$plots/published-collection.tsv"
# The rows of this list, in its order.
awk -F '\t' 'FNR == NR { if (NF == 16) rows[$1] = rows[$1] $0 "\n"; next } { printf "%s", rows[$1] }' "$table" "$work/list" >"$work/rows"
if [ "$reference" ]; then
    set --
    [ ! -e "$reference/README.md" ] || set -- "$reference/README.md"
    echo
    LC_ALL=C awk -F '\t' -v device="$device" -v points="$plots/published-collection.tsv" -f lib/commands/collection_reference.awk \
        "$work/rows" "$@" "$reference"/spmv-*.tsv || failed=1
fi
echo
LC_ALL=C awk -F '\t' -v facts="$facts" -v folder="$plots" -f lib/commands/collection.awk "$work/rows" || exit 1
echo
sh lib/commands/draw.sh "$plots" collection collection-share || failed=1
exit $failed
