/* Preconditioners of a matrix in parts: of the own diagonal block alone, or polynomials of all of it. */
#include "distributed/rows.h"

#include "base/memory.h"
#include "solvers/precond.h"
#include "solvers/precond/parts.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

spw_status spw_precond_of_ranks(const char *name, int ranks) {
    const spw_precond *row;
    int number;
    const spw_status status = spw_precond_find(name, &row, &number);
    if (status || ranks == 1 || row->make == spw_precond_jacobi ||
        row->make_with == spw_precond_bjacobi || row->polynomial)
        return status;
    return spw_error(SPW_ERR_ARG,
                     "with RANKS there are the preconditioners jacobi, bjacobi, neumann and cheby");
}

/* Messages about a row know this rank's alone. */
static spw_status counted(const spw_comm *c, const spw_rows *R, spw_status status) {
    if (!status || c->size == 1 || !strstr(spw_message(), "row")) return status;
    return spw_error(status, "%s (counted from row %" PRId64 ", the first of rank %d)",
                     spw_message(), R->first[c->rank], c->rank);
}

/* The largest row sum of |D^-1 A|, or of |D^-1/2 A D^-1/2|: |A| times a vector. */
static spw_status bound(const spw_comm *c, const spw_rows *R, bool chebyshev, const double *inverse,
                        double *largest) {
    const int64_t n = R->local.n_rows, local = R->local.nnz, ghost = R->ghost.nnz;
    double *values = NULL, *x = NULL, *y = NULL;
    spw_rows absolute = *R;
    spw_operator op = {0};
    spw_status status = SPW_ALLOC(&values, local + ghost);
    if (!status) status = SPW_ALLOC(&x, n);
    if (!status) status = SPW_ALLOC(&y, n);
    status = spw_comm_agree(c, status);
    if (!status) {
        absolute.local.val = values;
        absolute.ghost.val = values + local;
        for (int64_t k = 0; k < local; k++) values[k] = fabs(R->local.val[k]);
        for (int64_t k = 0; k < ghost; k++) values[local + k] = fabs(R->ghost.val[k]);
        status = spw_operator_from_rows(c, &absolute, 1, "csr", &op);
    }
    *largest = 0;
    if (!status) {
        for (int64_t i = 0; i < n; i++) x[i] = chebyshev ? sqrt(inverse[i]) : 1;
        spw_operator_apply(&op, x, y);
        for (int64_t i = 0; i < n; i++)
            *largest = fmax(*largest, y[i] * (chebyshev ? x[i] : fabs(inverse[i])));
        spw_comm_max(c, 1, largest);
    }
    spw_operator_destroy(&op);
    spw_free(values);
    spw_free(x);
    spw_free(y);
    return status;
}

static spw_status polynomial(const spw_comm *c, const spw_rows *R, const spw_operator *op,
                             const spw_precond *row, int degree, spw_operator *M) {
    const bool chebyshev = row->make_with == spw_precond_chebyshev;
    const int64_t n = R->local.n_rows;
    double *inverse = NULL, largest;
    spw_status status = spw_precond_degree(row->name, degree);
    if (!status) status = SPW_ALLOC(&inverse, n);
    if (!status)
        status = counted(c, R, spw_precond_diagonal(row->name, &R->local, chebyshev, inverse));
    status = spw_comm_agree(c, status);
    if (!status) {
        for (int64_t i = 0; i < n; i++) inverse[i] = 1 / inverse[i];
        status = bound(c, R, chebyshev, inverse, &largest);
    }
    if (!status) status = spw_precond_polynomial(chebyshev, degree, op, inverse, largest, M);
    spw_free(inverse);
    return status;
}

spw_status spw_precond_from_rows(const spw_comm *c, const spw_rows *R, const spw_operator *op,
                                 const char *name, spw_operator *M) {
    const spw_precond *row;
    int number;
    *M = (spw_operator){0};
    spw_status status = spw_precond_of_ranks(name, c->size);
    if (status) return status;
    spw_precond_find(name, &row, &number);
    const bool whole = c->size > 1 && row->polynomial;
    status = whole ? polynomial(c, R, op, row, number, M) : spw_precond_for(name, &R->local, op, M);
    status = spw_comm_agree(c, whole ? status : counted(c, R, status));
    if (status) spw_operator_destroy(M);
    return status;
}
