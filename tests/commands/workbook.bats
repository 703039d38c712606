#!/usr/bin/env bats
# What is typed: make and its goals.
load tree

# --- the menu -----------------------------------------------------------------------------------------

@test "the menu lists every exercise, in 80 columns, without colour where there is no terminal" {
    make_
    [ "$status" -eq 0 ]
    for f in exercises/[0-9][0-9]-*; do
        title=$(sed -n '1s/.*· //p' "$f/README.md")
        [[ $output == *"$title"* ]]
    done
    [[ $output == *"make setup tour"* ]]
    [[ $output != *$'\033'* ]]
    within_80_columns "$output"
}

@test "the menu needs no compiler and makes no folder" {
    mv build other-build
    make_ CC=no-such-compiler
    found=$([ -e build ] && echo yes || echo no)
    rm -rf build; mv other-build build
    [ "$status" -eq 0 ]
    [ "$found" = no ]
    [[ $output == *"Sparse Performance Workbook"* ]]
}

@test "the menu shows what was reached, and what to type next" {
    printf '# spw-progress 1\n1\tpass\t93.4\t1\t0\t2026-11-20\n2\tpass\t0.0\t0\t0\t2026-11-20\n5\tslow\t28.0\t0\t2\t2026-11-20\n6\tcorrect\t0.0\t0\t0\t2026-11-20\n' >progress.tsv
    make_
    [[ $(grep STREAM <<<"$output") == *"PASS  93 %"*"stretch"* ]]
    [[ $(grep COO <<<"$output") == *"slow  28 %"* ]]
    [[ $(grep 'SpMV in CSR' <<<"$output") == *"correct, not timed" ]]
    [[ $output == *"Next"*"make exercise-3"* ]]
    [[ $output != *"0 % "*"2026"* ]]
    within_80_columns "$output"
}

@test "a damaged line of the progress file costs only itself, and the file stays" {
    printf '# spw-progress 1\n1\tpass\t93.4\t0\t0\t2026-11-20\n5\tpas' >progress.tsv
    before=$(cksum <progress.tsv)
    make_
    [ "$status" -eq 0 ]
    [[ $output == *"Line 3 of progress.tsv is damaged"* ]]
    [[ $(grep STREAM <<<"$output") == *PASS* ]]
    [ "$(cksum <progress.tsv)" = "$before" ]
}

@test "a progress file of another version is said to be one, and stays" {
    for contents in '# spw-progress 7\n1\tpass\t93.4\t0\t0\tx\tmore\n' '\177ELF\001\002\n' 'garbage\n'; do
        printf "$contents" >progress.tsv
        before=$(cksum <progress.tsv)
        make_
        [ "$status" -eq 0 ]
        [[ $output == *"progress.tsv is damaged or of another version"* ]]
        run make exercise-6
        [ "$(cksum <progress.tsv)" = "$before" ]
    done
}

@test "a folder in the place of the progress file is said to be unreadable" {
    mkdir progress.tsv
    make_
    [ "$status" -eq 0 ]
    [[ $output == *"progress.tsv cannot be read"* ]]
}

# --- what there is not --------------------------------------------------------------------------------

@test "an unknown exercise gets one line with those that there are" {
    for goal in exercise-99 solution-99 hint-99 watch-99 reset-99 diff-99 traffic-99 exercise-2-gpu; do
        make_ $goal
        [ "$status" -ne 0 ]
        one_line
        [[ $output == *"There is no exercise ${goal#*-}. There are: 1"* ]]
    done
}

@test "an unknown goal gets one line" {
    for goal in exrcise-6 nonsense tests lib exercises; do
        make_ $goal
        [ "$status" -ne 0 ]
        one_line
        [[ $output == "There is no goal $goal."* ]]
    done
}

@test "an unknown variable gets one line with those that there are" {
    make_ exercise-6 THREAD=2
    [ "$status" -ne 0 ]
    one_line
    [[ $output == *"THREAD is no variable"*THREADS* ]]
}

