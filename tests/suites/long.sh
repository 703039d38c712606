#!/bin/sh
# Can the verdict be trusted? Ten runs each of the solutions of exercises 1 and 6, none of which may fail and
# eight of which must pass, and of their serial wrong answers, none of which may pass. The machine should be as
# busy as it is in a workshop, so nothing else is done about noise. Also what depends on the clock otherwise.
. tests/tap.sh
. tests/judge.sh
folder=$(out)
built

# ten EXERCISE ANSWER.so SOURCE: the ten statuses, one line
ten()
{
    statuses=''
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        timeout 300 "$folder/judge/$1" --folder "exercises/$1" --answer "$2" --source "$3" --build tests \
            --reference "$folder/solutions/$1/answer.so" --record "$tap_work/run.json" >/dev/null 2>&1
        status=$?
        statuses="$statuses $status"
        awk -v rows=parts -v columns='function share low high target' -f lib/judge/record.awk "$tap_work/run.json"
    done
    echo "statuses:$statuses (0 pass, 3 slow, 4 no verdict)"
}

count() { printf '%s\n' "$statuses" | tr ' ' '\n' | grep -cx "$1"; }

solution_holds()
{
    ten "$1" "$folder/solutions/$1/answer.so" "$(solution_file "$1")"
    [ "$(count 3)" = 0 ] && [ "$(count 1)" = 0 ] && [ "$(count 5)" = 0 ] && [ "$(count 0)" -ge 8 ]
}

serial_never_passes()
{
    "$MAKE" -s "$folder/wrong/$1/serial.so" BUILD="$BUILD" || return 1
    ten "$1" "$folder/wrong/$1/serial.so" "$folder/wrong/$1/serial.c"
    [ "$(count 0)" = 0 ]
}

null_build()
{
    "$MAKE" -s all BUILD="$BUILD" || return 1
    best=999
    for _ in 1 2 3 4 5; do
        begin=$(date +%s%N)
        "$MAKE" -s all BUILD="$BUILD" || return 1
        took=$((($(date +%s%N) - begin) / 1000000))
        [ $took -lt $best ] && best=$took
    done
    echo "$best ms"
    [ $best -lt 100 ]
}

quick_check()
{
    begin=$(date +%s)
    judge "$1" "$folder/solutions/$1/answer.so" "$(solution_file "$1")" --check 1 || return 1
    took=$(($(date +%s) - begin))
    echo "$took s"
    [ $took -le 5 ]
}

for f in 01-stream 06-spmv-csr; do
    check "$f: ten runs of the solution: none fails, eight pass" solution_holds "$f"
    sed "s/^/# $f: /" "$tap_work/check"
    check "$f: ten runs of the serial answer: none passes" serial_never_passes "$f"
    sed "s/^/# $f, serial: /" "$tap_work/check"
done
check 'a build of nothing takes under 0.1 s' null_build
for f in $(all_exercises); do
    check "$f: CHECK=1 takes under 5 s" quick_check "$f"
done
done_testing
