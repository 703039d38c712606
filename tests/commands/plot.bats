#!/usr/bin/env bats
# Every figure of `make plots`, on small matrices: its columns, what its model says, what it refuses. What a clock says
# is not judged. BIN: where the built commands are.

setup_file()
{
    cd "$BATS_TEST_DIRNAME/../.."
    export bin=${BIN:-build/gcc/bin} out=$BATS_FILE_TMPDIR OMP_WAIT_POLICY=passive OPENBLAS_NUM_THREADS=1
    [ -x "$bin/plot" ] || return 0
    tab=$(printf '\t') # date machine threads group subject kernel value unit bytes share
    sed "s/ /$tab/g" >"$out/bench.tsv" <<'END'
2026-11-20 CPU 2 spmv fem3:48 spw_spmv_csr_omp 5 GF/s 1 0.5
2026-11-20 CPU 2 spmv fem3:48 spw_spmv_csr_omp_balanced 4 GF/s 1 0.4
2026-11-20 CPU 2 spmv fem3:48 spw_spmv_sell_omp 8 GF/s 1 0.8
2026-11-20 CPU 2 spmv arrow:50 eigen 3 GF/s 1 0.25
2026-11-20 CPU 2 spmm fem3:48 spw_spmm_csr_omp 9 GF/s 1 0.9
END
    "$bin/plot" | cut -d ' ' -f 1 | xargs -P 2 -I '{}' sh -c '"$bin/plot" {} --quick --threads 2 --bench "$out/bench.tsv" \
        --out "$out" >"$out/{}.said" 2>&1 || echo {} >>"$out/failed"'
}

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    [ -x "$bin/plot" ] || skip "$bin/plot is not built: make all"
}

# rows FILE PROGRAM: awk over the rows of a table. near(a, b, d): they differ by d at most.
rows() { awk -F '\t' "function near(a, b, d) { return a - b <= d && b - a <= d } /^#/ || /^\$/ { next } $2" "$out/$1.tsv"; }

@test "every figure is made, within 80 columns" {
    [ ! -e "$out/failed" ] || { cat $(sed "s|.*|$out/&.said|" "$out/failed"); false; }
    [ "$(cat "$out"/*.said | LC_ALL=C.UTF-8 awk 'length > 80' | tee /dev/stderr | wc -l)" -eq 0 ]
}

