#!/usr/bin/env bats
# The command behind `make solve MATRIX=...`. BIN: where the built commands are.

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    solve=${BIN:-build/gcc/bin}/solve
    [ -x "$solve" ] || skip "$solve is not built: make all"
    export OMP_WAIT_POLICY=passive
}

# The line that begins with these words.
line()
{
    printf '%s\n' "$output" | grep "^ *$1"
}

@test "conjugate gradients converge and say where the time went" {
    run "$solve" --matrix laplace2d:40 --format sell_short
    [ "$status" -eq 0 ]
    [[ $output == *"laplace2d:40   1600 rows, 7840 entries, symmetric"* ]]
    [[ $(line "cg, tolerance 1e-08, b = A (1, ..., 1)") ]]
    [[ $(line "converged in") =~ ([0-9]+)" iterations" ]]
    n=${BASH_REMATCH[1]}
    [ "$n" -ge 60 ] && [ "$n" -le 100 ]
    [[ $(line "q = A p") == *" $n "*"%"* ]]
    [[ $(line "p = r + b p") == *" $n "*"%"* ]]
    # 8 nz and what the slices' indices take, less than the 4 nz of CSR, and 96 n
    [[ $(line "an iteration") =~ " 0.2"[2-4] ]]
    [[ $output == *"A in the format sell_short"* ]]
    [[ $output == *"and a copy of A in the format asked for"* ]]
    error=$(line "largest error of x:" | sed 's/.*: //')
    awk -v e="$error" 'BEGIN { exit !(e + 0 < 1e-5) }'
}

@test "the format of A is measured, told, and kept for the next run" {
    run "$solve" --matrix laplace2d:40 --record "$BATS_TEST_TMPDIR/formats.tsv"
    [ "$status" -eq 0 ]
    [[ $(line "A in the format") ]]
    first=$(line "A in the format")
    run "$solve" --matrix laplace2d:40 --record "$BATS_TEST_TMPDIR/formats.tsv"
    [ "$(line "A in the format")" = "$first" ]
    [ "$(wc -l < "$BATS_TEST_TMPDIR/formats.tsv")" -eq 1 ]
    run "$solve" --matrix laplace2d:40 --format nonesuch
    [ "$status" -eq 1 ]
    [[ $output == *"nonesuch: no such format"* ]]
    run "$solve" --solver lobpcg --matrix laplace2d:40 --format sdia
    [ "$status" -eq 2 ]
    [[ $output == *"FORMAT is 'sdia': lobpcg multiplies blocks of vectors, in csr"* ]]
}

@test "a preconditioner makes it pcg, and its price is told" {
    run "$solve" --matrix arrow:500 --precond jacobi
    [ "$status" -eq 0 ]
    [[ $(line "pcg, jacobi") ]]
    [[ $(line "jacobi in products A p: set-up") == *"an application"* ]]
    run "$solve" --matrix arrow:500 --solver pcg --plain
    [ "$status" -eq 0 ]
    [[ $(line "z = M r") ]]
    [[ $(line "r.z") ]]
}

@test "refinement in single precision gets to the residual of double" {
    run "$solve" --matrix fem1:12 --solver refine --tolerance 1e-12
    [ "$status" -eq 0 ]
    [[ $(line "residual") =~ "e-13 by b - A x" ]]
    [[ $(line "x += y, b - A x (double)") ]]
    [[ $(line "time to solution") == *"rounding of A"* ]]
    run "$solve" --matrix convdiff2d:30 --solver refine
    [ "$status" -eq 1 ]
    [[ $output == *"refine needs a symmetric matrix"* ]]
}

