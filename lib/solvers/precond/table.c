/* The table of preconditioners. One more is a function in a file of this folder, its declaration in
 * solvers/precond.h, and a row here: make solve, make bench and the tests read this. */
#include "solvers/precond.h"
#include "solvers/precond/parts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const spw_precond table[] = {
    /* name           made by                   or, with a number    what it is            usual  M sym.  A must be  polynomial */
    {"jacobi",        spw_precond_jacobi,       NULL,                    NULL,                     0, true,  false, false},
    {"bjacobi",       NULL,                     spw_precond_bjacobi,     "rows of a block",        0, true,  false, false},
    {"sgs",           spw_precond_sgs,          NULL,                    NULL,                     0, true,  false, false},
    {"sgs_serial",    spw_precond_sgs_serial,   NULL,                    NULL,                     0, true,  false, false},
    {"sgs_colour",    NULL,                     spw_precond_sgs_colour,  "percent for a device",   0, true,  false, false},
    {"ic0",           spw_precond_ic0,          NULL,                    NULL,                     0, true,  true,  false},
    {"ilu0",          spw_precond_ilu0,         NULL,                    NULL,                     0, true,  false, false},
    {"cholesky",      spw_precond_cholesky,     NULL,                    NULL,                     0, true,  true,  false},
    {"ic0_neumann",   NULL,                     spw_precond_ic0_neumann, "the degree",             2, true,  true,  false},
    {"ilu0_neumann",  NULL,                     spw_precond_ilu0_neumann, "the degree",            2, true,  false, false},
    {"neumann",       NULL,                     spw_precond_neumann,     "the degree",             3, true,  false, true},
    {"cheby",         NULL,                     spw_precond_chebyshev,   "the degree",             4, true,  true,  true},
    {"fsai",          spw_precond_fsai,         NULL,                    NULL,                     0, true,  true,  false},
    {"spai",          spw_precond_spai,         NULL,                    NULL,                     0, false, false, false},
    {"multigrid",     spw_precond_multigrid,    NULL,                    NULL,                     0, true,  true,  false},
};
/* clang-format on */

enum { ROWS = sizeof table / sizeof *table };

const spw_precond *spw_preconds(int *count) {
    *count = ROWS;
    return table;
}

static spw_status unknown(const char *name) {
    char list[400] = "";
    for (int p = 0; p < ROWS; p++)
        spw_append(list, sizeof list, "%s%s%s", p ? ", " : "", table[p].name,
                   table[p].what ? "[:N]" : "");
    return spw_error(SPW_ERR_ARG, "%s: no such preconditioner; there are none, %s", name, list);
}

spw_status spw_precond_find(const char *name, const spw_precond **row, int *number) {
    const char *const colon = strchr(name, ':');
    const size_t length = colon ? (size_t)(colon - name) : strlen(name);
    *row = NULL;
    for (int p = 0; p < ROWS; p++)
        if (strlen(table[p].name) == length && strncmp(table[p].name, name, length) == 0)
            *row = &table[p];
    if (!*row || (colon && !(*row)->what)) return unknown(name);
    *number = (*row)->usual;
    if (!colon) return SPW_OK;
    char *end;
    const long given = strtol(colon + 1, &end, 10);
    if (colon[1] < '0' || colon[1] > '9' || *end || given < 1 || given > INT_MAX)
        return spw_error(SPW_ERR_ARG, "%s: behind the colon %s must stand, a whole number from 1",
                         name, (*row)->what);
    *number = (int)given;
    return SPW_OK;
}

spw_status spw_precond_for(const char *name, const spw_csr *A, const spw_operator *op,
                           spw_operator *M) {
    const spw_precond *row;
    int number;
    *M = (spw_operator){0};
    const spw_status status = spw_precond_find(name, &row, &number);
    if (status) return status;
    if (row->polynomial)
        return spw_precond_polynomial_of(row->make_with == spw_precond_chebyshev, number, A, op, M);
    return row->make ? row->make(A, M) : row->make_with(A, number, M);
}

spw_status spw_precond_named(const char *name, const spw_csr *A, spw_operator *M) {
    return spw_precond_for(name, A, NULL, M);
}
