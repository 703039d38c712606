#!/usr/bin/env bats
# tests/gpu_check.sh, which `make gpu-check` runs on a machine with a GPU, with the checker in the place of the GPU
# (tests/device/judge_on_checker.c) and nvidia-smi and ncu of our own. BIN: where the built commands are; BUILD: the
# folder of all products.

setup_file()
{
    cd "$BATS_TEST_DIRNAME/../.."
    local out=${BIN:-build/gcc/bin} e=08-spmv-gpu
    out=${out%/bin}
    make -s -j2 BUILD="${BUILD:-build}" "$out/tests/device/judge_08" "$out/judge/$e" \
        "$out/solutions/$e/answer.so" "$out/wrong/$e/ell_row_major.so" >&2
    case $out in /*) ;; *) out=$PWD/$out ;; esac
    export real=$out
}

# An OUT of its own, in which nvcc's answers are the checker's.
setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    e=08-spmv-gpu
    mine=$BATS_TEST_TMPDIR/out
    mkdir -p "$mine/judge-gpu" "$mine/solutions/$e" "$BATS_TEST_TMPDIR/fake"
    mkdir "$mine/bin"
    ln -s "$real"/bin/* "$mine/bin/"
    rm -f "$mine/bin/bench-gpu"
    cat >"$mine/bin/bench-gpu" <<'END'
#!/bin/sh
# the columns are those of `make bench`, the figures are not
[ "$1 $2 $3" = '--only lobpcg-cuda --out' ] || exit 1
{
    printf 'date\tmachine\tthreads\tgroup\tsubject\tkernel\tvalue\tunit\tbytes\tshare\n'
    printf '2000-01-01\tsome\t2\tlobpcg-cuda\tlaplace3d:9 nv=16\ton the device, SpMM\t0.5\ts\t0\t0\n'
    printf '2000-01-01\tsome\t2\tlobpcg-cuda-phases\tlaplace3d:9 nv=16\tGram\t0.25\ts\t0\t0\n'
} >"$4"
END
    chmod +x "$mine/bin/bench-gpu"
    ln -s "$real/judge" "$mine/judge"
    ln -s "$real/tests/device/judge_08" "$mine/judge-gpu/$e"
    for ending in so functions undefined; do
        ln -s "$real/solutions/$e/answer.$ending" "$mine/solutions/$e/answer.$ending"
        ln -s "$real/solutions/$e/answer.$ending" "$mine/solutions/$e/answer.gpu.$ending"
    done
    cat >"$BATS_TEST_TMPDIR/fake/nvidia-smi" <<'END'
#!/bin/sh
echo 'NVIDIA Test, 123.45'
END
    cat >"$BATS_TEST_TMPDIR/fake/ncu" <<END
#!/bin/sh
for word; do
    [ "\$previous" = --log-file ] && cp tests/commands/recorded/ncu-two-kernels.csv "\$word"
    previous=\$word
done
END
    printf '#!/bin/sh\necho "[       OK ] one"\n' >"$BATS_TEST_TMPDIR/passes"
    printf '#!/bin/sh\necho "[  SKIPPED ] one"\n' >"$BATS_TEST_TMPDIR/skips"
    chmod +x "$BATS_TEST_TMPDIR"/fake/* "$BATS_TEST_TMPDIR/passes" "$BATS_TEST_TMPDIR/skips"
    plots=$BATS_TEST_TMPDIR/plots
}

gpu_check()
{
    PATH=$BATS_TEST_TMPDIR/fake:$PATH run sh tests/gpu_check.sh "$mine" "$BATS_TEST_TMPDIR" "$plots" $e -- "$@"
    echo "$output"
}

@test "without a GPU nothing is run and no file is written" {
    rm "$BATS_TEST_TMPDIR/fake/nvidia-smi"
    command -v nvidia-smi && skip 'there is a GPU here'
    gpu_check
    [ "$status" -eq 2 ]
    [[ $output == *"nothing was run, no figure was written"* ]]
    [ ! -e "$plots" ]
}

@test "tests, judgements and sectors; each figure has its date, GPU and driver" {
    mkdir "$plots" # rows are added to what is there
    printf 'date\tgpu\tan older row\n' >"$plots/gpu-sectors.tsv"
    TESTS=$BATS_TEST_TMPDIR/passes gpu_check --matrix stencil27:4
    case $status in 0) ;; 1) [[ $output == *"$e, status "[34]* ]] ;; *) false ;; esac # times mean nothing here
    [[ $output == *"GPU check on NVIDIA Test, driver 123.45"* ]]
    [[ $output == *"ok: passes, 1 cases"* ]]
    awk -F '\t' 'NR == 1 && $1 != "date" { exit 1 } NF != 23 { exit 1 }
        NR > 1 && ($1 !~ /^20[0-9][0-9]-/ || $2 != "NVIDIA Test" || $3 != "123.45") { exit 1 }' "$plots/gpu-speed.tsv"
    [ "$(wc -l <"$plots/gpu-speed.tsv")" -ge 6 ]
    awk -F '\t' 'NR > 1 && (NF != 11 || $2 != "NVIDIA Test") { exit 1 }' "$plots/gpu-sectors.tsv"
    grep -q "	spmv_coo	stencil27:4	coo_entry	L2 sectors	-	282436$" "$plots/gpu-sectors.tsv"
    [ "$(grep -c '^date' "$plots/gpu-sectors.tsv")" -eq 1 ]
    [ -z "$(find "$BATS_TEST_TMPDIR" -maxdepth 1 -name 'gpu-check.*')" ]
    [ "$(sed -n 1p "$plots/gpu-lobpcg.tsv")" = "$(printf 'date\tgpu\tdriver\tcuda\tcpu\tgroup\tsubject\twhat\tseconds')" ]
    [ "$(cut -f 2,3,6- "$plots/gpu-lobpcg.tsv" | sed -n 2p)" = "$(printf 'NVIDIA Test\t123.45\tlobpcg-cuda\tlaplace3d:9 nv=16\ton the device, SpMM\t0.5')" ]
    [ "$(wc -l <"$plots/gpu-lobpcg.tsv")" -eq 3 ]
}

@test "a skipped test, a wrong solution and missing counters are told" {
    rm "$BATS_TEST_TMPDIR/fake/ncu"
    command -v ncu && skip 'the profiler is here'
    for ending in so functions undefined; do
        ln -sf "$real/wrong/$e/ell_row_major.$ending" "$mine/solutions/$e/answer.gpu.$ending"
    done
    TESTS=$BATS_TEST_TMPDIR/skips gpu_check --case prime
    [ "$status" -eq 1 ]
    [[ $output == *"FAIL: "*"skips ran nothing"* ]]
    [[ $output == *"FAIL: $e, status 1"* ]]
    [[ $output == *"$e: not measured, ncu, the profiler, is not installed."* ]]
    [ ! -e "$plots/gpu-sectors.tsv" ]
}
