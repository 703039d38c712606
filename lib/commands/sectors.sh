#!/bin/sh
# sectors.sh OUT BUILD EXERCISE SOURCE -- OPTION...: what each CUDA function of an answer moves, in 32-byte sectors.
# EXERCISE is 04-gpu-first, or 01-stream.gpu for a GPU part; SOURCE is the learner's file or a solution; OPTIONs are
# the judge's.
#
# The checker counts, and calls its figures modelled. Where OPTIONs name an answer for the GPU and the profiler ncu is
# there, the same call is made on the GPU under it, and what its counters measured stands beside; else a line says
# why not. TSV=FILE appends the pairs to FILE.
# Exit status: 0; 1 if nothing could be counted, or the answer is wrong; 2 if nothing of it is written yet.
out=$1 build=$2 exercise=$3 source=$4
shift 4
[ "${1-}" = -- ] && shift
. lib/commands/counted.sh

# The options of the GPU's run are for that one alone.
gpu_answer='' why='no GPU here'
n=$#
while [ $n -gt 0 ]; do
    n=$((n - 1))
    case $1 in
        --gpu-answer) gpu_answer=$2; shift 2; n=$((n - 1)) ;;
        --gpu-reference) shift 2; n=$((n - 1)) ;;
        --no-gpu) why=$2; shift 2; n=$((n - 1)) ;;
        *) word=$1; shift; set -- "$@" "$word" ;;
    esac
done

judge "$out/judge" "$out" "$@" --traffic 0 --sectors >"$work/rows" 2>"$work/errors"
status=$?
if [ $status != 0 ]; then
    sed 's/^/ /' "$work/errors" >&2
    exit 1
fi
functions=$(sed -n 's/^function	//p' "$work/rows")
if [ -z "$functions" ]; then
    echo " Nothing of $source that is written has traffic to count." >&2
    exit 2
fi

# profile FUNCTION OPTION...: one call on the GPU under the profiler; fails with the reason in $why
profile()
{
    function=$1
    shift
    # Clocks are left alone: sectors do not depend on them.
    under="timeout 300 ncu --csv --print-units base --clock-control none --metrics $(table metrics)"
    under="$under --log-file $work/$function.csv"
    judge "${JUDGE_GPU:-$out/judge-gpu}" "$out" "$@" --traffic 1 --sectors --part "$function" --gpu-answer "$gpu_answer" \
        --gpu-reference "$gpu_answer" >"$work/log" 2>&1
    failed=$?
    under=''
    [ -e "$work/$function.csv" ] || : >"$work/$function.csv"
    # shellcheck disable=SC2086
    table profiled "$work/rows" "$function" "$work/$function.csv" $TSV 2>"$work/errors" && return 0
    why=$(sed -n '1s/^sectors: //p' "$work/errors")
    [ $failed = 0 ] || why="$why; $(tail -n 1 "$work/log")"
    return 1
}

if [ -n "$gpu_answer" ] && ! have ncu; then why='ncu, the profiler, is not installed' gpu_answer=''; fi
echo "Traffic of exercise $number, $source"
for function in $functions; do
    table counted "$work/rows" "$function" || exit 1
    if [ -n "$gpu_answer" ] && ! profile "$function" "$@"; then gpu_answer=''; fi
done
echo
echo ' A request: what the lanes of a warp access together. A sector: 32 bytes. Each:'
echo ' sectors a request.'
[ -n "$gpu_answer" ] || printf ' Measured: not, %s.\n' "$why" | fold -s -w 79 | sed '2,$s/^/ /'
