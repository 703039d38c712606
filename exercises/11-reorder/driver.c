/* Exercise 11: cases, true costs and explanations for reordering. What mistakes give is told by the patches in
 * tests/wrong/11-reorder. */
#include "problem.h"

#include "base/memory.h"
#include "formats/permute.h"
#include "kit/kit.h"
#include "kit/orders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bill {
    const char *name;
    double n, nz, gamma, setup, before, after;
} bill;

/* A part's arguments. */
typedef struct problem {
    graph own;           /* what the driver uses */
    const graph *G;      /* what the answer is given */
    spw_idx start, done; /* done: a row that has a place before, if there is one */
    spw_idx *level, *order, *returned;
    const spw_csr *A, *right, *B;
    const spw_idx *given; /* an order */
    spw_idx *inverse;
    const double *x;
    double *y;
    double n, *number;
    bill bill;
} problem;

SPW_ARGUMENTS_OF(of, problem)

/* --- orders ------------------------------------------------------------------------------------------ */

static void prepare_graph(spw_trial *t, const char *name, void *at) {
    problem *p = (problem *)at;
    spw_csr A, G;
    spw_kit_must(t, ro_matrix(name, spw_trial_seed(t), &A));
    const spw_status status = spw_order_graph(&A, &G);
    spw_csr_destroy(&A);
    spw_kit_must(t, status);
    const spw_idx n = G.n_rows;
    spw_free(G.val);
    p->own.n = n;
    p->own.ptr =
        (const spw_idx *)spw_trial_adopt(t, "G->ptr", SPW_INDEX, (int64_t)n + 1, G.row_ptr);
    p->own.neighbour =
        (const spw_idx *)spw_trial_adopt(t, "G->neighbour", SPW_INDEX, G.nnz, G.col_idx);
    spw_kit_need(t, p->own.ptr);
    spw_kit_need(t, p->own.neighbour);
    p->G = (const graph *)spw_kit_need(t, spw_trial_struct(t, "G", &p->own, sizeof p->own));
    spw_kit_quantity(t, "n", n);
    spw_kit_quantity(t, ".neighbours", G.nnz);
}

static void prepare_search(spw_trial *t, const char *name, void *at) {
    problem *p = (problem *)at;
    prepare_graph(t, name, at);
    p->start = (spw_idx)spw_kit_value(t, "start");
    p->done = (spw_idx)spw_kit_value(t, "done");
}

static void fill_levels(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)t;
    spw_idx *level = (spw_idx *)array;
    const spw_idx done = ((const problem *)at)->done;
    for (int64_t i = 0; i < n; i++) level[i] = -1;
    if (done > 0 && done < n) level[done] = 3;
}

static void describe_place(const spw_trial *t, int64_t k, char *text, int size) {
    const problem *p = of(t);
    const spw_idx i = p->order[k];
    if (i >= 0 && i < p->own.n)
        snprintf(text, (size_t)size, "row %d has %d neighbour%s", i,
                 p->own.ptr[i + 1] - p->own.ptr[i],
                 p->own.ptr[i + 1] - p->own.ptr[i] == 1 ? "" : "s");
}

static const spw_argument searching[] = {
    SPW_START(problem, level, "n", .fill = fill_levels),
    SPW_OUTPUT(problem, order, "n", .describe = describe_place),
    SPW_NUMBER(problem, returned, "the returned number"),
    {0}};
static const spw_argument ordering[] = {SPW_START(problem, level, "n", .fill = fill_levels),
                                        SPW_OUTPUT(problem, order, "n", .describe = describe_place),
                                        {0}};

/* Only read. */
static spw_csr view(const graph *G) {
    return (spw_csr){.n_rows = G->n,
                     .row_ptr = (spw_idx *)(uintptr_t)G->ptr,
                     .col_idx = (spw_idx *)(uintptr_t)G->neighbour};
}

