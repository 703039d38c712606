/* The figure of exercise 26: an iteration of CG with the stencil of 27 points over ranks, predicted by the formula of its
 * page, and run on the modelled clock of lib/ranks. */
#include "commands/plot/plot.h"

#include "ranks/include/mpi.h"
#include "ranks/ranks.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 2, MOST = 1024, NEIGHBOURS = 27 };

typedef struct boxes {
    int edge[3], grid[3]; /* points of a rank, and ranks, in each direction */
    spw_cluster c;
} boxes;

/* What a rank at `at` of the grid sends to its neighbour in direction d, 0 .. 26: its rank, -1 is none, and entries. */
static int facing(const boxes *B, const int at[3], int d, int *entries) {
    const int away[3] = {d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1};
    int rank = 0;
    *entries = d == NEIGHBOURS / 2 ? 0 : 1;
    for (int k = 2; k >= 0; k--) {
        if (at[k] + away[k] < 0 || at[k] + away[k] >= B->grid[k]) *entries = 0;
        rank = rank * B->grid[k] + at[k] + away[k];
        if (!away[k]) *entries *= B->edge[k];
    }
    return *entries ? rank : -1;
}

/* Seconds of the product with own entries, and of all else: bytes as the exercises count them, by the memory's bandwidth. */
static void costs(const boxes *B, const int at[3], double *local, double *rest) {
    double n = 1, inside = 1, own = 1, all = 1, seen = 1;
    for (int k = 0; k < 3; k++) {
        const int sides = (at[k] > 0) + (at[k] + 1 < B->grid[k]);
        n *= B->edge[k];
        inside *= fmax(0, B->edge[k] - sides);
        own *= 3 * B->edge[k] - 2;
        all *= 3 * B->edge[k] - 2 + sides;
        seen *= B->edge[k] + sides;
    }
    *local = (12 * own + 28 * n) / B->c.memory_bandwidth;
    *rest =
        (12 * (all - own) + 24 * (n - inside) + 8 * (seen - n) + 112 * n) / B->c.memory_bandwidth;
}

static void iterate(int rank, void *argument) {
    const boxes *B = argument;
    const int at[3] = {rank % B->grid[0], rank / B->grid[0] % B->grid[1],
                       rank / B->grid[0] / B->grid[1]};
    double local, rest, sums[2] = {0, 0}, *room[2 * NEIGHBOURS] = {NULL};
    MPI_Request requests[2 * NEIGHBOURS];
    costs(B, at, &local, &rest);
    MPI_Init(NULL, NULL);
    for (int step = 0; step < STEPS; step++) {
        int n = 0, entries;
        for (int d = 0; d < 2 * NEIGHBOURS; d++) {
            const int other = facing(B, at, d % NEIGHBOURS, &entries);
            if (other < 0) continue;
            if (!room[d]) room[d] = calloc((size_t)entries, sizeof(double));
            if (d < NEIGHBOURS)
                MPI_Irecv(room[d], entries, MPI_DOUBLE, other, NEIGHBOURS - 1 - d, MPI_COMM_WORLD,
                          &requests[n++]);
            else
                MPI_Isend(room[d], entries, MPI_DOUBLE, other, d - NEIGHBOURS, MPI_COMM_WORLD,
                          &requests[n++]);
        }
        spw_ranks_charge(local);
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, sums, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        spw_ranks_charge(rest);
        MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    for (int d = 0; d < 2 * NEIGHBOURS; d++) free(room[d]);
}

/* Of the rank with the most neighbours. */
static double predict(const boxes *B) {
    const int at[3] = {B->grid[0] > 2, B->grid[1] > 2, B->grid[2] > 2};
    double local, rest, bytes = 0, messages = 0;
    int entries;
    costs(B, at, &local, &rest);
    for (int d = 0; d < NEIGHBOURS; d++)
        if (facing(B, at, d, &entries) >= 0) bytes += 8 * entries, messages++;
    const spw_cluster c = B->c;
    const double transfer = messages > 0 ? c.latency + bytes / c.bandwidth : 0;
    const double stages = ceil(log2(B->grid[0] * B->grid[1] * B->grid[2]));
    return 4 * messages * c.overhead + fmax(local, transfer) + rest +
           stages * (2 * (c.latency + 2 * c.overhead) + 24 / c.bandwidth);
}

static double run(const plot *p, const boxes *B) {
    const spw_ranks_options options = {.ranks = B->grid[0] * B->grid[1] * B->grid[2],
                                       .cluster = B->c};
    spw_ranks_result result;
    plot_must(p, spw_ranks_run(&options, iterate, (void *)(uintptr_t)B, &result));
    if (spw_ranks_finding_count()) plot_die(p, "%s", spw_ranks_findings());
    return result.seconds / STEPS;
}

void draw_scaling(plot *p) {
    static const plot_column columns[] = {
        PLOT_BOTH("strong", "%.0f", "strong", "%6.0f", 1),
        PLOT_BOTH("ranks", "%.0f", "ranks", "%6.0f", 1),
        PLOT_BOTH("points", "%.0f", "points a rank", "%14.0f", 1),
        PLOT_BOTH("fast predicted", "%.4e", "fast: µs", "%10.1f", 1e6),
        PLOT_BOTH("fast run", "%.4e", "run", "%10.1f", 1e6),
        PLOT_BOTH("slow predicted", "%.4e", "slow: µs", "%10.1f", 1e6),
        PLOT_BOTH("slow run", "%.4e", "run", "%10.1f", 1e6),
        {0}};
    spw_cluster clusters[SPW_CLUSTERS];
    plot_must(p, spw_clusters_read(clusters));
    plot_table t = plot_begin_table(p, "", columns);
    for (int strong = 0; strong < 2; strong++)
        for (int ranks = 1, k = 0; ranks <= MOST; ranks *= 2, k++) {
            boxes B = {.grid = {1 << (k + 2) / 3, 1 << (k + 1) / 3, 1 << k / 3}};
            double seconds[4];
            for (int d = 0; d < 3; d++) B.edge[d] = strong ? (d ? 128 : 256) / B.grid[d] : 16;
            for (int slow = 0; slow < 2; slow++) {
                B.c = clusters[slow];
                seconds[2 * slow] = predict(&B);
                seconds[2 * slow + 1] = run(p, &B);
            }
            PLOT_ROW(&t, true, NULL, strong, ranks, (double)B.edge[0] * B.edge[1] * B.edge[2],
                     seconds[0], seconds[1], seconds[2], seconds[3]);
        }
}
