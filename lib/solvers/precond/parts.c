/* What several preconditioners need: the diagonal, the degree of a polynomial. */
#include "solvers/precond/parts.h"

#include "solvers/precond.h"

#include <inttypes.h>
#include <math.h>

double spw_cost_in_products(spw_cost cost, const spw_operator *A) {
    return spw_cost_bytes(cost) / spw_cost_bytes(A->cost);
}

/* d[i] = a_ii; returns the first row where that cannot be, n_rows if there is none. */
static spw_idx read_diagonal(const spw_csr *A, bool positive, double *d) {
    spw_idx bad = A->n_rows;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx k = spw_csr_entry(A, i, i);
        const double inverse = k < 0 ? 0 : 1 / A->val[k];
        d[i] = k < 0 ? 0 : A->val[k];
        if ((!isfinite(inverse) || inverse == 0 || (positive && d[i] < 0)) && i < bad) bad = i;
    }
    return bad;
}

spw_status spw_precond_diagonal(const char *name, const spw_csr *A, bool positive, double *d) {
    if (A->n_rows != A->n_cols)
        return spw_error(SPW_ERR_ARG,
                         "%s: the matrix is %" PRId32 " x %" PRId32 ", it must be square", name,
                         A->n_rows, A->n_cols);
    const spw_idx bad = read_diagonal(A, positive, d);
    if (bad == A->n_rows) return SPW_OK;
    if (spw_csr_entry(A, bad, bad) < 0)
        return spw_error(SPW_ERR_ARG, "%s: row %" PRId32 " has no diagonal entry", name, bad);
    return spw_error(SPW_ERR_ARG, "%s: the diagonal entry of row %" PRId32 " is %g, which %s", name,
                     bad, d[bad], positive && d[bad] < 0 ? "is negative" : "has no inverse");
}

spw_status spw_precond_degree(const char *name, int degree) {
    if (degree >= 0 && degree <= 100) return SPW_OK;
    return spw_error(SPW_ERR_ARG, "%s: the degree is %d, must be 0 to 100", name, degree);
}
