/* Exercise 26: cases and explanations for models of an exchange, its plan, a product and two sums over ranks. What goes
 * wrong between ranks is found by lib/ranks, and told as a claim. */
#include "driver_ranks.h"

#include "base/memory.h"
#include "kit/cases.h"
#include "kit/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- three models: a table each -------------------------------------------------------------------- */

enum { DIVISIONS = 8 };
typedef struct table {
    bool slabs; /* else blocks */
    double *out;
} table;

typedef struct shape {
    int edge[3], grid[3];
} shape;

/* clang-format off */
static const shape divisions[2][DIVISIONS] = {
    {{{16, 16, 16}, {3, 3, 3}}, {{4, 4, 4}, {1, 1, 1}}, {{4, 4, 4}, {2, 1, 1}}, {{5, 5, 5}, {2, 2, 2}},
     {{3, 3, 3}, {4, 3, 1}}, {{16, 16, 16}, {16, 8, 8}}, {{1, 1, 1}, {5, 4, 3}}, {{500, 500, 500}, {2, 3, 5}}},
    {{{32, 32, 1}, {1, 1, 4}}, {{5, 5, 1}, {1, 1, 1}}, {{5, 5, 1}, {1, 1, 2}}, {{7, 7, 1}, {1, 1, 3}},
     {{1, 1, 1}, {1, 1, 9}}, {{128, 128, 1}, {1, 1, 128}}, {{2000, 2000, 1}, {1, 1, 1000}}, {{9000, 9000, 1}, {1, 1, 64}}}};
/* clang-format on */

SPW_ARGUMENTS_OF(table_of, table)

static void describe_exchange(const spw_trial *t, int64_t i, char *text, int size) {
    static const char *const members[] = {"messages", "bytes", "most_messages", "most_bytes"};
    const shape *s = &divisions[table_of(t)->slabs][i / 4];
    if (table_of(t)->slabs)
        snprintf(text, (size_t)size, "%s, k = %d, P = %d", members[i % 4], s->edge[0], s->grid[2]);
    else
        snprintf(text, (size_t)size, "%s, b = %d, %d x %d x %d ranks", members[i % 4], s->edge[0],
                 s->grid[0], s->grid[1], s->grid[2]);
}

static void put(double *out, exchange e) {
    out[0] = (double)e.messages, out[1] = (double)e.bytes;
    out[2] = (double)e.most_messages, out[3] = (double)e.most_bytes;
}

static void expect_exchange(spw_trial *t, const void *at) {
    const table *d = (const table *)at;
    double *right = spw_kit_doubles(t, 4 * DIVISIONS);
    for (int i = 0; i < DIVISIONS; i++) {
        const shape *s = &divisions[d->slabs][i];
        put(right + 4 * i, boxes_exchange(s->edge, s->grid));
    }
    spw_kit_expect(t, d->out, right, NULL);
}

static exchange ask(spw_function f, const shape *s, bool slabs) {
    return slabs ? SPW_AS(slab_exchange, f)(s->edge[0], s->grid[2])
                 : SPW_AS(block_exchange, f)(s->edge[0], s->grid);
}

static void call_exchange(const void *at, spw_function f) {
    const table *d = (const table *)at;
    for (int i = 0; i < DIVISIONS; i++)
        put(d->out + 4 * i, ask(f, &divisions[d->slabs][i], d->slabs));
}

static void prepare_table(spw_trial *t, const char *name, void *at) {
    ((table *)at)->slabs = name[0] == 's';
    spw_kit_quantity(t, ".divisions", DIVISIONS);
}

static const spw_argument of_exchange[] = {
    SPW_OUTPUT_AS("exchange", table, out, "4 divisions", .describe = describe_exchange), {0}};
static const spw_kit exchange_kit =
    SPW_KIT_OF(of_exchange, table, call_exchange, expect_exchange, .prepare = prepare_table,
               .facts = "{divisions} divisions");

