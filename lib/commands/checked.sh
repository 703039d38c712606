# checked.sh: what check_cuda.sh and check_mpi.sh have in common, which source it. They have set
#     goal     check-cuda or check-mpi; the program is $out/bin/check_cuda or check_mpi
#     out build file args
# LIMIT: seconds of processor time for a run, 60.
# shellcheck shell=sh disable=SC2154
limit=${LIMIT:-60}
refuse()
{
    printf '%s: %s\n' "$goal" "$*" >&2
    exit 2
}

# begin HOW: refuses what is no file, and makes $work, which goes when this script ends. HOW: as the goal is typed.
begin()
{
    [ -n "$file" ] || refuse "FILE= is missing: $1"
    [ -e "$file" ] || refuse "there is no file $file"
    [ -f "$file" ] && [ -r "$file" ] || refuse "$file cannot be read"
    case $limit in '' | *[!0-9]* | 0*) refuse "LIMIT is '$limit', must be whole seconds of processor time, from 1" ;; esac
    work=$(mktemp -d "$build/$goal.XXXXXX") || exit 2
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM PIPE
}

# run up|down OPTION...: its status; what it printed is in $work/up/output and $work/down/output
run()
{
    way=$1
    shift
    mkdir "$work/$way"
    # Ten times the clock: a program that waits uses no processor time. 64 MiB of output are enough.
    (exec >"$work/$way/output" 2>&1 </dev/null
    ulimit -f 131072
    set -f
    # shellcheck disable=SC2086
    exec timeout -s KILL $((10 * limit)) "$out/bin/$(echo "$goal" | tr - _)" "$work/program.so" "$work/$way" "$way" "$@" "$file" $args)
}

# printed: what the first run printed
printed()
{
    head -c 100000 "$work/up/output"
    [ "$(wc -c <"$work/up/output")" -le 100000 ] || printf '\n... it goes on: %s bytes\n' "$(wc -c <"$work/up/output")"
}

# found WAY: how many mistakes; fails where the run left no report
found() { sed -n 1p "$work/$1/findings" 2>/dev/null | grep .; }
