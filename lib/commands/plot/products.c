/* Figures of timed products: exercises 5 (COO to CSR), 6, 7, 16, 20 and 21. */
#include "commands/plot/plot.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "formats/coo.h"
#include "formats/generate.h"
#include "formats/sell.h"
#include "kernels/costs.h"
#include "kernels/spmm.h"
#include "kernels/spmv.h"
#include "kernels/symgs.h"
#include "perf/roofline.h"
#include "perf/terms.h"
#include "perf/topology.h"
#include "solvers/powers.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct block_product {
    const spw_csr *A;
    int nv;
} block_product;

/* nz, nv, n_rows and n_cols are all that the cost has. */
static double quantity(const void *context, const char *name, size_t length) {
    const block_product *p = context;
    if (length == 2) return name[1] == 'z' ? p->A->nnz : p->nv;
    return name[2] == 'r' ? p->A->n_rows : p->A->n_cols;
}

static spw_cost cost_of_csr(const spw_csr *A, int nv) {
    const block_product p = {A, nv};
    return spw_terms_cost(SPW_COST_SPMM_CSR, (spw_quantities){quantity, &p});
}

/* --- 5: COO to CSR, ns an entry, against size and order of the entries ------------------------------ */

enum { ASSEMBLED, SORTED, RANDOM, ORDERS };

typedef struct conversion {
    const plot *p;
    spw_coo A;
    void (*counting)(const spw_coo *, spw_idx *, spw_idx *, double *, spw_idx *, spw_idx *);
    spw_idx *row_ptr, *col_idx, *room; /* [n+1], [nz], [nz+n+1] */
    double *val;
} conversion;

static void swap_entries(spw_coo *A, int64_t k, int64_t m) {
    const spw_idx row = A->row_idx[k], col = A->col_idx[k];
    const double val = A->val[k];
    A->row_idx[k] = A->row_idx[m];
    A->col_idx[k] = A->col_idx[m];
    A->val[k] = A->val[m];
    A->row_idx[m] = row;
    A->col_idx[m] = col;
    A->val[m] = val;
}

/* Of k nodes an edge. By row, the duplicates are gone. */
static spw_coo assemble(const plot *p, int k, int order) {
    spw_coo A;
    spw_csr sorted;
    plot_must(p, spw_coo_hexahedra(k, 5, &A));
    if (order == RANDOM)
        for (int64_t i = A.nnz - 1; i > 0; i--)
            swap_entries(&A, i, spw_random_below(6, (uint64_t)i, i + 1));
    if (order != SORTED) return A;
    plot_must(p, spw_csr_from_coo(&A, &sorted));
    spw_coo_destroy(&A);
    plot_must(p, spw_coo_from_csr(&sorted, &A));
    spw_csr_destroy(&sorted);
    return A;
}

static void convert(void *context, int library) {
    const conversion *c = (const conversion *)context;
    spw_csr B;
    if (!library) {
        c->counting(&c->A, c->row_ptr, c->col_idx, c->val, c->room, c->room + c->A.nnz);
        return;
    }
    plot_must(c->p, spw_csr_from_coo(&c->A, &B));
    spw_csr_destroy(&B);
}

/* ns an entry: counting sort, library. */
static void time_conversion(conversion *c, int nodes, int order, double ns[2]) {
    c->A = assemble(c->p, nodes, order);
    plot_must(c->p, SPW_ALLOC(&c->row_ptr, c->A.n_rows + 1));
    plot_must(c->p, SPW_ALLOC(&c->room, c->A.nnz + c->A.n_rows + 1));
    plot_must(c->p, SPW_ALLOC(&c->col_idx, c->A.nnz));
    plot_must(c->p, SPW_ALLOC(&c->val, c->A.nnz));
    plot_sample(c->p, 2, convert, c, NULL, ns);
    for (int k = 0; k < 2; k++) ns[k] *= 1e9 / (double)c->A.nnz;
    spw_free(c->row_ptr);
    spw_free(c->room);
    spw_free(c->col_idx);
    spw_free(c->val);
    spw_coo_destroy(&c->A);
}

