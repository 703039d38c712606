#!/usr/bin/env bats
# The command behind the pictures of exercises 8 and 9. BIN: where the built commands are.

setup_file()
{
    cd "$BATS_TEST_DIRNAME/../.."
    export out=${BIN:-build/gcc/bin}/..
    export plots=$BATS_FILE_TMPDIR/plots
    [ -x "$out/bin/plot_formats" ] || return 0
    "$out/bin/plot_formats" --out "$plots" --spmv "$out/solutions/08-spmv-gpu/answer.so" \
        --sellp "$out/solutions/09-sell-p/answer.so" >"$BATS_FILE_TMPDIR/report" 2>"$BATS_FILE_TMPDIR/errors"
}

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    [ -x "$out/bin/plot_formats" ] || skip "$out/bin/plot_formats is not built: make all"
    report=$BATS_FILE_TMPDIR/report
}

one_line() { [ "$(printf '%s\n' "$output" | wc -l)" -eq 1 ]; }

# of FILE NAME: the numbers of the row of that name in a table of a README, "29.03 29.03 10.36 573722"
of() { sed -n "s/^| $2 | \([0-9. |]*\)|.*/\1/p" "$1" | sed 's/\([0-9]\) \([0-9]\)/\1\2/g; s/|/ /g' | xargs; }

# counted NAME: the same from the table that was written
counted() { awk -F '\t' -v name="$1" '$1 == name { print $2, $3, $4, $5 }' "$plots/exercise-08.tsv"; }

@test "the report fits 80 columns and nothing is complained about" {
    [ -s "$report" ]
    [ ! -s "$BATS_FILE_TMPDIR/errors" ]
    [ "$(awk 'length > 80' "$report" | wc -l)" -eq 0 ]
}

@test "sectors a request are those of the READMEs" {
    readme=exercises/08-spmv-gpu/README.md
    [ "$(of $readme 'CSR, a thread a row')" = "$(counted 'CSR, thread a row')" ]
    [ "$(of $readme 'CSR, a warp a row')" = "$(counted 'CSR, warp a row')" ]
    [ "$(of $readme ELL)" = "$(counted ELL)" ]
    [ "$(of $readme 'SELL-32, sigma = 1')" = "$(counted 'SELL-32, sigma 1')" ]
    [ "$(of $readme 'SELL-32, sigma = 256')" = "$(counted 'SELL-32, sigma 256')" ]
    readme=exercises/06-spmv-csr/README.md
    [ "$(of $readme 'a thread a row')" = "$(counted 'CSR, thread a row')" ]
    [ "$(of $readme 'a warp a row')" = "$(counted 'CSR, warp a row')" ]
    [ "$(counted 'CSR, thread a row')" = '29.03 29.03 10.36 573722' ]
}

@test "bytes an entry are the sectors, times 32, over the entries" {
    awk -F '\t' 'NR == FNR { all[$1] = $5; next }
        $1 ~ /^stencil27/ { seen++; d = $3 + $4 + $5 + $6 - 32 * all[$2] / 241192; if (d > 0.003 || d < -0.003) { print; bad = 1 } }
        END { exit bad || seen != 8 }' "$plots/exercise-08.tsv" "$plots/exercise-09.tsv"
}

@test "each lane of a warp reads one word, and a panel has as many sectors as its lanes touch" {
    for name in exercise-08 exercise-09; do
        awk -F '\t' 'FNR == 1 { next }
            NR == FNR { left[++n] = $2; sectors[n] = $3; span[n] = $4; next }
            { for (p = n; $1 < left[p]; p--) ; lanes[p]++
              if (!((p, $1) in seen)) { seen[p, $1] = 1; distinct[p]++ }
              if ((p, "lane", $2) in seen || $2 > 31 || $3 > 3) bad = 1
              seen[p, "lane", $2] = 1 }
            END { for (p = 1; p <= n; p++) if (distinct[p] != sectors[p] || span[p] < 32 * sectors[p] || lanes[p] < 12) bad = 1
                  exit bad || n != 3 }' "$plots/$name-panels.tsv" "$plots/$name-warp.tsv"
    done
    # neighbours of SELL lie side by side: 32 doubles from a multiple of four on
    [ "$(awk -F '\t' '$1 ~ /^SELL/ { print $3, $4 }' "$plots/exercise-08-panels.tsv")" = '8 256' ]
}

@test "the pictures are drawn where gnuplot is" {
    command -v gnuplot >/dev/null || skip "gnuplot is not installed"
    run sh lib/commands/draw.sh "$plots" exercise-08 exercise-08-warp exercise-09 exercise-09-warp
    echo "$output"
    [ "$status" -eq 0 ]
    [[ ${output,,} != *warning* ]]
    for picture in exercise-08 exercise-08-warp exercise-09 exercise-09-warp; do
        [ -s "$plots/$picture.svg" ]
        [ -s "$plots/$picture.png" ]
    done
}

@test "what is missing is said in one line" {
    run "$out/bin/plot_formats" --out "$plots"
    [ "$status" -eq 1 ]
    one_line
    [[ $output == *"--spmv: is missing"* ]]
    run "$out/bin/plot_formats" --out "$plots/none" --spmv "$out/solutions/09-sell-p/answer.so" \
        --sellp "$out/solutions/09-sell-p/answer.so"
    [ "$status" -eq 1 ]
    one_line
    [[ $output == *"has no spmv_csr_thread"* ]]
    run "$out/bin/plot_formats" --out /proc/no --spmv "$out/solutions/08-spmv-gpu/answer.so" \
        --sellp "$out/solutions/09-sell-p/answer.so"
    [ "$status" -eq 1 ]
    one_line
}
