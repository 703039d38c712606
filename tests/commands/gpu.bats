#!/usr/bin/env bats
# What a judge does and prints where there is a GPU, by a judge that takes the checker for its GPU
# (tests/device/judge_on_checker.c). BIN: where the built commands are; BUILD: the folder of all products.

setup_file()
{
    cd "$BATS_TEST_DIRNAME/../.."
    export out=${BIN:-build/gcc/bin}
    out=${out%/bin}
    export folder=08-spmv-gpu judge=$out/tests/device/judge_08
    export right=$out/solutions/$folder/answer.so wrong=$out/wrong/$folder/ell_row_major.so
    make -s -j2 BUILD="${BUILD:-build}" "$judge" "$out/judge/$folder" "$right" "$wrong" >&2
}

setup() { cd "$BATS_TEST_DIRNAME/../.."; }

# judged GPU_ANSWER OPTION...: the solution on the checker, GPU_ANSWER on what stands for the GPU
judged()
{
    gpu_answer=$1
    shift
    run "$judge" --folder "exercises/$folder" --answer "$right" --reference "$right" --build tests --seed 4711 \
        --source solutions/$folder/spmv_gpu.cu --gpu-answer "$gpu_answer" --gpu-reference "$right" "$@"
}

@test "modelled and measured stand apart, copies are told apart, the record has the figures of each part" {
    judged "$right" --matrix stencil27:4 --record "$BATS_TEST_TMPDIR/record.json"
    echo "$output"
    # its times are the processor's and mean nothing: any verdict on them
    case $status in 0 | 3 | 4) ;; *) false ;; esac
    [ "$(grep -c '^ TRAFFIC  ok .*modelled by the checker$' <<<"$output")" -eq 5 ]
    [ "$(grep -c '^ FAST  .*, measured on the GPU$' <<<"$output")" -eq 5 ]
    [[ $output == *" GPU      ok     "*"cases are right on the "*", too"* ]]
    [ "$(grep -c '^   this GPU, now .* GB/s (load, ' <<<"$output")" -eq 5 ]
    [ "$(grep -c '^   copies, not in it .* there .* back ' <<<"$output")" -eq 5 ]
    [ "$(grep -c "^   library's best .*stretch goal" <<<"$output")" -eq 5 ]
    awk -v rows=parts -v columns='load bandwidth seconds reference share to_device traffic on peak' \
        -f lib/judge/record.awk "$BATS_TEST_TMPDIR/record.json" | awk -F '\t' '
        { for (k = 1; k <= 7; k++) if (!($k > 0)) exit 1 }
        $8 !~ /on the CPU/ || $9 != "null" { exit 1 }
        END { exit NR != 5 }'
    awk '{ gsub(/µ/, "u") } length($0) > 80 && !/case|GPU +ok/ { print "too wide: " $0; bad = 1 } END { exit bad }' <<<"$output"
}

@test "what only the GPU gets wrong is told as the GPU's" {
    judged "$wrong" --case prime
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *" CORRECT  ok "*" SAFE     ok "*" CORRECT  FAIL   spmv_ell, case \"prime\""*", GPU, seed 4711"* ]]
    [[ $output == *"all 211 rows are wrong"* ]] # known mistakes are asked on the checker only
}

@test "one case alone is checked on the GPU and not timed" {
    judged "$right" --case prime
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *" GPU      ok     "* ]]
    [[ $output != *" FAST "* ]]
}

@test "without a GPU one line says so, and why" {
    run "$out/judge/$folder" --folder "exercises/$folder" --answer "$right" --reference "$right" --matrix stencil27:4
    [ "$status" -eq 0 ]
    [[ $output == *" FAST     --     measured: not, no GPU here"* ]]
    # no share of the two, which would read as a mark
    [ "$(grep -c '^   needed [0-9.]* MB by the model / moved [0-9.]* MB in sectors, without a cache$' <<<"$output")" -eq 5 ]
    # one legend, of two lines; there is no shared memory in it
    [ "$(grep -c '^   lanes: at work in a request' <<<"$output")" -eq 1 ]
    [[ $output != *"hared memory"* ]]
    run "$out/judge/$folder" --folder "exercises/$folder" --answer "$right" --reference "$right" --matrix stencil27:4 \
        --gpu-answer "$right" --gpu-reference "$right"
    [ "$status" -eq 0 ]
    [[ $output == *" FAST     --     measured: not,"*"no GPU: this build is without CUDA (make info says why)"* ]]
    [[ $output != *"no nvcc was found"* ]] # it may be there
    [[ $output != *"GPU      ok"* ]]
}

