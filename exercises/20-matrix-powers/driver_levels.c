/* Exercise 20: the matrices of all cases, and what must hold of their levels. */
#include "matrix_powers.h"

#include "kit/cases.h"
#include "kit/systems.h"

#include <string.h>

#include "problem.h"

/* --- matrices ---------------------------------------------------------------------------------------- */

/* A path 0-4-7, a ring 2-3-5-6-8, and 1 alone; no diagonal. */
static spw_status islands(spw_csr *A) {
    static const spw_idx ptr[] = {0, 1, 1, 3, 5, 7, 9, 11, 12, 14};
    static const spw_idx col[] = {4, 3, 8, 2, 5, 0, 7, 3, 6, 5, 8, 4, 2, 6};
    const spw_status status = spw_csr_create(9, 9, 14, A);
    if (status) return status;
    memcpy(A->row_ptr, ptr, sizeof ptr);
    memcpy(A->col_idx, col, sizeof col);
    return SPW_OK;
}

spw_status mp_matrix(spw_trial *t, const void *at, void *matrix) {
    (void)at;
    static const char window[] = "window ";
    spw_csr *A = (spw_csr *)matrix;
    const char *name = spw_kit_case(t);
    if (strncmp(name, window, strlen(window)) == 0) name += strlen(window);
    const spw_status status =
        strcmp(name, "islands") == 0 ? islands(A) : spw_system_load(name, spw_trial_seed(t), A);
    if (status) return status;
    if (A->nnz <= CHECKED_UP_TO) spw_case_vector(spw_trial_seed(t), A->nnz, A->val);
    spw_kit_quantity(t, "nz", A->nnz);
    spw_kit_quantity(t, "n", A->n_rows);
    return SPW_OK;
}

/* --- levels ------------------------------------------------------------------------------------------ */

typedef struct search {
    const spw_csr *A;
    spw_idx start, n_levels, got_levels;
    spw_idx *perm, *level_ptr;      /* outputs */
    spw_idx *level, *island, *seen; /* [n]  of each row: level, component; room for the check */
} search;

static const spw_argument of_levels[] = {SPW_MATRIX(search, A, &spw_kit_csr, mp_matrix, ),
                                         SPW_ROOM(search, perm, "n"),
                                         SPW_ROOM(search, level_ptr, "n + 1"),
                                         {0}};

static void prepare_levels(spw_trial *t, const char *name, void *at) {
    (void)name;
    search *s = (search *)at;
    s->start = (spw_idx)spw_kit_value(t, "start");
    spw_trial_result(t, &s->got_levels, sizeof s->got_levels);
}

/* Levels by relaxation: no queue, nothing in common with a breadth-first search. */
static void relax(search *s, spw_idx first) {
    const spw_csr *A = s->A;
    s->level[first] = s->n_levels;
    s->island[first] = first;
    for (bool changed = true; changed;) {
        changed = false;
        for (spw_idx i = 0; i < A->n_rows; i++)
            for (spw_idx k = A->row_ptr[i]; s->level[i] >= 0 && k < A->row_ptr[i + 1]; k++) {
                const spw_idx j = A->col_idx[k];
                if (s->level[j] >= 0 && s->level[j] <= s->level[i] + 1) continue;
                s->level[j] = s->level[i] + 1;
                s->island[j] = first;
                changed = true;
            }
    }
    for (spw_idx i = 0; i < A->n_rows; i++)
        if (s->level[i] >= s->n_levels) s->n_levels = s->level[i] + 1;
}

static void expect_levels(spw_trial *t, const void *at) {
    search *s = (search *)(uintptr_t)at;
    const spw_idx n = s->A->n_rows;
    s->level = spw_kit_indices(t, n);
    s->island = spw_kit_indices(t, n);
    s->seen = spw_kit_indices(t, n);
    for (spw_idx i = 0; i < n; i++) s->level[i] = -1;
    relax(s, s->start);
    for (spw_idx i = 0; i < n; i++)
        if (s->level[i] < 0) relax(s, i);
}

static void call_levels(const void *at, spw_function f) {
    search *s = (search *)(uintptr_t)at;
    s->got_levels = SPW_AS(levels, f)(s->A, s->start, s->perm, s->level_ptr);
}

