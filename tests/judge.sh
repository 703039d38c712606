# judge.sh: runs judges for the suites. Needs tap.sh and the shell variable $folder, of the build.
# shellcheck shell=sh disable=SC2154

slug_file() { printf %s "${1#*-}" | tr - _; }

# source_file EXERCISE: the file that learners edit, spmv_csr.c or gpu_first.cu
source_file()
{
    slug=$(slug_file "$1")
    if [ -e "solutions/$1/$slug.cu" ]; then echo "$slug.cu"; else echo "$slug.c"; fi
}

# judge EXERCISE ANSWER.so SOURCE OPTION...: the report on standard output; a run without verdict, for noise, is
# repeated, four times at most. Returns the judge's status.
judge()
{
    exercise=$1 answer=$2 source=$3
    shift 3
    for attempt in 1 2 3 4 5; do
        timeout 300 "$folder/judge/$exercise" --folder "exercises/$exercise" --answer "$answer" --source "$source" \
            --build tests --reference "$folder/solutions/$exercise/answer.so" "$@" >"$answer.report" 2>&1
        verdict=$?
        if [ $verdict != 4 ] || [ "$attempt" = 5 ]; then break; fi
        sleep "$attempt"
    done
    cat "$answer.report"
    return "$verdict"
}

# check_speed NAME COMMAND...: the same as check, but five runs in which the machine was too busy to tell count as
# neither; they leave $verdict at 4.
check_speed()
{
    tap_name=$1
    shift
    verdict=0
    if "$@" >"$tap_work/check" 2>&1; then ok "$tap_name"
    elif [ "$verdict" = 4 ]; then skip "$tap_name" 'the machine was too busy to tell, five times'
    else not_ok "$tap_name" "$tap_work/check"; fi
}

# built VARIABLE...: makes all that the exercises need; a failure or a warning is a failed case
built()
{
    if ! "$MAKE" -s -k -j"$JOBS" answers BUILD="$BUILD" "$@" >"$tap_work/build" 2>&1; then
        not_ok "make answers $*" "$tap_work/build"
    elif [ -s "$tap_work/build" ]; then
        not_ok "make answers $*: judges, solutions and files as shipped compile without a warning" "$tap_work/build"
    else
        ok "make answers $*: judges, solutions and files as shipped compile without a warning"
    fi
}

# status_is WANTED COMMAND...: for check
status_is()
{
    wanted=$1
    shift
    "$@"
    got=$?
    [ $got = "$wanted" ] && return
    echo "status $got, expected $wanted"
    return 1
}