typedef struct timed {
    network N;
    work W;
    int P;
    const char *what;
} timed;
static const timed times[] = {
    {{1e-6, 0.3e-6, 12.5e9}, {544.2e-6, 225.5e-6, 26, 52288}, 64, "32^3 a rank, fast network"},
    {{1e-6, 0.3e-6, 12.5e9}, {544.2e-6, 225.5e-6, 26, 52288}, 1024, "more ranks"},
    {{25e-6, 2e-6, 1.25e9}, {100e-6, 35.3e-6, 26, 13888}, 64, "small blocks, slow network"},
    {{25e-6, 2e-6, 1.25e9}, {20e-6, 35.3e-6, 2, 262144}, 128, "the transfer is slower"},
    {{25e-6, 2e-6, 1.25e9}, {20e-6, 5e-6, 0, 0}, 16, "a diagonal matrix: no message"},
    {{25e-6, 2e-6, 1.25e9}, {60e-6, 5e-6, 0, 0}, 1, "one rank"},
    {{1e-6, 0.3e-6, 12.5e9}, {10e-6, 1e-6, 11, 5000}, 100, "100 ranks"},
    {{0, 0, 1e9}, {1e-3, 1e-3, 6, 8000}, 3, "neither latency nor overhead"}};

static double seconds_of(const timed *r) {
    const network N = r->N;
    const work W = r->W;
    double seconds = W.t_local, stages = 0;
    if (W.messages) seconds = fmax(seconds, N.L + (double)W.bytes / N.B);
    for (int P = 1; P < r->P; P *= 2) stages++;
    for (int m = 1; m <= 2; m++) seconds += stages * (N.L + 2 * N.o + 8 * m / N.B);
    return seconds + W.t_rest + (double)(2 * W.messages) * (N.o + N.o);
}

SPW_TABLE(times, "t", "{rows} networks", times, timed, seconds_of, 1e-9, iteration_time,
          (r->N, r->W, r->P), "%s: P = %d", r->what, r->P)

/* --- ranks: a case is a matrix, how many ranks, and whether their shares are equal ------------------- */

/* Outputs have two parts: the lowest rank ran first, and the highest. */
typedef struct problem {
    const spw_csr *A;
    int P, unequal;
    const double *x, *y, *u, *v;
    spw_idx *plan;
    double *product, *sums;
    char trouble[TROUBLE];
} problem;

/* What the ranks of one run share. */
typedef struct play {
    const problem *d;
    crew C;
    spw_function f;
    int order;
} play;

SPW_ARGUMENTS_OF(problem_of, problem)

static void gather(const spw_trial *t, const spw_csr *A, crew *C) {
    const problem *d = problem_of(t);
    spw_kit_must(t, crew_of_matrix(A, d->P, d->unequal, C));
    crew_plan(C);
}

/* "shift:9": each row needs the column on its right alone, the last row the first one. */
static spw_status make_matrix(spw_trial *t, const void *at, void *matrix) {
    spw_csr *A = (spw_csr *)matrix;
    crew C;
    int n = 0;
    spw_trial_result(t, ((problem *)(uintptr_t)at)->trouble, TROUBLE);
    const bool shift = sscanf(spw_kit_case(t), "shift:%d", &n) == 1;
    spw_kit_must(t, shift ? spw_csr_create(n, n, n, A)
                          : spw_csr_named(spw_kit_case(t), spw_trial_seed(t), A));
    for (spw_idx i = 0; i < n; i++)
        A->row_ptr[i + 1] = i + 1, A->col_idx[i] = (i + 1) % n, A->val[i] = 1 + i;
    A->row_ptr[0] = 0;
    gather(t, A, &C);
    spw_kit_quantity(t, ".messages", (double)C.least.messages);
    spw_kit_quantity(t, ".plans", (double)(4 * C.P * C.P + C.least.bytes / 4));
    spw_kit_quantity(t, ".ranks", C.P);
    crew_close(&C);
    return SPW_OK;
}

/* Both orders, if there is no trouble in the first; `after` what a run has left. False: what is told is d->trouble. */
static bool run_both(const void *at, spw_function f, void (*body)(int, void *), bool planned,
                     void (*after)(play *, const spw_ranks_result *)) {
    problem *d = (problem *)(uintptr_t)at;
    play p = {.d = d, .f = f};
    d->trouble[0] = 0;
    for (; p.order < 2 && !d->trouble[0]; p.order++) {
        spw_ranks_result result;
        if (crew_of_matrix(d->A, d->P, d->unequal, &p.C)) crew_trouble(&p.C, "%s", spw_message());
        if (planned && !p.C.trouble[0]) crew_plan(&p.C);
        if (crew_run(&p.C, body, &p, NULL, p.order, &result) && after) after(&p, &result);
        snprintf(d->trouble, TROUBLE, "%s", p.C.trouble);
        crew_close(&p.C);
    }
    return !d->trouble[0];
}

