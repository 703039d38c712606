#!/usr/bin/env bats
# plot_split: the sweep of the part, with what two bandwidths say. BIN: where the built commands are.

setup_file()
{
    cd "$BATS_TEST_DIRNAME/../.."
    export bin=${BIN:-build/gcc/bin}
    export answer=${bin%/bin}/solutions/13-symgs/answer.so
}

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    [ -x "$bin/plot_split" ] || skip "$bin/plot_split is not built: make all"
    [ -e "$answer" ] || skip "$answer is not built: make all"
}

@test "plot_split: 21 parts from 0 to 1; the model is the slower side; it says where both parts run" {
    run "$bin/plot_split" --answer "$answer" --threads 2 --out "$BATS_TEST_TMPDIR" laplace3d:20
    [ "$status" -eq 0 ]
    [[ $output == *"No device for target regions here: both parts run on the host"* || $output == *"alone: device"* ]]
    awk -F '\t' '/^#/ { next } { n++; ms[n] = $2; model[n] = $3; part[n] = $1 }
        END { for (k = 1; k <= n; k++) {
                  one = part[k] * ms[n]; two = (1 - part[k]) * ms[1]; slower = one > two ? one : two
                  if (model[k] - slower > 0.001 || slower - model[k] > 0.001 || ms[k] <= 0) exit 1 }
              exit !(n == 21 && part[1] == 0 && part[n] == 1) }' "$BATS_TEST_TMPDIR/exercise-13.tsv"
    before=$output
    run "$bin/plot_split" --show --out "$BATS_TEST_TMPDIR"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "${before%%$'\n'*}" ]
}

@test "plot_split says which file it cannot write, and what is no answer" {
    run "$bin/plot_split" --answer "$answer" --out /proc/no laplace3d:8
    [ "$status" -eq 1 ]
    [[ $output == "plot_split: cannot write /proc/no/exercise-13.tsv: "* ]]
    run "$bin/plot_split" --answer /dev/null
    [ "$status" -eq 1 ]
    [[ $output == "plot_split: no multiply_here and best_part in /dev/null" ]]
}
