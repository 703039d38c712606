/* Exercise 20: the matrices of all cases, and what must hold of their levels. */
#include "matrix_powers.h"

#include "kit/cases.h"
#include "kit/systems.h"

#include <stdio.h>
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

enum { NOWHERE = -1, TWICE = -2 }; /* a row is in perm */

typedef struct search {
    const spw_csr *A;
    spw_idx start, n_levels;
    spw_idx *perm, *level_ptr, *count,
        *same; /* outputs; count, same: what was returned. Mistakes are compared in all of them */
    spw_idx *found;          /* [n] in which level each row is in perm */
    spw_idx *level, *island; /* [n] of each row: level, component */
} search;

SPW_ARGUMENTS_OF(search_of, search)

/* perm may have the rows of a level in any order. */
void mp_find_levels(spw_trial *t) {
    const search *s = search_of(t);
    const spw_idx n = s->A->n_rows;
    for (spw_idx i = 0; i < n; i++) s->found[i] = NOWHERE;
    for (spw_idx l = 0; l < *s->count && l < n; l++)
        for (spw_idx k = s->level_ptr[l]; k < s->level_ptr[l + 1] && k < n; k++) {
            const spw_idx i = k < 0 ? -1 : s->perm[k];
            if (i >= 0 && i < n) s->found[i] = s->found[i] == NOWHERE ? l : TWICE;
        }
}

static void describe_row(const spw_trial *t, int64_t i, char *text, int size) {
    const search *s = search_of(t);
    const spw_csr *A = s->A;
    if (s->found[i] == TWICE)
        snprintf(text, (size_t)size,
                 "it comes twice in perm:\na row is marked when it is found, not when its "
                 "neighbours are looked at");
    else if (s->found[i] == NOWHERE)
        snprintf(text, (size_t)size, "it is in no level of perm");
    for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1] && s->found[i] >= 0; k++)
        if (s->level[A->col_idx[k]] < s->level[i] && s->island[i] == s->island[A->col_idx[k]])
            snprintf(text, (size_t)size, "its neighbour row %d is in level %d", A->col_idx[k],
                     s->level[A->col_idx[k]]);
}

static const spw_argument of_levels[] = {
    SPW_VALUE(search, start, "start"),
    SPW_MATRIX(search, A, &spw_kit_csr, mp_matrix, ),
    SPW_ROOM(search, perm, "n"),
    SPW_OUTPUT(search, level_ptr, "n + 1"),
    SPW_OUTPUT_AS("the number of levels", search, count, "1", .noun = ""),
    SPW_OUTPUT_AS("its level", search, found, "n", .noun = "row", .describe = describe_row),
    SPW_OUTPUT_AS("result", search, same, "1", ),
    {0}};

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
    spw_idx *level_ptr = spw_kit_indices(t, n + 1);
    s->level = spw_kit_indices(t, n);
    s->island = spw_kit_indices(t, n);
    for (spw_idx i = 0; i < n; i++) s->level[i] = -1;
    relax(s, s->start);
    for (spw_idx i = 0; i < n; i++)
        if (s->level[i] < 0) relax(s, i);
    for (spw_idx i = 0; i < n; i++) level_ptr[s->level[i] + 1]++;
    for (spw_idx l = 0; l < s->n_levels; l++) level_ptr[l + 1] += level_ptr[l];
    spw_kit_expect(t, s->found, s->level, NULL);
    spw_kit_expect_first(t, s->level_ptr, s->n_levels + 1, level_ptr, NULL);
    spw_kit_expect_index(t, s->count, s->n_levels);
    spw_kit_index_mistake(t, s->count, s->n_levels + 1,
                          "that is one too many: behind the last level there is an empty one");
}

SPW_RESULT(call_levels, levels, const search *s, *s->count = *s->same, s->A, s->start, s->perm,
           s->level_ptr)
const spw_kit mp_levels =
    SPW_KIT_OF(of_levels, search, call_levels, expect_levels, .parameters = "@start=0",
               .facts = "n = {n}, nz {nz}, start {start}");
