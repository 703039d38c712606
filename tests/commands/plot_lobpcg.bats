#!/usr/bin/env bats
# plot_lobpcg: ten pairs converge, times have a figure for each number of vectors, and shares are shares. Figures of
# the clock are not judged. BIN: where the built commands are.

setup_file()
{
    cd "$BATS_TEST_DIRNAME/../.."
    export bin=${BIN:-build/gcc/bin} OMP_WAIT_POLICY=passive OPENBLAS_NUM_THREADS=1
    [ ! -x "$bin/plot_lobpcg" ] ||
        "$bin/plot_lobpcg" --threads 1 --out "$BATS_FILE_TMPDIR" laplace3d:7 >"$BATS_FILE_TMPDIR/said"
}

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    [ -x "$bin/plot_lobpcg" ] || skip "$bin/plot_lobpcg is not built: make all"
    out=$BATS_FILE_TMPDIR
}

@test "ten residuals fall from near one to the tolerance" {
    awk -F '\t' '/^#/ { next } NF != 11 || $1 != rows { exit 1 }
        { rows++; largest = 0; for (k = 2; k <= 11; k++) if ($k + 0 > largest) largest = $k + 0 }
        rows == 1 { first = largest }
        END { exit !(rows > 20 && first > 0.1 && largest > 0 && largest <= 1e-8) }' "$out/exercise-19.tsv"
}

@test "a time for each number of vectors, in one product and in single ones" {
    [ "$(grep -v '^#' "$out/exercise-19-time.tsv" | cut -f 1 | tr '\n' ' ')" = '4 8 16 32 48 ' ]
    awk -F '\t' '!/^#/ && !(NF == 3 && $2 > 0 && $3 > 0) { exit 1 }' "$out/exercise-19-time.tsv"
}

# For each number of vectors: % of the time, by the model, of the flops. Flops know no clock: at nv = 48 A W is
# 2 nz / (2 nz + 40 n nv) of them, below 1 %.
@test "shares of the phases add up to 100 %, and those of the flops are the model's" {
    awk -F '\t' '/^#/ { next } NF != 16 { exit 1 }
        { n++; for (k = 2; k <= 16; k++) sum[k] += $k }
        $1 == "A W" { direct = $16 }
        END { for (k = 2; k <= 16; k++) if (sum[k] < 99.5 || sum[k] > 100.5) exit 1
              exit !(n == 6 && direct > 0.2 && direct < 1.2) }' "$out/exercise-19-phases.tsv"
}

@test "--show prints the report of the last time again" {
    grep -q 'LOBPCG, 100 iterations (timed: 25) on laplace3d:7: 343 rows' "$out/said"
    run "$bin/plot_lobpcg" --show --out "$out"
    [ "$status" -eq 0 ]
    [ "$output" = "$(cat "$out/exercise-19.txt")" ]
    diff "$out/said" "$out/exercise-19.txt"
}

@test "the pictures are drawn, where gnuplot is" {
    command -v gnuplot >/dev/null || skip 'gnuplot is not installed'
    run sh lib/commands/draw.sh "$out" exercise-19
    [ "$status" -eq 0 ]
    [ -s "$out/exercise-19.png" ]
    grep -q '<svg' "$out/exercise-19.svg"
}

@test "what it cannot do is said in a line" {
    run "$bin/plot_lobpcg" --fast
    [ "$status" -eq 1 ]
    [ "$output" = 'plot_lobpcg: --fast: no option; known are --show --out --threads' ]
    run "$bin/plot_lobpcg" --threads 0
    [ "$status" -eq 1 ]
    [ "$output" = 'plot_lobpcg: THREADS: must be 1 to 4096' ]
    run "$bin/plot_lobpcg" --out /proc/no
    [ "$status" -eq 1 ]
    [[ $output == "plot_lobpcg: /proc/no/exercise-19.tsv: "* ]]
}
