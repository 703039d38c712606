/* Your distributed.c under a real MPI: conjugate gradients with your plan, product and sums. It is no judge: what it prints
 * shows whether the solution is right, and what your product sends.
 *     make solve-26 RANKS=2 MATRIX=stencil27:60 */
#include "distributed.h"

#include "distributed/rows.h"
#include "kernels/spmv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_CONVERGED = 3, NO_MPI = 5, MOST = 10000 };
static const double TOLERANCE = 1e-8;

static spw_rows part;

/* Filled with NaN: what is read before it is written shows. */
static void *room(int64_t count, size_t size) {
    const size_t bytes = (size_t)(count + 1) * size;
    void *at = malloc(bytes);
    if (!at) spw_comm_abort(1);
    return memset(at, 0xFF, bytes);
}

void halo_room(halo *h, spw_idx entries) {
    h->to_rows = room(entries, sizeof *h->to_rows);
    h->buffer = room(entries, sizeof *h->buffer);
}

void multiply_local(const rows *R, const double *x, double *y) {
    (void)R;
    spw_spmv_csr_omp(&part.local, x, y);
}

void multiply_ghosts(const rows *R, const double *x, double *y) {
    const spw_csr *A = &part.ghost;
    for (spw_idx k = 0; k < part.n_boundary; k++) {
        const spw_idx i = part.boundary[k];
        for (spw_idx e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++)
            y[i] += A->val[e] * x[R->n + A->col_idx[e]];
    }
}

/* b becomes the residual, x the solution. Returns the iterations. */
static int solve(const rows *R, const halo *h, double *b, double *x) {
    double *p = room((int64_t)R->n + R->n_ghosts, sizeof *p), *q = room(R->n, sizeof *q);
    double sums[2], r_r, r_r0;
    int k = 0;
    for (spw_idx i = 0; i < R->n; i++) x[i] = 0, p[i] = b[i];
    two_dots(R->n, b, b, b, b, sums);
    r_r = r_r0 = sums[0];
    for (; k < MOST && r_r > TOLERANCE * TOLERANCE * r_r0; k++) {
        multiply(R, h, p, q);
        two_dots(R->n, p, q, b, q, sums);
        const double alpha = r_r / sums[0], before = r_r;
        for (spw_idx i = 0; i < R->n; i++) x[i] += alpha * p[i], b[i] -= alpha * q[i];
        two_dots(R->n, b, b, b, b, sums);
        r_r = sums[1];
        for (spw_idx i = 0; i < R->n; i++) p[i] = b[i] + r_r / before * p[i];
    }
    free(p);
    free(q);
    return k;
}

/* b = A (1, ..., 1), so that the error is known. */
static int run(const spw_comm *c, const char *name) {
    const spw_idx n = part.local.n_rows;
    const rows R = {c->rank, c->size, part.first, n, part.n_ghosts, part.ghosts};
    halo h = {.to = room(c->size, sizeof *h.to),
              .from = room(c->size, sizeof *h.from),
              .to_ptr = room(c->size, sizeof *h.to_ptr),
              .from_ptr = room(c->size, sizeof *h.from_ptr),
              .requests = room(2 * c->size, sizeof *h.requests)};
    double *x = room((int64_t)n + part.n_ghosts, sizeof *x), *b = room(n, sizeof *b);
    double least[2], sent[2], error = 0;
    halo_plan(&R, &h);
    for (spw_idx i = 0; i < n; i++) x[i] = 1;
    const spw_traffic before = spw_comm_traffic();
    multiply(&R, &h, x, b);
    const spw_traffic after = spw_comm_traffic();
    sent[0] = after.messages - before.messages;
    sent[1] = after.bytes - before.bytes;
    spw_comm_sum(c, 2, sent);
    spw_rows_least(c, &part, &least[0], &least[1]);
    const int iterations = solve(&R, &h, b, x);
    for (spw_idx i = 0; i < n; i++)
        if (!(fabs(x[i] - 1) <= error)) error = fabs(x[i] - 1);
    spw_comm_max(c, 1, &error);
    if (c->rank == 0)
        printf("%s, %d rank%s: %d iterations%s, largest error of x: %.2e\n"
               "a product sends %.0f messages, %.0f bytes by MPI_Isend; %.0f and %.0f are needed\n",
               name, c->size, c->size > 1 ? "s" : "", iterations,
               iterations < MOST ? "" : " without convergence", error, sent[0], sent[1], least[0],
               least[1]);
    return iterations < MOST && error < 1 ? 0 : NOT_CONVERGED;
}

int main(int argc, char **argv) {
    spw_comm c;
    const char *name = argc > 1 ? argv[argc - 1] : "";
    double held;
    spw_status status = spw_comm_start(&argc, &argv, &c);
    if (!status) status = spw_rows_load(&c, name, &part, &held);
    if (status && c.rank == 0) fprintf(stderr, "solve: %s: %s\n", name, spw_message());
    const int end = status ? c.size > 1 ? 1 : NO_MPI : run(&c, name);
    fflush(stdout); /* a launcher may end all ranks when one leaves with a status */
    spw_comm_end(&c);
    return end;
}
