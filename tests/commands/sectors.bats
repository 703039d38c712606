#!/usr/bin/env bats
# The command behind `make traffic-N` of CUDA exercises, with an ncu of our own in place of the profiler: it prints
# what tests/commands/recorded/ holds. The GPU is the checker (tests/device/judge_on_checker.c). BIN: where the built
# commands are; BUILD: the folder of all products.

setup_file()
{
    cd "$BATS_TEST_DIRNAME/../.."
    export bin=${BIN:-build/gcc/bin} build=${BUILD:-build}
    export out=${bin%/bin} folder=08-spmv-gpu
    export answer=$out/solutions/$folder/answer.so source=solutions/$folder/spmv_gpu.cu
    make -s -j2 BUILD="$build" "$out/tests/device/judge_08" "$out/judge/$folder" "$answer" \
        "$out/shipped/$folder/answer.so" >&2
    export rows=$BATS_FILE_TMPDIR/rows
    "$out/judge/$folder" --folder "exercises/$folder" --answer "$answer" --reference "$answer" --traffic 0 --sectors >"$rows"
}

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    recorded=$PWD/tests/commands/recorded
    fake=$BATS_TEST_TMPDIR/fake
    mkdir "$fake" "$BATS_TEST_TMPDIR/judges"
    at=$out/tests/device/judge_08
    case $at in /*) ;; *) at=$PWD/$at ;; esac
    ln -s "$at" "$BATS_TEST_TMPDIR/judges/$folder"
}

# ncu FILE: a profiler that runs the program, and has counted what FILE says
ncu()
{
    cat >"$fake/ncu" <<END
#!/bin/sh
echo "\$*" >>'$BATS_TEST_TMPDIR/called'
while [ \$# -gt 0 ]; do
    case \$1 in
        --csv) shift ;;
        --log-file) cp '$recorded/$1' "\$2"; shift 2 ;;
        --*) shift 2 ;;
        *) break ;;
    esac
done
"\$@" || exit
echo finished >>'$BATS_TEST_TMPDIR/called'
END
    chmod +x "$fake/ncu"
}

sectors()
{
    JUDGE_GPU=$BATS_TEST_TMPDIR/judges PATH=$fake:$PATH \
        run sh lib/commands/sectors.sh "$out" "$build" "$folder" "$source" -- "$@"
    echo "$output"
}

table() { awk -f lib/commands/counted.awk -f lib/commands/sectors.awk "$@"; }

within_80_columns()
{
    awk 'length($0) > 80 { print "too wide: " $0; bad = 1 } END { exit bad }' <<<"$output"
}

@test "the checker's counts, array by array" {
    sectors --no-gpu 'no GPU here'
    [ "$status" -eq 0 ]
    [[ $output == *"Traffic of exercise 8, $source"* ]]
    [[ $output == *" spmv_csr_warp, case stencil27:10x25x40: modelled, counted by the checker"* ]]
    [[ $output =~ coo_entry\ +[0-9]+\ y\ +atomic\ +7538\ +9917\ +1.32 ]]
    [[ $output =~ together\ [0-9.]+\ MB\ moved,\ [0-9.]+\ MB\ by\ the\ model:\ [0-9.]+\ times ]]
    [[ $output == *" Measured: not, no GPU here."* ]]
    [[ $output != *"by its counters"* ]]
    within_80_columns
    [ "$(find "$build" -maxdepth 1 -name 'sectors.*' | wc -l)" -eq 0 ]
}

@test "what the profiler measured stands beside it, kernel by kernel" {
    run table profiled "$rows" spmv_coo "$recorded/ncu-two-kernels.csv" "$BATS_TEST_TMPDIR/pairs.tsv"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output =~ coo_entry\ +atomic\ requests\ +7538\ +15076\ +2.000 ]]
    [[ $output =~ coo_zero\ +store\ sectors\ +0\ +2500 ]]
    [[ $output =~ coo_entry\ +L2\ sectors\ +-\ +282436 ]]
    [[ $output =~ coo_entry\ +DRAM\ bytes\ written\ +-\ +160128 ]]
    within_80_columns
    [ "$(awk -F '\t' 'NF != 6' "$BATS_TEST_TMPDIR/pairs.tsv" | wc -l)" -eq 0 ]
    grep -q "^spmv_coo	stencil27:10x25x40	coo_entry	atomic requests	7538	15076$" "$BATS_TEST_TMPDIR/pairs.tsv"
}

@test "the profiler's columns are found by their names, and what else is printed is passed over" {
    printf 'function\tf\ncase\tsmall\nmodel\t1\t2\t3\nrow\ta "k"\t7\tx\tload\t1\t5\t40\n' >"$BATS_TEST_TMPDIR/rows"
    cat >"$BATS_TEST_TMPDIR/csv" <<'END'
my own output, with commas
"ID","Metric Value","Kernel Name","Metric Unit","Metric Name","Rule"
"7","1,234.5","a ""k""","Kbyte","dram__bytes_read.sum",""
"7","n/a","a ""k""","sector","lts__t_sectors.sum",""
"7","12","a ""k""","%","some__other.pct",""
"7","1
END
    run table profiled "$BATS_TEST_TMPDIR/rows" f "$BATS_TEST_TMPDIR/csv"
    [[ $output =~ 'a "k"'\ +load\ sectors\ +5\ +not\ told ]]
    [[ $output =~ 'a "k"'\ +DRAM\ bytes\ read\ +-\ +1234500 ]]
    [[ $output =~ 'a "k"'\ +L2\ sectors\ +-\ +not\ told ]]
    for text in '' '"ID","Kernel Name"\n"0","k"' '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n"0","k'; do
        printf '%b' "$text" >"$BATS_TEST_TMPDIR/csv"
        run table profiled "$BATS_TEST_TMPDIR/rows" f "$BATS_TEST_TMPDIR/csv"
        [ "$status" -eq 1 ]
        [ "$output" = 'sectors: ncu printed no table of metrics' ]
    done
    [ "$(table metrics | tr ',' '\n' | sort -u | wc -l)" -eq 11 ]
}

@test "the profiler is given one call of each function on the GPU, on the case that the checker counts" {
    ncu ncu-two-kernels.csv
    sectors --gpu-answer "$answer" --gpu-reference "$answer"
    [ "$status" -eq 0 ]
    [ "$(grep -c 'measured, by its counters' <<<"$output")" -eq 5 ]
    [[ $output != *"Measured: not"* ]]
    [ "$(grep -c '^finished' "$BATS_TEST_TMPDIR/called")" -eq 5 ]
    grep -q -- '--clock-control none --metrics l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,.* --traffic 1 --sectors --part spmv_coo --gpu-answer' \
        "$BATS_TEST_TMPDIR/called"
}

@test "counters that nobody may read are named, and the checker's counts stay" {
    ncu ncu-no-permission.out
    sectors --gpu-answer "$answer" --gpu-reference "$answer"
    [ "$status" -eq 0 ]
    [[ $output == *" Measured: not, ncu cannot count here: ==ERROR== ERR_NVGPUCTRPERM"* ]]
    [ "$(grep -c 'counted by the checker' <<<"$output")" -eq 5 ]
    [ "$(wc -l <"$BATS_TEST_TMPDIR/called")" -eq 2 ] # asked once, not for every function
    within_80_columns
}

@test "a GPU without the profiler is no reason to fail" {
    mkdir "$BATS_TEST_TMPDIR/few"
    for tool in sh sed awk mktemp rm fold; do ln -s "$(command -v $tool)" "$BATS_TEST_TMPDIR/few/$tool"; done
    fake=$BATS_TEST_TMPDIR/few
    PATH=$fake run sh lib/commands/sectors.sh "$out" "$build" "$folder" "$source" -- --gpu-answer "$answer" --gpu-reference "$answer"
    [ "$status" -eq 0 ]
    [[ $output == *"Measured: not, ncu, the profiler, is not installed."* ]]
}

@test "what cannot be counted is one clear line" {
    mkdir -p "$BATS_TEST_TMPDIR/out/exercises/$folder" "$BATS_TEST_TMPDIR/out/solutions" "$BATS_TEST_TMPDIR/out/bin"
    run table counted "$rows" spmv_of_tomorrow
    [ "$status" -eq 1 ]
    [[ $output == "sectors: the judge told no traffic of spmv_of_tomorrow" ]]
    run table counted /nowhere spmv_coo
    [[ $output == "sectors: cannot read /nowhere" ]]
    run table profiled "$rows" spmv_coo "$recorded/ncu-no-permission.out"
    [ "$status" -eq 3 ]
    run table profiled "$rows" spmv_coo /nowhere
    [ "$status" -eq 1 ]
        run "$out/judge/$folder" --folder "exercises/$folder" --answer "$out/shipped/$folder/answer.so" --reference "$answer" \
        --traffic 0 --sectors
    [ "$status" -eq 0 ]
    [[ $output == *spmv_csr_warp* && $output != *spmv_ell* ]] # as shipped: what is given is counted, what is not written is not
}
