/* Exercise 11: check GAIN. Six matrices as they are and in the answer's order: bandwidth, the lines of x that a cache
 * fetches, the time of a product, and after how many products the set-up is repaid. The verdict is on the order, which
 * must be the driver's, on permute's matrix, and on the processor time of rcm_order; times of products are only told. */
#include "problem.h"

#include "base/memory.h"
#include "formats/permute.h"
#include "kernels/spmv.h"
#include "kit/orders.h"
#include "perf/timer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Of the size of an L2: with a cache of a part of the working set x would fit, and gamma say nothing. */
enum { CACHE = 1 << 20, BLOCKS = 9 };
static const double MOST_TIME = 4; /* processor time of rcm_order over that of the driver's own */

typedef struct matrix_row {
    const char *name, *label;
    bool failed;
    char why[160];
    double n, nz;
    double bandwidth[2], gamma[2], seconds[2]; /* as it is, in the answer's order */
    double setup, order_cpu, right_cpu;        /* s */
    double repaid;
} matrix_row;

static matrix_row rows[] = {
    {.name = "laplace3d:100 shuffled", .label = "laplace3d:100 *"},
    {.name = "stencil27:40 shuffled", .label = "stencil27:40 *"},
    {.name = "laplace3d:63 in pieces", .label = "laplace3d:63 +"},
    {.name = "laplace3d:100", .label = "laplace3d:100"},
    {.name = "powerlaw:200000", .label = "powerlaw:200000"},
    {.name = "random:200000x200000x12", .label = "random, 12 a row"},
};

/* --- counted ----------------------------------------------------------------------------------------- */

static double bandwidth_of(const spw_csr *A) {
    double widest = 0;
    for (spw_idx i = 0; i < A->n_rows; i++)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
            widest = fmax(widest, fabs((double)i - A->col_idx[k]));
    return widest;
}

/* What a product moves. */
static double traffic_of(const matrix_row *r, double gamma) {
    return (12 + 8 * gamma) * r->nz + 12 * r->n + 4;
}

/* --- timed, in the answer's process, in steps: each has the limit of one call ------------------------------- */

static struct bench {
    spw_csr A, G, B;
    double *x, *y;
    spw_idx *level, *order, *right, *inverse;
    double samples[2][BLOCKS];
    int block, calls;
} b; /* there */

static double cpu_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* s of the processor; *wall: of the clock. */
static double time_order(__typeof__(rcm_order) *rcm, double *wall) {
    const graph G = {b.G.n_rows, b.G.row_ptr, b.G.col_idx};
    for (spw_idx i = 0; i < G.n; i++) b.level[i] = -1;
    const double begin = spw_now(), cpu = cpu_now();
    rcm(&G, b.level, b.order);
    *wall = spw_now() - begin;
    return cpu_now() - cpu;
}

static void refuse(matrix_row *r, const char *why) {
    snprintf(r->why, sizeof r->why, "%s", why);
}

static spw_status make_room(const char *name) {
    spw_status status = ro_matrix(name, 11, &b.A);
    if (!status) status = spw_order_graph(&b.A, &b.G);
    if (!status) status = spw_csr_create(b.A.n_rows, b.A.n_rows, b.A.nnz, &b.B);
    const spw_idx n = b.A.n_rows;
    if (!status) status = SPW_ALLOC(&b.level, n);
    if (!status) status = SPW_ALLOC(&b.order, n);
    if (!status) status = SPW_ALLOC(&b.right, n);
    if (!status) status = SPW_ALLOC(&b.inverse, n);
    if (!status) status = SPW_ALLOC(&b.x, n);
    if (!status) status = SPW_ALLOC(&b.y, n);
    for (spw_idx i = 0; !status && i < n; i++) b.x[i] = 1 + i % 7;
    return status;
}

static void begin_matrix(spw_trial *t, void *at) {
    matrix_row *r = (matrix_row *)at;
    (void)t;
    r->failed = make_room(r->name) != SPW_OK;
    if (r->failed) refuse(r, spw_message());
    r->n = b.A.n_rows;
    r->nz = b.A.nnz;
}

static void plain_rcm(const graph *G, spw_idx *level, spw_idx *order) {
    (void)G;
    spw_order_rcm(&b.G, level, order);
}

static void order_plainly(spw_trial *t, void *at) {
    double ignored;
    (void)t;
    ((matrix_row *)at)->right_cpu = time_order(plain_rcm, &ignored);
    memcpy(b.right, b.order, (size_t)b.A.n_rows * sizeof *b.right);
}

static void order_rows(spw_trial *t, void *at) {
    matrix_row *r = (matrix_row *)at;
    r->order_cpu = time_order(SPW_AS(rcm_order, spw_trial_symbol(t, "rcm_order")), &r->setup);
    if (memcmp(b.order, b.right, (size_t)b.A.n_rows * sizeof *b.order) != 0)
        refuse(r, "the order is not reverse Cuthill-McKee's, though small cases are right");
}

static void move_entries(spw_trial *t, void *at) {
    matrix_row *r = (matrix_row *)at;
    const double begin = spw_now();
    SPW_AS(permute, spw_trial_symbol(t, "permute"))(&b.A, b.order, b.inverse, &b.B);
    r->setup += spw_now() - begin;
}

