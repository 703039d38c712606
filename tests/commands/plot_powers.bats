#!/usr/bin/env bats
# plot_powers: a table of eight powers for each matrix, with the model's gain. BIN: where the built commands are.

setup_file()
{
    cd "$BATS_TEST_DIRNAME/../.."
    export bin=${BIN:-build/gcc/bin}
}

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    [ -x "$bin/plot_powers" ] || skip "$bin/plot_powers is not built: make all"
}

@test "plot_powers writes eight powers a matrix, by the model; --show tells them again" {
    run "$bin/plot_powers" --out "$BATS_TEST_TMPDIR" laplace2d:40x50 tridiag:3000
    [ "$status" -eq 0 ]
    # 2000 rows, 9820 entries, m bytes of matrix: 8 (m + 24 n) / (m + 8 n + 8 16 n); m is that of CSR, or of slices
    # with short indices, which is less but for padding
    awk -F '\t' '
        function gain(m) { return 8 * (m + 24 * 2000) / (m + 8 * 2000 + 128 * 2000) }
        NF == 8 && !/^#/ { n[$1]++; if ($1 == "laplace2d:40x50" && $3 == 8) model = $8
            if ($4 <= 0 || $5 <= 0 || $6 <= 0) bad = 1 }
        END { exit !(n["laplace2d:40x50"] == 8 && n["tridiag:3000"] == 8 && !bad &&
                   model > gain(8 * 9820) - 0.001 && model < gain(12 * 9820 + 4 * 2001) + 0.001) }' \
        "$BATS_TEST_TMPDIR/exercise-16.tsv"
    measured=$(printf '%s\n' "$output" | grep -c 'KB')
    [ "$measured" -eq 2 ]
    run "$bin/plot_powers" --show --out "$BATS_TEST_TMPDIR"
    [ "$status" -eq 0 ]
    [[ $output == *"laplace2d:40x50"*"tridiag:3000"* ]]
}

@test "plot_powers says which file it cannot write, and refuses a third matrix" {
    run "$bin/plot_powers" --out /proc/no tridiag:30
    [ "$status" -eq 1 ]
    [[ $output == *"plot_powers: cannot write /proc/no/exercise-16.tsv: "* ]]
    run "$bin/plot_powers" tridiag:30 tridiag:31 tridiag:32
    [ "$status" -eq 1 ]
    [[ $output == "plot_powers: 'tridiag:32' is no option"* ]]
}
