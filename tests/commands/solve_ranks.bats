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

@test "polynomials and eigenvalues go over ranks, as on one process" {
    needs_mpi
    solved RANKS=1 MATRIX=fem1:8 PRECOND=cheby:3
    one=$(iterations)
    solved RANKS=2 MATRIX=fem1:8 PRECOND=cheby:3
    [ "$status" -eq 0 ]
    [ "$(iterations)" -le $((one + 2 + one / 20)) ]
    pairs() { sed -n 's/^ *[1-4] *\([0-9][0-9.]*\)  *[0-9.]*e.*/\1/p' <<<"$output"; }
    solved SOLVER=lobpcg NV=4 MATRIX=laplace3d:9x8x7 TOL=1e-9
    [[ $output != *LAPACK* ]] || skip 'no LAPACK here (make doctor)'
    alone=$(pairs)
    solved RANKS=2 SOLVER=lobpcg NV=4 MATRIX=laplace3d:9x8x7 TOL=1e-9
    [ "$status" -eq 0 ]
    [[ $output == *"lobpcg, jacobi, 4 smallest eigenvalues"*"4 pairs converged"* ]]
    paste <(echo "$alone") <(pairs) >"$BATS_TEST_TMPDIR/both"
    cat "$BATS_TEST_TMPDIR/both"
    awk '{ d = ($1 - $2) / $1 } d > 1e-8 || d < -1e-8 { bad = 1 } END { exit bad || NR != 4 }' "$BATS_TEST_TMPDIR/both"
}

# A launcher of another MPI, by what it says of itself.
stranger()
{
    mkdir "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\necho %s\n' "$1" >"$BATS_TEST_TMPDIR/bin/mpirun"
    chmod +x "$BATS_TEST_TMPDIR/bin/mpirun"
}

@test "what an installation can do wrong is one line" {
    program=$(make -s BUILD="$build" print-out)/bin/solve_ranks
    solved RANKS=1 MATRIX=laplace2d:9
    # srun starts programs of one rank each where it knows another PMI
    run env SLURM_NTASKS=64 SLURM_STEP_ID=0 "$program" --matrix laplace2d:9
    [ "$status" -eq 5 ]
    [ "$(wc -l <<<"$output")" -eq 1 ]
    [[ $output == *"64 programs of one rank each were started"* || $output == *"started as 64 ranks"* ]]
    needs_mpi
    # mpirun of another MPI does the same; it is told where it was not make that started it
    if ldd "$program" | grep -q libmpich; then other=OMPI_COMM_WORLD_SIZE; else other=PMI_SIZE; fi
    run env "$other=2" "${other/SIZE/RANK}=1" "$program" --matrix laplace2d:9
    [ "$status" -eq 5 ]
    [ -z "$output" ] # one of them tells
    run env "$other=2" "$program" --matrix laplace2d:9
    [ "$status" -eq 5 ]
    [ "$output" = 'solve: 2 programs of one rank each were started, not one of 2: mpirun is of another MPI than this program' ]
    if ldd "$program" | grep -q libmpich; then stranger 'Open MPI'; else stranger 'HYDRA build'; fi
    run env PATH="$BATS_TEST_TMPDIR/bin:$PATH" sh lib/commands/solve_ranks.sh "$program" 2
    [ "$status" -eq 5 ]
    [[ $output == "solve: two MPI are mixed: "*"MPIRUN= names the other launcher"* ]]
    # root needs variables, more ranks than cores need others: the script has both
    run env -u OMPI_ALLOW_RUN_AS_ROOT -u OMPI_ALLOW_RUN_AS_ROOT_CONFIRM -u OMPI_MCA_rmaps_base_oversubscribe \
        sh lib/commands/solve_ranks.sh "$program" 3 --matrix tridiag:2
    [ "$status" -eq 0 ]
    [[ $output == *"3 ranks of "* ]]
}

@test "a file is read by rank 0 alone" {
    needs_mpi
    program=$(realpath "$(make -s BUILD="$build" print-out)/bin/solve_ranks")
    mkdir "$BATS_TEST_TMPDIR/here" "$BATS_TEST_TMPDIR/there"
    printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n2 2 4\n' >"$BATS_TEST_TMPDIR/here/a.mtx"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    apart() { run mpirun -n 1 -wdir "$BATS_TEST_TMPDIR/$1" "$program" --matrix a.mtx : \
        -n 1 -wdir "$BATS_TEST_TMPDIR/$2" "$program" --matrix a.mtx; }
    apart here there
    [ "$status" -eq 0 ]
    [[ $output == *"rank 0 read A in blocks for all; the most that a rank held of it: "*converged* ]]
    apart there here
    [ "$status" -eq 1 ]
    [ "$(grep -c '^solve: a.mtx: .*no such file' <<<"$output")" -eq 1 ]
}

