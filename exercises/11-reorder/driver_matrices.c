/* Exercise 11: the matrices of all cases. */
#include "problem.h"

#include "kit/cases.h"
#include "kit/orders.h"

#include <stdio.h>
#include <string.h>

/* --- matrices ---------------------------------------------------------------------------------------- */

/* Small ones, as pairs of row and column up to {-1, -1}; `both`: the pairs turned round, too. */
typedef struct literal {
    const char *name;
    spw_idx n;
    bool both, diagonal;
    spw_idx pair[16][2];
} literal;

/* clang-format off */
static const literal literals[] = {
    {"path", 7, true, true, {{2, 5}, {5, 0}, {0, 6}, {6, 3}, {3, 1}, {1, 4}, {-1, -1}}},
    {"star", 8, true, true, {{4, 0}, {4, 1}, {4, 2}, {4, 3}, {4, 5}, {4, 6}, {4, 7}, {-1, -1}}},
    {"islands", 9, true, false, {{0, 4}, {4, 7}, {2, 3}, {3, 5}, {5, 6}, {6, 8}, {8, 2}, {-1, -1}}},
    {"one way", 6, false, true, {{0, 3}, {3, 5}, {1, 5}, {4, 1}, {2, 4}, {-1, -1}}},
    {"grid", 12, true, true, {{7, 2}, {2, 9}, {9, 4}, {0, 11}, {11, 5}, {5, 1}, {10, 3}, {3, 8}, {8, 6},
                              {7, 0}, {2, 11}, {9, 5}, {0, 10}, {11, 3}, {-1, -1}}}};
/* clang-format on */

static spw_status make_literal(const literal *l, spw_csr *A) {
    spw_coo C;
    spw_status status = spw_coo_create(l->n, l->n, 64, &C);
    if (status) return status;
    spw_idx k = 0;
    for (int p = 0; l->pair[p][0] >= 0; p++)
        for (int turned = 0; turned <= (l->both ? 1 : 0); turned++, k++) {
            C.row_idx[k] = l->pair[p][turned];
            C.col_idx[k] = l->pair[p][!turned];
        }
    for (spw_idx i = 0; l->diagonal && i < l->n; i++, k++) C.row_idx[k] = C.col_idx[k] = i;
    C.nnz = k;
    for (k = 0; k < C.nnz; k++) C.val[k] = 1;
    status = spw_csr_from_coo(&C, A);
    spw_coo_destroy(&C);
    return status;
}

spw_status ro_matrix(const char *name, uint64_t seed, spw_csr *A) {
    static const struct {
        const char *ending;
        spw_idx run;
    } shuffles[] = {{" shuffled", 1}, {" in pieces", 4}};
    char plain[256];
    spw_idx run = 0;
    snprintf(plain, sizeof plain, "%s", name);
    for (int s = 0; s < 2; s++) {
        char *at = strstr(plain, shuffles[s].ending);
        if (!at) continue;
        *at = 0;
        run = shuffles[s].run;
    }
    const literal *found = NULL;
    for (size_t m = 0; m < sizeof literals / sizeof *literals; m++)
        if (strcmp(plain, literals[m].name) == 0) found = &literals[m];
    spw_status status = found ? make_literal(found, A) : spw_csr_named(plain, seed, A);
    if (!status && run) status = spw_order_shuffle(seed, run, A);
    if (!status && found) spw_case_vector(seed, A->nnz, A->val);
    return status;
}
