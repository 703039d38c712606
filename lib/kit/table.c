/* A function that is asked with each row of a table. */
#include "kit/table.h"

#include "judge/trial.h"

static const void *row(const spw_table *T, int64_t k) {
    return (const char *)T->rows + k * T->size;
}

void spw_table_prepare(spw_trial *t, const char *name, void *at) {
    (void)name;
    const spw_table *T = ((spw_table_asked *)at)->table = t->part->kit->table;
    spw_kit_quantity(t, ".rows", (double)T->count);
}

void spw_table_call(const void *at, spw_function f) {
    const spw_table_asked *a = (const spw_table_asked *)at;
    for (int64_t k = 0; k < a->table->count; k++)
        a->numbers[k] = a->table->ask(row(a->table, k), f);
}

void spw_table_expect(spw_trial *t, const void *at) {
    const spw_table_asked *a = (const spw_table_asked *)at;
    double *right = spw_kit_doubles(t, a->table->count);
    for (int64_t k = 0; k < a->table->count; k++) right[k] = a->table->right(row(a->table, k));
    spw_kit_expect_within(t, a->numbers, right, 0, a->table->tolerance);
}

void spw_table_describe(const spw_trial *t, int64_t i, char *text, int size) {
    const spw_table *T = t->part->kit->table;
    T->describe(row(T, i), text, size);
}