static void claim(spw_trial *t) {
    if (problem_of(t)->trouble[0]) spw_trial_fail(t, "%s", problem_of(t)->trouble);
}

static const char *order_of(int64_t i, int64_t half) {
    return i < half ? "" : "; with the highest rank first";
}

/* --- halo_plan ------------------------------------------------------------------------------------- */

static void plan_of_rank(int rank, void *at) {
    play *p = at;
    MPI_Init(NULL, NULL);
    SPW_AS(halo_plan, p->f)(&p->C.of[rank].R, &p->C.of[rank].h);
    MPI_Finalize();
}

static bool check_list(crew *C, int rank, const char *name, int n, const int *ranks,
                       const spw_idx *ptr, int64_t entries) {
    if (n < 0 || n > C->P)
        crew_trouble(C, "rank %d: n_%s is %d, and there are %d ranks", rank, name, n, C->P);
    else if (ptr[0] != 0 || ptr[n] != entries)
        crew_trouble(C,
                     "rank %d: n_%s is %d, and %s_ptr goes from %d to %d: from 0 to %lld entries",
                     rank, name, n, name, ptr[0], ptr[n], (long long)entries);
    for (int k = 0; k < n && !C->trouble[0]; k++)
        if (ranks[k] < 0 || ranks[k] >= C->P || (k > 0 && ranks[k] <= ranks[k - 1]))
            crew_trouble(C, "rank %d: %s[%d] is %d: ranks from 0 to %d, ascending, each once", rank,
                         name, k, ranks[k], C->P - 1);
        else if (ptr[k + 1] < ptr[k])
            crew_trouble(C, "rank %d: %s_ptr[%d] is %d, and %d comes before it", rank, name, k + 1,
                         ptr[k + 1], ptr[k]);
    return !C->trouble[0];
}

/* The plans of C, for one order: how many entries each rank sends to each, and gets from each; then all lists to_rows,
 * where those of `right` have their places. */
static void write_plan(const problem *d, const crew *C, const crew *right, int order) {
    const int P = C->P, pairs = P * P;
    spw_idx *sends = d->plan + order * (2 * pairs + right->least.bytes / 8),
            *receives = sends + pairs, *row = receives + pairs;
    for (int r = 0; r < 2 * pairs; r++) sends[r] = 0;
    for (int r = 0; r < P; r++) {
        const halo *h = &C->of[r].h, *g = &right->of[r].h;
        for (int k = 0; k < h->n_to; k++) sends[r * P + h->to[k]] = h->to_ptr[k + 1] - h->to_ptr[k];
        for (int k = 0; k < h->n_from; k++)
            receives[r * P + h->from[k]] = h->from_ptr[k + 1] - h->from_ptr[k];
        for (spw_idx e = 0; e < g->to_ptr[g->n_to] && e < h->to_ptr[h->n_to]; e++)
            row[e] = h->to_rows[e];
        row += g->to_ptr[g->n_to];
    }
}

static void after_plan(play *p, const spw_ranks_result *result) {
    crew *C = &p->C, right;
    (void)result;
    for (int r = 0; r < C->P && !C->trouble[0]; r++) {
        const member *m = &C->of[r];
        if (check_list(C, r, "from", m->h.n_from, m->h.from, m->h.from_ptr, m->R.n_ghosts))
            check_list(C, r, "to", m->h.n_to, m->h.to, m->h.to_ptr, m->room);
    }
    if (C->trouble[0] || crew_of_matrix(p->d->A, C->P, p->d->unequal, &right)) return;
    crew_plan(&right);
    write_plan(p->d, C, &right, p->order);
    crew_close(&right);
}

static void right_plan(const problem *d) {
    crew right;
    if (crew_of_matrix(d->A, d->P, d->unequal, &right)) return;
    crew_plan(&right);
    for (int order = 0; order < 2; order++) write_plan(d, &right, &right, order);
    crew_close(&right);
}

static void call_plan(const void *at, spw_function f) {
    if (!run_both(at, f, plan_of_rank, false, after_plan)) right_plan((const problem *)at);
}

static void expect_plan(spw_trial *t, const void *at) {
    problem own = *(const problem *)at;
    spw_idx *array = own.plan;
    own.plan = spw_kit_indices(t, (int64_t)spw_kit_value(t, "plans"));
    right_plan(&own);
    spw_kit_expect(t, array, own.plan, NULL);
}