static void expect_search(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const spw_csr G = view(&p->own);
    spw_idx *order = spw_kit_indices(t, p->own.n), *level = spw_kit_indices(t, p->own.n);
    fill_levels(t, p, level, p->own.n);
    const spw_idx count = spw_order_bfs(&G, p->start, level, order);
    spw_kit_expect_first(t, p->order, count, order, NULL);
    spw_kit_expect_index(t, p->returned, count);
    spw_kit_expect(t, p->level, level, NULL);
}

SPW_RESULT(call_search, bfs_order, const problem *p, *p->returned, p->G, p->start, p->level,
           p->order)
static const spw_kit search_kit =
    SPW_KIT_OF(searching, problem, call_search, expect_search, .parameters = "@start=0,done=0",
               .prepare = prepare_search, .facts = "n = {n}, start {start}");

static void expect_order(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const spw_csr G = view(&p->own);
    spw_idx *order = spw_kit_indices(t, p->own.n), *level = spw_kit_indices(t, p->own.n);
    fill_levels(t, p, level, p->own.n);
    spw_order_rcm(&G, level, order);
    spw_kit_expect(t, p->order, order, NULL);
}

SPW_CALL(call_order, rcm_order, const problem *p, p->G, p->level, p->order)
static const spw_kit order_kit =
    SPW_KIT_OF(ordering, problem, call_order, expect_order, .prepare = prepare_graph,
               .facts = "n = {n}, {neighbours} neighbours");

/* --- permute, to_new, to_old --------------------------------------------------------------------------- */

/* Any order that is not its own inverse where it can be avoided: RCM's of the case. */
static spw_status make_order(const spw_csr *A, spw_idx *order) {
    spw_csr G = {0};
    spw_idx *level;
    spw_status status = SPW_ALLOC(&level, A->n_rows + 1);
    if (status) return status;
    status = spw_order_graph(A, &G);
    for (spw_idx i = 0; i < A->n_rows; i++) level[i] = -1;
    if (!status) spw_order_rcm(&G, level, order);
    spw_free(level);
    spw_csr_destroy(&G);
    return status;
}

static void fill_order(spw_trial *t, const void *at, void *array, int64_t n) {
    const problem *p = (const problem *)at;
    if (p->A)
        spw_kit_must(t, make_order(p->A, (spw_idx *)array));
    else /* a turn by three places, not its own inverse */
        for (int64_t k = 0; k < n; k++) ((spw_idx *)array)[k] = (spw_idx)((k + 3) % n);
}

static spw_status make_right(spw_trial *t, const void *at, void *matrix) {
    (void)t;
    const problem *p = (const problem *)at;
    spw_idx *order;
    spw_status status = SPW_ALLOC(&order, p->A->n_rows + 1);
    if (!status) status = make_order(p->A, order);
    if (!status) status = spw_csr_permute(p->A, order, order, (spw_csr *)matrix);
    spw_free(order);
    return status;
}

static void describe_row(const spw_trial *t, int64_t i, char *text, int size) {
    if (i > 0)
        snprintf(text, (size_t)size, "row %d of B is row %d of A", (int)i - 1, of(t)->given[i - 1]);
}

static void describe_entry(const spw_trial *t, int64_t at, char *text, int size) {
    const spw_csr *R = of(t)->right;
    spw_idx i = 0;
    while (R->row_ptr[i + 1] <= at) i++;
    snprintf(text, (size_t)size, "row %d of B, which is row %d of A", i, of(t)->given[i]);
}

static const spw_argument permuting[] = {
    SPW_CSR(problem, A),
    SPW_INPUT_AS("order", problem, given, "n_rows", .fill = fill_order),
    SPW_HIDDEN(problem, right, &spw_kit_csr, make_right),
    SPW_LIKE(problem, B, &spw_kit_csr, "B->"),
    SPW_ROOM(problem, inverse, "n_rows"),
    {0}};

static void expect_permuted(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    spw_kit_expect_described(t, p->B->row_ptr, p->right->row_ptr, describe_row);
    spw_kit_expect_described(t, p->B->col_idx, p->right->col_idx, describe_entry);
    spw_kit_expect_described(t, p->B->val, p->right->val, describe_entry);
}

