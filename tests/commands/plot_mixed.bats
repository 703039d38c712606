#!/usr/bin/env bats
# plot_mixed: float alone stagnates, refinement reaches what double does, with fewer bytes. BIN: where the built
# commands are.

setup_file()
{
    cd "$BATS_TEST_DIRNAME/../.."
    export bin=${BIN:-build/gcc/bin}
}

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    [ -x "$bin/plot_mixed" ] || skip "$bin/plot_mixed is not built: make all"
}

@test "plot_mixed writes three curves; refinement ends where double does, float does not" {
    run "$bin/plot_mixed" --out "$BATS_TEST_TMPDIR"
    [ "$status" -eq 0 ]
    awk -F '\t' 'NF == 4 { gb[$1] = $3; last[$1] = $4; n[$1]++ }
        END { exit !(n["double"] > 50 && n["refined"] > 50 && n["float"] > 100 &&
            last["double"] < 1e-11 && last["refined"] < 1e-11 && last["float"] > 1e-8 &&
            last["float"] < 1e-4 && gb["refined"] < 0.85 * gb["double"]) }' \
        "$BATS_TEST_TMPDIR/exercise-15.tsv"
}

@test "plot_mixed says which file it cannot write" {
    run "$bin/plot_mixed" --out /proc/no
    [ "$status" -eq 1 ]
    [[ $output == "plot_mixed: /proc/no/exercise-15.tsv: "* ]]
}
