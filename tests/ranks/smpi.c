/* The iteration of halo.h on a network that SimGrid simulates (smpicc, smpirun): its microseconds. For tests/commands/
 * smpi.bats, which compares them with the clock of lib/ranks. Arguments: the ranks in each direction. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "halo.h"

enum { ITERATIONS = 10 };

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int grid[3] = {atoi(argv[1]), atoi(argv[2]), atoi(argv[3])};
    double *halo = calloc(HALO_ROOM, sizeof *halo);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int k = 0; k < ITERATIONS; k++) iterate(rank, grid, halo, smpi_execute);
    double seconds = MPI_Wtime() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) printf("%.1f\n", 1e6 * seconds / ITERATIONS);
    free(halo);
    MPI_Finalize();
    return 0;
}