@test "an impossible value gets one line with the values that are possible" {
    for setting in THREADS=0 THREADS=-1 THREADS=two THREADS= CHECK=7 LIMIT=soon SEED=x SANITIZE=2 CASE=nonsense; do
        make_ solution-6 $setting
        echo "$setting: $output"
        [ "$status" -ne 0 ]
        one_line
        [[ $output == *"${setting%%=*}"* || $output == *"${setting#*=}"* ]]
    done
}

@test "a compiler that is not there is said to be missing" {
    make_ exercise-6 CC=no-such-compiler
    [ "$status" -ne 0 ]
    one_line
    [[ $output == *"no-such-compiler was not found"*"make setup"* ]]
}

@test "a matrix that is not there, or is none, gets one line" {
    printf '%%%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1.0\n' >bad.mtx
    echo hello >text.mtx
    for matrix in no-such.mtx fem3:0 fem9:4 fem3: ''; do
        make_ solution-6 MATRIX="$matrix"
        echo "$matrix: $output"
        [ "$status" -ne 0 ]
        one_line
        [ -z "$matrix" ] || [[ $output == *"${matrix%%:*}"* ]]
    done
    for matrix in bad.mtx text.mtx stencil27:100000 laplace2d:99999999x99999999; do
        make_ solution-6 MATRIX="$matrix"
        echo "$output"
        [ "$status" -ne 0 ]
        [ "$(grep -c "$matrix:" <<<"$output")" -eq 1 ]
        make_ matrix-info MATRIX="$matrix"
        [ "$status" -ne 0 ]
        one_line
    done
}

@test "a matrix whose size is counted by threads is judged like any other" {
    run timeout 120 make solution-6 CHECK=1 MATRIX=powerlaw:2000
    [ "$status" -eq 0 ]
}

@test "matrix-info without MATRIX says what it takes" {
    make_ matrix-info
    [ "$status" -ne 0 ]
    one_line
    [[ $output == *MATRIX=fem3:64* ]]
    make_ matrix-info MATRIX=laplace2d:10x10
    [ "$status" -eq 0 ]
    [[ $output == *"100 x 100"* ]]
}

@test "the collection's matrices come from a mirror, and are found by their names" {
    mirror=${MATRIX_MIRROR:-$BATS_TEST_DIRNAME/../../../shared/matrices}
    case $mirror in /*) ;; *) mirror=$BATS_TEST_DIRNAME/../../$mirror ;; esac
    [ -d "$mirror" ] || skip 'there is no folder of matrices: MATRIX_MIRROR, ../shared/matrices'
    make_ matrices MATRIX_MIRROR="$mirror"
    echo "$output"
    [ "$status" -eq 0 ]
    within_80_columns "$output"
    name=$(ls matrices/collection | sed -n '1s/\.mtx.*//p')
    [ -n "$name" ]
    make_ matrix-info MATRIX="$name"
    [ "$status" -eq 0 ]
    [ -z "$(find matrices -name '*.partial')" ]
    make_ matrices MATRIX_MIRROR="$BATS_TEST_TMPDIR/no-such-folder"
    [ "$status" -ne 0 ]
    rm -rf matrices/collection
}

# --- hints, reset, diff -------------------------------------------------------------------------------

@test "hints come one at a time, and the third is the last; no compiler is needed" {
    for k in 1 2 3; do
        make_ hint-6 CC=no-such-compiler
        [ "$status" -eq 0 ]
        [[ $output == "Hint $k of 3"* ]]
        within_80_columns "$(sed '/^```/,/^```/d' <<<"$output" | sed 's/\(.\{80\}\).*/\1/')"
    done
    make_ hint-6
    [ "$status" -eq 0 ]
    [[ $output == *"all 3 hints"* ]]
    make_ hint-1
    [[ $output == "Hint 1 of 3"* ]]
}

@test "reset gives the file as shipped and keeps every old one" {
    cp $edit shipped.c
    make_ reset-6
    [[ $output == *"as shipped already"* ]]
    echo '/* first try */' >>$edit
    make_ reset-6 CC=no-such-compiler
    [ "$status" -eq 0 ]
    cmp shipped.c $edit
    grep -q 'first try' $edit.backup
    echo '/* second try */' >>$edit
    make_ reset-6
    cmp shipped.c $edit
    grep -q 'first try' $edit.backup
    grep -q 'second try' $edit.backup.2
    [ -z "$(find exercises -name '*.partial')" ]
}

