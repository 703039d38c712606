/* fake.h -- a plug-in of `make bench` that needs no library. The file that includes it says what it does
 * beside the right thing: it may be wrong, die or hang. */
#include "commands/peers/peer.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

typedef struct product {
    double *y;
    int64_t n;      /* entries of y */
    int calls;      /* so far */
    int iterations; /* of a solver; 0: a product */
} product;

static void misbehave(product *m);

static void multiply(const peer_problem *p, const double *x, double *y) {
    for (int32_t i = 0; i < p->n_rows; i++) {
        y[i] = 0;
        for (int32_t k = p->row_ptr[i]; k < p->row_ptr[i + 1]; k++)
            y[i] += p->val[k] * x[p->col_idx[k]];
    }
}

/* The product is made here already, because the matrix will have gone when the calls are timed. */
static void *make(const peer_problem *p, const char *parameters) {
    product *m = calloc(1, sizeof *m);
    if (!m || peer_number(parameters, "nv", 0) != 1) return peer_refuse("nv=1 was not handed over");
    m->n = p->n_rows;
    m->y = calloc((size_t)p->n_rows, sizeof *m->y);
    multiply(p, p->x, m->y);
    return m;
}

static int run(void *made, int calls, double *numbers) {
    const struct timespec pause = {.tv_nsec = 1000000};
    product *m = made;
    (void)numbers;
    for (int c = 0; c < calls; c++) {
        m->calls++;
        misbehave(m);
        nanosleep(&pause, NULL);
    }
    return 0;
}

/* --- solvers --- */

static double dot(int32_t n, const double *a, const double *b) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Conjugate gradients, as in a textbook. */
static void *make_solver(const peer_problem *problem, const char *parameters) {
    const int32_t n = problem->n_rows;
    const double tolerance = peer_number(parameters, "tolerance", 0);
    const int most = (int)peer_number(parameters, "iterations", 10000);
    product *m = calloc(1, sizeof *m);
    double *r = calloc((size_t)n, sizeof *r), *p = calloc((size_t)n, sizeof *p);
    double *q = calloc((size_t)n, sizeof *q);
    m->n = n;
    m->y = calloc((size_t)n, sizeof *m->y);
    for (int32_t i = 0; i < n; i++) r[i] = p[i] = problem->x[i];
    const double all = dot(n, r, r);
    double rho = all;
    while (m->iterations < most && sqrt(rho) > tolerance * sqrt(all)) {
        multiply(problem, p, q);
        const double alpha = rho / dot(n, p, q), old = rho;
        for (int32_t i = 0; i < n; i++) m->y[i] += alpha * p[i];
        for (int32_t i = 0; i < n; i++) r[i] -= alpha * q[i];
        rho = dot(n, r, r);
        for (int32_t i = 0; i < n; i++) p[i] = r[i] + rho / old * p[i];
        m->iterations++;
    }
    free(r);
    free(p);
    free(q);
    return m;
}

/* The guess made orthogonal: vectors as asked for, of eigenvalues that are far off. */
static void *make_vectors(const peer_problem *p, const char *parameters) {
    const int nv = p->nv;
    product *m = calloc(1, sizeof *m);
    m->n = (int64_t)p->n_rows * nv;
    m->iterations = (int)peer_number(parameters, "iterations", 0);
    m->y = calloc((size_t)m->n, sizeof *m->y);
    for (int64_t i = 0; i < m->n; i++) m->y[i] = p->x[i];
    for (int v = 0; v < nv; v++) {
        for (int pass = 0; pass < 2; pass++) {
            for (int u = 0; u < v; u++) {
                double both = 0, one = 0;
                for (int64_t i = 0; i < m->n; i += nv) {
                    both += m->y[i + u] * m->y[i + v];
                    one += m->y[i + u] * m->y[i + u];
                }
                for (int64_t i = 0; i < m->n; i += nv) m->y[i + v] -= both / one * m->y[i + u];
            }
        }
    }
    return m;
}

static int run_solver(void *made, int calls, double *numbers) {
    run(made, calls, numbers);
    numbers[0] = ((product *)made)->iterations;
    numbers[1] = 0.25; /* seconds of its set-up */
    return 2;
}

static void result(void *made, const peer_problem *p) {
    for (int64_t i = 0; i < ((product *)made)->n; i++) p->y[i] = ((product *)made)->y[i];
}

static void destroy(void *made) {
    free(((product *)made)->y);
    free(made);
}

static void *refuse(const peer_problem *p, const char *parameters) {
    (void)p;
    (void)parameters;
    return peer_refuse("it has %d thumbs", 2);
}

static const peer_method methods[] = {
    {"spmv", "plain", 0, make, run, result, destroy},
    {"spmv", "unwilling", 0, refuse, run, result, destroy},
    {"spmv", "twofold", 1, make, run, result, destroy},
    {"cg", "plain", 0, make_solver, run_solver, result, destroy},
    {"pcg", "jacobi", 0, make_solver, run_solver, result, destroy},
    {"lobpcg", "lobpcg", 0, make_vectors, run_solver, result, destroy},
    {"juggle", "three", 0, make, run, result, destroy},
    {0},
};

const peer_plugin plugin = {"fake", "1.2", NULL, NULL, NULL, methods};
