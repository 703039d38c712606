#!/usr/bin/env bats
# The command behind `make bench`. The figures are not judged here: a test that times is wrong on a bad
# day. BIN: where the built commands are.

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    bench=${BIN:-build/gcc/bin}/bench
    [ -x "$bench" ] || skip "$bench is not built: make all"
    out=$BATS_TEST_TMPDIR/bench.tsv
}

@test "every sparse kernel of the table is run on the matrix that is named" {
    run "$bench" --matrix springs --quick --out "$out"
    [ "$status" -eq 0 ]
    for kernel in $(sed -n 's/.*SPMV_[A-Z]*(\(spw_[a-z0-9_]*\),.*/\1/p' lib/kernels/variants.c | grep -v _cuda); do
        [[ "$output" == *" $kernel "* ]]
        grep -q "	springs	$kernel	" "$out"
    done
}

@test "the file is a table of tabs, the same number in every line" {
    run "$bench" --matrix springs --quick --out "$out"
    [ "$(awk -F'\t' '{ print NF }' "$out" | sort -u)" = 14 ]
    [ "$(wc -l <"$out")" -ge 9 ]
    [[ $(head -1 "$out") == date$'\t'machine$'\t'threads* ]]
}

@test "an unknown matrix gets one line and no file" {
    run "$bench" --matrix nosuch --out "$out"
    [ "$status" -eq 1 ]
    [[ "$output" == *"bench: nosuch: no such file"* ]]
    [ ! -e "$out" ]
}

@test "an unknown option, a missing value and a bad number are refused" {
    run "$bench" --fast
    [ "$status" -eq 1 ]
    [[ "$output" == "bench: '--fast' is no option; "* ]]
    run "$bench" --matrix
    [ "$status" -eq 1 ]
    [ "$output" = "bench: --matrix needs a value" ]
    for threads in 0 -1 two 3x; do
        run "$bench" --threads $threads
        [ "$status" -eq 1 ]
        [ "$output" = "bench: --threads is '$threads', must be 1 to 4096" ]
    done
}

@test "a subject that there is not is refused, one that there is runs alone" {
    run "$bench" --only "spmv speed" --out "$out"
    [ "$status" -eq 1 ]
    [[ "$output" == "bench: --only: there is no 'speed'; there are "* ]]
    run "$bench" --quick --only make --matrix springs --out "$out"
    [ "$status" -eq 0 ]
    grep -q "	csr-to-format	springs	" "$out"
    ! grep -q "	spmv	" "$out"
}

@test "a file that cannot be written leaves nothing behind" {
    run "$bench" --matrix springs --quick --out /nonexistent/bench.tsv
    [ "$status" -eq 1 ]
    [[ "$output" == *"/nonexistent/bench.tsv.partial: No such file or directory"* ]]
}