@test "reset leaves the file as it is where there is no solution to make it from" {
    echo '/* mine */' >>$edit
    cp $edit mine.c
    mv solutions/06-spmv-csr/spmv_csr.c kept.c
    make_ reset-6
    mv kept.c solutions/06-spmv-csr/spmv_csr.c
    [ "$status" -ne 0 ]
    cmp mine.c $edit
}

@test "reset on a full disk leaves the file as it is" {
    [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || skip 'mounting a small disk needs root and unshare'
    mkdir -p full
    run unshare -m sh -c '
        mount -t tmpfs -o size=64k none full && cp lib/judge/exercise.h full/mine.c && cp full/mine.c before.c &&
        { dd if=/dev/zero of=full/filler bs=1k 2>/dev/null; sh lib/commands/reset.sh "$1" full/mine.c; echo "status $?"
          cmp before.c full/mine.c && echo intact; ls full; }' sh solutions/06-spmv-csr/spmv_csr.c
    echo "$output"
    [[ $output == *"status 1"*intact* ]]
    [[ $output != *partial* ]]
}

@test "diff shows the solution beside the file, without its markers" {
    make_ diff-6
    [ "$status" -eq 0 ]
    [[ $output == *"+#pragma omp"* || $output == *"+    #pragma omp"* ]]
    [[ $output != *SOLUTION* ]]
    make_ diff-6 CC=no-such-compiler
    [ "$status" -eq 0 ]
}

# --- judging ------------------------------------------------------------------------------------------

@test "an exercise as shipped is not written yet: status 2, file and line" {
    make_ exercise-6
    [ "$status" -ne 0 ]
    [[ $output == *"NOT WRITTEN YET"*"exercises/06-spmv-csr/spmv_csr.c:"[0-9]* ]]
    within_80_columns "$output"
    run build/gcc/judge/06-spmv-csr --folder exercises/06-spmv-csr --answer build/gcc/exercises/06-spmv-csr/answer.so \
        --reference build/gcc/solutions/06-spmv-csr/answer.so
    [ "$status" -eq 2 ]
}

@test "a GPU part has goals, a result and a line of its own" {
    make_ exercise-1-gpu
    [ "$status" -ne 0 ]
    [[ $output == *"GPU part"*"NOT WRITTEN YET"*"exercises/01-stream/stream.cu:"[0-9]*"make exercise-1-gpu"* ]]
    within_80_columns "$output"
    grep -q "^1-gpu$(printf '\t')unwritten" progress.tsv
    printf '# spw-progress 1\n1\tpass\t93.4\t1\t0\t2026-11-20\n6\tslow\t20.0\t0\t0\t2026-11-20\n' >progress.tsv
    make_ diff-1-gpu
    [[ $output == *"+++ solution: solutions/01-stream/stream.cu"* ]]
    make_ hint-1-gpu CC=no-such-compiler
    [[ $output == "Hint 1 of 3 for exercise 1-gpu"* ]]
    make_ hint-1
    [[ $output == "Hint 1 of 3 for exercise 1"* ]]
    grep -Ev '/\* (SOLUTION|END)' solutions/01-stream/stream.cu >exercises/01-stream/stream.cu
    make_ exercise-1-gpu
    echo "$output"
    [ "$status" -eq 0 ]
    make_ reset-1-gpu
    grep -q sum_kernel exercises/01-stream/stream.cu.backup
    cut -f 1,2 progress.tsv | tr '\t\n' '  ' >kept
    [ "$(cat kept)" = "# spw-progress 1 1 pass 1-gpu pass 6 slow " ]
    make_
    [[ $(grep 'exercise-1-gpu' <<<"$output") == *"GPU part"*PASS* ]]
    [[ $(grep STREAM <<<"$output") == *"PASS  93 %"* ]]
    within_80_columns "$output"
}

@test "a compiler's error stands in the learner's file and line" {
    sed -i 's/^[a-z].*) {$/& return nonsense;/' $edit
    make_ exercise-6
    [ "$status" -ne 0 ]
    [[ $output == *"$edit:"[0-9]*"error"* ]]
    [[ $output == *"BUILD    FAIL"* ]]
    awk -f lib/judge/record.awk build/records/6.json >said
    grep -q "^verdict$(printf '\t')wrong$" said
    grep -q "^checks.0.message$(printf '\t').*$edit:[0-9]*:.*error" said
}

@test "the solution copied into the exercise is timed, whatever the clock says" {
    grep -Ev '/\* (SOLUTION|END)' solutions/06-spmv-csr/spmv_csr.c >$edit
    make_ exercise-6
    echo "$output"
    [[ $output == *" MODEL    ok "*" FAST     "* ]]
    within_80_columns "$(grep -v 'streams\?,' <<<"$output")"
}

@test "an exercise that has passed stays so in the menu, whatever follows" {
    printf '# spw-progress 1\n6\tpass\t93.4\t0\t0\t2026-11-20\n' >progress.tsv
    make_ exercise-6
    [ "$status" -ne 0 ]
    make_
    [[ $(grep SpMV <<<"$output") == *PASS* ]]
}

@test "correct without the clock: the same exercise comes next, timed, and the menu says so" {
    grep -Ev '/\* (SOLUTION|END)' solutions/06-spmv-csr/spmv_csr.c >$edit
    make_ exercise-6 CHECK=1
    [[ $output == *" NEXT     make exercise-6, now timed"* ]]
    make_
    [[ $(grep 'SpMV in CSR' <<<"$output") == *"correct, not timed"* ]]
    make_ exercise-6 CASE=prime
    [[ $output == *" NEXT     make exercise-6, now all cases"* ]]
}

@test "sectors are counted without a clock, and without a GPU nothing more is to be done" {
    grep -Ev '/\* (SOLUTION|END)' solutions/09-sell-p/sell_p.cu >exercises/09-sell-p/sell_p.cu
    make_ exercise-9 CHECK=1 NVCC=no
    echo "$output"
    [[ $output == *" TRAFFIC  ok "*" needed "*" MB by the model / moved "*" MB in sectors"*"at least: "*" NEXT     make exercise-10, or "* ]]
    within_80_columns "$output"
    make_
    [[ $(grep 'SELL-P' <<<"$output") == *PASS ]]
}

@test "NEXT sends to the hints of the function that failed, until all were seen" {
    grep -Ev '/\* (SOLUTION|END)' solutions/07-ell-sell/ell_sell.c | sed 's/sum\[r\] += /sum[r] -= /' \
        >exercises/07-ell-sell/ell_sell.c
    make_ exercise-7 CHECK=1
    echo "$output"
    [[ $output == *"CORRECT  FAIL"*" NEXT     make hint-7 FOR=spmv_sell"* ]]
    for k in 1 2 3; do
        make_ hint-7
        [[ $output == "Hint $k of 3 for exercise 7, "*spmv_sell* ]]
    done
    make_ exercise-7 CHECK=1
    [[ $output == *" NEXT     you have seen all hints: make diff-7"* ]]
    make_ hint-7 FOR=sell_beta
    [[ $output == "Hint 1 of 3 for exercise 7, "*sell_beta* ]]
    make_ hint-7 FOR=nonsense
    [ "$status" -ne 0 ]
    [[ $output == *"has no hints for 'nonsense'. There are hints for: "*spmv_sell* ]]
}

@test "an older file that is moved back is judged, not what was built last" {
    cp -p $edit $edit.backup
    grep -Ev '/\* (SOLUTION|END)' solutions/06-spmv-csr/spmv_csr.c >$edit
    make_ exercise-6 CHECK=1
    [ "$status" -eq 0 ]
    mv $edit.backup $edit
    make_ exercise-6 CHECK=1
    [[ $output == *"NOT WRITTEN YET"* ]]
}

@test "CHECK=1 stops after the checks, and a matrix may be a file or a generator" {
    make_ solution-6 CHECK=1
    [ "$status" -eq 0 ]
    [[ $output == *CORRECT* ]]
    [[ $output != *"roofline "* ]]
    for matrix in matrices/springs.mtx fem3:8 arrow:1000; do
        make_ solution-6 CHECK=1 MATRIX=$matrix
        [ "$status" -eq 0 ]
    done
}

@test "one case can be repeated by name, thread count and seed" {
    make_ solution-6 CHECK=1 CASE=empty-rows THREADS=2 SEED=4711
    [ "$status" -eq 0 ]
    [[ $output == *"1 of 1 cases"* ]]
}

@test "progress that cannot be saved is said in one line, and the verdict stands" {
    for place in no-such-folder/progress.tsv /dev/full/progress.tsv; do
        make_ exercise-6 PROGRESS=$place
        [[ $output == *"NOT WRITTEN YET"* ]]
        [ "$(grep -c "$place" <<<"$output")" -eq 1 ]
    done
}

# result N VERDICT PERCENT STRETCH: a record of that
result() { printf '{"started": "2026-11-22T12:00:00Z", "exercise": "%s", "verdict": "%s", "whole": true, "percent": %s, "stretch": %s, "options": {"matrix": "", "case": ""}}' "$@"; }

@test "six results at a time are all kept" {
    for round in 1 2 3 4 5 6 7 8 9 10; do
        rm -f progress.tsv
        for n in 1 2 3-gpu 4 5 6; do
            result $n pass 50.04 false >result-$n.json
            sh lib/judge/progress.sh result-$n.json progress.tsv 3>&- &
        done
        wait
        cat progress.tsv
        [ "$(wc -l <progress.tsv)" -eq 7 ]
    done
    [ "$(wc -l <progress.tsv.history)" -eq 61 ]
    [ "$(sort -u progress.tsv.history | wc -l)" -eq 7 ]
    [ "$(cut -f 1 progress.tsv | tr '\n' ' ')" = '# spw-progress 1 1 2 3-gpu 4 5 6 ' ]
    [ -z "$(find . -maxdepth 1 -name 'progress.tsv.*.partial')" ]
    rm result-*.json
}

@test "an entry of the progress never gets worse, and an older file is read" {
    printf '# spw-progress 1\n6\tslow\t40.0\t1\t2\t2026-11-20\n6-gpu\tpass\t70.0\t0\t0\t2026-11-20\n' >progress.tsv
    today=$(date +%Y-%m-%d)
    while read -r verdict percent stretch expected; do
        result 6 $verdict $percent $stretch >result.json
        sh lib/judge/progress.sh result.json progress.tsv
        [ "$(sed -n 2p progress.tsv | tr '\t' ' ')" = "$expected" ]
    done <<END
wrong 0 false 6 slow 40.0 1 2 2026-11-20
slow 30 false 6 slow 40.0 1 2 2026-11-20
slow 41.26 false 6 slow 41.3 1 2 $today
pass 80 false 6 pass 80.0 1 2 $today
slow 95 true 6 pass 80.0 1 2 $today
not-written 0 false 6 pass 80.0 1 2 $today
no-verdict 99 false 6 pass 80.0 1 2 $today
END
    [ "$(sed -n 3p progress.tsv)" = "$(printf '6-gpu\tpass\t70.0\t0\t0\t2026-11-20')" ]
    # without the clock, or without a verdict of it: correct; of one case or matrix: nothing
    for change in 's/"case": ""/"case": "prime"/' 's/"matrix": ""/"matrix": "fem3:8"/' ''; do
        [ "$(wc -l <progress.tsv)" -eq 3 ]
        result 1 pass 90 true | sed "s/\"whole\": true/\"whole\": false/; $change" >result.json
        sh lib/judge/progress.sh result.json progress.tsv
    done
    [ "$(sed -n 2p progress.tsv)" = "$(printf '1\tcorrect\t0.0\t0\t0\t%s' "$today")" ]
    for verdict in wrong correct; do
        printf '# spw-progress 1\n2\t%s\t0.0\t0\t0\t2026-11-20\n' $verdict >progress.tsv
        result 2 no-verdict 50 false | sed 's/"whole": true/"whole": false/' >result.json
        sh lib/judge/progress.sh result.json progress.tsv
        [ "$(sed -n 2p progress.tsv | cut -f 2)" = correct ]
    done
    rm result.json
}

@test "the history has every judgement that ended, and a cut-off line of it costs only itself" {
    printf '# spw-history 1\n2026-11-2' >progress.tsv.history
    checks='"checks": [{"name": "BUILD", "status": "ok"}, {"name": "CORRECT", "status": "fail", "code": "crash", "function": "f"}]'
    parts='"parts": [{"function": "f", "case": "n = 1", "share": 0.5}, {"function": "g", "share": null}]'
    for verdict in wrong fault pass; do
        result 6 $verdict 50 false | sed "s/}\$/, $checks, $parts}/" >result.json
        sh lib/judge/progress.sh result.json progress.tsv
    done
    rm result.json
    run awk "$(cat lib/judge/progress.awk)"'{ print take_history($0, NR) h["verdict"], h["code"], h_parts, part_field(1, "share"), part_field(2, "function") }' progress.tsv.history
    [ "$output" = "$(printf '1    \n0    \n1wrong crash 2 0.5 g\n1pass crash 2 0.5 g')" ]
    # progress is kept without it
    rm -r progress.tsv*
    mkdir progress.tsv.history
    result 6 pass 50 false >result.json
    run sh lib/judge/progress.sh result.json progress.tsv
    rm result.json
    [ "$output" = 'This result is not in the history: cannot write progress.tsv.history' ]
    grep -q pass progress.tsv
}

@test "a full disk leaves the old progress whole" {
    [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || skip 'mounting a small disk needs root and unshare'
    mkdir -p full
    run unshare -m sh -c '
        mount -t tmpfs -o size=32k none full &&
        printf "# spw-progress 1\n1\tpass\t93.4\t0\t0\t2026-11-20\n" >full/progress.tsv && cp full/progress.tsv before.tsv
        dd if=/dev/zero of=full/filler bs=1k 2>/dev/null
        make exercise-6 PROGRESS=full/progress.tsv
        cmp before.tsv full/progress.tsv && echo intact; ls full'
    echo "$output"
    [[ $output == *"NOT WRITTEN YET"*full/progress.tsv*intact* ]]
    [[ $output != *partial* ]]
}

@test "Ctrl-C leaves no half-written file and no process behind" {
    printf '# spw-progress 1\n1\tpass\t93.4\t0\t0\t2026-11-20\n' >progress.tsv
    grep -Ev '/\* (SOLUTION|END)' solutions/06-spmv-csr/spmv_csr.c >$edit
    # bash gives a job of its own a group and lets it hear the signal only with job control
    set -m
    for delay in 0.3 1 3; do
        make exercise-6 >interrupted 2>&1 3>&- &
        group=$!
        sleep $delay
        kill -INT -- -$group || true # it may have come to its end
        has_ended
        cat interrupted
        sleep 0.3
        [ -z "$(running_in $group)" ]
        [ -z "$(find . -name '*.partial')" ]
        # whole, whether the verdict had been reached by then or not
        [ "$(sed -n 1p progress.tsv)" = '# spw-progress 1' ]
        grep -q "^1$(printf '\t')pass$(printf '\t')93.4" progress.tsv
        if grep -Ev $'^#|^[0-9]+\t(pass|slow|correct|wrong|unwritten)\t[0-9.]+\t[01]\t[0-9]+\t[0-9]{4}-[0-9]{2}-[0-9]{2}$' progress.tsv
        then false; fi
    done
    set +m
    make_ solution-6 CHECK=1
    [ "$status" -eq 0 ]
}

@test "watch judges at every save, until Ctrl-C" {
    set -m
    make watch-6 CHECK=1 >watched 2>&1 3>&- &
    group=$!
    for k in $(seq 100); do [ "$(grep -c '^Watching' watched)" -ge 1 ] && break; sleep 0.2; done
    cat watched
    grep -q 'NOT WRITTEN YET' watched
    grep -Ev '/\* (SOLUTION|END)' solutions/06-spmv-csr/spmv_csr.c >$edit
    for k in $(seq 200); do [ "$(grep -c '^Watching' watched)" -ge 2 ] && break; sleep 0.2; done
    kill -INT -- -$group
    has_ended
    set +m
    cat watched
    [ "$(grep -c '^Watching' watched)" -eq 2 ]
    grep -q 'SAFE     ok' watched
    grep -q 'No longer watching' watched
}