SPW_CALL(call_permute, permute, const problem *p, p->A, p->given, p->inverse, p->B)
static const spw_kit permute_kit = SPW_KIT_OF(permuting, problem, call_permute, expect_permuted,
                                              .matrix = ro_matrix, .facts = "{size}");

static void prepare_vector(spw_trial *t, const char *name, void *at) {
    ((problem *)at)->n = strtod(name, NULL);
    spw_kit_quantity(t, "n", ((problem *)at)->n);
}

#define MOVING(from, to)                                                                           \
    {                                                                                              \
        SPW_INPUT_AS("order", problem, given, "n", .fill = fill_order),                            \
            SPW_INPUT_AS(from, problem, x, "n"), SPW_OUTPUT_AS(to, problem, y, "n", ), {           \
            0                                                                                      \
        }                                                                                          \
    }
static const spw_argument moving[] = MOVING("x", "y"), moving_back[] = MOVING("y", "x");

static void expect_new(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const spw_idx n = (spw_idx)p->n;
    double *right = spw_kit_doubles(t, n);
    for (spw_idx k = 0; k < n; k++) right[k] = p->x[p->given[k]];
    spw_kit_expect(t, p->y, right, NULL);
}

static void expect_old(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const spw_idx n = (spw_idx)p->n;
    double *right = spw_kit_doubles(t, n);
    for (spw_idx k = 0; k < n; k++) right[p->given[k]] = p->x[k];
    spw_kit_expect(t, p->y, right, NULL);
}

SPW_CALL(call_vector, to_new, const problem *p, (spw_idx)p->n, p->given, p->x, p->y)
static const spw_kit new_kit = SPW_KIT_OF(moving, problem, call_vector, expect_new,
                                          .prepare = prepare_vector, .facts = "n = {n}");
static const spw_kit old_kit = SPW_KIT_OF(moving_back, problem, call_vector, expect_old,
                                          .prepare = prepare_vector, .facts = "n = {n}");

/* --- repaid_after, and the model --------------------------------------------------------------------------- */

/* Times whose differences and quotients have no rounding. */
static const bill bills[] = {{"six products", 1000, 6940, 0.25, 3, 0.75, 0.25},
                             {"a part of a product", 5, 13, 6, 3.5, 0.75, 0.0625},
                             {"at once", 1, 1, 1, 0.25, 1, 0.5},
                             {"no gain", 100, 460, 0.5, 1, 0.5, 0.5},
                             {"slower than before", 300, 4000, 2.5, 1, 0.5, 0.75}};

static void prepare_bill(spw_trial *t, const char *name, void *at) {
    problem *p = (problem *)at;
    const bill *b = bills;
    while (strcmp(b->name, name) != 0) b++;
    p->bill = *b;
    spw_kit_quantity(t, "n", b->n);
    spw_kit_quantity(t, "nz", b->nz);
    spw_kit_quantity(t, "gamma", b->gamma);
    spw_trial_say(t, "set-up %g s, a product %g s before, %g s after", b->setup, b->before,
                  b->after);
}

static const spw_argument repaying[] = {SPW_NUMBER(problem, number, "the returned number"), {0}};

static void expect_repaid(spw_trial *t, const void *at) {
    const problem *p = (const problem *)at;
    const double gain = p->bill.before - p->bill.after;
    double right = -1;
    for (int products = 1; gain > 0 && right < 0; products++)
        if (products * gain >= p->bill.setup) right = products;
    spw_kit_expect_number(t, p->number, right, 0);
}

SPW_RESULT(call_repaid, repaid_after, const problem *p, *p->number, p->bill.setup, p->bill.before,
           p->bill.after)
SPW_PREDICT(predict, product_cost, const problem *p, p->bill.n, p->bill.nz, p->bill.gamma)

