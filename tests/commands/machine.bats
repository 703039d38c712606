#!/usr/bin/env bats
# The command behind `make machine`. BIN: where the built commands are.

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    machine=${BIN:-build/gcc/bin}/machine
    [ -x "$machine" ] || skip "$machine is not built: make all"
    kept=$BATS_TEST_TMPDIR/machine.tsv
    plots=$BATS_TEST_TMPDIR/plots
}

# Measured once for all tests.
setup_file()
{
    cd "$BATS_TEST_DIRNAME/../.."
    machine=${BIN:-build/gcc/bin}/machine
    [ -x "$machine" ] || return 0
    "$machine" --quick --threads 1 --out "$BATS_FILE_TMPDIR/machine.tsv" --plots "$BATS_FILE_TMPDIR/plots" \
        >"$BATS_FILE_TMPDIR/report" 2>"$BATS_FILE_TMPDIR/errors"
}

show() { run "$machine" --show --out "$BATS_FILE_TMPDIR/machine.tsv" --plots "$plots" "$@"; }

@test "a measurement reports levels, peak, saturation, staircase and roofline in 80 columns" {
    report=$(cat "$BATS_FILE_TMPDIR/report")
    for part in "This machine" "Bandwidth in GB/s" "  memory " "Knee:" "Loads from memory" "flop/byte" "Kept in"; do
        [[ $report == *"$part"* ]]
    done
    [ "$(awk 'length > 80 && !/tmp/' "$BATS_FILE_TMPDIR/report" | wc -l)" -eq 0 ]
    [ ! -s "$BATS_FILE_TMPDIR/errors" ]
}

@test "tables for gnuplot are written, and pictures where gnuplot is" {
    for table in machine-staircase.tsv machine-threads.tsv machine-roofline.tsv; do
        [ -s "$BATS_FILE_TMPDIR/plots/$table" ]
    done
    command -v gnuplot >/dev/null || skip "gnuplot is not installed"
    [[ $(cat "$BATS_FILE_TMPDIR/report") == *"Bandwidth in GB/s: load, copy, triad"*"all L1"*"16 KiB"* ]]
    for picture in machine-staircase machine-threads machine-roofline; do
        [ -s "$BATS_FILE_TMPDIR/plots/$picture.svg" ]
        [ -s "$BATS_FILE_TMPDIR/plots/$picture.png" ]
    done
}

@test "what was measured is shown again without measuring" {
    show
    [ "$status" -eq 0 ]
    [ "$(printf '%s\n' "$output" | grep -v "$BATS_TEST_TMPDIR\|$BATS_FILE_TMPDIR")" = \
        "$(grep -v "$BATS_FILE_TMPDIR" "$BATS_FILE_TMPDIR/report")" ]
}

@test "kernels are drawn into the roofline" {
    printf '# name\tflop/byte\tGflop/s\nmy triad\t0.0833\t2.5\nmy product\t4\t10\n' >"$BATS_TEST_TMPDIR/points"
    show --points "$BATS_TEST_TMPDIR/points"
    [ "$status" -eq 0 ]
    [[ $output == *" a  my triad "*"2.5 Gflop/s"* ]]
    [[ $output == *" b  my product "*"10 Gflop/s"* ]]
}

@test "a kernel has the roof of its own run, and a picture of a busy machine says so" {
    printf 'my triad\t0.0833\t2.5\t2.6\t3\nmy product\t4\t10\t40\t37\n' >"$BATS_TEST_TMPDIR/points"
    show --only roofline --points "$BATS_TEST_TMPDIR/points"
    [ "$status" -eq 0 ]
    [[ $output == *" a  my triad "*" 96 %"*" b  my product "*" 25 %"*"^ is the roof that a kernel had in its own run"* ]]
    [[ $output == *"BUSY: others took up to 37 % of the processors in these runs."* ]]
    command -v gnuplot >/dev/null || skip "gnuplot is not installed"
    grep -q 'a  my triad: 96 % of its roof' "$plots/machine-roofline.svg"
    grep -q 'b  my product: 25 % of its roof' "$plots/machine-roofline.svg"
    grep -q 'BUSY: others took up to 37 % of the processors' "$plots/machine-roofline.svg"
    waited=$(sed -n 's/^waited_percent\t//p' "$BATS_FILE_TMPDIR/machine.tsv") wanted=0
    [ "$waited" -le 20 ] || wanted=1
    for picture in machine-staircase machine-threads machine-roofline; do
        [ "$(grep -c "BUSY: in $waited % of the samples a thread had to wait" "$BATS_FILE_TMPDIR/plots/$picture.svg")" = $wanted ]
    done
}

