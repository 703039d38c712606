/* One CG iteration of a 27-point stencil, as test_ranks.c times it by the clock, and smpi.c by SimGrid: 26 neighbours with
 * the messages of 16^3 rows a rank, 2 sums; what is computed, charged, is that of 32^3 rows. */
enum { HALO_ROOM = 2 * (18 * 18 * 18 - 16 * 16 * 16) };

static void iterate(int rank, const int shape[3], double *halo, void (*charge)(double seconds)) {
    const int at[3] = {rank % shape[0], rank / shape[0] % shape[1], rank / shape[0] / shape[1]};
    MPI_Request requests[52];
    int n = 0, first = 0;
    double sum = 1;
    for (int receive = 1; receive >= 0; receive--)
        for (int d = 0; d < 27; d++) {
            const int step[3] = {d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1};
            int peer = 0, outside = d == 13, count = 1;
            for (int k = 2; k >= 0; k--) {
                const int to = at[k] + step[k];
                outside = outside || to < 0 || to >= shape[k];
                peer = peer * shape[k] + to;
                count *= step[k] ? 1 : 16;
            }
            if (outside) continue;
            if (receive)
                MPI_Irecv(halo + first, count, MPI_DOUBLE, peer, 26 - d, MPI_COMM_WORLD,
                          &requests[n]);
            else
                MPI_Isend(halo + first, count, MPI_DOUBLE, peer, d, MPI_COMM_WORLD, &requests[n]);
            n++, first += count;
        }
    charge(721.5e-6);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    charge(35.3e-6);
    for (int k = 0; k < 2; k++)
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
