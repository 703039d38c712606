#!/usr/bin/env bats
# The program, the script and the tables behind `make collection`, on a few small matrices. BIN: where the built commands are.

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    program=${BIN:-build/gcc/bin}/collection
    [ -x "$program" ] || skip "$program is not built: make all"
    at=$BATS_TEST_TMPDIR rows=$BATS_TEST_TMPDIR/build/collection.tsv
    mkdir -p "$at/files"
    printf '%%%%MatrixMarket matrix coordinate real general\n3 3 9\n1 1 1\n' >"$at/files/damaged.mtx"
    # Its time is up with the matrix "slides6", as long as there are less than 9 seconds, and it can measure no other one twice
    cat >"$at/program" <<END
#!/bin/sh
case "\$*" in
    *slides6*'--limit '[1-8]' '*) exit 124 ;;
    *--facts*) exec "$program" "\$@" ;;
    *) exec "$program" "\$@" ;;
esac
END
    chmod +x "$at/program"
}

collect() { SHARED_MATRICES=$at/files run sh lib/commands/collection.sh "$at/program" "$at/build" --quick --threads 1 "$@"; }

@test "all rows of a matrix, bytes and times, and the time that is up" {
    run "$program" --matrix springs --threads 1 --label "a label"
    [ "$status" -eq 0 ]
    [[ "$(cut -f 5 <<<"$output" | sort -u | tr '\n' ' ')" == '- coo csr ell roof '*' sell '*'sellp '* ]]
    awk -F '\t' '$1 != "a label" || NF != 13 { bad = 1 } $7 == "ok" || $7 == "noisy" { n++; if ($8 <= 0 || $9 <= 0 || $10 > $9 || $12 > $9) bad = 1 }
        END { exit bad || n < 8 || $7 != "done" }' <<<"$output"
    run "$program" --matrix laplace3d:180 --threads 1 --limit 1
    [ "$status" -eq 124 ]
}

@test "what is left out is a line, nothing else is lost; the second run measures nothing, what was cut off is measured again" {
    collect --limit 8
    [ "$status" -eq 0 ]
    grep -q '^  damaged is left out: .*damaged.mtx:2' <<<"$output"
    grep -q '^  slides6 is left out: longer than 8 s$' <<<"$output"
    all=$(grep -c '' <<<"$(cut -f 1 "$rows" | sort -u)")
    [[ $output == *"$all measured in "*' 2 of them left out; 0 known from before'* ]]
    # of each a point with a speed in CSR, but for the two
    awk -F '\t' -v all="$all" '!/^#/ { n++; if (NF < 12 || $6 <= 0 || $8 == "NaN") bad = 1 } END { exit bad || n != all - 2 }' "$at/build/plots/collection.tsv"
    ! command -v gnuplot || [ -s "$at/build/plots/collection.png" ]
    [[ $output != *warning* ]]

    before=$(cat "$rows")
    collect --limit 8
    [[ $output == *"0 measured in "*" $all known from before"* ]]
    [ "$(cat "$rows")" = "$before" ]
    collect --limit 9 # more time than slides6 has had
    [[ $output == *"1 measured in "*' 0 of them left out'* ]]
    head -c -9 "$rows" >"$at/cut" && mv "$at/cut" "$rows"
    collect --limit 9
    [[ $output == *"1 measured in "*' 0 of them left out'* ]]
    [ "$(cut -f 1 "$rows" | sort -u | grep -c ^)" -eq "$all" ]

    mkdir "$at/reference"
    printf 'group\tmatrix\trows\tcols\tnnz\trow_max\tcsr\tell\nG\tsprings\t4\t4\t8\t3\t1000\t800\nG\tbroken\t4\n' >"$at/reference/spmv-toy.tsv"
    printf '| spmv-toy.tsv | Toy | cuda | 2020-02-20, a1b2c3 | 1 |\n' >"$at/reference/README.md"
    printf 'a\tb\n1\t2\n' >"$at/reference/spmv-else.tsv"
    collect --limit 9 --reference "$at/reference"
    [ "$status" -eq 0 ]
    [[ $output == *'spmv-else.tsv is left out: it has no columns matrix, nnz and csr'* ]]
    [[ $output == *'spmv-toy.tsv '*'2020-02-20'*'1 matrices,   1 of them here'* ]]
    [[ $output == *'spmv-toy.tsv: 1 lines have another number of columns; they are left out'* ]]
    [[ $output == *'Drawn behind: Toy, 2020-02-20'* ]]
    [ "$(sed -n 3p "$at/build/plots/published-collection.tsv")" = $'springs\t8\t0.02' ]
    collect --limit 9 --reference "$at/reference" --device else
    [[ $output == *'DEVICE: there is no spmv-else.tsv that can be used'* ]]
    rm "$at/reference/spmv-toy.tsv"
    collect --limit 9 --reference "$at/reference"
    [[ $output == *'REFERENCE: no file that can be used'* ]]
    [ "$status" -eq 1 ]
    [[ $output == *'Fastest of a matrix'* ]] # one's own are drawn all the same
}

@test "a folder of published results that is none is told before anything is measured" {
    collect --reference "$at/none"
    [ "$status" -eq 1 ]
    [ "$output" = "REFERENCE is no folder: $at/none" ]
    mkdir "$at/empty"
    collect --reference "$at/empty"
    [ "$output" = "REFERENCE has no file spmv-DEVICE.tsv: $at/empty" ]
    [ ! -e "$rows" ]
}