@test "rank 0 holds its rows of a file and a block, not all of it" {
    needs_mpi
    [[ $CFLAGS != *sanitize* ]] || skip 'sanitizers take memory of their own'
    program=$(make -s BUILD="$build" print-out)/bin/solve_ranks
    # 18 MB of text; one process took 120 MB for it
    awk 'BEGIN {
        n = 400000
        printf "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", n, n, 3 * n - 3
        for (i = 1; i <= n; i++) {
            print i, i, 4.5
            if (i > 1) print i, i - 1, -1.25
            if (i > 2) print i, i - 2, -0.075
        } }' >"$BATS_TEST_TMPDIR/a.mtx"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMP_NUM_THREADS=1
    export OMPI_MCA_mpi_yield_when_idle=1
    limited() { run mpirun -n 1 sh -c "ulimit -d 90000; exec $program --matrix $1" : -n 3 "$program" --matrix "$1"; }
    limited laplace2d:9
    [[ $output == *converged* ]] || skip 'this MPI needs 90 MB for itself'
    limited "$BATS_TEST_TMPDIR/a.mtx"
    echo "$output"
    [[ $output == *"the most that a rank held of it: 22.0 MB"*converged* ]]
}

@test "exercise 26's functions run under a real MPI, with the least messages" {
    needs_mpi
    run make -s BUILD="$build" solve-26 RANKS=3 MATRIX=stencil27:12 FILE=solutions/26-distributed/distributed.c
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == "stencil27:12, 3 ranks: "*" iterations, largest error of x: "*"e-0"* ]]
    [[ $output == *"sends 4 messages, 5024 bytes by MPI_Isend; 4 and 5024 are needed"* ]]
}

# ranks_below PROCESS: those that it started, itself or by a proxy
ranks_below()
{
    local child
    for child in $(pgrep -P "$1"); do
        if [ "$(cat "/proc/$child/comm")" = solve_ranks ]; then echo "$child"; else ranks_below "$child"; fi
    done
}

@test "a rank that dies ends all, with a line" {
    needs_mpi
    program=$(make -s BUILD="$build" print-out)/bin/solve_ranks
    sh lib/commands/solve_ranks.sh "$program" 2 --matrix tridiag:3000000 --tolerance 1e-14 --iterations 1000000 \
        >"$BATS_TEST_TMPDIR/told" 2>&1 3>&- &
    script=$!
    for wait in {1..100}; do
        victims=$(ranks_below $script)
        [ "$(wc -w <<<"$victims")" -lt 2 ] || break
        sleep 0.1
    done
    sleep 0.5
    kill -9 "${victims##*$'\n'}"
    status=0
    wait $script || status=$?
    [ "$status" -eq 1 ]
    [ "$(cat "$BATS_TEST_TMPDIR/told")" = 'solve: a rank died of signal 9 (Killed), as where memory ends; the others were ended' ]
    for victim in $victims; do ! kill -0 "$victim" 2>/dev/null; done
}

@test "what cannot be is told once, in a line, with its status" {
    for ranks in 0 x -1; do
        solved RANKS=$ranks MATRIX=laplace2d:9
        [ "$output" = "solve: RANKS is '$ranks', must be a whole number from 1" ]
    done
    solved RANKS=1
    [[ $output == "solve: which matrix? "* ]]
    solved RANKS=1 MATRIX=laplace2d:9 SOLVER=refine
    [ "$output" = "solve: with RANKS there are the solvers cg, pcg, bicgstab, lobpcg" ]
    solved RANKS=1 MATRIX=convdiff2d:9 SOLVER=cg
    [ "$output" = "solve: convdiff2d:9: cg needs a symmetric matrix. SOLVER=bicgstab does not" ]
    run env PATH=/usr/bin:/bin MPIRUN=no-such-launcher sh lib/commands/solve_ranks.sh "$(make -s print-out)/bin/solve_ranks" 2
    [ "$status" -eq 5 ]
    [[ $output == "solve: RANKS needs MPI, and there is none"* ]]
    needs_mpi
    solved RANKS=2 MATRIX=laplace2d:9 PRECOND=ic0
    [ "$output" = "solve: with RANKS there are the preconditioners jacobi, bjacobi, neumann and cheby" ]
    solved RANKS=3 MATRIX=nowhere.mtx
    [ "$(wc -l <<<"$output")" -eq 1 ]
    [[ $output == "solve: nowhere.mtx: "* ]]
    solved RANKS=2 MATRIX=laplace2d:50 ITERATIONS=1
    [[ $output == "laplace2d:50 "*"1 iteration in "* || $output == *"more ranks than cores: no speed is told" ]]
    [[ $output != *mpirun* && $output != *APPLICATION* ]]
}