@test "preconditioners converge, say what they found and what they cost" {
    run "$solve" --matrix laplace2d:40 --precond none
    plain=$(line "converged in" | tr -dc 0-9)
    run "$solve" --matrix laplace2d:40 --precond nonesuch
    table=$(printf '%s\n' "$output" | sed -n 's/.*there are none, //p' | sed 's/\[:N\]//g' | tr -d ,)
    [ "$(printf '%s' "$table" | wc -w)" -ge 14 ]
    for precond in $table bjacobi:8 ilu0_neumann:4 cheby:8 sai; do
        grid=40
        [ $precond != multigrid ] || grid=31
        run "$solve" --matrix laplace2d:$grid --precond $precond
        case $output in *"built without"* | *"needs a symmetric preconditioner"*) continue ;; esac
        [ "$status" -eq 0 ]
        # the diagonal of this matrix is constant
        if [ $precond = jacobi ]; then continue; fi
        [[ $(line "pcg, $precond, tolerance") ]]
        [ "$(line "converged in" | tr -dc 0-9)" -lt "$plain" ]
        [[ $(line "by bytes alone: set-up") =~ "an application "[0-9]+\.[0-9]+ ]]
        for text in "${lines[@]}"; do [ ${#text} -le 80 ]; done
    done
    run "$solve" --matrix fem3:5 --precond bjacobi
    [[ $(line "bjacobi: blocks of 3 rows, as found") ]]
    run "$solve" --matrix convdiff2d:30 --precond ilu0
    [ "$status" -eq 0 ]
    [[ $(line "bicgstab, ilu0") ]]
    run "$solve" --matrix convdiff2d:30 --precond sai
    [ "$status" -eq 0 ]
    [[ $output != *"shift"* ]]
    for precond in ic0 cheby fsai; do
        run "$solve" --matrix convdiff2d:30 --precond $precond
        [ "$status" -eq 1 ]
        [[ $output == "solve: convdiff2d:30: $precond needs a symmetric matrix"* ]]
    done
    run "$solve" --matrix laplace2d:20 --solver pcg --precond spai
    [ "$status" -eq 1 ]
    run "$solve" --matrix laplace2d:40 --precond multigrid
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ $output == "solve: laplace2d:40: multigrid: the grid has 40 x 40 points; it takes 2^k - 1 in each"* ]]
    run "$solve" --matrix fem1:5 --precond multigrid
    [ "$status" -eq 1 ]
    [[ $output == "solve: fem1:5: multigrid: row 0 is not one of a grid's Laplacian"* ]]
    for precond in ic0:3 cheby: cheby:x cheby:0 bjacob bjacobi:; do
        run "$solve" --matrix laplace2d:20 --precond $precond
        [ "$status" -eq 2 ]
        [ "${#lines[@]}" -eq 1 ]
    done
}

@test "a nonsymmetric matrix gets BiCGStab, and cg refuses it with a reason" {
    run "$solve" --matrix convdiff2d:30
    [ "$status" -eq 0 ]
    [[ $output == *"not symmetric"* ]]
    [[ $(line "bicgstab, tolerance") ]]
    [[ $(line "x and r, c.r, r.r") ]]
    for solver in cg pcg; do
        run "$solve" --matrix convdiff2d:30 --solver $solver
        [ "$status" -eq 1 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ $output == "solve: convdiff2d:30: $solver needs a symmetric matrix"*"1.8e-01"*"SOLVER=bicgstab"* ]]
    done
}

@test "what does not converge says so, and ends with status 3" {
    run "$solve" --matrix laplace2d:40 --iterations 5
    [ "$status" -eq 3 ]
    [[ $(line "did not converge: residual") == *"after 5 iterations"* ]]
    # a turn by 90 degrees
    run "$solve" --matrix rotation
    [ "$status" -eq 3 ]
    [[ $(line "breakdown: c.Ap is 0") ]]
    printf '%%%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 -1\n' >"$BATS_TEST_TMPDIR/indefinite.mtx"
    run "$solve" --matrix "$BATS_TEST_TMPDIR/indefinite.mtx" --rhs random
    [ "$status" -eq 3 ]
    [[ $(line "p.Ap is") == *"not positive definite" ]]
}

