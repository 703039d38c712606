#!/bin/sh
# solutions.sh OUT BUILD EXERCISE... -- OPTION...: judges the reference solutions and prints one table. An
# EXERCISE is a folder's name, 01-stream, or 01-stream.gpu for its GPU part. Their reports are kept in
# BUILD/reports. A run that came to no verdict for noise is repeated, twice at most.
#
# REPORTS=1 prints the reports and leaves the table in BUILD/reports/table. POINTS=FILE takes down every timed
# kernel as a point of the roofline: name, flop/byte, Gflop/s, parted by tabs. The status is 0 where all passed.
out=$1 build=$2
shift 2
folders=''
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    folders="$folders $1"
    shift
done
[ "${1-}" = -- ] && shift

reports=$build/reports
mkdir -p "$reports" || exit 1
table=$reports/table
printf ' %-46s  %-10s  %5s  %6s\n' 'Reference solutions' 'verdict' 'roof' 'took' >"$table"
[ -n "${POINTS-}" ] && : >"$POINTS"
trap 'exit 130' INT TERM

now() { date +%s; }

status=0
for folder in $folders; do
    in=${folder%.gpu}
    source=${in#*-}
    source=solutions/$in/$(printf %s "$source" | tr - _).c
    if [ "$in" != "$folder" ] || [ ! -f "$source" ]; then source=${source%.c}.cu; fi
    report=$reports/$folder.txt
    [ -t 2 ] && printf ' %s ...\r' "$folder" >&2
    begin=$(now)
    # GPU: CUDA exercises are timed there; NO_GPU: why not
    judge=$out/judge/$folder gpu=''
    case $source in
        *.cu)
            answer=$out/solutions/$folder/answer.gpu.so
            if [ -n "${GPU-}" ]; then
                judge=$out/judge-gpu/$folder gpu="--gpu-answer $answer --gpu-reference $answer"
            fi ;;
    esac
    for attempt in 1 2 3; do
        # shellcheck disable=SC2086
        "$judge" $gpu --no-gpu "${NO_GPU:-no GPU here}" --folder "exercises/$in" --answer "$out/solutions/$folder/answer.so" \
            --source "$source" --reference "$out/solutions/$folder/answer.so" "$@" >"$report" 2>&1
        verdict=$?
        [ $verdict = 4 ] && [ $attempt -lt 3 ] || break
    done
    if [ -n "${REPORTS-}" ]; then
        cat "$report"
        echo
    fi
    [ $verdict = 0 ] || status=1

    # Every FAST line opens a kernel; its last row is the one judged.
    LC_ALL=C awk -v verdict="$verdict" -v folder="$folder" -v seconds="$(($(now) - begin))" \
        -v points="${POINTS-}" '
        NR == 1 { title = $0; sub(/  +.*/, "", title) }
        / FAST / { on_gpu = / measured on the GPU/ }
        / FAST / && match($0, /[A-Za-z_0-9]+: /) { part = substr($0, RSTART, RLENGTH - 2) }
        / flop\/byte/ { for (k = 2; k <= NF; k++) if ($k ~ /^flop\/byte/) intensity = $(k - 1) }
        /^ +yours / {
            for (k = 2; k <= NF; k++) {
                if ($k == "%" && ++seen_share == 1) share = $(k - 1)
                if ($k == "Gflop/s") rate = $(k - 1)
            }
            seen_share = 0
            if (lowest == "" || share + 0 < lowest) lowest = share + 0
            name = part != "" ? part : folder
            if (part == "") { sub(/^[0-9]+-/, "", name) }
            if (points != "" && !on_gpu && rate > 0 && intensity > 0)
                printf "%s\t%s\t%s\n", name, intensity, rate >>points
            rate = intensity = 0
        }
        function wide(s) { gsub(/[\200-\277]/, "", s); return length(s) }
        END {
            split("PASS WRONG UNWRITTEN SLOW NO_VERDICT", word, " ")
            text = verdict + 1 in word ? word[verdict + 1] : "FAULT"
            sub(/_/, " ", text)
            if (title == "") title = folder
            while (wide(title) < 46) title = title " "
            printf " %s  %-10s  %5s  %4d s\n", title, text, lowest == "" ? "-" : lowest " %", seconds
        }' "$report" >>"$table"
    if [ $verdict != 0 ] && [ -z "${REPORTS-}" ]; then tail -n 4 "$report"; fi
done
echo " roof: share of this machine's roofline, the lowest of the parts. Reports: $reports" >>"$table"
[ -n "${REPORTS-}" ] || cat "$table"
exit $status
