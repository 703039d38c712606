#!/usr/bin/env bats
# plot_solvers: the bars are made of the kernels' bytes, the history ends where the solver does. BIN: where the
# built commands are.

setup_file()
{
    cd "$BATS_TEST_DIRNAME/../.."
    export bin=${BIN:-build/gcc/bin}
}

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    [ -x "$bin/plot_solvers" ] || skip "$bin/plot_solvers is not built: make all"
}

# In the models' bars: bytes of the kernels, whose quotients know no clock.
@test "CG: six kernels become three, and the bars have the quotient of the bytes" {
    run "$bin/plot_solvers" --solver cg --out "$BATS_TEST_TMPDIR" laplace2d:200 laplace2d:20
    [ "$status" -eq 0 ]
    [[ $output == *"p = r + b p"*"laplace2d:20: converged in "* ]]
    # n = 40000, nz = 5 n - 800: (12 nz + 4 (n + 1) + 24 n + 96 n) / (12 nz + 4 (n + 1) + 24 n + 72 n)
    awk -F '\t' '!/^#/ { n[$1]++; top[$1] = $3 }
        END { n_rows = 40000; nz = 5 * n_rows - 800; fixed = 12 * nz + 4 * (n_rows + 1) + 24 * n_rows
              wanted = (fixed + 96 * n_rows) / (fixed + 72 * n_rows); got = top[1] / top[3]
              print got, wanted
              exit !(n[0] == 6 && n[1] == 6 && n[2] == 3 && n[3] == 3 && got / wanted > 0.999 && got / wanted < 1.001) }' \
        "$BATS_TEST_TMPDIR/exercise-11.tsv"
    tail -n 1 "$BATS_TEST_TMPDIR/exercise-11-history.tsv" | awk '{ exit !($2 <= 1e-10) }'
}

@test "BiCGStab: thirteen kernels become five; --show shows the same again" {
    run "$bin/plot_solvers" --solver bicgstab --out "$BATS_TEST_TMPDIR" convdiff2d:100 convdiff2d:20
    [ "$status" -eq 0 ]
    awk -F '\t' '!/^#/ { n[$1]++ } END { exit !(n[0] == 13 && n[2] == 5) }' "$BATS_TEST_TMPDIR/exercise-14.tsv"
    first=$(grep 'the bytes' <<<"$output")
    run "$bin/plot_solvers" --solver bicgstab --show --out "$BATS_TEST_TMPDIR"
    [ "$status" -eq 0 ]
    [[ $output == *"$first"* ]]
}

@test "what it cannot do is said in a line" {
    run "$bin/plot_solvers" --solver gmres
    [ "$status" -eq 1 ]
    [ "$output" = "plot_solvers: 'gmres' is no solver here: cg or bicgstab" ]
    run "$bin/plot_solvers"
    [ "$status" -eq 1 ]
    run "$bin/plot_solvers" --solver cg --out /proc/no tridiag:10 tridiag:10
    [ "$status" -eq 1 ]
    [[ $output == *"plot_solvers: cannot write /proc/no/exercise-11.tsv: "* ]]
    run "$bin/plot_solvers" --solver cg nothing.mtx
    [ "$status" -eq 1 ]
    [[ $output == *"nothing.mtx"* ]]
}
