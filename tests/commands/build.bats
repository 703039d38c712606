#!/usr/bin/env bats
# What is typed to build: make under other compilers, flags and folders, and what setup and doctor say.
load tree

@test "what is built is not built again, and a change of flags rebuilds" {
    make_ all
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    for build in build "$tree/build"; do [ "$(make -n all BUILD=$build)" = : ]; done # by whatever name it is called
    object=other/gcc/lib/base/status.o
    make_ V=1 BUILD=other $object
    [[ $output == *"-O3"*status.c* ]]
    make_ V=1 BUILD=other $object
    [[ $output != *"-c"*status.c* ]]
    make_ V=1 BUILD=other $object OPT=-O1
    [[ $output == *"-O1"*status.c* ]]
    rm -rf other
}

@test "a dry run does nothing" {
    for goal in watch-6 traffic-6 exercise-6 test wrong-6; do
        run timeout 60 make -n $goal NAME=serial
        echo "$goal: $output"
        [ "$status" -eq 0 ]
        [[ $output != *Watching* && $output != *"NOT WRITTEN"* && $output != *passed* && $output != *cachegrind* ]]
    done
    [ ! -e progress.tsv ]
}

@test "clean removes what any compiler built, and nothing else" {
    make_ BUILD=other probe
    make_ BUILD=other CC='env gcc' probe
    [ -e other/gcc/probe.mk ]
    [ -e other/env-gcc/probe.mk ]
    mkdir other/mine
    make_ BUILD=other clean
    [ "$status" -eq 0 ]
    [ "$(ls other)" = mine ]
    rm -r other
}

@test "info shows the probe, and doctor says what each absence switches off" {
    make_ info
    [ "$status" -eq 0 ]
    for v in CC_VERSION OPENMP ZLIB_LIBS HWLOC_LIBS BLAS_LIBS CMOCKA_LIBS; do
        [[ $output == *"$v = "* ]]
    done
    make_ doctor
    [ "$status" -eq 0 ]
    within_80_columns "$output"
    for part in compiler OpenMP hwloc likwid gnuplot valgrind cmocka GPU offload MPI; do [[ $output == *" $part "* ]]; done
}

@test "counters that likwid cannot read are not there, in whatever words it says so" {
    mkdir "$BATS_TEST_TMPDIR/fake"
    while IFS='|' read -r said told; do
        printf '%s\n' '#!/bin/sh' '[ "$1" = -e ] && exit' "echo '$said' >&2; echo 'CPU clock: 2.59 GHz'; exit 1" \
            >"$BATS_TEST_TMPDIR/fake/likwid-perfctr"
        chmod +x "$BATS_TEST_TMPDIR/fake/likwid-perfctr"
        PATH=$BATS_TEST_TMPDIR/fake:$PATH make_ doctor
        [[ $output == *" counters      no "*"likwid-perfctr: $told"* ]]
    done <<'END'
Cannot get access to MSRs. Please check permissions|Cannot get access to MSRs.
ERROR - [./src/perfmon.c:perfmon_init:1] Unsupported Processor|Unsupported Processor
|it fails
END
}

@test "without gnuplot the doctor says so, and plots are drawn as text" {
    PATH=$(path_without gnuplot) make_ doctor
    [ "$status" -eq 0 ]
    [[ $output == *"gnuplot "*missing*text* ]]
    PATH=$(path_without gnuplot) make_ machine QUICK=1
    [ "$status" -eq 0 ]
    [[ $output == *"flop/byte"* ]]
    [ "$(grep -ci gnuplot <<<"$output")" -eq 1 ]
}

@test "without rights setup prints the line to type, and goes on" {
    path=$(path_without gnuplot sudo)
    rm -f "$path/id"
    printf '#!/bin/sh\necho 1000\n' >"$path/id"
    chmod +x "$path/id"
    PATH=$path make_ setup
    [ "$status" -eq 0 ]
    [[ $output == *"install"*gnuplot* ]]
    [[ $output == *"What this machine has"* ]]
}

# Both compile the whole library, so they do it together.
@test "the first build says that it builds the library, and how far it is; a silent one does not; a compiler without OpenMP builds everything; an exercise that needs OpenMP says so in one line" {
    printf '#!/bin/sh\nfor a in "$@"; do [ "$a" = -fopenmp ] && { echo "unknown option -fopenmp" >&2; exit 1; }; done\nexec gcc "$@"\n' >plain-cc
    chmod +x plain-cc
    plain=(CC="$PWD/plain-cc" OPT=-O0 CFLAGS=-g0)
    make_ "${plain[@]}" exercise-6
    [ "$status" -ne 0 ]
    one_line
    [[ $output == *"needs OpenMP"* ]]
    [ ! -e progress.tsv ]
    make_ "${plain[@]}" build/plain-cc/libspw.a
    [ "$status" -eq 0 ]
    [[ $output == *"Building the library, once, about a minute: "*" files"*"50 of "*"100 of "* ]]
    [[ $output != *warning* ]]
    make_ "${plain[@]}" build/plain-cc/libspw.a
    [[ $output != *Building* ]]
    rm build/plain-cc/libspw.a
    # CUDA source is g++'s in any case; of the judges two, and all of them with LONG=1
    cu=$(sh lib/commands/exercises.sh | awk -F '\t' '$4 ~ /cu$/ { print "solutions/" $1 "/" }')
    of='/1[28]-[^.]*(/|$)'
    [ "${LONG:-}" != 1 ] || of=''
    mapfile -t all < <(cd build/gcc && ls bin/* judge/* solutions/*/answer.so | grep -E "^bin/|$of" | grep -vF "$cu" | sed 's|^|build/plain-cc/|')
    [ ${#all[@]} -gt 15 ]
    make_ -s -j2 "${plain[@]}" "${all[@]}"
    echo "$output"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    make_ CC="$PWD/plain-cc" doctor
    [[ $(grep OpenMP <<<"$output") == *missing*"one thread"* ]]
}

@test "a read-only tree shows the menu and hints, and judges with BUILD= elsewhere" {
    [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || skip 'a read-only mount needs root and unshare'
    mkdir "$BATS_TEST_TMPDIR/elsewhere"
    cp -rp build "$BATS_TEST_TMPDIR/elsewhere"
    run unshare -m sh -c '
        mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit 77
        cd "$1" && make && make hint-6; echo "hint $?"
        make exercise-6 THREADS=1; echo "here $?"
        make -j2 exercise-6 BUILD="$2/build" PROGRESS="$2/progress.tsv"; echo "elsewhere $?"' sh "$tree" "$BATS_TEST_TMPDIR/elsewhere"
    [ "$status" -ne 77 ] || skip 'this system mounts nothing read-only'
    echo "$output"
    [[ $output == *"Sparse Performance Workbook"*"Hint 1 of 3"*"hint 0"* ]]
    [[ $output == *"BUILD=/some/folder"*"here 2"*"NOT WRITTEN YET"*"elsewhere 2"* ]]
}

@test "a bandwidth kernel whose streams do not divide its vectors is refused by the compiler" {
    sed 's/^LOAD(load_4, *4,/LOAD(load_4, 3,/' lib/perf/bandwidth_kernels.c >build/odd.c
    grep -q "^LOAD(load_4, 3," build/odd.c
    run gcc -std=gnu11 -fopenmp -Ilib -fsyntax-only build/odd.c
    [ "$status" -ne 0 ]
    [[ $output == *"streams must divide VECTORS"* ]]
    run gcc -std=gnu11 -fopenmp -Ilib -fsyntax-only lib/perf/bandwidth_kernels.c
    [ "$status" -eq 0 ]
}
