#!/usr/bin/env bats
# The command behind `make matrix-info MATRIX=...`. BIN: where the built commands are.

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    info=${BIN:-build/gcc/bin}/matrix_info
    [ -x "$info" ] || skip "$info is not built: make all"
}

# The line that begins with these words.
line()
{
    printf '%s\n' "$output" | grep "^ *$1"
}

@test "a matrix of the workbook is found by its bare name" {
    run "$info" slides6
    [ "$status" -eq 0 ]
    [[ $(line size) == *"6 x 6, 12 entries" ]]
    [[ $(line "row length   [0-9]") == *"1 to 5, mean 2.0" ]]
    [[ $(line bandwidth) == *" 4 "* ]]
    [[ $(line ELL) == *" 30   0.400 "*" 360 B "* ]]
    [[ $(line "SELL-P 8x4") == *" 64   0.188 "* ]]
}

@test "symmetric, skew, rectangular and rounding are told apart" {
    run "$info" springs
    [[ $(line symmetric) == *" yes" ]]
    run "$info" rotation
    [[ $(line symmetric) == *"skew"* ]]
    run "$info" rectangular
    [[ $(line symmetric) == *"rectangular" ]]
    run "$info" convdiff2d:5
    [[ $(line symmetric) == *"pattern yes, values no"* ]]
}

@test "empty rows and a dense row are mentioned" {
    run "$info" empty-rows
    [[ $(line "row length   [0-9]") == *"4 empty rows"* ]]
    run "$info" arrow:1000
    [[ $(line "row length   [0-9]") == *"has a dense row" ]]
}

@test "80 columns suffice" {
    for matrix in fem3:20 powerlaw:30000 arrow:100000 convdiff2d:100; do
        run "$info" $matrix
        [ "$status" -eq 0 ]
        for text in "${lines[@]}"; do [ ${#text} -le 80 ]; done
    done
}

@test "what cannot be had is one line and a status" {
    for matrix in nowhere no/such/file.mtx fem3 fem9:3 fem3:0 fem3:x laplace2d:99999; do
        run "$info" $matrix
        [ "$status" -eq 1 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ $output == "matrix-info: $matrix: "* ]]
    done
    for arguments in "" "a b"; do
        run "$info" $arguments
        [ "$status" -eq 2 ]
        [ "${#lines[@]}" -eq 1 ]
    done
}
