#!/bin/sh
# solutions.sh OUT BUILD EXERCISE... -- OPTION...: judges the reference solutions and prints one table. An
# EXERCISE is a name of exercises.sh. Reports and records are kept in BUILD/reports. A run that came to no verdict for
# noise is repeated, twice at most.
#
# REPORTS=1 prints the reports and leaves the table in BUILD/reports/table. POINTS=FILE takes down every kernel that
# was timed here as a point of the roofline, with the roof of its own run: see --points in lib/commands/machine.c. GPU: CUDA exercises are timed
# there; NO_GPU: why not. The status is 0 where all passed.
out=$1 build=$2
shift 2
names=''
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    names="$names $1"
    shift
done
[ "${1-}" = -- ] && shift

reports=$build/reports
mkdir -p "$reports" || exit 1
table=$reports/table
printf ' %-46s  %-10s  %5s  %6s\n' 'Reference solutions' 'verdict' 'roof' 'took' >"$table"
[ -n "${POINTS-}" ] && : >"$POINTS"
trap 'exit 130' INT TERM

# members RECORD ROWS COLUMNS
members() { awk -v rows="$2" -v columns="$3" -f lib/judge/record.awk "$1"; }

# row RECORD NAME: its line of the table; its points
row()
{
    members "$1" parts 'timed on function share flop load store seconds others stolen' >"$reports/parts"
    if [ -n "${POINTS-}" ]; then
        awk -F '\t' -v name="${2#*-}" -v n="$(wc -l <"$reports/parts")" '$1 == "true" && $2 == "host" && $5 > 0 {
            speed = $5 / $8 * 1e-9
            printf "%s\t%.4f\t%.3g\t%.3g\t%.0f\n", (n > 1 ? $3 : name), $5 / ($6 + $7), speed, ($4 > 0 ? speed / $4 : 0),
                100 * ($9 + $10) }' "$reports/parts" >>"$POINTS"
    fi
    members "$1" . 'title verdict seconds' | LC_ALL=C awk -F '\t' -v parts="$reports/parts" '
        function wide(s) { gsub(/[\200-\277]/, "", s); return length(s) }
        {
            title = $1; text = toupper($2); seconds = $3
            sub(/NOT-WRITTEN/, "UNWRITTEN", text)
            sub(/-/, " ", text)
            while (wide(title) < 46) title = title " "
            while ((getline <parts) > 0)
                if ($1 == "true" && (lowest == "" || 100 * $4 < lowest)) lowest = 100 * $4
            printf " %s  %-10s  %5s  %4d s\n", title, text, lowest == "" ? "-" : sprintf("%.0f %%", lowest), seconds
        }'
    rm "$reports/parts"
}

status=0
for name in $names; do
    file=$(sh lib/commands/exercises.sh "$name" | cut -f 4)
    answer=$out/solutions/$name/answer
    [ -t 2 ] && printf ' %s ...\r' "$name" >&2
    judge=$out/judge/$name gpu=''
    case $file in
        *.cu) [ -z "${GPU-}" ] || judge=$out/judge-gpu/$name gpu="--gpu-answer $answer.gpu.so --gpu-reference $answer.gpu.so" ;;
    esac
    for attempt in 1 2 3; do
        # shellcheck disable=SC2086
        "$judge" $gpu --no-gpu "${NO_GPU:-no GPU here}" --folder "exercises/${name%.gpu}" --answer "$answer.so" \
            --source "solutions/${name%.gpu}/$file" --reference "$answer.so" --record "$reports/$name.json" \
            "$@" >"$reports/$name.txt" 2>&1
        verdict=$?
        [ $verdict = 4 ] && [ $attempt -lt 3 ] || break
    done
    if [ -n "${REPORTS-}" ]; then
        cat "$reports/$name.txt"
        echo
    fi
    [ $verdict = 0 ] || status=1
    row "$reports/$name.json" "$name" >>"$table"
    if [ $verdict != 0 ] && [ -z "${REPORTS-}" ]; then tail -n 4 "$reports/$name.txt"; fi
done
echo " roof: share of this machine's roofline, the lowest of the parts. Reports: $reports" >>"$table"
[ -n "${REPORTS-}" ] || cat "$table"
exit $status
