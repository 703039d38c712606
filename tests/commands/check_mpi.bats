#!/usr/bin/env bats
# make check-mpi: whole MPI programs, as ranks in one process. BUILD: the folder of all products.

setup() {
    cd "$BATS_TEST_DIRNAME/../.."
    build=${BUILD:-build}
}

# checked FILE VARIABLE=VALUE...: what is said of it, make's own words left out
checked()
{
    run make -s BUILD="$build" check-mpi FILE="$1" "${@:2}"
    output=$(grep -v '^make.*\*\*\*' <<<"$output")
    echo "$output"
      awk 'length($0) > 80 && !/^ .* \| |error:|^check-mpi: / { print "too wide: " $0; bad = 1 } END { exit bad }' <<<"$output"
    [ -z "$(ls -d "$build"/check-mpi.* 2>/dev/null)" ]
}

# program LINE...: the path of a file with a main of these lines between MPI_Init and MPI_Finalize
program()
{
    {
        echo '#include <mpi.h>'
        echo '#include <stdio.h>'
        echo 'int main(int argc, char **argv) {'
        echo '    int rank, size, x = argc; double y[4] = {0};'
        echo '    MPI_Init(&argc, &argv);'
        echo '    MPI_Comm_rank(MPI_COMM_WORLD, &rank);'
        echo '    MPI_Comm_size(MPI_COMM_WORLD, &size);'
        printf '    %s\n' "$@"
        echo '    return (void)y, (void)x, MPI_Finalize();'
        echo '}'
    } >"$BATS_TEST_TMPDIR/my.c"
    echo "$BATS_TEST_TMPDIR/my.c"
}

@test "a right program: what it prints, globals a rank, messages, and two modelled networks" {
    checked tests/commands/programs/ring_mpi.c RANKS=5 ARGS="a b"
    [ "$status" -eq 0 ]
    [[ $output == "rank 4 of 5 got 3, call 1"* || $output == *$'\n'"rank 4 of 5 got 3, call 1"* ]]
    [[ $output == *"ring_mpi.c a b, 5 ranks"* ]]
    [[ $output == *" RUN      ok     no deadlock"* ]]
    [[ $output == *"   5 messages, 20 bytes; at most 1 and 4 of one rank; 0 collectives"* ]]
    [[ $output == *"   fast   1 µs, 12.5 GB/s: 1.9 µs"* ]]
    [[ $output == *"   slow   25 µs, 1.25 GB/s: 31.0 µs"* ]]
    # networks of one's own
    mine=$BATS_TEST_TMPDIR/my.tsv
    printf '# mine\nnear 2 0.3 12.5 20\nfar 100 2 1.25 20\n' >"$mine"
    checked tests/commands/programs/ring_mpi.c RANKS=5 "CLUSTERS=$mine"
    [[ $output == *"   near   2 µs, 12.5 GB/s: 2.9 µs"*"   far    100 µs, 1.25 GB/s: 106.0 µs"* ]]
    echo 'third 1 1 1 1' >>"$mine"
    checked tests/commands/programs/ring_mpi.c "CLUSTERS=$mine"
    [ "$status" -eq 2 ]
    [ "$output" = "check-mpi: $mine: two lines of name, L and o in µs, B and b in GB/s are wanted" ]
}

@test "a thousand ranks take seconds" {
    checked tests/commands/programs/ring_mpi.c RANKS=1000 LIMIT=20
    [ "$status" -eq 0 ]
    [[ $output == *"   1000 messages, 4000 bytes"* ]]
}

@test "a deadlock is told with lines and circle, and status 1" {
    checked "$(program 'MPI_Send(&x, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);' \
        'MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);')" RANKS=3
    [ "$status" -ne 0 ]
    [[ $output == *"rank 1 waits in MPI_Send (my.c:8) until rank 2 receives 4 bytes of tag 0"* ]]
    [[ $output == *"In a circle: rank 0 waits for 1 waits for 2 waits for 0"* ]]
}