void draw_convert(plot *p) {
    static const plot_column columns[] = {
        PLOT_BOTH("entries", "%.0f", "entries", "%12.0f", 1),
        PLOT_BOTH("counting sort, as assembled: ns an entry", "%.3f", "as assembled", " %13.1f", 1),
        PLOT_BOTH("library, as assembled", "%.3f", "library", " %8.1f", 1),
        PLOT_BOTH("counting sort, by row", "%.3f", "by row", " %8.1f", 1),
        PLOT_BOTH("library, by row", "%.3f", "library", " %8.1f", 1),
        PLOT_BOTH("counting sort, random", "%.3f", "random", " %8.1f", 1),
        PLOT_BOTH("library, random", "%.3f", "library", " %8.1f", 1),
        {0}};
    static const int nodes[] = {5, 7, 10, 15, 21, 30, 41, 52}; /* 4096 entries to 8.5 million */
    conversion c = {.p = p};
    *(void **)&c.counting = plot_function(p, "solutions/05-coo-to-csr/answer.so", "coo_to_csr");
    plot_say(p, "Entries in three orders: counting sort by one thread, the library's by "
                "all.\n\n");
    plot_table t = plot_begin_table(p, "", columns);
    for (int s = 0; s < (p->quick ? 3 : 8); s++) {
        double ns[ORDERS][2];
        for (int order = 0; order < ORDERS; order++)
            time_conversion(&c, nodes[s], order, ns[order]);
        PLOT_ROW(&t, true, NULL, 64 * pow(nodes[s] - 1, 3), ns[0][0], ns[0][1], ns[1][0], ns[1][1],
                 ns[2][0], ns[2][1]);
    }
}

/* --- 6: CSR beside the roof, for many matrices ------------------------------------------------------ */

typedef struct product {
    const spw_csr *A;
    const spw_sell *S;
    void (*sell)(const spw_sell *, const double *, double *);
    double *x, *y;
} product;

static void multiply_csr(void *context, int balanced) {
    const product *c = (const product *)context;
    if (balanced)
        spw_spmv_csr_omp_balanced(c->A, c->x, c->y);
    else
        spw_spmv_csr_omp(c->A, c->x, c->y);
}

/* One that cannot be had is named and left out; one with less entries than least is left out. */
static void add_spmv(plot_table *t, const char *path, const char *name, int64_t least,
                     double peak) {
    plot *p = t->p;
    spw_csr A;
    double s[2];
    if (spw_csr_load(path, &A)) {
        fprintf(stderr, "left out: %s\n", spw_message());
        return;
    }
    if (A.nnz >= least) {
        const spw_cost cost = cost_of_csr(&A, 1);
        product c = {
            .A = &A, .x = plot_vector(p, A.n_cols, false), .y = plot_vector(p, A.n_rows, true)};
        spw_probe probe = plot_probe(p, spw_mix_for(cost, false), spw_cost_bytes(cost));
        const double b = plot_sample(p, 2, multiply_csr, &c, &probe, s);
        const double roof = spw_roofline_time(cost, b, peak), gflop = 1e-9 * cost.flop;
        PLOT_ROW(t, true, name, A.n_rows, A.n_cols, A.nnz, spw_cost_bytes(cost),
                 A.nnz / (double)A.n_rows, spw_cost_intensity(cost), 1e-9 * b, gflop / roof,
                 gflop / s[0], gflop / s[1], roof / s[0], roof / s[1], roof / fmin(s[0], s[1]),
                 roof / fmin(s[0], s[1]));
        spw_probe_destroy(&probe);
        plot_drop_vectors(p);
    }
    spw_csr_destroy(&A);
}

