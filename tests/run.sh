#!/bin/sh
# run.sh: everything that must hold. `make test` calls it with MAKE, BUILD and CC in the environment.
#
#     make test                  all suites, some 12 minutes on two cores
#     make test ONLY=layers      one of them, or several: ONLY="layers commands"
#     make test LONG=1           also every wrong answer, what takes long under sanitizers or by clang, and long
#                                loops: can the verdict be trusted?
#     make test MAINTAINER=1     also: the exercises as committed are the stripped solutions
#
# A suite is a script tests/suites/NAME.sh that prints TAP. Its list is kept in BUILD/tests/NAME.tap. The last
# line is "N passed, N failed", with ", N skipped" where cases could not run here; each says why.
set -u
MAKE=${MAKE:-make} BUILD=${BUILD:-build} CC=${CC:-gcc}
export MAKE BUILD CC
# The variables of this make are meant for it alone, not for those that the suites start.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL MAKE_RESTARTS
jobs=$(nproc 2>/dev/null || echo 2)
JOBS=$jobs
export JOBS
# A learner may have set these; the tests are about the defaults.
unset CHECK CASE SEED MATRIX THREADS LIMIT SANITIZE OMP_NUM_THREADS QUICK PROGRESS
# The same random values in every run: a change is judged, not chance. LONG=1 takes others each time.
[ "${LONG:-}" = 1 ] || export SEED=3

suites='layers texts units sanitized exercises class commands exports pages slides fuzz clang cuda'
[ "${MAINTAINER:-}" = 1 ] && suites="$suites maintainer"
[ "${LONG:-}" = 1 ] && suites="$suites long"
if [ -n "${ONLY:-}" ]; then
    for s in $ONLY; do
        if [ ! -f "tests/suites/$s.sh" ]; then
            echo "ONLY=$s: there is no such suite. There are: $(cd tests/suites && echo *.sh | sed 's/\.sh//g')" >&2
            exit 2
        fi
    done
    suites=$ONLY
fi

lists=$BUILD/tests
mkdir -p "$lists" || exit 2
trap 'exit 130' INT TERM

# seconds_in FILE: of the processors, for all that this shell has waited for; the file is what `times` told
seconds_in()
{
    awk 'NR == 2 { for (k = 1; k <= 2; k++) { split($k, part, "m"); sum += 60 * part[1] + part[2] }; printf "%.0f\n", sum }' "$1"
}

# run_suite NAME: one line, and its counts in NAME.counts. What has failed or was skipped is in NAME.details.
run_suite()
{
    list=$lists/$1
    begin=$(date +%s)
    times >"$list.times"
    before=$(seconds_in "$list.times")
    : >"$list.details"
    sh "tests/suites/$1.sh" >"$list.tap" 2>"$list.stderr"
    times >"$list.times"
    awk -v details="$list.details" -f tests/count.awk "$list.tap" >"$list.counts"
    read -r passed failed skipped <"$list.counts"
    [ "$failed" -gt 0 ] && sed 's/^/   ! /' "$list.stderr" | tail -n 20 >>"$list.details"
    printf ' %-11s %4d passed, %d failed, %d skipped   %4d s, %d s of processor\n' "$1" "$passed" "$failed" "$skipped" \
        $(($(date +%s) - begin)) $(($(seconds_in "$list.times") - before))
}

if [ "${1-}" = lane ]; then
    for s in $2; do run_suite "$s"; done
    exit
fi
# Two suites at a time, for many of their steps are of one process alone: those that build in folders of their own,
# or nothing, beside the others. By xargs, since a shell lets its background jobs ignore Ctrl-C.
apart='' others=''
for s in $suites; do
    : >"$lists/$s.counts"
    case $s:${LONG:-} in
        sanitized: | clang: | fuzz: | cuda: | layers: | texts: | exports: | pages: | slides:) apart="$apart $s" ;;
        *) others="$others $s" ;;
    esac
done
printf '%s\n' "$others" "$apart" | xargs -P 2 -I '{}' sh tests/run.sh lane '{}'

total_passed=0 total_failed=0 total_skipped=0
for s in $suites; do
    [ -s "$lists/$s.details" ] && echo " $s:" && cat "$lists/$s.details"
    read -r passed failed skipped <"$lists/$s.counts" || passed=0 failed=1 skipped=0
    total_passed=$((total_passed + passed)) total_failed=$((total_failed + failed)) total_skipped=$((total_skipped + skipped))
done
if [ "$total_skipped" -gt 0 ]; then
    echo "$total_passed passed, $total_failed failed, $total_skipped skipped"
else
    echo "$total_passed passed, $total_failed failed"
fi
[ "$total_failed" = 0 ]
