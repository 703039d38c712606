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
    # m bytes of matrix, p = 8: 8 (m + 24 n) / (m + 8 n + 8 16 n). laplace2d, 2000 rows, 9820 entries: m is that of CSR,
    # or of slices with short indices, which is less but for padding. tridiag: groups of 257, then 256 rows are 376
    # slices of 8 x 3, with 8 bytes an entry, 4 a column, 9 a slice, and some offsets at both ends
    awk -F '\t' '
        function gain(m, n) { return 8 * (m + 24 * n) / (m + 8 * n + 128 * n) }
        NF == 8 && !/^#/ { n[$1]++; if ($1 == "laplace2d:40x50" && $3 == 8) model = $8
            if ($1 == "tridiag:3000" && $3 == 8) path = $8
            if ($4 <= 0 || $5 <= 0 || $6 <= 0) bad = 1 }
        END { exit !(n["laplace2d:40x50"] == 8 && n["tridiag:3000"] == 8 && !bad &&
                   model > gain(8 * 9820, 2000) - 0.001 && model < gain(12 * 9820 + 4 * 2001, 2000) + 0.001 &&
                   path > gain(376 * (24 * 8 + 3 * 4 + 9), 3000) - 0.001 &&
                   path < gain(376 * (24 * 8 + 3 * 4 + 9) + 80, 3000) + 0.001) }' \
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