@test "each table has its head, its columns and its rows, and every cell a value" {
    while read -r name fields count; do
        echo "$name"
        [[ $(head -n 1 "$out/$name.tsv") == '# '*', 2 threads, 20'* ]]
        [ "$(sed -n 2p "$out/$name.tsv" | tr '\t' '\n' | wc -l)" -eq "$fields" ]
        rows "$name" "NF != $fields || tolower(\$0) ~ /nan|inf|\t-/ { exit 1 } { n++ }
            END { exit n < ${count%+} || (n > ${count%+} && \"$count\" !~ /[+]/) }"
    done <<'END'
exercise-04 4 8
exercise-04-words 4 400+
exercise-05 7 3
exercise-06 12 2
exercise-07 11 48
exercise-08 5 8
exercise-08-panels 5 3
exercise-08-warp 3 90+
exercise-09 5 16
exercise-09-panels 5 3
exercise-09-warp 3 90+
exercise-11 4 5
exercise-12 5 18
exercise-12-history 2 20+
exercise-15 5 500+
exercise-16 3 21
exercise-17 4 50+
exercise-17-steps 5 2
exercise-17-why 6 14+
exercise-18 5 36
exercise-18-history 2 20+
exercise-19 4 380+
exercise-20 8 16
exercise-21 9 9
exercise-22 13 33
exercise-23 11 20+
exercise-23-time 3 5
exercise-23-phases 16 6
exercise-24 6 6
exercise-26 7 22
END
}

@test "every picture is drawn of them, where gnuplot is" {
    command -v gnuplot >/dev/null || skip 'gnuplot is not installed'
    scripts=$(cd plots && ls exercise-*.gp formats-*.gp | sed 's/\.gp$//' | grep -v 'exercise-\(0[12]\|10\|25\)')
    run sh lib/commands/draw.sh "$out" $scripts
    echo "$output"
    [ "$status" -eq 0 ]
    [[ ${output,,} != *warning* && $output != *"No picture"* ]]
    for picture in $scripts; do
        [ -s "$out/$picture.png" ]
        grep -q '<svg' "$out/$picture.svg"
    done
}

@test "a picture that was measured on a busy machine says so" {
    command -v gnuplot >/dev/null || skip 'gnuplot is not installed'
    cp "$out"/exercise-05* "$BATS_TEST_TMPDIR"
    echo "busy = 'BUSY: others took 12 % of the processors while this was measured'" >>"$BATS_TEST_TMPDIR/exercise-05-facts.gp"
    sh lib/commands/draw.sh "$BATS_TEST_TMPDIR" exercise-05
    grep -q 'BUSY: others took 12 %' "$BATS_TEST_TMPDIR/exercise-05.svg"
}

@test "make plots says what it does, measures the machine where that was not done, and draws one alone" {
    cat >"$BATS_TEST_TMPDIR/plot" <<'END'
#!/bin/sh
[ $# -gt 0 ] && echo "plot $*" || printf 'one exercise-04 A title\nsplit exercise-16 Another\n'
END
    chmod +x "$BATS_TEST_TMPDIR/plot"
    MACHINE='echo machine' run sh lib/commands/plots.sh "$BATS_TEST_TMPDIR/plot" "$BATS_TEST_TMPDIR" '' --quick
    echo "$output"
    [[ $output == "2 figures, drawn into "*"One alone: make plots NAME=16"*$'\nmachine --quick\nplot one --show --quick --out '* ]]
    touch "$BATS_TEST_TMPDIR/machine.tsv"
    MACHINE='echo machine' run sh lib/commands/plots.sh "$BATS_TEST_TMPDIR/plot" "$BATS_TEST_TMPDIR" ''
    [[ $output == *$'\nmachine --show\nplot one'* ]]
    MACHINE='echo machine' run sh lib/commands/plots.sh "$BATS_TEST_TMPDIR/plot" "$BATS_TEST_TMPDIR" 16
    [ "${lines[0]}" = "plot split --show --out $BATS_TEST_TMPDIR/plots" ]
    [[ $output != *machine* && $output != *exercise-04* ]]
    MACHINE='echo machine' run sh lib/commands/plots.sh "$BATS_TEST_TMPDIR/plot" "$BATS_TEST_TMPDIR" 99
    [ "$status" -eq 2 ]
    [[ $output == *"There is no picture 'exercise-99'. There are, as NAME=16 or "*" 24 "*" formats-beta"* ]]
}

# of FILE NAME: the numbers of the row of that name in a table of a README, "29.03 29.03 10.36 573722"
of() { sed -n "s/^| $2 | \([0-9. |]*\)|.*/\1/p" "$1" | sed 's/\([0-9]\) \([0-9]\)/\1\2/g; s/|/ /g' | xargs; }

# counted NAME: the same from the table that was written
counted() { rows exercise-08 "\$1 == \"$1\" { print \$2, \$3, \$4, \$5 }"; }

@test "4, 8: sectors a request are those of the rule and of the READMEs" {
    [ "$(rows exercise-04 '{ printf "%s ", $4 }')" = '8.00 9.00 8.00 16.00 32.00 32.00 1.00 32.00 ' ]
    readme=exercises/08-spmv-gpu/README.md
    [ "$(of $readme 'CSR, a thread a row')" = "$(counted 'CSR, thread a row')" ]
    [ "$(of $readme 'CSR, a warp a row')" = "$(counted 'CSR, warp a row')" ]
    [ "$(of $readme ELL)" = "$(counted ELL)" ]
    [ "$(of $readme 'SELL-32, sigma = 1')" = "$(counted 'SELL-32, sigma 1')" ]
    [ "$(of $readme 'SELL-32, sigma = 256')" = "$(counted 'SELL-32, sigma 256')" ]
    readme=exercises/06-spmv-csr/README_gpu.md
    [ "$(of $readme 'a thread a row')" = "$(counted 'CSR, thread a row')" ]
    [ "$(of $readme 'a warp a row')" = "$(counted 'CSR, warp a row')" ]
    [ "$(counted 'CSR, thread a row')" = '29.03 29.03 10.36 573722' ]
}

@test "9: bytes an entry are the sectors, times 32, over the entries" {
    awk -F '\t' '/^#/ || /^$/ { next } NR == FNR { all[$1] = $5; next }
        ++seen <= 8 { d = $2 + $3 + $4 + $5 - 32 * all[$1] / 241192; if (d > 0.003 || d < -0.003) { print; bad = 1 } }
        END { exit bad || seen != 16 }' "$out/exercise-08.tsv" "$out/exercise-09.tsv"
}

@test "8, 9: each lane of a warp reads one word, and a panel has as many sectors as its lanes touch" {
    for name in exercise-08 exercise-09; do
        awk -F '\t' '/^#/ { next }
            NR == FNR { left[++n] = $2; sectors[n] = $3; span[n] = $4; next }
            { for (p = n; $1 < left[p]; p--) ; lanes[p]++
              if (!((p, $1) in seen)) { seen[p, $1] = 1; distinct[p]++ }
              if ((p, "lane", $2) in seen || $2 > 31 || $3 > 3) bad = 1
              seen[p, "lane", $2] = 1 }
            END { for (p = 1; p <= n; p++) if (distinct[p] != sectors[p] || span[p] < 32 * sectors[p] || lanes[p] < 12) bad = 1
                  exit bad || n != 3 }' "$out/$name-panels.tsv" "$out/$name-warp.tsv"
    done
    # neighbours of SELL lie side by side: 32 doubles from a multiple of four on
    [ "$(awk -F '\t' '$1 ~ /^SELL/ { print $3, $4 }' "$out/exercise-08-panels.tsv")" = '8 256' ]
}

@test "5, 6, 7, 21: entries, bytes, shares and beta are those of the formulas" {
    [ "$(rows exercise-05 '$2 > 0 && $3 > 0 && $4 > 0 && $5 > 0 && $6 > 0 && $7 > 0 { printf "%s ", $1 }')" = '4096 13824 46656 ' ]
    rows exercise-06 '$5 != 12 * $4 + 4 * ($2 + 1) + 8 * $2 + 8 * $3 || !near($11, $9 / $8, 0.01) || !near($12, $10 / $8, 0.01) { exit 1 }
        { entries += $4 } END { exit entries != 58 ^ 3 + 89998 }'
    rows exercise-07 '!near($7, $3 / $6, 0.0001) || !near($10, $8 / $9, 0.01 * $10) { exit 1 }
        $1 == "uneven:20000" { beta[$4, $5] = $7; bound[$4, $5] = $11 }
        END { exit !(beta[32, 1] < 0.6 && beta[32, 16384] > 0.99 && beta[64, 256] < beta[4, 256] &&
                     bound[32, 1] < 0.8 && bound[32, 16384] > 0.9) }'
    rows exercise-21 '{ n = 1728; nz = 34 ^ 3; nv++ }
        $1 != nv || $2 != 12 * nz + 4 * (n + 1) + 16 * n * nv || !near($3, 2 * nz * nv / $2, 0.0001) || $6 * $7 * $8 * $9 <= 0 { exit 1 }'
}

# In the models' bars: bytes of the kernels, whose quotients know no clock.
@test "12, 18: six kernels become three and thirteen five; bars have the quotient of the bytes" {
    # n = 40000, nz = 5 n - 800: (12 nz + 4 (n + 1) + 24 n + 96 n) / (12 nz + 4 (n + 1) + 24 n + 72 n)
    rows exercise-12 '{ n[$1]++; top[$1] = $3 }
        END { n_rows = 40000; nz = 5 * n_rows - 800; fixed = 12 * nz + 4 * (n_rows + 1) + 24 * n_rows
              wanted = (fixed + 96 * n_rows) / (fixed + 72 * n_rows); got = top[1] / top[3]
              print got, wanted
              exit !(n[0] == 6 && n[1] == 6 && n[2] == 3 && n[3] == 3 && near(got / wanted, 1, 0.001)) }'
    rows exercise-18 '{ n[$1]++ } END { exit !(n[0] == 13 && n[2] == 5) }'
    for number in 12 18; do rows exercise-$number-history '{ last = $2 } END { exit !(last <= 1e-10) }'; done
    grep -q 'laplace2d:20: converged in ' "$out/cg.said"
}

@test "15: curves begin with the set-up, take equal steps, and end at the tolerance" {
    # all but CG without a preconditioner, on the first system, converge
    rows exercise-15 '{ key = $1 " " $2; if (!(key in steps)) { first[key] = $4; kinds++ } else step[key] = $4 - last[key]
          steps[key] = $3; last[key] = $4; residual[key] = $5 }
        END { for (key in steps) {
                  off = last[key] - first[key] - steps[key] * step[key]
                  print key, steps[key], residual[key], off
                  if (off * off > 1e-4) exit 1
                  if (key != "0 0" && !(residual[key] <= 1e-8)) exit 1 }
              exit !(kinds == 18 && steps["2 3"] < steps["2 1"] && steps["1 2"] < steps["1 1"]) }'
}

@test "16: the model is the slower side; it says where both parts run" {
    grep -q 'No device for target regions here: both parts run on the host\|alone: device' "$out/split.said"
    rows exercise-16 '{ n++; ms[n] = $2; model[n] = $3; part[n] = $1 }
        END { for (k = 1; k <= n; k++) {
                  one = part[k] * ms[n]; two = (1 - part[k]) * ms[1]
                  if (!near(model[k], one > two ? one : two, 0.001) || ms[k] <= 0) exit 1 }
              exit !(part[1] == 0 && part[n] == 1) }'
}

@test "19: refinement ends where double does, with fewer bytes; float does not" {
    rows exercise-19 '{ gb[$1] = $3; last[$1] = $4; n[$1]++ }
        END { exit !(n["double"] > 50 && n["refined"] > 50 && n["float"] > 100 &&
            last["double"] < 1e-11 && last["refined"] < 1e-11 && last["float"] > 1e-8 &&
            last["float"] < 1e-4 && gb["refined"] < 0.85 * gb["double"] &&
            near(gb["float"], 160e-9 * (8 * 343000 + 52 * 13824), 0.01 * gb["float"])) }'
}

@test "20: eight powers a matrix, with the gain of the model" {
    # m bytes of matrix, p = 8: 8 (m + 24 n) / (m + 8 n + 8 16 n). laplace2d, 2000 rows, 9820 entries: m is that of CSR,
    # or of slices with short indices, which is less but for padding. tridiag: groups of 257, then 256 rows are 376
    # slices of 8 x 3, with 8 bytes an entry, 4 a column, 9 a slice, and some offsets at both ends
    rows exercise-20 '{ n[$1]++; if ($3 == 8) model[$1] = $8; if ($4 <= 0 || $5 <= 0 || $6 <= 0) bad = 1 }
        function gain(m, n) { return 8 * (m + 24 * n) / (m + 8 * n + 128 * n) }
        END { grid = model["laplace2d:40x50"]; path = model["tridiag:3000"]
              exit !(n["laplace2d:40x50"] == 8 && n["tridiag:3000"] == 8 && !bad &&
                   grid > gain(8 * 9820, 2000) - 0.001 && grid < gain(12 * 9820 + 4 * 2001, 2000) + 0.001 &&
                   path > gain(376 * (24 * 8 + 3 * 4 + 9), 3000) - 0.001 &&
                   path < gain(376 * (24 * 8 + 3 * 4 + 9) + 80, 3000) + 0.001) }'
}

# eps = 1.1e-16: CGS loses more than eps kappa^2 of what MGS loses with eps kappa, CHOLQR2 nothing. The bounds
# have a factor of 1000 on top, for n and nv.
@test "22: 33 condition numbers, six methods, each within its bound" {
    awk -F '\t' '
        /^#/ { if ($2 == "cgs") for (k = 2; k < NF; k += 2) at[$k] = k; next }
        { rows++; kappa = $1; eps = 1.1e-16; most = 1000 * eps }
        $at["cholqr2"] > 1e-13 { exit 1 }
        $at["mgs"] > most * kappa { exit 1 }
        $at["cholqr_mixed"] > most * (kappa < 1e3 ? 1e3 : kappa) { exit 1 }
        kappa <= 1e7 && ($at["cholqr"] > most * kappa ^ 2 || $at["svqb"] > most * kappa ^ 2 + 1e-13) { exit 1 }
        kappa <= 1e7 { for (m in at) if ($(at[m] + 1) != 16) exit 1 }  # nothing is dropped that need not be
        kappa >= 1e9 && ($(at["svqb"] + 1) >= 16 || $(at["cholqr2"] + 1) >= 16) { exit 1 }
        kappa == 1e6 { bad = $at["cgs"] / $at["mgs"] }                 # what the picture is about
        END { exit !(rows == 33 && bad > 1e3) }' "$out/exercise-22.tsv"
}

# For each number of vectors: % of the time, by the model, of the flops. Flops know no clock: at nv = 48 A W is
# 2 nz / (2 nz + 40 n nv) of them, below 1 %.
@test "23: ten residuals fall to the tolerance, every nv has its times, shares add up to 100 %" {
    rows exercise-23 '$1 != rows { exit 1 }
        { rows++; largest = 0; for (k = 2; k <= 11; k++) if ($k + 0 > largest) largest = $k + 0 }
        rows == 1 { first = largest }
        END { exit !(first > 0.1 && largest > 0 && largest <= 1e-8) }'
    [ "$(rows exercise-23-time '$2 > 0 && $3 > 0 { printf "%s ", $1 }')" = '4 8 16 32 48 ' ]
    rows exercise-23-phases '{ for (k = 2; k <= 16; k++) sum[k] += $k }
        $1 == "A W" { direct = $16 }
        END { for (k = 2; k <= 16; k++) if (sum[k] < 99.5 || sum[k] > 100.5) exit 1
              exit !(direct > 0.2 && direct < 1.2) }'
}

@test "streaming: products take time, and the model is the longer of both and a share of the other" {
    rows exercise-24 '{ blocks = 2 ^ ++n; more = $2 > $3 ? $2 : $3; less = $2 + $3 - more }
        $1 != blocks || $3 < 1e-5 || $5 <= 0 || !near($4, $2 + $3, 3e-6) || !near($6, more + less / blocks, 3e-6) { exit 1 }'
    [ -z "$(ls "$out" | grep '\.far$')" ]
}

@test "26: the modelled clock says what the formula predicts; 16^3 points on 1 and on 64 ranks" {
    rows exercise-26 '!near($4, $5, 1e-9 + 1e-4 * $5) || !near($6, $7, 1e-9 + 1e-4 * $7) || $7 < $5 { exit 1 }
        $1 == 0 && $2 == 1 { one = near($5, 87.07e-6, 1e-8) } $1 == 0 && $2 == 64 { most = near($7, 653.5e-6, 1e-7) }
        END { exit !(one && most) }'
}

@test "formats: speeds are the best of each format that was benched; sorting raises beta" {
    [ "$(sed 's/\t/ /g' "$out/formats-speed.tsv")" = '# CPU, 2 threads, 2026-11-20
# matrix roof csr sell eigen
fem3:48 10.000 5.000 8.000 -
arrow:50 12.000 - - 3.000' ]
    rows formats-beta 'NF == 1 { n++; last = 0; next } $2 > 1 || $2 < last - 0.01 { exit 1 } { last = $2; rows++ }
        END { exit !(n == 4 && rows == 4 * 13) }'
    run "$bin/plot" speeds --bench "$out/none.tsv" --out "$BATS_TEST_TMPDIR"
    [ "$status" -eq 0 ]
    [[ $output == *"make bench ONLY=spmv" ]]
}

@test "--show tells the last time again, and measures where there is none or only a quick one" {
    for figure in convert spmv spmm sell split powers lobpcg cg bicgstab precond; do
        run "$bin/plot" $figure --show --quick --out "$out" --built /nowhere
        [ "$status" -eq 0 ]
        [ "$output" = "$(cat "$out/$figure.said")" ]
        [[ $output == *", 2 threads, 20"*", quick"* ]]
    done
    run "$bin/plot" split --show --out "$out" --built /nowhere
    [ "$status" -eq 1 ]
    run "$bin/plot" split --show --quick --out "$BATS_TEST_TMPDIR" --built /nowhere
    [ "$status" -eq 1 ]
}

@test "what it cannot do is said in one line, and leaves what was there" {
    ln -s "$PWD/$bin/../solutions/09-sell-p" "$BATS_TEST_TMPDIR/08-spmv-gpu" 2>/dev/null || true
    mkdir -p "$BATS_TEST_TMPDIR/solutions" && mv "$BATS_TEST_TMPDIR/08-spmv-gpu" "$BATS_TEST_TMPDIR/solutions"
    before=$(cat "$out"/exercise-*.tsv | cksum)
    while IFS='|' read -r options says; do
        run "$bin/plot" $options
        echo "$options: $output"
        [ "$status" -eq 1 ]
        [ "$(printf '%s\n' "$output" | grep -c '^plot')" -eq 1 ]
        [[ $output == *"$says"* ]]
    done <<END
nothing|plot: 'nothing' is no figure
cg --solver|plot cg: '--solver' is no option; known are --show --quick --threads --out --built --bench
ortho fem1:3|plot ortho: 'fem1:3' is no option
cg --threads 0|plot cg: THREADS is '0', must be a whole number from 1 to 4096
cg --threads two|plot cg: THREADS is 'two', must be a whole number from 1 to 4096
spmm --out /proc/no|plot spmm: cannot write /proc/no/exercise-21.txt: 
split --out $out --built /nowhere|plot split: no multiply_here in /nowhere/solutions/16-symgs/answer.so
formats --out $out --built $BATS_TEST_TMPDIR|plot formats: no spmv_csr_thread in
END
    [ "$(cat "$out"/exercise-*.tsv | cksum)" = "$before" ]
    [ -z "$(ls "$out" | grep '\.new$')" ]
}