@test "b comes from a file, as text or Matrix Market" {
    printf '%% a comment\n2 0 \n0 2e0\n' >"$BATS_TEST_TMPDIR/b"
    run "$solve" --matrix tridiag:4 --rhs "$BATS_TEST_TMPDIR/b"
    [ "$status" -eq 0 ]
    [[ $(line "converged in 2 iterations") ]]
    printf '%%%%MatrixMarket matrix array real general\n%% c\n4 1\n2\n0\n0\n2\n' >"$BATS_TEST_TMPDIR/b.mtx"
    run "$solve" --matrix tridiag:4 --rhs "$BATS_TEST_TMPDIR/b.mtx"
    [[ $(line "converged in 2 iterations") ]]
    printf '%%%%matrixmarket matrix array real general\n4 1\n2\n0\n0\n2\n' >"$BATS_TEST_TMPDIR/b.mtx"
    run "$solve" --matrix tridiag:4 --rhs "$BATS_TEST_TMPDIR/b.mtx"
    [[ $(line "converged in 2 iterations") ]]
    for n in 3 5; do
        run "$solve" --matrix tridiag:$n --rhs "$BATS_TEST_TMPDIR/b"
        [ "$status" -eq 1 ]
        [[ $output == "solve: "*"/b has 4 numbers, the matrix $n rows" ]]
    done
    echo 1 2 x 4 >"$BATS_TEST_TMPDIR/b"
    run "$solve" --matrix tridiag:4 --rhs "$BATS_TEST_TMPDIR/b"
    [[ $output == *"number 3 cannot be read: 'x 4"* ]]
    for file in "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/none"; do
        run "$solve" --matrix tridiag:4 --rhs "$file"
        [ "$status" -eq 1 ]
        [ "${#lines[@]}" -eq 1 ]
    done
}

@test "the history is written for the picture" {
    run "$solve" --matrix tridiag:20 --rhs random --out "$BATS_TEST_TMPDIR/plots"
    [ "$status" -eq 0 ]
    [ "$(grep -vc '^#' "$BATS_TEST_TMPDIR/plots/solve.tsv")" -ge 20 ]
    grep -q '^tolerance = 1e-08$' "$BATS_TEST_TMPDIR/plots/solve-facts.gp"
    command -v gnuplot >/dev/null || skip "gnuplot is not installed"
    gnuplot -c plots/solve.gp "$BATS_TEST_TMPDIR/plots"
    [ -s "$BATS_TEST_TMPDIR/plots/solve.png" ]
}

@test "80 columns suffice" {
    for arguments in "laplace2d:300" "convdiff2d:100 --precond jacobi" "laplace2d:50 --plain"; do
        # shellcheck disable=SC2086
        run "$solve" --matrix $arguments
        [ "$status" -eq 0 ]
        for text in "${lines[@]}"; do [ ${#text} -le 80 ]; done
    done
}

@test "what is misused is one line and status 2" {
    for arguments in "" "--solver cg" "--matrix tridiag:4 --solver gmres" "--matrix tridiag:4 --precond magic" \
        "--matrix tridiag:4 --tolerance 0" "--matrix tridiag:4 --tolerance 1e-8x" "--matrix tridiag:4 --what 1" \
        "--matrix tridiag:4 --iterations -1" "--matrix tridiag:4 --threads 0" "--matrix" \
        "--matrix tridiag:4 --solver cg --precond jacobi"; do
        # shellcheck disable=SC2086
        run "$solve" $arguments
        [ "$status" -eq 2 ]
        [ "${#lines[@]}" -eq 1 ]
        [[ $output == "solve: "* ]]
    done
    run "$solve" --matrix nowhere
    [ "$status" -eq 1 ]
    [[ $output == "solve: nowhere: "* ]]
    run "$solve" --matrix rectangular
    [ "$status" -eq 1 ]
    [[ $output == *"a solver needs a square one"* ]]
}

@test "make solve draws the picture and keeps the status" {
    run make -s solve MATRIX=laplace2d:20 BUILD="${BUILD:-build}"
    [ "$status" -eq 0 ]
    [[ $output == *"converged in"*"icture"* ]]
    ! command -v gnuplot >/dev/null || [[ $output == *"an iteration"*"||r|| / ||b||"*"1e0 "*"1e-8 "*"Picture: "* ]]
    run make -s solve MATRIX=laplace2d:20 ITERATIONS=3 BUILD="${BUILD:-build}"
    [ "$status" -ne 0 ]
    [[ $output == *"did not converge"*"icture"* ]]
    run make -s solve BUILD="${BUILD:-build}"
    [ "$status" -ne 0 ]
    [[ $output == *"which matrix?"* ]]
}
