#!/bin/sh
# A class: what is handed in is read, attacks get their lines and leave nothing, who is killed goes on.
. tests/tap.sh
unset ONLY JOBS # this make's own are not meant
if ! command -v python3 >/dev/null 2>&1; then
    skip 'a class' 'python3 is not installed: make setup'
    done_testing
    exit
fi
python3 -B tests/grade/test_grade.py >"$tap_work/grade" 2>"$tap_work/said"
status=$?
tap_join <"$tap_work/grade"
if [ $status != 0 ]; then not_ok 'make grade is tested to the end' "$tap_work/said"; fi

# One submission, as platforms have it judged: root in a container, without capabilities, users or namespaces.
platform()
{
    mkdir -p "$tap_work/$1/$3" && cp solutions/06-spmv-csr/spmv_csr.c "$tap_work/$1/$3" || return 1
    # shellcheck disable=SC2016
    unshare -U -r sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' sh setpriv --bounding-set=-all --inh-caps=-all \
        env AUTOGRADER="$tap_work/$1" GRADE="$tap_work/$1" WORKBOOK="$PWD" "lib/grade/$2" &&
        python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); assert r["score"] in (1, 10), r' "$tap_work/$1/results/results.json"
}
for script in run_autograder:submission run_prairielearn:student; do
    if unshare -U -r sh -c 'echo 0 >/proc/sys/user/max_user_namespaces' 2>/dev/null; then
        check "${script%:*} in a container without namespaces" platform "${script%:*}" "${script%:*}" "${script#*:}"
    else
        skip "${script%:*} in a container without namespaces" 'unshare may not make one'
    fi
done
done_testing