@test "what the order alone decides shows as other lines" {
    checked "$(program 'if (rank) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);' \
        'else { MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);' \
        'printf("first came %d\n", x);' \
        'MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }')" RANKS=3
    [ "$status" -eq 0 ]
    [[ $output == *"It prints other lines when the highest rank runs first."* ]]
}

@test "other senders are tried for MPI_ANY_SOURCE, and what they change is told" {
    any='MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);'
    send='if (rank) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); else {'
    # from any, from rank 2, from any: neither the lowest nor the highest rank first shows it
    checked "$(program "$send $any" "${any/MPI_ANY_SOURCE/2} $any }")" RANKS=4
    [ "$status" -ne 0 ]
    [[ $output == *" RUN      FAIL   with MPI_ANY_SOURCE in another order, mistakes found: 1"* ]]
    [[ $output == *"rank 0 waits in MPI_Recv (my.c:9) for a message of tag 0 from rank 2"* ]]
    [[ $output == *"MPI_Recv (my.c:8) of rank 0 got the message of rank 2; rank 1 had"* ]]
    checked "$(program "$send $any" "x == 2 ? abort() : (void)0; $any $any }")" RANKS=4
    [[ $output == *"rank 0 was aborted, after MPI_Recv (my.c:8)"*"got the message of rank 2"* ]]
    # two buffers, of which either gets either message
    checked "$(program "$send $any" "${any/&x/(int *)y} }")" RANKS=3
    [ "$status" -eq 0 ]
    [[ $output == *"Which of MPI_Recv (my.c:8) and MPI_Recv (my.c:9) of rank 0 gets the"* ]]
    # a sum
    checked "$(program "$send int sum = 0; for (int k = 1; k < size; k++) { $any" 'sum += x; } printf("%d\n", sum); }')" RANKS=5
    [ "$status" -eq 0 ]
    [[ $output == "10"*"RUN      ok"* && $output != *"other lines"* && $output != *"chance"* ]]
}

@test "crash, exit, abort, endless loop, a main that fails: whose, and after which call" {
    checked "$(program 'if (rank == 2) *(volatile int *)(long)(size - 4) = 1;')"
    [[ $output == *"rank 2 touched memory that it does not have, after MPI_Comm_size (my.c:7)"* ]]
    checked "$(program 'if (rank == 1) exit(3);')"
    [[ $output == *"rank 1 left with status 3 by exit (my.c:8)"* ]]
    checked "$(program 'if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 4);')"
    [[ $output == *"rank 1 ended all by MPI_Abort (my.c:8) with 4"* ]]
    checked "$(program 'while (rank == 1) x++;')" LIMIT=1
    [[ $output == *"rank 1 used up its processor time: an endless loop?,"* ]]
    checked "$(program 'if (rank == 1) return MPI_Finalize(), 5;')"
    [[ $output == *"main of rank 1 returned 5"* ]]
    [ "$status" -ne 0 ]
}

@test "what cannot be run is refused in a line" {
    checked ''
    [[ $output == "check-mpi: FILE= is missing"* ]]
    checked nowhere.c
    [[ $output == "check-mpi: there is no file nowhere.c" ]]
    for ranks in 0 x 4097 -1; do
        checked tests/commands/programs/ring_mpi.c RANKS=$ranks
        [[ $output == "check-mpi: RANKS is '$ranks', must be 1 to 4096" ]]
    done
    checked "$(program 'MPI_Win w; MPI_Win_create(0, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);')"
    [[ $output == *"The workbook's MPI does not have: MPI_Win MPI_Win_create "* ]]
    echo 'int f(void) { return 1; }' >"$BATS_TEST_TMPDIR/none.c"
    checked "$BATS_TEST_TMPDIR/none.c"
    [[ $output == *"has no main, and so is no program" ]]
}