/* All .mtx and .mtx.gz of a folder, in alphabetical order; none if there is no such folder. */
static void add_folder(plot_table *t, const char *folder, double peak) {
    enum { ENTRIES_MIN = 100000 };
    char pattern[1100];
    struct stat info;
    glob_t found;
    snprintf(pattern, sizeof pattern, "%.1000s/*.mtx*", folder ? folder : "");
    if (!folder || glob(pattern, 0, NULL, &found)) return;
    for (size_t k = 0; k < found.gl_pathc; k++) {
        const char *path = found.gl_pathv[k], *file = strrchr(path, '/') + 1;
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(file, "."), file);
        /* A text of 100,000 entries has 400 kB at the least, a tenth of it when it is packed. */
        if (!stat(path, &info) && info.st_size > 40000) add_spmv(t, path, name, ENTRIES_MIN, peak);
    }
    globfree(&found);
}

void draw_spmv(plot *p) {
    static const plot_column columns[] = {
        PLOT_BOTH("name", "%s", "matrix", "%-25.25s", 1),
        PLOT_KEPT("rows", "%.0f"),
        PLOT_KEPT("columns", "%.0f"),
        PLOT_KEPT("entries", "%.0f"),
        PLOT_BOTH("bytes", "%.0f", "MB", " %6.4g", 1e-6),
        PLOT_SHOWN("nz/row", " %6.3g", 1),
        PLOT_KEPT("flop/byte", "%.5f"),
        PLOT_KEPT("GB/s", "%.3f"),
        PLOT_BOTH("roof Gflop/s", "%.3f", "roof", "  %6.2f", 1),
        PLOT_BOTH("plain Gflop/s", "%.3f", "plain", " %6.2f", 1),
        PLOT_BOTH("balanced Gflop/s", "%.3f", "by nz", " %6.2f", 1),
        PLOT_KEPT("plain share", "%.4f"),
        PLOT_KEPT("balanced share", "%.4f"),
        PLOT_SHOWN("share", "|10", 1),
        PLOT_SHOWN("", " %3.0f %%", 100),
        {0}};
    plot_table t = plot_begin_table(p, "", columns);
    plot_say(p, "Gflop/s; rows cut evenly (plain) or by entries; the bar: the better one's share"
                "\n\n");
    const double peak = spw_peak_flops(p->threads);
    for (int m = 0; m < p->n_matrices; m++) add_spmv(&t, p->matrices[m], p->matrices[m], 0, peak);
    if (!p->quick) {
        add_folder(&t, "matrices/collection", peak);
        add_folder(&t, getenv("SHARED_MATRICES"), peak);
    }
}

/* --- 7: SELL-C-sigma, padding and speed for several C and sigma ------------------------------------- */

enum { HEIGHTS = 4, WINDOWS = 6 };
static const int heights[HEIGHTS] = {4, 8, 32, 64};
static const int windows[WINDOWS] = {1, 64, 256, 1024, 4096, 16384}; /* multiples of every C */

static void multiply_sell(void *context, int csr) {
    const product *c = (const product *)context;
    if (csr)
        spw_spmv_csr_omp(c->A, c->x, c->y);
    else
        c->sell(c->S, c->x, c->y);
}

/* In the terminal sigma goes down and C to the right. */
static void show_sell(plot *p, double shown[HEIGHTS][WINDOWS][2]) {
    static const plot_column columns[] = {
        PLOT_SHOWN("sigma", "%8.0f", 1), PLOT_SHOWN("beta, C = 4", "  %12.3f", 1),
        PLOT_SHOWN("8", " %6.3f", 1),    PLOT_SHOWN("32", " %6.3f", 1),
        PLOT_SHOWN("64", " %6.3f", 1),   PLOT_SHOWN("speed, C = 4", "  %13.2f", 1),
        PLOT_SHOWN("8", " %5.2f", 1),    PLOT_SHOWN("32", " %5.2f", 1),
        PLOT_SHOWN("64", " %5.2f", 1),   {0}};
    plot_table t = plot_begin_table(p, NULL, columns);
    for (int w = 0; w < WINDOWS; w++)
        PLOT_ROW(&t, true, NULL, windows[w], shown[0][w][0], shown[1][w][0], shown[2][w][0],
                 shown[3][w][0], shown[0][w][1], shown[1][w][1], shown[2][w][1], shown[3][w][1]);
}