/* Is perm a permutation? */
static bool check_perm(spw_trial *t, const search *s) {
    const spw_idx n = s->A->n_rows;
    bool others = true; /* what is missing are other components */
    spw_idx missing = 0, first = -1;
    for (spw_idx i = 0; i < n; i++) s->seen[i] = 0;
    for (spw_idx k = 0; k < n; k++) {
        const spw_idx i = s->perm[k];
        if (i < 0 || i >= n) continue;
        if (++s->seen[i] == 2) {
            spw_trial_fail(t,
                           "row %d comes twice in perm. A row may be a neighbour of several: mark "
                           "it when\nit is found, and not when its neighbours are looked at",
                           i);
            return false;
        }
    }
    for (spw_idx i = n - 1; i >= 0; i--)
        if (!s->seen[i]) {
            others = others && s->island[i] != s->start;
            first = i;
            missing++;
        }
    if (missing == 0) return true;
    spw_trial_fail(t, "%d of %d rows are not in perm, row %d is the first.\n%s", missing, n, first,
                   others ? "No path leads to them from start: the search has to begin again in\n"
                            "each component"
                          : "They are neighbours of rows that are in it");
    return false;
}

static bool check_level_ptr(spw_trial *t, const search *s) {
    const spw_idx n = s->A->n_rows, got = s->got_levels;
    const char *what = "";
    if (got < 1 || got > n) {
        spw_trial_fail(t, "levels returned %d, expected %d", got, s->n_levels);
        return false;
    }
    if (got == s->n_levels - 1 && s->level_ptr[got] != n)
        what = "\nThe last level is missing: its rows find no others, but are a level";
    else if (s->level_ptr[got] != n && got >= 1 && s->level_ptr[got - 1] == n)
        what = "\nThat is one too many: behind the last level there is an empty one";
    if (s->level_ptr[got] != n) {
        spw_trial_fail(t, "%d levels: level_ptr[%d] is %d, expected %d, where the last one ends%s",
                       got, got, s->level_ptr[got], n, what);
        return false;
    }
    for (spw_idx l = 0; l < got; l++)
        if (s->level_ptr[l] >= s->level_ptr[l + 1] || (l == 0 && s->level_ptr[0] != 0)) {
            spw_trial_fail(t,
                           "level %d is perm[%d] .. perm[%d - 1]: the first level begins at 0, and "
                           "each has\na row at least",
                           l, s->level_ptr[l], s->level_ptr[l + 1]);
            return false;
        }
    return true;
}

/* Row i came in level l, which is not its own. */
static void explain_level(spw_trial *t, const search *s, spw_idx i, spw_idx l) {
    const spw_csr *A = s->A;
    if (l == 0) {
        spw_trial_fail(t, "row %d is in level 0, expected %d: the search begins with row %d alone",
                       i, s->level[i], s->start);
        return;
    }
    for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++)
        if (s->level[A->col_idx[k]] < s->level[i] && s->island[i] == s->island[A->col_idx[k]]) {
            spw_trial_fail(t,
                           "row %d is in level %d, expected %d: its neighbour row %d is in level "
                           "%d.\n%s",
                           i, l, s->level[i], A->col_idx[k], s->level[A->col_idx[k]],
                           l > s->level[i] ? "All neighbours of a level's rows come next, before "
                                             "any of their own neighbours"
                                           : "Rows that are found belong to the next level");
            return;
        }
    spw_trial_fail(t,
                   "row %d is in level %d, expected %d: no path leads there from start. It is the "
                   "lowest\nof the rows that are left, and makes up a level of its own, the next "
                   "one",
                   i, l, s->level[i]);
}

void mp_check_levels(spw_trial *t) {
    const search *s = (const search *)spw_kit_arguments(t);
    if (!check_perm(t, s) || !check_level_ptr(t, s)) return;
    for (spw_idx l = 0; l < s->got_levels; l++)
        for (spw_idx k = s->level_ptr[l]; k < s->level_ptr[l + 1]; k++)
            if (s->level[s->perm[k]] != l) {
                explain_level(t, s, s->perm[k], l);
                return;
            }
}

const spw_kit mp_levels =
    SPW_KIT_OF(of_levels, search, call_levels, expect_levels, .parameters = "@start=0",
               .prepare = prepare_levels, .facts = "n = {n}, nz {nz}, start {start}");