/* What permute made against the library's. */
static void compare(spw_trial *t, void *at) {
    const size_t n = (size_t)b.A.n_rows;
    spw_csr R;
    (void)t;
    if (spw_csr_permute(&b.A, b.order, b.order, &R)) {
        ((matrix_row *)at)->failed = true;
        refuse((matrix_row *)at, spw_message());
        return;
    }
    if (memcmp(R.row_ptr, b.B.row_ptr, (n + 1) * sizeof *R.row_ptr) != 0 ||
        memcmp(R.col_idx, b.B.col_idx, (size_t)R.nnz * sizeof *R.col_idx) != 0 ||
        memcmp(R.val, b.B.val, (size_t)R.nnz * sizeof *R.val) != 0)
        refuse((matrix_row *)at, "permute did not give P A P^T, though small cases are right");
    spw_csr_destroy(&R);
}

static void count(spw_trial *t, void *at) {
    matrix_row *r = (matrix_row *)at;
    (void)t;
    r->bandwidth[0] = bandwidth_of(&b.A);
    r->bandwidth[1] = bandwidth_of(&b.B);
    r->failed =
        spw_order_gamma(&b.A, CACHE, &r->gamma[0]) || spw_order_gamma(&b.B, CACHE, &r->gamma[1]);
    if (r->failed) refuse(r, spw_message());
}

static bool multiply(void *context, int who) {
    (void)context;
    const double begin = spw_now();
    for (int c = 0; c < b.calls; c++) spw_spmv_csr_omp(who ? &b.B : &b.A, b.x, b.y);
    b.samples[who][b.block] = (spw_now() - begin) / b.calls;
    return true;
}

static void warm(spw_trial *t, void *at) {
    (void)t, (void)at;
    b.calls = 1;
    b.block = 0;
    for (int who = 0; who < 2; who++) multiply(NULL, who);
    b.calls = spw_sample_calls(b.samples[1][0]);
}

static void time_block(spw_trial *t, void *at) {
    (void)at;
    spw_by_turns(2, spw_trial_seed(t), b.block, multiply, NULL);
    b.block++;
}

static void end_matrix(spw_trial *t, void *at) {
    matrix_row *r = (matrix_row *)at;
    for (int who = 0; who < 2; who++)
        r->seconds[who] = spw_quartile(b.samples[who], BLOCKS, NULL, NULL);
    r->repaid = SPW_AS(repaid_after, spw_trial_symbol(t, "repaid_after"))(r->setup, r->seconds[0],
                                                                          r->seconds[1]);
    spw_csr_destroy(&b.A);
    spw_csr_destroy(&b.G);
    spw_csr_destroy(&b.B);
    spw_idx *const numbers[] = {b.level, b.order, b.right, b.inverse};
    for (int k = 0; k < 4; k++) spw_free(numbers[k]);
    spw_free(b.x);
    spw_free(b.y);
}

/* False: the judge says why, or r->why does. */
static bool measure(spw_run *run, matrix_row *r) {
    static void (*const steps[])(spw_trial *, void *) = {
        begin_matrix, order_plainly, order_rows, move_entries, compare, count, warm};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        if (!spw_run_ask(run, steps[k], r, sizeof *r) || *r->why) return false;
    for (int block = 0; block < BLOCKS; block++)
        if (!spw_run_ask(run, time_block, r, sizeof *r)) return false;
    return spw_run_ask(run, end_matrix, r, sizeof *r);
}

/* --- told -------------------------------------------------------------------------------------------- */

static void tell(spw_run *run, const matrix_row *r) {
    const double least = traffic_of(r, r->n / r->nz), gflop = 2e-9 * r->nz;
    char products[16] = "never";
    if (r->repaid >= 0 && r->repaid < 1e5) snprintf(products, sizeof products, "%.0f", r->repaid);
    spw_run_line(run, "%-16s %7.0f %7.0f  %4.2f %4.2f  %4.2f %4.2f  %5.1f %5.1f  %6s", r->label,
                 r->bandwidth[0], r->bandwidth[1], r->gamma[0], r->gamma[1],
                 traffic_of(r, r->gamma[0]) / least, traffic_of(r, r->gamma[1]) / least,
                 gflop / r->seconds[0], gflop / r->seconds[1], products);
}

spw_verdict ro_check_gain(spw_run *run) {
    const int n = sizeof rows / sizeof *rows;
    spw_run_line(run, "%-16s %15s  %9s  %9s  %11s  %6s", "", "bandwidth", "gamma", "traffic",
                 "Gflop/s", "repaid");
    for (int m = 0; m < n; m++) {
        matrix_row *r = &rows[m];
        if (!measure(run, r)) {
            spw_run_headline(run, "%s: %s", r->name, r->why);
            return r->failed ? SPW_NO_VERDICT : SPW_WRONG;
        }
        tell(run, r);
    }
    const matrix_row *first = &rows[0];
    spw_run_line(
        run, "* shuffled, + in runs of 4 rows. Pairs: as it is, in your order. gamma: counted in");
    spw_run_line(
        run, "a cache of 1 MiB. traffic: times the least. repaid: products until your set-up of");
    spw_run_line(run, "%.1f s, for the first matrix, has paid for itself.", first->setup);
    spw_run_score(run, fmin(100, 100 * first->right_cpu / first->order_cpu));
    if (first->order_cpu > MOST_TIME * first->right_cpu) {
        spw_run_headline(run, "rcm_order takes %.1f times as long as the judge's plain one, %.1f s",
                         first->order_cpu / first->right_cpu, first->order_cpu);
        spw_run_line(run, "Is each row looked at once, and its neighbours once more?");
        return SPW_SLOW;
    }
    spw_run_headline(run, "%s: %.1f times as fast in your order", first->name,
                     first->seconds[0] / first->seconds[1]);
    return SPW_PASS;
}