static void add_sell(plot_table *t, const char *name, product *c, char *names) {
    plot *p = t->p;
    spw_csr A = plot_load(p, name);
    double s[2], shown[HEIGHTS][WINDOWS][2], fastest = INFINITY;
    c->A = &A;
    c->x = plot_vector(p, A.n_cols, false);
    c->y = plot_vector(p, A.n_rows, true);
    const double bytes = spw_cost_bytes(cost_of_csr(&A, 1)),
                 vectors = bytes - (double)spw_csr_bytes(&A);
    for (int h = 0; h < HEIGHTS; h++)
        for (int w = 0; w < WINDOWS; w++) {
            spw_sell S;
            plot_must(p, spw_sell_from_csr(&A, heights[h], windows[w], &S));
            c->S = &S;
            plot_sample(p, 2, multiply_sell, c, NULL, s);
            fastest = fmin(fastest, s[1]);
            shown[h][w][0] = S.nnz / (double)S.n_stored;
            shown[h][w][1] = s[1] / s[0];
            /* bound: the quotient if both were at the roof */
            PLOT_ROW(t, false, name, A.n_rows, A.nnz, S.C, S.sigma, S.n_stored, shown[h][w][0],
                     2e-9 * A.nnz / s[0], 2e-9 * A.nnz / s[1], s[1] / s[0],
                     bytes / ((double)spw_sell_bytes(&S) + vectors));
            spw_sell_destroy(&S);
        }
    plot_say(p, "\n%s: %d rows, %.3g entries a row, CSR %.2f Gflop/s\n", name, A.n_rows,
             A.nnz / (double)A.n_rows, 2e-9 * A.nnz / fastest);
    show_sell(p, shown);
    snprintf(names + strlen(names), 256 - strlen(names), "%s%s", *names ? " " : "", name);
    plot_drop_vectors(p);
    spw_csr_destroy(&A);
}

void draw_sell(plot *p) {
    static const plot_column columns[] = {
        PLOT_KEPT("name", "%s"),          PLOT_KEPT("rows", "%.0f"),
        PLOT_KEPT("entries", "%.0f"),     PLOT_KEPT("C", "%.0f"),
        PLOT_KEPT("sigma", "%.0f"),       PLOT_KEPT("stored", "%.0f"),
        PLOT_KEPT("beta", "%.4f"),        PLOT_KEPT("Gflop/s", "%.3f"),
        PLOT_KEPT("CSR Gflop/s", "%.3f"), PLOT_KEPT("times as fast", "%.3f"),
        PLOT_KEPT("bound", "%.3f"),       {0}};
    char names[256] = "";
    product c = {.A = NULL};
    *(void **)&c.sell = plot_function(p, "solutions/07-ell-sell/answer.so", "spmv_sell");
    plot_table t = plot_begin_table(p, "", columns);
    plot_say(p, "beta: entries / stored. Speed: how many times that of the plain CSR loop.\n");
    for (int m = 0; m < p->n_matrices; m++) add_sell(&t, p->matrices[m], &c, names);
    plot_fact(p, "matrices = \"%s\"", names);
}

/* --- 21: SpMM against the number of vectors --------------------------------------------------------- */

enum { MOST_VECTORS = 48, CSR = 0, SELLP, TURNED, SINGLE, SPMM_KERNELS };

typedef struct spmm {
    spw_csr A;
    spw_sellp S;
    double *X, *Y, *from, *to; /* [MOST_VECTORS * n]: row-major, column-major */
    int nv, singles;           /* time of single products: that of `singles`, scaled */
} spmm;

