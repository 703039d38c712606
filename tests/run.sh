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

suites='layers units sanitized exercises commands pages slides fuzz clang cuda'
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

# cpu_time: the processors' seconds that all we have waited for took, in $cpu: `times` tells minutes and seconds.
cpu_time()
{
    times >"$lists/times"
    cpu=$(awk 'NR == 2 { for (k = 1; k <= 2; k++) { split($k, part, "m"); sum += 60 * part[1] + part[2] }; printf "%.0f", sum }' \
        "$lists/times")
}

lists=$BUILD/tests
mkdir -p "$lists" || exit 2
trap 'exit 130' INT TERM
passed=0 failed=0 skipped=0
for s in $suites; do
    [ -t 2 ] && printf ' %s ...\r' "$s" >&2
    begin=$(date +%s)
    cpu_time
    before=$cpu
    : >"$lists/$s.details"
    sh "tests/suites/$s.sh" >"$lists/$s.tap" 2>"$lists/$s.stderr"
    counts=$(awk -v details="$lists/$s.details" -f tests/count.awk "$lists/$s.tap")
    # shellcheck disable=SC2086
    set -- $counts
    cpu_time
    printf ' %-11s %4d passed, %d failed, %d skipped   %4d s, %d s of processor\n' "$s" "$1" "$2" "$3" \
        $(($(date +%s) - begin)) $((cpu - before))
    cat "$lists/$s.details"
    [ "$2" -gt 0 ] && [ -s "$lists/$s.stderr" ] && sed 's/^/   ! /' "$lists/$s.stderr" | tail -n 20
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
done
if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" = 0 ]
