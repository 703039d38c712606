#!/usr/bin/env bats
# The command behind `make traffic-N`, with a likwid-perfctr of our own in place of the real one: it prints
# what tests/commands/recorded/ holds. BIN: where the built commands are; BUILD: the folder of all products.

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    bin=${BIN:-build/gcc/bin}
    out=${bin%/bin}
    build=${BUILD:-build}
    folder=01-stream
    source=solutions/$folder/stream.c
    [ -x "$bin/traffic" ] || skip "$bin/traffic is not built: make all"
    [ -x "$out/judge/$folder" ] || skip "the judge of exercise 1 is not built: make all"
    recorded=tests/commands/recorded
    fake=$BATS_TEST_TMPDIR/fake
    mkdir "$fake"
    PATH=$fake:$PATH
    printf 'function triad\ncase memory\nworking_set_bytes 24e6\nmodel_load_bytes %s\nmodel_store_bytes %s\n' \
        1600000 800000 >"$BATS_TEST_TMPDIR/model"
}

# likwid BODY: a likwid-perfctr that can count and runs BODY for -g; $csv is what it prints for a region
likwid()
{
    csv=$PWD/$recorded/likwid-region.csv
    cat >"$fake/likwid-perfctr" <<END
#!/bin/sh
for word; do
    case \$word in
        -e) echo 'This architecture has 53 counters.'; exit ;;
        -a) printf '     Group name\tDescription\n            MEM\tMemory bandwidth\n          CLOCK\tPower\n'; exit ;;
    esac
done
echo "\$*" >>'$BATS_TEST_TMPDIR/called'
$1
END
    chmod +x "$fake/likwid-perfctr"
}

traffic() { MAKE=make run sh lib/commands/traffic.sh "$out" "$build" "$folder" "$source" -- "$@"; }

@test "simulated traffic is the difference of two runs" {
    run "$bin/traffic" cachegrind "$BATS_TEST_TMPDIR/model" triad \
        1 $recorded/cachegrind-triad-1.out 3 $recorded/cachegrind-triad-3.out
    [ "$status" -eq 0 ]
    [[ $output == *"simulated by cachegrind: one thread, last-level cache of 0.25 MiB"* ]]
    [[ $output =~ "fetched by reads"\ +1.600\ MB\ +1.600\ MB\ +1.00 ]]
    [[ $output =~ "fetched by writes"\ +0.800\ MB\ +0.800\ MB\ +1.00 ]]
    [[ $output == *"does not count"* ]]
    [[ $output == *"What the model says is what moves"* ]]
}

@test "counted traffic is divided by the calls, and the write-allocate is recognised" {
    sed 's/load_bytes.*/load_bytes 32e6/; s/store_bytes.*/store_bytes 16e6/' "$BATS_TEST_TMPDIR/model" >"$BATS_TEST_TMPDIR/large"
    run "$bin/traffic" likwid "$BATS_TEST_TMPDIR/large" triad 10 $recorded/likwid-region.csv
    [ "$status" -eq 0 ]
    [[ $output =~ read\ +48.030\ MB\ +32.000\ MB\ +1.50 ]]
    [[ $output =~ together\ +64.040\ MB\ +48.000\ MB\ +1.33 ]]
    [[ $output == *"write-allocate"* ]]
}

@test "several groups of counters are added up" {
    run "$bin/traffic" likwid "$BATS_TEST_TMPDIR/model" triad 10 $recorded/likwid-region.csv $recorded/likwid-region.csv
    [ "$status" -eq 0 ]
    [[ $output =~ together\ +128.080\ MB ]]
}

@test "what cannot be read is one clear line" {
    run "$bin/traffic" likwid "$BATS_TEST_TMPDIR/model" triad 10 $recorded/likwid-unsupported.out
    [ "$status" -eq 3 ]
    [[ $output == *"cannot count here"*"Unsupported Processor"* ]]
    run "$bin/traffic" likwid "$BATS_TEST_TMPDIR/model" copy 10 $recorded/likwid-region.csv
    [ "$status" -eq 1 ]
    [[ $output == *"no model of copy"* ]]
    run "$bin/traffic" cachegrind "$BATS_TEST_TMPDIR/model" triad 3 $recorded/cachegrind-triad-3.out 1 $recorded/cachegrind-triad-1.out
    [ "$status" -eq 1 ]
    run "$bin/traffic" cachegrind "$BATS_TEST_TMPDIR/model" triad 1 /nowhere 3 /nowhere
    [ "$status" -eq 1 ]
    [[ $output == *"cannot read /nowhere"* ]]
    run "$bin/traffic"
    [ "$status" -eq 1 ]
}

@test "counters are taken where likwid can read them" {
    likwid "cat '$PWD/$recorded/likwid-region.csv'"
    traffic --threads 2
    [ "$status" -eq 0 ]
    [[ $output != *cachegrind* ]]
    [[ $output == *" triad, case memory"*"counted by the memory controllers"* ]]
    grep -q -- '-C N:0-1 -g MEM -m -O .*--large --part triad --traffic [0-9]' "$BATS_TEST_TMPDIR/called"
}

@test "counters that turn out to be locked are named, and cachegrind steps in" {
    command -v valgrind >/dev/null || skip "valgrind is not installed"
    [ "${LONG:-}" = 1 ] || skip "it compiles the library anew, for the simulator: LONG=1"
    likwid "cat '$PWD/$recorded/likwid-unsupported.out'; exit 1"
    traffic
    [ "$status" -eq 0 ]
    [[ $output == *"No counters (likwid-perfctr cannot count here"* ]]
    [[ $output == *" copy, case "*" sum, case "*" triad, case "*"simulated by cachegrind"* ]]
    [[ $output =~ triad.*"fetched by reads"\ +16.0[0-9]+\ MB\ +16.000\ MB\ +1.00 ]]
    [ "$(find "$build" -maxdepth 1 -name 'traffic.*' | wc -l)" -eq 0 ]
}

@test "without either tool nothing is counted, and it says what to install" {
    mkdir "$BATS_TEST_TMPDIR/few"
    for tool in sh sed awk mktemp rm cat grep; do ln -s "$(command -v $tool)" "$BATS_TEST_TMPDIR/few/$tool"; done
    PATH=$BATS_TEST_TMPDIR/few traffic
    [ "$status" -eq 1 ]
    [[ $output == *"likwid-perfctr is not installed"* ]]
    [[ $output == *"valgrind is not installed"*"make setup"* ]]
}

@test "kernels that are given are counted before anything is written" {
    judge=$out/judge/10-diagnose answer=$out/shipped/10-diagnose/answer.so
    [ -x "$judge" ] && [ -e "$answer" ] || skip 'exercise 10 is not built: make all answers'
    run env SPW_ENVIRONMENT=1 "$judge" --folder exercises/10-diagnose --answer "$answer" \
        --reference "$out/solutions/10-diagnose/answer.so" --threads 1 --traffic 0
    [ "$status" -eq 0 ]
    [[ $output == *"function diagnose_moment"*"working_set_bytes 4194304"*"model_load_bytes 1048576"* ]]
    [[ $output == *"function diagnose_tour"* ]]
    run env SPW_ENVIRONMENT=1 "$judge" --folder exercises/10-diagnose --answer "$answer" --large --part diagnose_moment \
        --reference "$out/solutions/10-diagnose/answer.so" --threads 1 --traffic 1
    [ "$status" -eq 0 ]
    [[ $output == *"case memory"* ]]
}
