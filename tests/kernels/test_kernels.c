/* kernels/kernels.h: the tables are complete and consistent with themselves and with the linked program. */
#include "kernels/kernels.h"

#include "perf/terms.h"
#include "test.h"

#include <dlfcn.h>

typedef struct operation {
    const char *name;
    const spw_kernel *kernels;
} operation;

static void for_all(void (*check)(const operation *o, const spw_kernel *k)) {
    int count = 0;
    for (const spw_kernel *k = spw_kernel_rows; k->operation; count++) {
        const operation o = {k->operation, k + 1};
        assert_ptr_equal(spw_kernels(o.name), o.kernels);
        assert_non_null(o.kernels->symbol);
        for (k++; k->symbol; k++) check(&o, k);
    }
    assert_true(count > 60);
}

/* The operation, then what it runs on, unless that is the operation's, then an idea: spw_spmv_csr_omp_balanced */
static void symbol_follows_the_rule(const operation *o, const spw_kernel *k) {
    static const char *const ends[] = {"", "_ref", "_omp", "_target", NULL};
    char name[128];
    for (int e = 0; ends[e]; e++) {
        snprintf(name, sizeof name, "spw_%s%s", o->name, ends[e]);
        const size_t length = strlen(name);
        const int on_device = strstr(o->name, "_cuda") != NULL;
        if (on_device == !ends[e][0] && strncmp(k->symbol, name, length) == 0 &&
            (!k->symbol[length] || k->symbol[length] == '_'))
            return;
    }
    fail_msg("%s is no name for a kernel of %s", k->symbol, o->name);
}

TEST(symbols_follow_the_rule_of_names) { for_all(symbol_follows_the_rule); }

static void function_has_the_symbol(const operation *o, const spw_kernel *k) {
    (void)o;
    void *found = dlsym(RTLD_DEFAULT, k->symbol); /* the program is linked with -rdynamic */
    assert_non_null(found);
    assert_memory_equal(&k->function, &found, sizeof found);
}

TEST(symbols_are_those_of_the_functions) { for_all(function_has_the_symbol); }

static void reference_is_the_first(const operation *o, const spw_kernel *k) {
    if (spw_kernel_is_reference(k) != (k == o->kernels && spw_kernel_is_reference(o->kernels)))
        fail_msg("%s is not the first of %s", k->symbol, o->name);
}

TEST(references_come_first) { for_all(reference_is_the_first); }

static void text_is_one_line(const operation *o, const spw_kernel *k) {
    (void)o;
    if (strlen(k->text) < 8 || strlen(k->text) > 60 || strchr(k->text, '\n'))
        fail_msg("%s: %s", k->symbol, k->text);
}

TEST(every_row_says_gain_and_cost_in_one_line) { for_all(text_is_one_line); }

/* All quantities are 3: that is to say, the text is one, and something is moved. */
static double three(const void *context, const char *name, size_t length) {
    static const char *const known[] = {"n",        "m",        "k",        "p",      "q",
                                        "nv",       "nz",       "n_rows",   "n_cols", "n_stored",
                                        "n_chunks", "n_slices", "n_places", "matrix", "block",
                                        "count",    NULL};
    (void)context;
    for (int q = 0; known[q]; q++)
        if (strlen(known[q]) == length && memcmp(known[q], name, length) == 0) return 3;
    fail_msg("%.*s is no quantity that kernels/costs.h explains", (int)length, name);
    return 0;
}

static void cost_can_be_told(const operation *o, const spw_kernel *k) {
    const spw_cost cost = spw_terms_cost(k->cost, (spw_quantities){three, NULL});
    if (!(cost.load > 0 && cost.store >= 0 && cost.flop >= 0))
        fail_msg("%s, %s: %s", o->name, k->symbol, k->cost);
    if (strcmp(k->cost, o->kernels->cost)) fail_msg("%s costs less at the least", k->symbol);
}

TEST(every_row_has_a_cost_that_is_its_operations) { for_all(cost_can_be_told); }

static void kernel_is_found(const operation *o, const spw_kernel *k) {
    (void)o;
    assert_ptr_equal(spw_kernel_find(k->symbol), k);
}

TEST(rows_are_found_by_symbol_and_only_once) {
    for_all(kernel_is_found);
    assert_null(spw_kernel_find("spw_spmv_csr"));
}
