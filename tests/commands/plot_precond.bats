#!/usr/bin/env bats
# plot_precond: six curves on three systems, each from 1 down to the tolerance. BIN: where the built commands are.

setup_file()
{
    cd "$BATS_TEST_DIRNAME/../.."
    export bin=${BIN:-build/gcc/bin}
}

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    [ -x "$bin/plot_precond" ] || skip "$bin/plot_precond is not built: make all"
}

@test "curves begin with the set-up, take equal steps, and end at the tolerance; --show shows the same again" {
    run "$bin/plot_precond" --small --out "$BATS_TEST_TMPDIR"
    [ "$status" -eq 0 ]
    [[ $output == *"columns of thin layers"*"IC(0), Neumann 2"* ]]
    # all but CG without a preconditioner, on the first system, converge
    awk -F '\t' '/^#/ { next }
        { key = $1 " " $2; if (!(key in steps)) { first[key] = $4; kinds++ } else step[key] = $4 - last[key]
          steps[key] = $3; last[key] = $4; residual[key] = $5 }
        END { for (key in steps) {
                  off = last[key] - first[key] - steps[key] * step[key]
                  print key, steps[key], residual[key], off
                  if (off * off > 1e-4) exit 1
                  if (key != "0 0" && !(residual[key] <= 1e-8)) exit 1 }
              exit !(kinds == 18 && steps["2 3"] < steps["2 1"] && steps["1 2"] < steps["1 1"]) }' \
        "$BATS_TEST_TMPDIR/exercise-12.tsv"
    first=$output
    run "$bin/plot_precond" --show --out "$BATS_TEST_TMPDIR"
    [ "$status" -eq 0 ]
    [ "${first#*PCG}" = "${output#*PCG}" ]
}

@test "what it cannot do is said in a line" {
    run "$bin/plot_precond" --solver
    [ "$status" -eq 1 ]
    [ "$output" = "plot_precond: '--solver' is no option; known are --show --small --out --threads" ]
    run "$bin/plot_precond" --small --out /proc/no
    [ "$status" -eq 1 ]
    [[ $output == *"plot_precond: cannot write /proc/no/exercise-12.tsv: "* ]]
}
