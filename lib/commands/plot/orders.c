/* The figure of exercise 11: what a product moves in three orders of the rows. Counted, so it is the same everywhere. */
#include "commands/plot/plot.h"

#include "base/memory.h"
#include "formats/permute.h"
#include "kit/orders.h"

enum { CACHE = 1 << 20 }; /* as the judge's */

/* Bytes of a product over the least. */
static double traffic(const plot *p, const spw_csr *A) {
    const double n = A->n_rows, nz = A->nnz;
    double gamma;
    plot_must(p, spw_order_gamma(A, CACHE, &gamma));
    return ((12 + 8 * gamma) * nz + 12 * n + 4) / (12 * nz + 20 * n + 4);
}

static spw_csr by_rcm(const plot *p, const spw_csr *A) {
    spw_csr G, B;
    spw_idx *level, *order;
    plot_must(p, spw_order_graph(A, &G));
    plot_must(p, SPW_ALLOC(&level, A->n_rows));
    plot_must(p, SPW_ALLOC(&order, A->n_rows));
    for (spw_idx i = 0; i < A->n_rows; i++) level[i] = -1;
    spw_order_rcm(&G, level, order);
    plot_must(p, spw_csr_permute(A, order, order, &B));
    spw_csr_destroy(&G);
    spw_free(level);
    spw_free(order);
    return B;
}

void draw_orders(plot *p) {
    static const plot_column columns[] = {
        PLOT_BOTH("matrix", "%s", "matrix", "%-26s", 1),
        PLOT_BOTH("as it is: traffic over the least", "%.3f", "as it is", " %10.2f", 1),
        PLOT_BOTH("shuffled", "%.3f", "shuffled", " %10.2f", 1),
        PLOT_BOTH("reverse Cuthill-McKee", "%.3f", "RCM", " %10.2f", 1),
        {0}};
    plot_say(p, "Bytes of a product over the least, in three orders; a cache of 1 MiB.\n\n");
    plot_table t = plot_begin_table(p, "", columns);
    for (int m = 0; m < p->n_matrices; m++) {
        spw_csr A = plot_load(p, p->matrices[m]);
        const double before = traffic(p, &A);
        plot_must(p, spw_order_shuffle(11, 1, &A));
        spw_csr B = by_rcm(p, &A);
        PLOT_ROW(&t, true, p->matrices[m], before, traffic(p, &A), traffic(p, &B));
        spw_csr_destroy(&A);
        spw_csr_destroy(&B);
    }
}
