#include "distributed.h"

#include <math.h>
#include <stdlib.h>

/* 1. Predict. Messages and bytes of slabs: each has a neighbour above and one below, but for the two at the ends. */
exchange slab_exchange(int k, int P) {
    /* SOLUTION your model here */
    const int64_t plane = 8 * (int64_t)k * k, most = P > 2 ? 2 : P - 1;
    return (exchange){2 * (P - 1), 2 * (P - 1) * plane, most, most * plane};
    /* END */
}

/* 2. Predict. Messages and bytes of cubes: faces, edges and corners. */
exchange block_exchange(int b, const int p[3]) {
    /* SOLUTION your model here */
    int64_t ranks = 1, points = 1, pairs = 1, seen = 1, near = 1, around = 1;
    for (int d = 0; d < 3; d++) {
        const int64_t sides = p[d] > 2 ? 2 : p[d] - 1;
        ranks *= p[d];
        points *= (int64_t)p[d] * b;
        pairs *= 3 * p[d] - 2;                      /* of ranks at a distance of at most 1, twice */
        seen *= (int64_t)p[d] * b + 2 * (p[d] - 1); /* own points and ghosts, of all ranks */
        near *= sides + 1;
        around *= b + sides;
    }
    return (exchange){pairs - ranks, 8 * (seen - points), near - 1,
                      8 * (around - (int64_t)b * b * b)};
    /* END */
}

/* 3. Predict. Seconds of an iteration, by latency, overhead and bandwidth. */
double iteration_time(network N, work W, int P) {
    /* SOLUTION your model here */
    const double transfer = W.messages ? N.L + (double)W.bytes / N.B : 0;
    int steps = 0;
    while ((int64_t)1 << steps < P) steps++;
    return 4 * (double)W.messages * N.o + fmax(W.t_local, transfer) + W.t_rest +
           steps * (2 * (N.L + 2 * N.o) + 24 / N.B);
    /* END */
}

/* 4. Write. You know what you need; who has it has to be told. Numbers of entries first, then the entries. */
void halo_plan(const rows *R, halo *h) {
    /* SOLUTION your code here */
    int *needs = calloc((size_t)R->ranks, sizeof *needs),
        *asked = calloc((size_t)R->ranks, sizeof *asked);
    for (spw_idx g = 0, owner = 0; g < R->n_ghosts; g++) {
        while (R->ghosts[g] >= R->first[owner + 1]) owner++;
        needs[owner]++;
    }
    MPI_Alltoall(needs, 1, MPI_INT, asked, 1, MPI_INT, MPI_COMM_WORLD);
    h->n_to = h->n_from = 0;
    h->to_ptr[0] = h->from_ptr[0] = 0;
    for (int r = 0; r < R->ranks; r++) {
        if (needs[r]) {
            h->from[h->n_from++] = r;
            h->from_ptr[h->n_from] = h->from_ptr[h->n_from - 1] + needs[r];
        }
        if (asked[r]) {
            h->to[h->n_to++] = r;
            h->to_ptr[h->n_to] = h->to_ptr[h->n_to - 1] + asked[r];
        }
    }
    free(needs);
    free(asked);
    const spw_idx sent = h->to_ptr[h->n_to];
    int64_t *wanted = malloc((size_t)(sent + 1) * sizeof *wanted);
    halo_room(h, sent);
    for (int k = 0; k < h->n_to; k++)
        MPI_Irecv(wanted + h->to_ptr[k], h->to_ptr[k + 1] - h->to_ptr[k], MPI_INT64_T, h->to[k], 1,
                  MPI_COMM_WORLD, &h->requests[k]);
    for (int k = 0; k < h->n_from; k++)
        MPI_Isend(R->ghosts + h->from_ptr[k], h->from_ptr[k + 1] - h->from_ptr[k], MPI_INT64_T,
                  h->from[k], 1, MPI_COMM_WORLD, &h->requests[h->n_to + k]);
    MPI_Waitall(h->n_to + h->n_from, h->requests, MPI_STATUSES_IGNORE);
    for (spw_idx e = 0; e < sent; e++) h->to_rows[e] = (spw_idx)(wanted[e] - R->first[R->rank]);
    free(wanted);
    /* END */
}

/* 5. Write. Receives first, then sends; the product with own entries; waits; the product with ghosts. */
void multiply(const rows *R, const halo *h, double *x, double *y) {
    /* SOLUTION your code here */
    for (int k = 0; k < h->n_from; k++)
        MPI_Irecv(x + R->n + h->from_ptr[k], h->from_ptr[k + 1] - h->from_ptr[k], MPI_DOUBLE,
                  h->from[k], 2, MPI_COMM_WORLD, &h->requests[k]);
    for (int k = 0; k < h->n_to; k++) {
        for (spw_idx e = h->to_ptr[k]; e < h->to_ptr[k + 1]; e++) h->buffer[e] = x[h->to_rows[e]];
        MPI_Isend(h->buffer + h->to_ptr[k], h->to_ptr[k + 1] - h->to_ptr[k], MPI_DOUBLE, h->to[k],
                  2, MPI_COMM_WORLD, &h->requests[h->n_from + k]);
    }
    multiply_local(R, x, y);
    MPI_Waitall(h->n_from + h->n_to, h->requests, MPI_STATUSES_IGNORE);
    multiply_ghosts(R, x, y);
    /* END */
}

/* 6. Write. Both sums in one reduction. */
void two_dots(spw_idx n, const double *x, const double *y, const double *u, const double *v,
              double sums[2]) {
    /* SOLUTION your code here */
    double mine[2] = {0, 0};
    for (spw_idx i = 0; i < n; i++) {
        mine[0] += x[i] * y[i];
        mine[1] += u[i] * v[i];
    }
    MPI_Allreduce(mine, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    /* END */
}