#define INDICES "row_ptr has indices, 4 bytes each, not 8"
static const spw_slip slips[] = {
    {"load -8 gamma nz", "x is missing: 8 gamma bytes for each entry"},
    {"load 8 n - 8 gamma nz",
     "this loads each x[j] once, which is gamma = n / nz. Here gamma is what was counted"},
    {"load 8 nz - 8 gamma nz", "this loads an x for each entry, which is gamma = 1"},
    {"load -7 gamma nz", "gamma counts doubles: 8 gamma bytes for each entry"},
    {"load 8 gamma n - 8 gamma nz", "gamma is x an entry: there are nz of them, not n"},
    {"load 8 n", "the write-allocate of y is left out here, and all of x is in 8 gamma nz"},
    {"load -4 nz", "the column of each entry has to be loaded as well as its value"},
    {"load 4 nz", "an entry is a double and a 32-bit column: 8 + 4 = 12 bytes"},
    {"load 4 n", INDICES},
    {"load 4 n + 4", INDICES},
    {"load 56 gamma nz", "gamma counts doubles, not the lines that they are in: 8 bytes each"},
    {"load -4 n", "row_ptr has to be loaded too: n + 1 entries of 4 bytes"},
    {"= store 0", "y has to be stored: 8 bytes a row"},
    {"store 8 nz - 8 n", "y[i] is stored once a row: 8 bytes"},
    {"store 8 n", "y is stored once: 8 bytes a row"},
    {"flop -1 nz", "each entry costs a multiplication and an addition: 2 flop"},
    {0}};

/* as_right: row_ptr has n + 1 entries. */
static const spw_kit repaid_kit = SPW_KIT_OF(
    repaying, problem, call_repaid, expect_repaid, .prepare = prepare_bill,
    .units = "nz; n; gamma nz", .predict = predict,
    .asked = "n = {n}, nz = {nz}, gamma = {gamma:2}",
    .cost = "load 12 nz + 4 n + 8 gamma nz; store 8 n; flop 2 nz", .as_right = "4", .slips = slips);

/* --- the declaration ------------------------------------------------------------------------------------------ */

/* In "islands@0,4" row 4, the only neighbour of row 0, has a place already. */
static const char *const searches[] = {
    "one-by-one",      "path@2", "star@0",          "islands@2",  "islands@0,4",
    "one way@5",       "grid@7", "laplace2d:5x4@7", "arrow:50@3", "laplace2d:9x7 shuffled@11",
    "powerlaw:300@17", NULL};
/* The last one is long, for searches that take n^2 steps. */
static const char *const ordered[] = {"one-by-one",
                                      "path",
                                      "star",
                                      "islands",
                                      "zeros",
                                      "nothing",
                                      "one way",
                                      "grid",
                                      "arrow:50",
                                      "laplace2d:5x4 shuffled",
                                      "laplace2d:9x7 shuffled",
                                      "stencil27:5 shuffled",
                                      "powerlaw:300",
                                      "random:90x90x3",
                                      "tridiag:600000",
                                      NULL};
static const char *const permuted[] = {"one-by-one", "small",        "path",
                                       "slides",     "nothing",      "islands",
                                       "one way",    "grid",         "laplace2d:9x7 shuffled",
                                       "arrow:50",   "powerlaw:300", NULL};
static const char *const lengths[] = {"7", "1", "0", "1001", NULL};
static const char *const repaid[] = {"six products", "a part of a product", "at once",
                                     "no gain",      "slower than before",  NULL};

static const spw_part parts[] = {
    SPW_PART("bfs_order", searches, search_kit, ),
    SPW_PART("rcm_order", ordered, order_kit, ),
    SPW_PART("permute", permuted, permute_kit, ),
    SPW_PART("to_new", lengths, new_kit, ),
    SPW_PART("to_old", lengths, old_kit, ),
    SPW_PART("repaid_after", repaid, repaid_kit, .model = "product_cost"),
};

SPW_DRIVER(parts, .own_check_name = "GAIN", .own_check = ro_check_gain)
