/* kernels/variants.h: the table is complete and consistent with itself and with the linked program. */
#include "kernels/variants.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The name is put together from op, format, backend and idea, so that a search finds all variants. */
static void symbols_follow_the_rule_of_names(void **state)
{
    (void)state;
    for (int i = 0; i < spw_variant_count(); i++) {
        const spw_variant *v = spw_variant_at(i);
        char name[128];
        const int sparse = v->format != SPW_FORMAT_VECTOR && v->format != SPW_FORMAT_DENSE;
        snprintf(name, sizeof name, "spw_%s%s%s_%s%s%s", spw_op_name(v->op), sparse ? "_" : "",
                 sparse ? spw_format_name(v->format) : "", spw_backend_name(v->backend),
                 *v->idea ? "_" : "", v->idea);
        assert_string_equal(v->symbol, name);
    }
}

static void symbols_are_those_of_the_functions(void **state)
{
    (void)state;
    for (int i = 0; i < spw_variant_count(); i++) {
        const spw_variant *v = spw_variant_at(i);
        void *found = dlsym(RTLD_DEFAULT, v->symbol); /* the program is linked with -rdynamic */
        assert_non_null(found);
        assert_memory_equal(&v->run, &found, sizeof found);
    }
}

static void every_operation_starts_with_its_reference(void **state)
{
    (void)state;
    for (int i = 0; i < spw_variant_count(); i++) {
        const spw_variant *v = spw_variant_at(i);
        const spw_variant *first = spw_variant_next(NULL, v->op, v->format);
        assert_int_equal(first->backend, SPW_REFERENCE);
        assert_true((v->backend == SPW_REFERENCE) == (v == first));
        assert_string_equal(first->idea, "");
    }
}

static void every_row_says_gain_and_cost_in_one_line(void **state)
{
    (void)state;
    for (int i = 0; i < spw_variant_count(); i++) {
        const char *text = spw_variant_at(i)->text;
        assert_in_range(strlen(text), 10, 60);
        assert_null(strchr(text, '\n'));
    }
}

static void rows_are_found_by_symbol_and_only_once(void **state)
{
    (void)state;
    for (int i = 0; i < spw_variant_count(); i++)
        assert_ptr_equal(spw_variant_find(spw_variant_at(i)->symbol), spw_variant_at(i));
    assert_null(spw_variant_find("spw_spmv_csr"));
}

static void iteration_visits_each_row_once(void **state)
{
    (void)state;
    int all = 0, by_op = 0;
    for (const spw_variant *v = NULL; (v = spw_variant_next(v, SPW_OP_ANY, SPW_FORMAT_ANY)); all++)
        assert_int_not_equal(v->backend, SPW_CUDA);
    for (const spw_variant *v = NULL; (v = spw_variant_next_cuda(v, SPW_OP_ANY, SPW_FORMAT_ANY));
         all++)
        assert_int_equal(v->backend, SPW_CUDA);
    for (int op = SPW_OP_COPY; op < SPW_OP_END; op++) {
        for (const spw_variant *v = NULL; (v = spw_variant_next(v, (spw_op)op, SPW_FORMAT_ANY));)
            by_op++;
        for (const spw_variant *v = NULL;
             (v = spw_variant_next_cuda(v, (spw_op)op, SPW_FORMAT_ANY));)
            by_op++;
    }
    assert_int_equal(all, spw_variant_count());
    assert_int_equal(by_op, spw_variant_count());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_follow_the_rule_of_names),
        cmocka_unit_test(symbols_are_those_of_the_functions),
        cmocka_unit_test(every_operation_starts_with_its_reference),
        cmocka_unit_test(every_row_says_gain_and_cost_in_one_line),
        cmocka_unit_test(rows_are_found_by_symbol_and_only_once),
        cmocka_unit_test(iteration_visits_each_row_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