@test "DETAIL tells more of the traffic, and only then" {
    judged_detail() { run "$out/judge/$folder" --folder "exercises/$folder" --answer "$right" --reference "$right" --matrix stencil27:4 "$@"; }
    judged_detail
    [[ $output != *"Occupancy"* && $output != *"by line"* ]]
    judged_detail --detail 64
    [ "$status" -eq 0 ]
    [ "$(grep -c 'Occupancy (modelled)' <<<"$output")" -eq 5 ]
    [ "$(grep -c 'past a perfect cache (64 KiB)' <<<"$output")" -eq 5 ]
    awk '{ gsub(/µ/, "u") } length($0) > 80 && !/case|traffic .modelled/ { print "too wide: " $0; bad = 1 } END { exit bad }' <<<"$output"
}

@test "an answer for the GPU needs a reference for the GPU" {
    run "$out/judge/$folder" --folder "exercises/$folder" --answer "$right" --reference "$right" --gpu-answer "$right"
    [ "$status" -eq 5 ]
    [[ $output == *"go together"* ]]
}

@test "a machine with a GPU and nvcc builds the second judges, and says so" {
    command -v nvcc >/dev/null || skip 'nvcc is not on the PATH'
    mkdir "$BATS_TEST_TMPDIR/fake"
    cat >"$BATS_TEST_TMPDIR/fake/nvidia-smi" <<'END'
#!/bin/sh
case $* in *compute_cap*) echo 9.0 ;; *name*) echo 'NVIDIA Test' ;; esac
END
    chmod +x "$BATS_TEST_TMPDIR/fake/nvidia-smi"
    PATH=$BATS_TEST_TMPDIR/fake:$PATH run make BUILD="$BATS_TEST_TMPDIR/build" info
    [ "$status" -eq 0 ]
    [[ $output == *"CUDA exercises: run on the checker; timed: NVIDIA Test"* ]]
    PATH=$BATS_TEST_TMPDIR/fake:$PATH run make -n V=1 BUILD="$BATS_TEST_TMPDIR/build" solution-4
    [ "$status" -eq 0 ]
    [[ $output == *"compile_gpu.sh 04-gpu-first"* ]]
    [[ $output == *"/judge-gpu/04-gpu-first --folder"*"--gpu-answer"*"answer.gpu.so"* ]]
    PATH=$BATS_TEST_TMPDIR/fake:$PATH run make -n V=1 BUILD="$BATS_TEST_TMPDIR/build" NVCC=no solution-4
    [[ $output != *"/judge-gpu/"* ]]
    [[ $output == *"--no-gpu 'no nvcc for the GPU here'"* ]]
}

@test "what nvcc does not take is told with the learner's line" {
    command -v nvcc >/dev/null || skip 'nvcc is not on the PATH'
    sed '20,$s/blockIdx\.x/blockIdx.q/' solutions/04-gpu-first/gpu_first.cu >"$BATS_TEST_TMPDIR/gpu_first.cu"
    line=$(grep -n 'blockIdx\.q' "$BATS_TEST_TMPDIR/gpu_first.cu" | head -n 1)
    # the checker's build is there by then
    echo 'a shared object' >"$BATS_TEST_TMPDIR/answer.so"
    : >"$BATS_TEST_TMPDIR/answer.functions"
    CUDA_CODE='-gencode arch=compute_90,code=sm_90' run sh lib/judge/compile_gpu.sh 04-gpu-first \
        "$BATS_TEST_TMPDIR/gpu_first.cu" "$BATS_TEST_TMPDIR/answer.gpu.so"
    [ "$status" -eq 1 ]
    [[ $output == *"gpu_first.cu(${line%%:*}): error"* ]]
    [ "$(cat "$BATS_TEST_TMPDIR/answer.gpu.so")" = 1 ]
}
