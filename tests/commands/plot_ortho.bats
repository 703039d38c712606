#!/usr/bin/env bats
# plot_ortho: each method loses orthogonality as its bound says, drops what it cannot keep, and never gives a NaN. BIN:
# where the built commands are.

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    bin=${BIN:-build/gcc/bin}
    [ -x "$bin/plot_ortho" ] || skip "$bin/plot_ortho is not built: make all"
    export OMP_WAIT_POLICY=passive OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
}

# eps = 1.1e-16: CGS loses more than eps kappa^2 of what MGS loses with eps kappa, CHOLQR2 nothing. The bounds
# have a factor of 1000 on top, for n and nv.
@test "33 condition numbers, six methods, each within its bound" {
    run "$bin/plot_ortho" --out "$BATS_TEST_TMPDIR"
    [ "$status" -eq 0 ]
    [[ $output == *"16 vectors with 10000 elements"*"cholqr2"* ]]
    awk -F '\t' '
        /^#/ { if ($2 == "cgs") for (k = 2; k < NF; k += 2) at[$k] = k; next }
        { if (NF != 13 || tolower($0) ~ /nan|inf/) exit 1 }
        { rows++; kappa = $1; eps = 1.1e-16; most = 1000 * eps }
        $at["cholqr2"] > 1e-13 { exit 1 }
        $at["mgs"] > most * kappa { exit 1 }
        $at["cholqr_mixed"] > most * (kappa < 1e3 ? 1e3 : kappa) { exit 1 }
        kappa <= 1e7 && ($at["cholqr"] > most * kappa ^ 2 || $at["svqb"] > most * kappa ^ 2 + 1e-13) { exit 1 }
        kappa <= 1e7 { for (m in at) if ($(at[m] + 1) != 16) exit 1 }  # nothing is dropped that need not be
        kappa >= 1e9 && ($(at["svqb"] + 1) >= 16 || $(at["cholqr2"] + 1) >= 16) { exit 1 }
        kappa == 1e6 { bad = $at["cgs"] / $at["mgs"] }                 # what the picture is about
        END { exit !(rows == 33 && bad > 1e3) }' "$BATS_TEST_TMPDIR/exercise-18.tsv"
}

@test "the picture is drawn, where gnuplot is" {
    command -v gnuplot >/dev/null || skip 'gnuplot is not installed'
    run "$bin/plot_ortho" --out "$BATS_TEST_TMPDIR"
    [ "$status" -eq 0 ]
    run sh lib/commands/draw.sh "$BATS_TEST_TMPDIR" exercise-18
    [ "$status" -eq 0 ]
    [ -s "$BATS_TEST_TMPDIR/exercise-18.png" ]
    grep -q '<svg' "$BATS_TEST_TMPDIR/exercise-18.svg"
}

@test "what it cannot do is said in a line" {
    run "$bin/plot_ortho" --show
    [ "$status" -eq 1 ]
    [ "$output" = "plot_ortho: '--show' is no option; --out FOLDER is the only one" ]
    run "$bin/plot_ortho" --out /proc/no
    [ "$status" -eq 1 ]
    [[ $output == *"plot_ortho: cannot write /proc/no/exercise-18.tsv: "* ]]
}
