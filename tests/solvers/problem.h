/* solvers/problem.h -- a system for tests of solvers: a matrix with its operator, Jacobi's preconditioner, vectors. */
#pragma once

#include "solvers/operator.h"
#include "solvers/precond.h"
#include "test.h"

typedef struct problem {
    spw_csr A;
    spw_operator op, M; /* M: Jacobi's; none where a row has no diagonal entry */
    double *b, *x;      /* zeros, of the test alone */
    double *inverse;    /* of the diagonal */
} problem;

static inline void problem_destroy(problem *p) {
    spw_operator_destroy(&p->M);
    spw_operator_destroy(&p->op);
    spw_csr_destroy(&p->A);
}

/* In the place of the one before. It stays where it is: the operator points into it. */
static inline void problem_load(const char *name, problem *p) {
    problem_destroy(p);
    p->A = generated(name);
    const spw_idx n = p->A.n_rows;
    p->b = zeros(n);
    p->x = zeros(n);
    p->inverse = zeros(n);
    for (spw_idx i = 0; i < n; i++) {
        const spw_idx diagonal = spw_csr_entry(&p->A, i, i);
        if (diagonal >= 0) p->inverse[i] = 1 / p->A.val[diagonal];
    }
    assert_ok(spw_operator_from_csr(&p->A, &p->op));
    (void)spw_precond_jacobi(&p->A, &p->M);
}