static void describe_plan(const spw_trial *t, int64_t i, char *text, int size) {
    const int64_t P = problem_of(t)->P, half = (int64_t)spw_kit_value(t, "plans") / 2;
    int64_t at = i % half, rank = at / P % P;
    crew right;
    gather(t, problem_of(t)->A, &right);
    if (at < 2 * P * P) {
        snprintf(text, (size_t)size, "entries that rank %lld %s rank %lld%s", (long long)rank,
                 at < P * P ? "sends to" : "gets from", (long long)(at % P), order_of(i, half));
    } else {
        for (at -= 2 * P * P, rank = 0; at >= right.of[rank].h.to_ptr[right.of[rank].h.n_to];
             rank++)
            at -= right.of[rank].h.to_ptr[right.of[rank].h.n_to];
        snprintf(text, (size_t)size, "to_rows[%lld] of rank %lld%s", (long long)at, (long long)rank,
                 order_of(i, half));
    }
    crew_close(&right);
}

/* --- multiply -------------------------------------------------------------------------------------- */

enum { STALE = 4096 };

/* One product with the lowest rank first, two in a row with the highest: there ghosts of the first would show in the
 * second. Of these three `product` holds y. */
static void products_of_rank(int rank, void *at) {
    play *p = at;
    const member *m = &p->C.of[rank];
    const size_t bytes = (size_t)m->R.n * sizeof(double);
    const int64_t n = p->d->A->n_rows, first = p->C.first[rank];
    for (spw_idx g = 0; g < m->R.n_ghosts; g++) m->x[m->R.n + g] = STALE;
    MPI_Init(NULL, NULL);
    for (int k = p->order; k <= 2 * p->order; k++) {
        if (bytes) memcpy(m->x, p->d->x + k / 2 * n + first, bytes);
        SPW_AS(multiply, p->f)(&m->R, &m->h, m->x, m->y);
        if (bytes) memcpy(p->d->product + k * n + first, m->y, bytes);
    }
    MPI_Finalize();
}

static void after_products(play *p, const spw_ranks_result *result) {
    const exchange *e = &p->C.least;
    const int64_t products = p->order + 1, messages = result->messages / products,
                  bytes = result->bytes / products;
    if (messages > e->messages || bytes > e->bytes)
        crew_trouble(&p->C,
                     "One product sends %lld messages with %lld bytes; %lld with %lld are needed:\n"
                     "one from a rank to another that needs its entries, with each entry once",
                     (long long)messages, (long long)bytes, (long long)e->messages,
                     (long long)e->bytes);
}

static void right_products(const problem *d, double *right, double *tolerance) {
    const int64_t n = d->A->n_rows;
    for (int k = 0; k < 3; k++)
        spw_spmv_expected(d->A, d->x + k / 2 * n, right + k * n, tolerance + k * n);
}

static void call_products(const void *at, spw_function f) {
    const problem *d = (const problem *)at;
    double *room;
    if (run_both(at, f, products_of_rank, true, after_products)) return;
    if (SPW_ALLOC(&room, 3 * (int64_t)d->A->n_rows)) return;
    right_products(d, d->product, room);
    spw_free(room);
}

static void expect_products(spw_trial *t, const void *at) {
    const problem *d = (const problem *)at;
    const int64_t n = 3 * (int64_t)d->A->n_rows;
    double *right = spw_kit_doubles(t, n), *tolerance = spw_kit_doubles(t, n);
    right_products(d, right, tolerance);
    spw_kit_expect(t, d->product, right, tolerance);
}

static void describe_product(const spw_trial *t, int64_t i, char *text, int size) {
    const problem *d = problem_of(t);
    const int64_t n = d->A->n_rows;
    const int line = spw_ranks_unread_line(d->product[i]);
    char why[100] = "";
    if (line)
        snprintf(why, sizeof why,
                 ";\n   x was read where the message of line %d comes, before its wait", line);
    snprintf(text, (size_t)size, "row %lld%s%s%s", (long long)(i % n), order_of(i, n),
             i < 2 * n ? "" : ", in the second product", why);
}

/* --- two_dots -------------------------------------------------------------------------------------- */

static void dots_of_rank(int rank, void *at) {
    const play *p = at;
    const problem *d = p->d;
    const int64_t first = p->C.first[rank];
    MPI_Init(NULL, NULL);
    SPW_AS(two_dots, p->f)
    (p->C.of[rank].R.n, d->x + first, d->y + first, d->u + first, d->v + first,
     d->sums + 2 * (p->order * d->P + rank));
    MPI_Finalize();
}