@test "the tour's points are those of the records: each with the roof and the disturbance of its run" {
    mkdir -p "$BATS_TEST_TMPDIR/out/judge"
    cat >"$BATS_TEST_TMPDIR/out/judge/01-stream" <<'END'
#!/bin/sh
while [ "$1" != --record ]; do shift; done
part='"timed": true, "on": "host", "load": 16, "store": 8, "others": 0.1, "stolen": 0.02'
cat >"$2" <<RECORD
{"title": "Exercise 1", "verdict": "pass", "seconds": 3, "parts": [
 {"function": "copy", $part, "share": 0.5, "flop": 0, "seconds": 2e-9},
 {"function": "triad", $part, "share": 0.8, "flop": 2, "seconds": 1e-9},
 {"function": "sum", "timed": false, "on": "host", "traffic": 0.5}]}
RECORD
END
    chmod +x "$BATS_TEST_TMPDIR/out/judge/01-stream"
    POINTS=$BATS_TEST_TMPDIR/points run sh lib/commands/solutions.sh "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR" 01-stream
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(cat "$BATS_TEST_TMPDIR/points")" = "$(printf 'triad\t0.0833\t2\t2.5\t12')" ]
    show --only roofline --points "$BATS_TEST_TMPDIR/points"
    [[ $output == *" a  triad "*" 80 %"*"BUSY: others took up to 12 %"* ]]
    : >"$BATS_TEST_TMPDIR/points"
    show --only roofline --points "$BATS_TEST_TMPDIR/points"
    [[ $status -eq 0 && $output != *"No picture: gnuplot failed"* ]]
}

@test "points that are none are refused with file and line" {
    printf 'fine\t1\t2\nbad\tx\t2\n' >"$BATS_TEST_TMPDIR/points"
    show --points "$BATS_TEST_TMPDIR/points"
    [ "$status" -eq 1 ]
    [[ $output == *"points:2: expected a name"* ]]
    show --points /nowhere
    [ "$status" -eq 1 ]
    [[ $output == *"cannot read /nowhere"* ]]
}

@test "without gnuplot one line says so and the rest is there" {
    mkdir "$BATS_TEST_TMPDIR/few"
    ln -s "$(command -v awk)" "$BATS_TEST_TMPDIR/few/awk"
    PATH=$BATS_TEST_TMPDIR/few run "$machine" --show --out "$BATS_FILE_TMPDIR/machine.tsv" --plots "$plots"
    [ "$status" -eq 0 ]
    [[ $output == *"No pictures: gnuplot is not installed"* ]]
    [ "$(printf '%s\n' "$output" | grep -c gnuplot)" -eq 1 ]
    [ -s "$plots/machine-roofline.tsv" ]
}

@test "a damaged or missing machine file is one clear line" {
    sed 's/^cores.*/cores\t99/' "$BATS_FILE_TMPDIR/machine.tsv" >"$kept"
    run "$machine" --show --out "$kept" --plots "$plots"
    [ "$status" -eq 1 ]
    [[ $output == *"damaged"*"make machine"* ]]
    [ "${#lines[@]}" -eq 1 ]
    run "$machine" --show --out "$BATS_TEST_TMPDIR/none.tsv" --plots "$plots"
    [ "$status" -eq 1 ]
    [[ $output == *"none.tsv"*"make machine"* ]]
}

@test "a place that cannot be written to is said before measuring" {
    run timeout 2 "$machine" --out /proc/no/machine.tsv --plots "$plots"
    [ "$status" -eq 1 ]
    [[ $output == *"/proc/no"* ]]
}

@test "bad options are refused" {
    for threads in 0 -1 two 1.5 99999; do
        run "$machine" --threads $threads
        [ "$status" -eq 1 ]
        [[ $output == *"THREADS is '$threads'"* ]]
    done
    run "$machine" --fast
    [ "$status" -eq 1 ]
    [[ $output == *"'--fast' is no option"* ]]
    run "$machine" --out
    [ "$status" -eq 1 ]
}

@test "the tables or the roofline alone, as the tour shows them" {
    show --only tables
    [[ $output == *"This machine"* && $output != *"slanted roofs"* ]]
    show --only roofline
    [[ $output != *"This machine"* && $output == *"slanted roofs"* ]]
    show --only both
    [ "$status" -eq 1 ]
}