static void multiply_block(void *context, int kernel) {
    const spmm *c = (const spmm *)context;
    const spw_csr *A = &c->A;
    const int nv = c->nv;
    if (kernel == TURNED) spw_transpose_omp_blocked(nv, A->n_cols, c->from, A->n_cols, c->X, nv);
    if (kernel == CSR || kernel == TURNED) spw_spmm_csr_omp_bypass(A, nv, c->X, nv, c->Y, nv);
    if (kernel == SELLP) spw_spmm_sellp_omp_bypass(&c->S, nv, c->X, nv, c->Y, nv);
    if (kernel == TURNED) spw_transpose_omp_blocked(A->n_rows, nv, c->Y, nv, c->to, A->n_rows);
    for (int v = 0; kernel == SINGLE && v < c->singles; v++)
        spw_spmv_csr_omp_balanced(A, c->from + (int64_t)v * A->n_cols,
                                  c->to + (int64_t)v * A->n_rows);
}

static void add_spmm(plot_table *t, spmm *c, int nv, double peak) {
    double s[SPMM_KERNELS];
    c->nv = nv;
    c->singles = nv < 8 ? nv : 8;
    const spw_cost cost = cost_of_csr(&c->A, nv);
    spw_probe probe = plot_probe(t->p, spw_mix_for(cost, false), spw_cost_bytes(cost));
    const double b = plot_sample(t->p, SPMM_KERNELS, multiply_block, c, &probe, s);
    const double gflop = 1e-9 * cost.flop, gain = s[SINGLE] * nv / c->singles / s[CSR];
    PLOT_ROW(t, nv <= 4 || nv % 8 == 0 || nv == 31 || nv == 33, NULL, nv, spw_cost_bytes(cost),
             spw_cost_intensity(cost), 1e-9 * b, gflop / spw_roofline_time(cost, b, peak),
             gflop / s[CSR], gflop / s[SELLP], gflop / s[TURNED],
             gflop / s[SINGLE] * c->singles / nv, gain, gain);
    spw_probe_destroy(&probe);
}

void draw_spmm(plot *p) {
    static const plot_column columns[] = {
        PLOT_BOTH("vectors", "%.0f", "nv", "%4.0f", 1),
        PLOT_BOTH("bytes", "%.0f", "MB", " %5.4g", 1e-6),
        PLOT_BOTH("flop/byte", "%.5f", "flop/byte", " %9.2f", 1),
        PLOT_KEPT("GB/s", "%.3f"),
        PLOT_BOTH("roof Gflop/s", "%.3f", "roof", " %6.2f", 1),
        PLOT_BOTH("CSR Gflop/s", "%.3f", "CSR", " %6.2f", 1),
        PLOT_BOTH("SELL-P Gflop/s", "%.3f", "SELL-P", " %6.2f", 1),
        PLOT_BOTH("with transpositions Gflop/s", "%.3f", "turned", " %6.2f", 1),
        PLOT_BOTH("single SpMVs Gflop/s", "%.3f", "single", " %6.2f", 1),
        PLOT_SHOWN("gain, of 16", "|16", 1.0 / 16),
        PLOT_SHOWN("", " %4.1f", 1),
        {0}};
    spmm c = {.A = plot_load(p, p->matrices[0])};
    plot_must(p, spw_sellp_from_csr(&c.A, 8, 4, &c.S));
    const int most = p->quick ? 9 : MOST_VECTORS;
    c.X = plot_vector(p, (int64_t)c.A.n_cols * most, false);
    c.from = plot_vector(p, (int64_t)c.A.n_cols * most, false);
    c.Y = plot_vector(p, (int64_t)c.A.n_rows * most, true);
    c.to = plot_vector(p, (int64_t)c.A.n_rows * most, true);
    plot_fact(p, "matrix = \"%s\"", p->matrices[0]);
    plot_say(p,
             "%s, Gflop/s; row-major blocks; \"turned\": CSR from and to column-major.\n"
             "The bar is the gain of CSR over nv single SpMVs.\n\n",
             p->matrices[0]);
    plot_table t = plot_begin_table(p, "", columns);
    const double peak = spw_peak_flops(p->threads);
    for (int nv = 1; nv <= most; nv++) add_spmm(&t, &c, nv, peak);
    spw_csr_destroy(&c.A);
    spw_sellp_destroy(&c.S);
}