/* x . y and u . v, alternately. tolerance: or NULL */
static void right_sums(const problem *d, double *right, double *tolerance) {
    for (int k = 0; k < 4 * d->P; k++) {
        double error;
        right[k] = spw_dot_expected(d->A->n_rows, k % 2 ? d->u : d->x, k % 2 ? d->v : d->y, &error);
        if (tolerance) tolerance[k] = error;
    }
}

static void call_dots(const void *at, spw_function f) {
    const problem *d = (const problem *)at;
    if (!run_both(at, f, dots_of_rank, false, NULL)) right_sums(d, d->sums, NULL);
}

static void expect_dots(spw_trial *t, const void *at) {
    const problem *d = (const problem *)at;
    double *right = spw_kit_doubles(t, 4 * d->P), *tolerance = spw_kit_doubles(t, 4 * d->P);
    right_sums(d, right, tolerance);
    spw_kit_expect(t, d->sums, right, tolerance);
}

static void describe_sum(const spw_trial *t, int64_t i, char *text, int size) {
    const int64_t P = problem_of(t)->P;
    snprintf(text, (size_t)size, "sums[%d] of rank %lld%s", (int)(i % 2), (long long)(i / 2 % P),
             order_of(i, 2 * P));
}

#define MATRIX                                                                                     \
    SPW_VALUE(problem, P, "P"), SPW_VALUE(problem, unequal, "unequal"),                            \
        SPW_HIDDEN(problem, A, &spw_kit_csr, make_matrix)
static const spw_argument of_plan[] = {
    MATRIX, SPW_OUTPUT(problem, plan, "plans", .describe = describe_plan), {0}};
static const spw_argument of_product[] = {
    MATRIX,
    SPW_RANDOM(problem, x, "2 n_rows"),
    SPW_OUTPUT_AS("y", problem, product, "3 n_rows", .describe = describe_product),
    {0}};
static const spw_argument of_dots[] = {
    MATRIX,
    SPW_RANDOM(problem, x, "n_rows"),
    SPW_RANDOM(problem, y, "n_rows"),
    SPW_RANDOM(problem, u, "n_rows"),
    SPW_RANDOM(problem, v, "n_rows"),
    SPW_OUTPUT(problem, sums, "4 ranks", .describe = describe_sum),
    {0}};

#define RANKS(arguments, call_, expect_)                                                           \
    SPW_KIT_OF(arguments, problem, call_, expect_, .parameters = "@P=2,unequal=0",                 \
               .facts = "{size}; {ranks} ranks, {messages} messages")
static const spw_kit plan_kit = RANKS(of_plan, call_plan, expect_plan),
                     product_kit = RANKS(of_product, call_products, expect_products),
                     dots_kit = RANKS(of_dots, call_dots, expect_dots);

/* --- check SCALES ---------------------------------------------------------------------------------- */

enum { SHAPES = 9, STEPS = 2, SUMS = 2 };
static const double GOAL = 0.95; /* of the speed that the models predict */
static const shape shapes[SHAPES] = {
    {{16, 16, 16}, {1, 1, 1}}, {{16, 16, 16}, {2, 1, 1}},  {{16, 16, 16}, {4, 2, 2}},
    {{16, 16, 16}, {8, 4, 4}}, {{16, 16, 16}, {16, 8, 8}}, {{128, 128, 128}, {2, 1, 1}},
    {{64, 64, 64}, {4, 2, 2}}, {{32, 32, 32}, {8, 4, 4}},  {{128, 128, 2}, {1, 1, 128}}};

static struct scales {
    spw_cluster clusters[SPW_CLUSTERS];
    struct seen {
        double run, predicted; /* s an iteration */
        int collectives;       /* of an iteration */
        char trouble[TROUBLE];
    } seen[SPW_CLUSTERS * SHAPES];
} scales;

typedef struct solver {
    crew C;
    __typeof__(multiply) *multiply;
    __typeof__(two_dots) *dots;
} solver;

