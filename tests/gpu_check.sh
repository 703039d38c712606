#!/bin/sh
# gpu_check.sh OUT BUILD PLOTS EXERCISE... -- OPTION...: all that a machine with a GPU can tell and another cannot.
# `make gpu-check` runs it there; OPTIONs are the judge's.
#
#   1. the unit tests of CUDA code on the GPU: the programs in TESTS
#   2. the solution of every CUDA exercise, judged: values, and speed against the device's own roof
#   3. the sectors of each, by the checker and by the profiler ncu, where that is there
#   4. 100 iterations of LOBPCG, and its phases
#
# Figures are appended to PLOTS/gpu-speed.tsv, gpu-sectors.tsv and gpu-lobpcg.tsv, each row with date, GPU, driver,
# CUDA and processor. The files are written by real runs only: where nothing was measured there is none.
# Exit status: 0; 1 if something failed; 2 where there is no GPU.
out=$1 build=$2 plots=$3
shift 3
exercises=''
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    exercises="$exercises $1"
    shift
done
[ "${1-}" = -- ] && shift

tab=$(printf '\t')
gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | sed -n 1p)
if [ -z "$gpu" ]; then
    echo 'There is no GPU here (nvidia-smi shows none): nothing was run, no figure was written.' >&2
    exit 2
fi
work=$(mktemp -d "$build/gpu-check.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
name=${gpu%%,*} driver=${gpu##*, }
cuda=$(${NVCC:-nvcc} --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | sed -n 1p)
when=$(date +%Y-%m-%d)
echo "GPU check on $name, driver $driver, CUDA ${cuda:-unknown}, $when"

status=0
failed()
{
    echo "   FAIL: $1"
    [ -z "${2-}" ] || tail -n 20 "$2" | sed 's/^/   | /'
    status=1
}

echo ' 1. unit tests on the GPU'
for program in ${TESTS-}; do
    if ! "$program" >"$work/log" 2>&1; then failed "$program" "$work/log"
    elif grep -q 'SKIPPED' "$work/log"; then failed "$program ran nothing" "$work/log"
    else echo "   ok: ${program##*/}, $(grep -c '^\[ *OK \]' "$work/log") cases"; fi
done

# take TABLE: its rows, with machine and date, to the end of PLOTS/TABLE
take()
{
    [ -s "$work/$1" ] || return 0
    mkdir -p "$plots"
    [ -s "$plots/$1" ] || printf 'date\tgpu\tdriver\tcuda\tcpu\t%s\n' "$(sed -n 1p "$work/$1")" >"$plots/$1"
    sed "1d; s|^|$when$tab$name$tab$driver$tab${cuda:--}$tab${cpu:--}$tab|" "$work/$1" >>"$plots/$1"
    echo "   $(($(wc -l <"$work/$1") - 1)) rows added to $plots/$1"
}

# figures EXERCISE RECORD: a row for each part that was timed on the GPU, below a line of names
columns='function case load store flop bandwidth seconds reference baseline stretch share low high target to_device
    from_device verdict'
figures()
{
    echo exercise $columns | tr ' ' '\t'
    awk -v rows=parts -v columns="timed on $columns" -f lib/judge/record.awk "$2" |
        awk -F '\t' -v e="$1" '$1 == "true" && $2 != "host" { sub(/^[^\t]*\t[^\t]*/, e); print }'
}

echo ' 2. solutions, judged'
for e in $exercises; do
    folder=${e%.gpu}
    source=solutions/$folder/$(sh lib/commands/exercises.sh "$e" | cut -f 4)
    answer=$out/solutions/$e/answer
    for attempt in 1 2 3; do
        "$out/judge-gpu/$e" --folder "exercises/$folder" --source "$source" --answer "$answer.so" \
            --reference "$answer.so" --gpu-answer "$answer.gpu.so" --gpu-reference "$answer.gpu.so" \
            --record "$work/record.json" "$@" >"$work/log" 2>&1
        verdict=$?
        [ $verdict = 4 ] && [ "$attempt" -lt 3 ] || break # 4: too noisy to tell
    done
    figures "$e" "$work/record.json" >"$work/one.tsv"
    if [ $verdict != 0 ]; then failed "$e, status $verdict" "$work/log"
    elif [ "$(wc -l <"$work/one.tsv")" -lt 2 ]; then failed "$e was not timed" "$work/log"
    else
        echo "   ok: $e"
        awk -F '\t' 'NR > 1 { printf "     %-20s %-36s %8.1f µs  %3.0f %% of %.0f GB/s, goal %.0f %%\n", $2, $3, 1e6 * $8, 100 * $12, $7 * 1e-9, 100 * $15 }' "$work/one.tsv"
    fi
    if [ -s "$work/gpu-speed.tsv" ]; then sed 1d "$work/one.tsv"; else cat "$work/one.tsv"; fi >>"$work/gpu-speed.tsv"
done
[ "$(wc -l <"$work/gpu-speed.tsv")" -gt 1 ] || rm "$work/gpu-speed.tsv"
take gpu-speed.tsv

echo ' 3. sectors: the checker and the profiler'
for e in $exercises; do
    folder=${e%.gpu}
    source=solutions/$folder/$(sh lib/commands/exercises.sh "$e" | cut -f 4)
    answer=$out/solutions/$e/answer.gpu.so
    if ! TSV=$work/gpu-sectors.tsv sh lib/commands/sectors.sh "$out" "$build" "$e" "$source" -- \
        --gpu-answer "$answer" --gpu-reference "$answer" "$@" >"$work/log" 2>&1; then
        failed "$e" "$work/log"
    elif why=$(sed -n 's/^ Measured: not, //p' "$work/log") && [ -n "$why" ]; then
        echo "   $e: not measured, $why"
    else
        echo "   ok: $e"
        grep 'load sectors\|store sectors\|atomic sectors' "$work/log"
    fi
done
take gpu-sectors.tsv

# The bench's own columns of machine and date go: take() writes those of all tables.
echo ' 4. LOBPCG, 100 iterations of 16, 32 and 48 vectors'
if ! "$out/bin/bench-gpu" --only lobpcg-cuda --out "$work/bench.tsv" >"$work/log" 2>&1; then
    failed LOBPCG "$work/log"
else
    grep 'on the device\|on the host\|LOBPCG on' "$work/log" | sed 's/^/  /'
    awk -F "$tab" -v OFS="$tab" 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; print "group", "subject", "what", "seconds"; next }
        { print $at["group"], $at["subject"], $at["kernel"], $at["value"] }' "$work/bench.tsv" >"$work/gpu-lobpcg.tsv"
fi
take gpu-lobpcg.tsv

[ $status = 0 ] && echo ' All of it holds on this GPU.'
exit $status
