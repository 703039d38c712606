#!/usr/bin/env bats
# The command behind `make energy`, on folders that look like /sys of other machines. BIN: where the built commands are.

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    energy=${BIN:-build/gcc/bin}/energy
    [ -x "$energy" ] || skip "$energy is not built: make all"
    sys=$BATS_TEST_TMPDIR/sys rows=$BATS_TEST_TMPDIR/energy.tsv
    mkdir -p "$sys"
}

teardown() { if [ -n "${counting-}" ]; then kill "$counting" 2>/dev/null || true; fi; }

# A counter of 50 J in each of its steps. counts LINES: it is gone as soon as the rows have so many lines.
counts()
{
    zone=$sys/class/powercap/intel-rapl:0 cpu=$sys/devices/system/cpu/cpu0/cpufreq
    mkdir -p "$zone" "$cpu"
    echo package-0 >"$zone/name"
    echo 262143328850 >"$zone/max_energy_range_uj"
    echo 1000 >"$zone/energy_uj"
    echo 2400000 >"$cpu/scaling_cur_freq"
    (
        k=0
        until [ "$(cat "$rows" 2>/dev/null | wc -l)" -ge "${1:-100000}" ]; do
            k=$((k + 1))
            echo $((k * 50000000)) >"$zone/new"
            mv "$zone/new" "$zone/energy_uj"
            sleep 0.02
        done
        rm "$zone/energy_uj"
    ) &
    counting=$!
}

measure() { run "$energy" --quick --threads 2 --sys "$sys" --out "$rows"; }

@test "a machine that counts nothing says so, and keeps no row" {
    measure
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == 'ENERGY   not here: no powercap, no power PMU, no NVML.' ]]
    [[ ${lines[1]} == *'no joule is measured'* ]]
    [ ! -e "$rows" ]
}

@test "each run adds a row, and the next ones follow" {
    counts
    measure
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == 'ENERGY   measured: package-0 (powercap)' ]]
    [[ $output == *'idle'*'loads from memory'*'products in a cache'* ]]
    [[ $output == *'nJ a byte'*'nJ a flop'* || $output == *BUSY* ]]
    [ "$(wc -l <"$rows")" -eq 6 ]
    measure
    [ "$(grep -c '^#' "$rows")" -eq 1 ]
    awk -F '\t' '!/^#/ { n++; if (NF != 9 || $3 != 2.40 || $5 < 0.1 || $8 < 0) bad = 1; joules += $8; if ($9 !~ /package-0 \(powercap\)/) bad = 1 }
        END { exit bad || n != 10 || joules <= 0 }' "$rows"
}

@test "a counter that vanishes is one line, and the rows before it stay" {
    counts 2
    measure
    [ "$status" -eq 1 ]
    [ "$(printf '%s\n' "$output" | grep -c vanished)" -eq 1 ]
    [[ $(printf '%s\n' "$output" | grep ^energy) == "energy: the energy counter $sys/class/powercap/intel-rapl:0/energy_uj vanished while it was read: "* ]]
    [[ $(tail -n 1 "$rows") == *idle* ]]
}

@test "what is no option, no number or cannot be written is one line" {
    run "$energy" --faster
    [ "$status" -eq 1 ] && [ "${#lines[@]}" -eq 1 ]
    run "$energy" --threads none
    [ "$status" -eq 1 ] && [[ $output == *THREADS* ]]
    counts
    rows=$BATS_TEST_TMPDIR/nowhere/energy.tsv
    measure
    [ "$status" -eq 1 ]
    [[ $(printf '%s\n' "$output" | grep ^energy) == "energy: cannot write $rows: "* ]]
}
