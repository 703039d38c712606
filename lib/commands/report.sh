#!/bin/sh
# report.sh PROGRESS BUILD: the learner's own page, BUILD/pages/report.html, from the records on this machine: progress
# and history (lib/judge/progress.awk), BUILD/records, BUILD/machine.tsv. Nothing of it is sent anywhere.
progress=$1 build=$2 page=$2/pages/report.html
fail()
{
    echo "$1" >&2
    exit 1
}
table=$(sh lib/commands/exercises.sh)
[ "$table" ] || fail "no exercises here: the page is made from the folders exercises/NN-name, run make where they are"
work=$(mktemp -d) || exit 1
partial=$build/pages/.report.$$.partial
trap 'rm -rf "$work" "$partial"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$build/pages" 2>/dev/null && (: >"$partial") 2>/dev/null ||
    fail "cannot write to $build/pages. Name another folder for everything built: make BUILD=/some/folder report"

mkdir "$work/records"
printf '%s\n' "$table" >"$work/exercises"
damaged=''
for record in "$build"/records/[0-9]*.json; do
    [ -e "$record" ] || continue
    name=${record##*/}
    LC_ALL=C awk -f lib/judge/record.awk "$record" >"$work/records/${name%.json}" 2>/dev/null &&
        grep -q '^spw_record	1$' "$work/records/${name%.json}" || {
        rm -f "$work/records/${name%.json}"
        damaged="$damaged $record"
    }
done
set -- kind=exercises "$work/exercises"
for source in "progress $progress" "history $progress.history" "machine $build/machine.tsv"; do
    file=${source#* }
    if [ -f "$file" ] && [ -r "$file" ]; then set -- "$@" "kind=${source%% *}" "$file"
    elif [ -e "$file" ]; then echo "$file cannot be read, left out" >&2; fi
done
set -- "$@" kind=record
for record in "$work"/records/*; do [ -e "$record" ] && set -- "$@" "$record"; done
LC_ALL=C awk -f lib/judge/progress.awk -f lib/commands/report_svg.awk -f lib/commands/report.awk \
    -v css=lib/commands/report.css -v build="$build" -v home="${HOME-}" -v today="$(date +%Y-%m-%d)" -v damaged="$damaged" "$@" >"$partial" &&
    mv "$partial" "$page" || fail "cannot write $page"
echo "Your page: $page"