/* Iterations of preconditioned CG: p . q is the driver's, the vectors are charged. */
static void iterate(int rank, void *at) {
    solver *s = at;
    member *m = &s->C.of[rank];
    double p_q = 0, sums[2];
    MPI_Init(NULL, NULL);
    for (int k = 0; k < STEPS; k++) {
        s->multiply(&m->R, &m->h, m->x, m->y);
        MPI_Allreduce(MPI_IN_PLACE, &p_q, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        spw_ranks_charge(m->t_vectors);
        s->dots(m->R.n, m->x, m->y, m->y, m->y, sums);
    }
    MPI_Finalize();
}

static double predict(spw_trial *t, const solver *s, const shape *of, const spw_cluster *c) {
    const bool slabs = of->edge[0] != of->edge[2];
    const exchange all =
        ask(spw_trial_symbol(t, slabs ? "slab_exchange" : "block_exchange"), of, slabs);
    const member *most = &s->C.of[0];
    for (int r = 1; r < s->C.P; r++)
        if (s->C.of[r].R.n_ghosts > most->R.n_ghosts) most = &s->C.of[r];
    const work W = {most->t_local, most->t_ghosts + most->t_vectors, all.most_messages,
                    all.most_bytes};
    return SPW_AS(iteration_time, spw_trial_symbol(t, "iteration_time"))(
        (network){c->latency, c->overhead, c->bandwidth}, W, s->C.P);
}

/* In one process ranks could share a variable; those of MPI cannot. */
static void check_sent(crew *C, int64_t bytes) {
    if (bytes < C->least.bytes)
        crew_trouble(
            C,
            "One product sends %lld bytes in messages, and %lld are needed. Did entries come by\n"
            "a collective call, or by a variable that all ranks share? Ranks of MPI share none",
            (long long)bytes, (long long)C->least.bytes);
}

/* Where the answer is. */
static void scale(spw_trial *t, void *at) {
    struct scales *all = at;
    for (int k = 0; k < SPW_CLUSTERS * SHAPES; k++) {
        const shape *of = &shapes[k % SHAPES];
        const spw_cluster *c = &all->clusters[k / SHAPES];
        struct seen *now = &all->seen[k];
        spw_ranks_result result;
        solver s = {.multiply = SPW_AS(multiply, spw_trial_symbol(t, "multiply")),
                    .dots = SPW_AS(two_dots, spw_trial_symbol(t, "two_dots"))};
        if (crew_of_boxes(of->edge, of->grid, c, &s.C))
            crew_trouble(&s.C, "%s", spw_message());
        else
            crew_plan(&s.C);
        if (crew_run(&s.C, iterate, &s, c, false, &result)) {
            check_sent(&s.C, result.bytes / STEPS);
            now->run = result.seconds / STEPS;
            now->collectives = (int)(result.collectives / STEPS);
            now->predicted = predict(t, &s, of, c);
        }
        snprintf(now->trouble, TROUBLE, "%s", s.C.trouble);
        crew_close(&s.C);
    }
}

static spw_verdict tell_slow(spw_run *run, int k) {
    const struct seen *s = &scales.seen[k];
    spw_run_headline(run, "%.0f %% of the predicted speed, goal %.0f %%, on the modelled clock",
                     100 * s->predicted / s->run, 100 * GOAL);
    const int *edge = shapes[k % SHAPES].edge;
    spw_run_line(run, "The share is least with %d x %d x %d points a rank, %s network", edge[0],
                 edge[1], edge[2], scales.clusters[k / SHAPES].name);
    if (s->collectives > SUMS)
        spw_run_line(run, "An iteration makes %d collective calls; %d are enough", s->collectives,
                     SUMS);
    else
        spw_run_line(run,
                     "Are all messages posted before multiply_local, and none waited for before\n"
                     "it has returned? Then they move while it computes");
    return SPW_SLOW;
}

static spw_verdict tell_scales(spw_run *run) {
    const struct seen *seen = scales.seen;
    int worst = 0;
    spw_run_line(run, "µs an iteration        %12s network %12s network", scales.clusters[0].name,
                 scales.clusters[1].name);
    spw_run_line(run, "ranks  points a rank     predicted   yours   predicted   yours");
    for (int k = 0; k < SPW_CLUSTERS * SHAPES; k++) {
        const struct seen *f = &seen[k % SHAPES], *s = f + SHAPES;
        const int *edge = shapes[k % SHAPES].edge, *grid = shapes[k % SHAPES].grid;
        const int ranks = grid[0] * grid[1] * grid[2];
        if (seen[k].trouble[0]) {
            spw_run_headline(run, "%d ranks do not come to the end", ranks);
            spw_run_line(run, "%s", seen[k].trouble);
            return SPW_WRONG;
        }
        if (k < SHAPES)
            spw_run_line(run, "%5d  %3d x %3d x %3d  %10.1f%8.1f%12.1f%8.1f", ranks, edge[0],
                         edge[1], edge[2], 1e6 * f->predicted, 1e6 * f->run, 1e6 * s->predicted,
                         1e6 * s->run);
        if (seen[k].predicted * seen[worst].run < seen[worst].predicted * seen[k].run) worst = k;
    }
    if (getenv("CLUSTERS")) {
        spw_run_headline(run, "networks of CLUSTERS: no goal, on the modelled clock");
        return SPW_NO_VERDICT;
    }
    spw_run_score(run, 100 * seen[worst].predicted / seen[worst].run);
    if (seen[worst].predicted < GOAL * seen[worst].run) return tell_slow(run, worst);
    spw_run_headline(run, "weak and strong, to 1024 ranks, on the modelled clock");
    return SPW_PASS;
}

static spw_verdict check_scales(spw_run *run) {
    memset(&scales, 0, sizeof scales);
    if (spw_clusters_read(scales.clusters)) {
        spw_run_headline(run, "%s", spw_message());
        return SPW_FAULT;
    }
    return spw_run_ask(run, scale, &scales, sizeof scales) ? tell_scales(run) : SPW_FAULT;
}

/* --- the declaration ------------------------------------------------------------------------------- */

/* clang-format off */
static const char *const slabs[] = {"slabs", NULL}, *const blocks[] = {"blocks", NULL}, *const networks[] = {"table", NULL};
static const char *const ranked[] = {
    "one-by-one@1", "one-by-one@3", "slides@2", "slides@3", "tridiag:12@3", "tridiag:5@7", "diagonal@4", "zeros@2",
    "shift:9@3", "shift:16@16", "arrow@4", "dense-column@3", "random:40x40x3@5", "random:30x30x2@4,1", "convdiff2d:7@6,1",
    "laplace2d:8@16", "stencil27:4x4x8@7", NULL};
static const char *const summed[] = {
    "one-by-one@1", "one-by-one@3", "slides@2", "zeros@7", "tridiag:100@5,1", "tridiag:1000@16", NULL};

static const char *const allowed[] = {
    "halo_room", "multiply_local", "multiply_ghosts", "spw_ranks_at", "spw_ranks_exit", "spw_MPI_Init",
    "spw_MPI_Finalize", "spw_MPI_Abort", "spw_MPI_Wtime", "spw_MPI_Comm_rank", "spw_MPI_Comm_size",
    "spw_MPI_Get_count", "spw_MPI_Send", "spw_MPI_Ssend", "spw_MPI_Recv", "spw_MPI_Sendrecv", "spw_MPI_Isend",
    "spw_MPI_Issend", "spw_MPI_Irecv", "spw_MPI_Send_init", "spw_MPI_Recv_init", "spw_MPI_Start", "spw_MPI_Startall",
    "spw_MPI_Request_free", "spw_MPI_Probe", "spw_MPI_Iprobe", "spw_MPI_Wait", "spw_MPI_Waitall", "spw_MPI_Waitany",
    "spw_MPI_Waitsome", "spw_MPI_Test", "spw_MPI_Testall", "spw_MPI_Barrier", "spw_MPI_Ibarrier", "spw_MPI_Bcast",
    "spw_MPI_Reduce", "spw_MPI_Allreduce", "spw_MPI_Iallreduce", "spw_MPI_Scan", "spw_MPI_Exscan", "spw_MPI_Gather",
    "spw_MPI_Gatherv", "spw_MPI_Allgather", "spw_MPI_Allgatherv", "spw_MPI_Scatter", "spw_MPI_Scatterv",
    "spw_MPI_Alltoall", "spw_MPI_Alltoallv", NULL};
/* clang-format on */

static const spw_part parts[] = {
    SPW_PART("slab_exchange", slabs, exchange_kit, ),
    SPW_PART("block_exchange", blocks, exchange_kit, ),
    SPW_PART("iteration_time", networks, times_kit, ),
    SPW_PART("halo_plan", ranked, plan_kit, .claim = claim),
    SPW_PART("multiply", ranked, product_kit, .claim = claim),
    SPW_PART("two_dots", summed, dots_kit, .claim = claim),
};

SPW_DRIVER(parts, .allowed = allowed, .own_check_name = "SCALES", .own_check = check_scales)