/* --- 20: powers by levels against as many products -------------------------------------------------- */

typedef struct powers {
    spw_powers P;
    int p;
    double *v[17];
} powers;

static void multiply_powers(void *context, int by_levels) {
    const powers *c = (const powers *)context;
    if (by_levels)
        spw_powers_multiply(&c->P, c->p, c->v[0], c->v + 1);
    else
        for (int k = 0; k < c->p; k++) spw_powers_multiply(&c->P, 1, c->v[k], c->v + k + 1);
}

/* Of p powers, write-allocate included: 8 n for each. */
static double bytes_of_powers(const spw_powers *P, int p) {
    return spw_cost_bytes(spw_powers_cost(P, p)) + 8.0 * P->A.n_rows * p;
}

static void add_powers(plot_table *t, int number, const char *name) {
    static const int steps[] = {1, 2, 3, 4, 6, 8, 12, 16};
    plot *p = t->p;
    powers c = {.p = 0};
    spw_csr A = plot_load(p, name);
    int fits = 0;
    plot_must(p, spw_powers_create(&A, &c.P));
    spw_csr_destroy(&A);
    for (int k = 0; k <= 16; k++) c.v[k] = plot_vector(p, c.P.A.n_rows, false);
    const int64_t l2 = spw_topology_read().l2;
    while (fits < c.P.n_levels && spw_powers_window(&c.P, fits + 1) <= l2) fits++;
    plot_fact(p, "name%d = \"%s\"\nfits%d = %d", number, name, number, fits);
    plot_block(t, "  %s: the window has room in L2 up to p = %d", name, fits);
    for (int k = 0; k < 8; k++) {
        double s[2];
        c.p = steps[k];
        plot_sample(p, 2, multiply_powers, &c, NULL, s);
        PLOT_ROW(t, true, name, fits, c.p, (double)spw_powers_window(&c.P, c.p), s[0], s[1],
                 s[0] / s[1], c.p * bytes_of_powers(&c.P, 1) / bytes_of_powers(&c.P, c.p),
                 s[0] / s[1], s[0] / s[1]);
    }
    plot_drop_vectors(p);
    spw_powers_destroy(&c.P);
}

void draw_powers(plot *p) {
    static const plot_column columns[] = {
        PLOT_KEPT("matrix", "%s"),
        PLOT_KEPT("fits L2", "%.0f"),
        PLOT_BOTH("p", "%.0f", "p", "%4.0f", 1),
        PLOT_BOTH("window bytes", "%.0f", "window KB", " %10.1f", 1e-3),
        PLOT_BOTH("products s", "%.6g", "products ms", " %12.3f", 1e3),
        PLOT_BOTH("powers s", "%.6g", "powers ms", " %10.3f", 1e3),
        PLOT_KEPT("gain", "%.3f"),
        PLOT_BOTH("model", "%.3f", "model", " %6.2f", 1),
        PLOT_SHOWN("gain", " %5.2f", 1),
        PLOT_SHOWN("of 8", "|16", 1.0 / 8),
        {0}};
    plot_table t = plot_begin_table(p, "", columns);
    for (int m = 0; m < p->n_matrices; m++) add_powers(&t, m, p->matrices[m]);
    plot_fact(p, "matrices = %d", p->n_matrices);
}

/* --- 16: a product divided between two sides --------------------------------------------------------- */

enum { STEPS = 20 };

typedef struct division {
    spw_coloured S;
    void (*multiply)(const spw_coloured *, int64_t, int64_t, const double *, double *);
    double (*best_part)(double, double);
    double *x, *w;
} division;

