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

counted() { awk -f lib/commands/counted.awk -f lib/commands/traffic.awk "$@"; }
traffic()
{
    [ -x "$out/judge/$folder" ] || skip 'the judge of exercise 1 is not built: make all'
    MAKE=make run sh lib/commands/traffic.sh "$out" "$build" "$folder" "$source" -- "$@"
}

@test "simulated traffic is the difference of two runs" {
    run counted cachegrind "$BATS_TEST_TMPDIR/model" triad \
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
    run counted likwid "$BATS_TEST_TMPDIR/large" triad 10 $recorded/likwid-region.csv
    [ "$status" -eq 0 ]
    [[ $output =~ read\ +48.030\ MB\ +32.000\ MB\ +1.50 ]]
    [[ $output =~ together\ +64.040\ MB\ +48.000\ MB\ +1.33 ]]
    [[ $output == *"write-allocate"* ]]
}

@test "several groups of counters are added up" {
    run counted likwid "$BATS_TEST_TMPDIR/model" triad 10 $recorded/likwid-region.csv $recorded/likwid-region.csv
    [ "$status" -eq 0 ]
    [[ $output =~ together\ +128.080\ MB ]]
}

@test "what cannot be read is one clear line" {
    run counted likwid "$BATS_TEST_TMPDIR/model" triad 10 $recorded/likwid-unsupported.out
    [ "$status" -eq 3 ]
    [[ $output == *"cannot count here"*"Unsupported Processor"* ]]
    run counted likwid "$BATS_TEST_TMPDIR/model" copy 10 $recorded/likwid-region.csv
    [ "$status" -eq 1 ]
    [[ $output == *"no model of copy"* ]]
    run counted cachegrind "$BATS_TEST_TMPDIR/model" triad 3 $recorded/cachegrind-triad-3.out 1 $recorded/cachegrind-triad-1.out
    [ "$status" -eq 1 ]
    run counted cachegrind "$BATS_TEST_TMPDIR/model" triad 1 /nowhere 3 /nowhere
    [ "$status" -eq 1 ]
    [[ $output == *"cannot read /nowhere"* ]]
}

# table LINE...: what likwid-perfctr could print, as $BATS_TEST_TMPDIR/csv, is counted over one call
table()
{
    printf '%b\n' "$@" >"$BATS_TEST_TMPDIR/csv"
    run counted likwid "$BATS_TEST_TMPDIR/model" triad 1 "$BATS_TEST_TMPDIR/csv"
}

@test "sockets are added, dashes passed over, and the names of other CPUs are known" {
    table 'TABLE,Region kernel,Group 1 Metric,MEM,2,' 'Metric,HWThread 0,HWThread 1,HWThread 16,HWThread 17' \
        'Memory bandwidth [MBytes/s],100,-,100,-' 'Memory data volume [GBytes],1.5,-,2.5,nan'
    [[ $output =~ together\ +4000.000\ MB && ! $output =~ read\ +[0-9] ]]
    table 'TABLE,Region kernel,Group 1 Metric,MEM,2' 'Memory load data volume [GBytes],3' 'Memory evict data volume [GBytes],1'
    [[ $output =~ read\ +3000.000\ MB && $output =~ written\ +1000.000\ MB && $output =~ together\ +4000.000\ MB ]]
    table 'TABLE,Region kernel,Group 1 Metric,MEM1,1' 'Memory data volume (channels 0-3) [GBytes],2\r'
    [[ $output =~ together\ +2000.000\ MB ]]
}

@test "another region, a group without volumes and an empty output are refused" {
    for other in 'TABLE,Region kern,Group 1 Metric,MEM,2' 'TABLE,Group 1 Metric,MEM,2' 'TABLE,Region kernel,Group 1 Metric STAT,MEM,2'; do
        table "$other" 'Memory data volume [GBytes],1.5'
        [ "$status" -eq 1 ]
        [ "$output" = 'traffic: likwid-perfctr printed no metrics of region kernel' ]
    done
    table 'TABLE,Region kernel,Group 1 Metric,CLOCK,1' 'CPI,0.5'
    [ "$status" -eq 1 ]
    [ "$output" = "traffic: likwid-perfctr's metrics have no memory data volume" ]
    run counted likwid "$BATS_TEST_TMPDIR/model" triad 1 /dev/null
    [ "$status" -eq 1 ]
    run counted likwid "$BATS_TEST_TMPDIR/model" triad 0 $recorded/likwid-region.csv
    [ "$output" = "traffic: '0' is no number of calls" ]
}

# simulated LINES: what a second call cost more, when cachegrind wrote these lines after it
simulated()
{
    printf 'desc: LL cache:  65536 B, 32 B, direct-mapped\nevents: DLmw Ir DLmr\nsummary: 0 0 0\n' >"$BATS_TEST_TMPDIR/one"
    printf '%b' "$1" >"$BATS_TEST_TMPDIR/two"
    run counted cachegrind "$BATS_TEST_TMPDIR/model" triad 1 "$BATS_TEST_TMPDIR/one" 2 "$BATS_TEST_TMPDIR/two"
}

@test "columns of cachegrind are found by name; a file that is cut off or has no caches is refused" {
    simulated 'desc: LL cache:  65536 B, 32 B, direct-mapped\nevents: DLmw Ir DLmr\nsummary: 50000 1000 25000\n'
    [[ $output =~ "fetched by reads"\ +0.800\ MB && $output =~ "fetched by writes"\ +1.600\ MB ]]
    simulated 'desc: LL cache:  65536 B, 32 B, direct-mapped\nevents: DLmw Ir DLmr\nsummary: 50000 1000'
    [[ $status = 1 && $output == *interrupted* ]]
    simulated 'desc: LL cache:  65536 B, 32 B, direct-mapped\nevents: DLmw Ir DLmr\n'
    [[ $status = 1 && $output == *interrupted* ]]
    simulated "$(cat $recorded/cachegrind-no-caches.out)"
    [[ $status = 1 && $output == *--cache-sim=yes* ]]
    simulated ''
    [[ $status = 1 && $output == *"size of the last-level cache"* ]]
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
