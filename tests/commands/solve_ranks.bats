#!/usr/bin/env bats
# make solve RANKS=...: by several ranks of MPI, where there is one. BUILD: the folder of all products.

setup()
{
    cd "$BATS_TEST_DIRNAME/../.."
    build=${BUILD:-build}
}

# solved VARIABLE=VALUE...
solved()
{
    run make -s BUILD="$build" solve "$@"
    output=$(grep -v '^make.*\*\*\*' <<<"$output")
    echo "$output"
}

needs_mpi()
{
    make -s BUILD="$build" info | grep -q '^MPI_FLAGS = .' && command -v mpirun >/dev/null || skip 'no MPI here (make doctor)'
}

iterations() { sed -n 's/^  converged in \([0-9]*\) iterations$/\1/p' <<<"$output"; }

@test "one rank needs no MPI, and takes the iterations of one process" {
    solved RANKS=1 MATRIX=stencil27:12
    [ "$status" -eq 0 ]
    ranks=$(iterations)
    [[ $output == *"1 rank of "* ]]
    [[ $output == *"a product sends 0 messages, 0 bytes"* ]]
    solved MATRIX=stencil27:12
    [ "$ranks" -eq "$(iterations)" ]
}

@test "ranks converge as one does, with the least messages" {
    needs_mpi
    solved RANKS=1 MATRIX=laplace2d:60
    one=$(iterations)
    solved RANKS=3 MATRIX=laplace2d:60 SOLVER=cg
    [ "$status" -eq 0 ]
    [ "$(iterations)" -le $((one + 2 + one / 20)) ]
    # slabs: two inner borders, both ways, a line of 60 numbers
    [[ $output == *"a product sends 4 messages, 1920 bytes"* ]]
    solved RANKS=2 MATRIX=convdiff2d:30 PRECOND=bjacobi:4
    [ "$status" -eq 0 ]
    [[ $output == *"bicgstab, bjacobi:4"* ]]
    [ "$(nproc)" -ge 5 ] || {
        solved RANKS=5 MATRIX=tridiag:3
        [ "$status" -eq 0 ]
        [[ $output == *"more ranks than cores: no speed is told"* ]]
    }
}

@test "what cannot be is told once, in a line, with its status" {
    for ranks in 0 x -1; do
        solved RANKS=$ranks MATRIX=laplace2d:9
        [ "$output" = "solve: RANKS is '$ranks', must be a whole number from 1" ]
    done
    solved RANKS=1
    [[ $output == "solve: which matrix? "* ]]
    solved RANKS=1 MATRIX=laplace2d:9 SOLVER=lobpcg
    [ "$output" = "solve: with RANKS there are the solvers cg, pcg, bicgstab" ]
    solved RANKS=1 MATRIX=laplace2d:9 PRECOND=ic0
    [ "$output" = "solve: with RANKS there are the preconditioners jacobi and bjacobi" ]
    solved RANKS=1 MATRIX=convdiff2d:9 SOLVER=cg
    [ "$output" = "solve: convdiff2d:9: cg needs a symmetric matrix. SOLVER=bicgstab does not" ]
    run env PATH=/usr/bin:/bin MPIRUN=no-such-launcher sh lib/commands/solve_ranks.sh "$(make -s print-out)/bin/solve_ranks" 2
    [ "$status" -eq 5 ]
    [[ $output == "solve: RANKS needs MPI, and there is none"* ]]
    needs_mpi
    solved RANKS=3 MATRIX=nowhere.mtx
    [ "$(wc -l <<<"$output")" -eq 1 ]
    [[ $output == "solve: nowhere.mtx: "* ]]
}
