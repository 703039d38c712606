#!/usr/bin/env bats
# The command behind `make solve SOLVER=lobpcg MATRIX=...`. BIN: where the built commands are.

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    solve=${BIN:-build/gcc/bin}/solve
    [ -x "$solve" ] || skip "$solve is not built: make all"
    export OMP_WAIT_POLICY=passive
}

# pairs: the eigenvalues of the table
pairs() { printf '%s\n' "$output" | awk '/^ *pair /{on = 1; next} on && NF < 3 {exit} on {print $2}'; }

# near K VALUE: eigenvalue K of the table is VALUE to 1e-9
near() { pairs | awk -v k="$1" -v v="$2" 'NR == k { d = $1 / v - 1; found = d < 1e-9 && d > -1e-9 } END { exit !found }'; }

@test "the eigenvalues of the Laplacian, with multiplicity, residuals and phases" {
    run "$solve" --solver lobpcg --matrix laplace3d:12 --nv 4 --tolerance 1e-7
    [ "$status" -eq 0 ]
    [[ $output == *"laplace3d:12   1728 rows"*"4 pairs converged in "*" iterations"* ]]
    # 6 - 2 cos(a pi/13) - 2 cos(b pi/13) - 2 cos(c pi/13): 1 1 1, then 2 1 1 thrice
    near 1 0.1743490954437
    for k in 2 3 4; do near $k 0.3453206789894; done
    for phase in residual orthogonalise "A W" Gram "small problem" combine; do
        [[ $output == *"  $phase "*" % "* ]]
    done
}

@test "the largest, with a preconditioner; files for the picture" {
    run "$solve" --solver lobpcg --matrix laplace2d:30 --nv 2 --which largest --precond jacobi --out "$BATS_TEST_TMPDIR/plots"
    [ "$status" -eq 0 ]
    [[ $output == *"lobpcg, jacobi, 2 largest eigenvalues"* ]]
    near 1 7.979477293568
    [ "$(awk -F '\t' '!/^#/ { print NF; exit }' "$BATS_TEST_TMPDIR/plots/solve-eigen.tsv")" -eq 3 ]
    grep -q '^nv = 2$' "$BATS_TEST_TMPDIR/plots/solve-eigen-facts.gp"
}

@test "what does not converge has status 3 and says which pairs" {
    run "$solve" --solver lobpcg --matrix laplace2d:40 --nv 6 --iterations 5
    [ "$status" -eq 3 ]
    [[ $output == *"of 6 pairs converged in 5 iterations"*"above the tolerance"* ]]
}

@test "the whole factorisation brings the stiff ones home, or says what is missing" {
    run "$solve" --solver lobpcg --matrix laplace2d:30 --nv 3 --precond cholesky --tolerance 1e-7
    if [ "$status" -eq 1 ]; then
        [[ $output == *"built without CHOLMOD; make setup installs SuiteSparse"* ]]
        skip "no CHOLMOD"
    fi
    [ "$status" -eq 0 ]
    # 4 - 4 cos(pi/31)
    near 1 0.020522706432
    matrices=${SHARED_MATRICES:-../shared/matrices}
    [ -f "$matrices/bcsstk24.mtx.gz" ] || skip "no $matrices: bcsstk24 was not tried"
    run "$solve" --solver lobpcg --matrix "$matrices/bcsstk24.mtx.gz" --precond cholesky
    [ "$status" -eq 0 ]
    [[ $output == *"lobpcg, cholesky, 8 smallest eigenvalues"*"8 pairs converged"* ]]
    near 1 157.46110066
    near 8 844.399517159
}

@test "misuse gets one line and status 2, an unfit matrix one line and status 1" {
    run "$solve" --matrix laplace2d:9 --nv 3
    [ "$status" -eq 2 ]
    [ "$output" = 'solve: NV and WHICH are of SOLVER=lobpcg' ]
    for wrong in "--nv 0" "--nv 65" "--which middle" "--precond nonsense" "--tolerance 2" "--rhs ones" "--nv"; do
        # shellcheck disable=SC2086
        run "$solve" --solver lobpcg --matrix laplace2d:9 $wrong
        [ "$status" -eq 2 ]
        [ "${#lines[@]}" -eq 1 ]
    done
    run "$solve" --solver lobpcg
    [ "$status" -eq 2 ]
    run "$solve" --solver lobpcg --matrix convdiff2d:20
    [ "$status" -eq 1 ]
    [[ $output == *"lobpcg needs a symmetric matrix"* ]]
    run "$solve" --solver lobpcg --matrix laplace2d:2 --nv 9
    [ "$status" -eq 1 ]
    [[ $output == *"NV=9 is too many"* ]]
}

@test "make solve SOLVER=lobpcg is this command" {
    [ -z "$BIN" ] || skip "BIN is given"
    run make -s solve SOLVER=lobpcg MATRIX=laplace2d:20 NV=3 WHICH=largest BUILD=build
    [ "$status" -eq 0 ]
    [[ $output == *"3 largest eigenvalues"* ]]
    ! command -v gnuplot >/dev/null || [[ $output == *"||A x - lambda x|| / |lambda|, each pair"*"1e0 "*"###"*"Picture: "* ]]
}
