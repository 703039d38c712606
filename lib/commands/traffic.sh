#!/bin/sh
# traffic.sh OUT BUILD EXERCISE SOURCE -- OPTION...: how many bytes one call of each kernel really moves,
# beside what the model says. EXERCISE is 01-stream, or 01-stream.gpu for its GPU part; SOURCE is the learner's file or a solution; OPTIONs are the judge's. MAKE is the make.
#
# Counted is by likwid-perfctr where it can read the memory controllers' counters. Elsewhere (most virtual
# machines, most laptops) cachegrind simulates a cache, on a smaller case and with a smaller cache, so that
# their proportion stays what it is in earnest. Which of the two it was is said.
# Exit status: 0; 1 if nothing could be counted; 2 if there is nothing to count, or it is not written yet.
out=$1 build=$2 exercise=$3 source=$4
shift 4
[ "${1-}" = -- ] && shift
. lib/commands/counted.sh
first='' # a simulation in the background, which Ctrl-C does not reach
trap 'if [ -n "$first" ]; then kill "$first" 2>/dev/null; fi; exit 130' INT TERM

# models BUILD OPTION...: the models of all kernels, into $work/model
models()
{
    at=$1
    shift
    if ! judge "$at/judge" "$at" "$@" --traffic 0 >"$work/model" 2>"$work/errors"; then
        sed 's/^/ /' "$work/errors" >&2
        exit 2
    fi
}
functions() { sed -n 's/^function //p' "$work/model"; }
working_set() { awk -v f="$1" '$1 == "function" { on = $2 == f } on && $1 == "working_set_bytes" { print $2 }' "$work/model"; }

# --- counters -----------------------------------------------------------------------------------------
# find_groups: the groups that see all the memory's traffic, into $groups; fails with the reason in $why
find_groups()
{
    have likwid-perfctr || { why='likwid-perfctr is not installed'; return 1; }
    likwid-perfctr -e >"$work/events" 2>&1 </dev/null
    why=$(sed -n 's/^ERROR - \[[^]]*\] /likwid-perfctr says: /p' "$work/events" | head -n 1)
    [ -z "$why" ] || return 1
    why=$(sed -n 's/^This architecture has 0 counters.*/likwid-perfctr knows no counters of this CPU/p' "$work/events")
    [ -z "$why" ] || return 1
    likwid-perfctr -a >"$work/groups" 2>&1 </dev/null
    groups=$(awk '$1 == "MEM" { print $1; exit }' "$work/groups")
    # some CPUs have too few counters for all their memory channels
    [ -n "$groups" ] || groups=$(awk '$1 ~ /^MEM[12]$/ { print $1 }' "$work/groups" | sort -u)
    why='likwid-perfctr has no group MEM for this CPU'
    [ -n "$groups" ]
}

# count THREADS FUNCTION OPTION...: fails, with the reason in $why, where the counters turn out to be locked
count()
{
    last=$(($1 - 1)) function=$2
    shift 2
    # Volumes are printed in units of 100 kB: 4 GB and more make that fine enough.
    calls=$(awk -v bytes="$(working_set "$function")" 'BEGIN { n = int(4e9 / (bytes + 1)) + 1; print (n > 1000 ? 1000 : n) }')
    files=''
    for group in $groups; do
        under="timeout 300 likwid-perfctr -C N:0-$last -g $group -m -O"
        judge "$out/judge" "$out" "$@" --large --part "$function" --traffic "$calls" >"$work/$group.csv" 2>&1
        files="$files $work/$group.csv"
    done
    under=''
    # shellcheck disable=SC2086
    table likwid "$work/model" "$function" "$calls" $files 2>"$work/errors" && return 0
    why=$(sed 's/^traffic: //' "$work/errors")
    return 1
}

count_all()
{
    threads=$(nproc 2>/dev/null || echo 1) previous=''
    for word; do
        [ "$previous" = --threads ] && threads=$word
        previous=$word
    done
    models "$out" "$@" --large
    for function in $(functions); do
        count "$threads" "$function" "$@" || return 1
    done
}

# --- simulation ---------------------------------------------------------------------------------------
# Valgrind does not know AVX-512, and -march=native may mean it: a build apart, into $plain.
build_plain()
{
    opt=-O3
    if grep -qw avx2 /proc/cpuinfo 2>/dev/null && grep -qw fma /proc/cpuinfo; then opt='-O3 -mavx2 -mfma'; fi
    plain=$(${MAKE:-make} BUILD="$build/traffic" OPT="$opt" print-out) &&
        ${MAKE:-make} BUILD="$build/traffic" OPT="$opt" "$plain/judge/$exercise" \
            "$plain/solutions/$exercise/answer.so" "$plain/${source%%/*}/$exercise/answer.so" >"$work/build" 2>&1 && return 0
    cat "$work/build" >&2
    return 1
}

# simulate CALLS FUNCTION OPTION...
simulate()
{
    calls=$1 function=$2
    shift 2
    under="valgrind -q --vgdb=no --tool=cachegrind --cache-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=$cache,16,64"
    under="$under --cachegrind-out-file=$work/$function.$calls"
    if ! OMP_NUM_THREADS=1 judge "$plain/judge" "$plain" "$@" --threads 1 --part "$function" --traffic "$calls" \
        >"$work/log.$calls" 2>&1; then
        grep -v '^--' "$work/log.$calls" | sed 's/^/ /' >&2
        return 1
    fi
}

simulate_all()
{
    build_plain || return 1
    models "$plain" "$@" --threads 1
    for function in $(functions); do
        # The largest power of two that is at most an eighth of the working set.
        cache=$(awk -v bytes="$(working_set "$function")" 'BEGIN { c = 65536; while (16 * c <= bytes) c *= 2; print c }')
        echo " $function: simulating ..." >&2
        # What 3 calls cost more than 1: neither start-up nor set-up nor the first call.
        simulate 1 "$function" "$@" &
        first=$!
        simulate 3 "$function" "$@"
        failed=$?
        wait $first || failed=1
        first=''
        [ $failed = 0 ] || return 1
        table cachegrind "$work/model" "$function" 1 "$work/$function.1" 3 "$work/$function.3" ||
            return 1
    done
}

models "$out" "$@" # says at once if there is nothing to count
echo "Traffic of exercise $number, $source"
if find_groups && count_all "$@"; then exit 0; fi
echo " No counters ($why)."
if ! have valgrind; then
    echo " No cachegrind either: valgrind is not installed. Nothing can be counted; make setup installs it." >&2
    exit 1
fi
if simulate_all "$@"; then exit 0; fi
echo " Nothing counted: the simulation failed." >&2
exit 1