static void share(const division *d, int64_t begin, int64_t end, int number, int of) {
    const int64_t n = end - begin;
    d->multiply(&d->S, begin + n * number / of, begin + n * (number + 1) / of, d->x, d->w);
}

/* Without a device the first half of the threads is one side, the rest the other; a thread alone is both in turn. */
static void multiply_divided(void *context, int k) {
    const division *d = (const division *)context;
    const int64_t n = d->S.n_slices, middle = (int64_t)(k / (double)STEPS * (double)n + 0.5);
    if (d->S.on_device) {
        spw_spmv_coloured_target(&d->S, k / (double)STEPS, d->x, d->w);
        return;
    }
#pragma omp parallel
    {
        const int me = spw_thread(), team = spw_team_size(), first = team > 1 ? team / 2 : 1;
        if (me < first) share(d, 0, middle, me, first);
        if (team == 1) share(d, middle, n, 0, 1);
        if (team > 1 && me >= first) share(d, middle, n, me - first, team - first);
    }
}

static void say_sides(plot *p, bool device) {
    if (!device && p->threads > 1)
        plot_say(p,
                 "No device for target regions here: both parts run on the host, %d of its\n"
                 "threads on one side, %d on the other.\n",
                 p->threads / 2, p->threads - p->threads / 2);
    if (!device && p->threads == 1)
        plot_say(p,
                 "No device for target regions here, and one thread: one part after the other.\n");
}

void draw_split(plot *p) {
    static const plot_column columns[] = {PLOT_BOTH("part", "%.3f", "part", "%8.2f", 1),
                                          PLOT_BOTH("ms", "%.4f", "ms", " %10.3f", 1),
                                          PLOT_BOTH("model ms", "%.4f", "model", " %10.3f", 1),
                                          {0}};
    division d = {.x = NULL};
    *(void **)&d.multiply = plot_function(p, "solutions/16-symgs/answer.so", "multiply_here");
    *(void **)&d.best_part = plot_function(p, "solutions/16-symgs/answer.so", "best_part");
    spw_csr A = plot_load(p, p->matrices[0]);
    plot_must(p, spw_coloured_from_csr(&A, &d.S));
    spw_csr_destroy(&A);
    const bool device = spw_coloured_to_device(&d.S) == SPW_OK;
    d.x = plot_vector(p, d.S.n_places, false);
    d.w = plot_vector(p, d.S.n_places, true);
    for (spw_idx k = 0; k < d.S.n_places; k++)
        if (d.S.row[k] < 0) d.x[k] = 0;
    double s[STEPS + 1];
    plot_sample(p, STEPS + 1, multiply_divided, &d, NULL, s);
    const double bytes = (double)spw_coloured_bytes(&d.S) + 16.0 * d.S.n_places;
    const double best = d.best_part(bytes / s[0], bytes / s[STEPS]);
    int least = 0;
    for (int k = 1; k <= STEPS; k++)
        if (s[k] < s[least]) least = k;
    say_sides(p, device);
    plot_table t = plot_begin_table(p, "", columns);
    for (int k = 0; k <= STEPS; k++) {
        const double part = k / (double)STEPS;
        PLOT_ROW(&t, k % 2 == 0, NULL, part, 1e3 * s[k],
                 1e3 * fmax(part * s[STEPS], (1 - part) * s[0]));
    }
    plot_say(p, "%s, alone: %s %.1f GB/s, %s %.1f GB/s;\nbest_part %.2f; least time at part %.2f\n",
             p->matrices[0], device ? "device" : "side one", 1e-9 * bytes / s[STEPS],
             device ? "host" : "side two", 1e-9 * bytes / s[0], best, least / (double)STEPS);
    plot_fact(p, "device = %d\nbest = %.4f\nname = '%s'", device, best, p->matrices[0]);
    spw_coloured_destroy(&d.S);
}
