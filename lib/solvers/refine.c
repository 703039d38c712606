#include "solvers/refine.h"

#include "base/memory.h"
#include "kernels/blas1.h"
#include "solvers/run.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

enum { PRODUCT, STEP, DIRECTION, UPDATE, BEGIN_END };

/* An outer step is due when the residual is so much smaller than its largest since the last one. */
static const double REDUCTION = 1e-2;

typedef struct refinement {
    spw_run run;
    const spw_operator_float *S;
    int64_t n;
    double *residual;     /* double */
    float *p, *q, *r, *y; /* single, in units of ||b||; y in those of ||b|| / scale */
    double largest;       /* of ||r|| since the last outer step, relative */
    double last;          /* true residual at the last outer step, relative */
} refinement;

static spw_cost in_float(spw_cost c) { return (spw_cost){c.load / 2, c.store / 2, c.flop}; }

static void name_kernels(refinement *s) {
    const double rows = (double)s->n;
    spw_run_kernel(&s->run, PRODUCT, "q = A p, p.q", s->S->cost, s->S->write_allocate);
    spw_run_kernel(&s->run, STEP, "y += a p, r -= a q, r.r", in_float(spw_cost_of(s->n, 4, 2, 6)),
                   0);
    spw_run_kernel(&s->run, DIRECTION, "p = r + b p", in_float(spw_cost_of(s->n, 2, 1, 2)), 0);
    /* x, y and r in single besides what the residual takes */
    const spw_cost update = {(24 + 8 + 4 + 8) * rows, (8 + 8 + 4 + 4) * rows, 7 * rows};
    spw_run_kernel(&s->run, UPDATE, "x += y, b - A x (double)",
                   spw_cost_sum(s->run.A->cost, update), s->run.A->write_allocate + 4 * rows);
    spw_run_residual_kernel(&s->run, BEGIN_END);
}

/* The residual in double and, rounded, in single; returns r . r relative to b . b. */
static double new_residual(refinement *s, int slot) {
    const double norm_b = s->run.norm_b;
    spw_operator_apply(s->run.A, s->run.x, s->residual);
    spw_axpby_omp(s->n, 1, s->run.b, -1, s->residual);
    const double r_r = spw_dot_omp_prefetch(s->n, s->residual, s->residual);
    spw_round_float_omp(s->n, 1 / norm_b, s->residual, s->r);
    spw_run_time(&s->run, slot);
    return r_r / norm_b / norm_b;
}

/* An outer step; *rho is r . r. False: stopped, or no better than the last time without a direction. */
static bool update(refinement *s, bool *fresh, double *rho) {
    spw_run *run = &s->run;
    spw_add_float_omp(s->n, run->norm_b / s->S->scale, s->y, run->x);
    *rho = new_residual(s, UPDATE);
    if (!spw_run_finite(run, "b - A x", *rho)) return false;
    const double residual = sqrt(*rho);
    if (residual > s->last / 2 && residual > run->options.tolerance) {
        if (run->result->restarts > 0 && residual > 0.9 * s->last) {
            spw_run_stop(
                run, SPW_STOP_STAGNATED,
                "stagnated: single precision does not get b - A x below %.1e, the matrix is "
                "too ill-conditioned for it",
                residual);
            run->result->residual = residual;
            return false;
        }
        run->result->restarts++;
        *fresh = true;
    }
    s->last = s->largest = residual;
    return true;
}

static bool step_length(refinement *s, double rho, double p_q, double *alpha) {
    if (!spw_run_finite(&s->run, "p.Ap", p_q)) return false;
    if (!(p_q > 0)) {
        spw_run_stop(
            &s->run, SPW_STOP_NOT_SPD,
            "p.Ap is %.3g in iteration %d: the matrix, rounded to single precision, is not "
            "positive definite",
            p_q, s->run.result->iterations);
        return false;
    }
    *alpha = rho / p_q;
    return spw_run_finite(&s->run, "rho / p.Ap", (float)*alpha);
}

/* The squares that spw_run_before wants are those of r itself. */
static spw_status before(refinement *s, double rho) {
    return spw_run_before(&s->run, rho * s->run.norm_b * s->run.norm_b);
}

static spw_status iterate(refinement *s) {
    spw_run *run = &s->run;
    double rho = new_residual(s, BEGIN_END), old = 1, alpha;
    bool fresh = true;
    s->last = s->largest = sqrt(rho);
    for (;; run->result->iterations++) {
        const spw_status status = before(s, rho);
        if (status || run->stopped) return status;
        spw_direction_float_omp(s->n, fresh ? 0 : (float)(rho / old), s->r, s->p);
        spw_run_time(run, DIRECTION);
        fresh = false;
        const double p_q = s->S->apply_dot(s->S->context, s->p, s->q);
        spw_run_time(run, PRODUCT);
        if (!step_length(s, rho, p_q, &alpha)) return SPW_OK;
        old = rho;
        rho = spw_cg_step_float_omp(s->n, (float)alpha, s->p, s->q, s->y, s->r);
        spw_run_time(run, STEP);
        if (!spw_run_finite(run, "r.r", rho)) return SPW_OK;
        const double residual = sqrt(rho);
        if (residual > s->largest) s->largest = residual;
        if (residual > REDUCTION * s->largest && residual > run->options.tolerance) continue;
        if (!update(s, &fresh, &rho)) return SPW_OK;
    }
}

static spw_status make_room(refinement *s) {
    float **const arrays[] = {&s->p, &s->q, &s->r, &s->y};
    spw_status status = SPW_ALLOC(&s->residual, s->n);
    for (int k = 0; k < 4 && !status; k++) {
        status = SPW_ALLOC(arrays[k], s->n);
        if (!status) { /* p and y are read before they are written */
#pragma omp parallel for schedule(static)
            for (int64_t i = 0; i < s->n; i++) (*arrays[k])[i] = 0;
        }
    }
    return status;
}

spw_status spw_refine(const spw_operator *A, const spw_operator_float *S, const double *b,
                      double *x, const spw_solve_options *options, spw_solve_result *result) {
    refinement s = {.S = S, .n = A->n};
    *result = (spw_solve_result){0};
    if (S->n != A->n)
        return spw_error(SPW_ERR_ARG,
                         "the matrix in single precision has %" PRId64 " rows, the other %" PRId64,
                         S->n, A->n);
    spw_status status = spw_run_begin(&s.run, A, NULL, b, x, options, result);
    if (!status) status = make_room(&s);
    if (status) goto end;
    name_kernels(&s);
    spw_run_norm(&s.run, BEGIN_END);
    if (!s.run.stopped) {
        status = iterate(&s);
        /* what was gained since the last outer step */
        if (!status && result->stop != SPW_STOP_NOT_FINITE)
            spw_add_float_omp(s.n, s.run.norm_b / S->scale, s.y, x);
    }
    if (!status) spw_run_end(&s.run, BEGIN_END, s.residual);
end:
    spw_free(s.residual);
    spw_free(s.p);
    spw_free(s.q);
    spw_free(s.r);
    spw_free(s.y);
    if (status) spw_solve_result_destroy(result);
    return status;
}
