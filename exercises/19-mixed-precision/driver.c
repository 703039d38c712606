/* Exercise 19: values in float, and the product with them. Iterative refinement: driver_refine.c. */
#include "mixed_precision.h"

#include "driver_refine.h"
#include "kernels/spmv.h"
#include "problem.h"

/* --- to_single --------------------------------------------------------------------------------------- */

typedef struct conversion {
    int64_t n;
    const double *val;
    double *scale; /* compared first */
    float *single;
} conversion;

static void prepare_values(spw_trial *t, const char *name, void *at) {
    conversion *d = (conversion *)at;
    const bool large = strcmp(name, "hundred-thousand") == 0;
    d->n = strcmp(name, "none") == 0 ? 0 : strcmp(name, "one") == 0 ? 1 : large ? 100003 : 7;
    spw_kit_quantity(t, "n", (double)d->n);
}

/* The largest has a sign, and is nowhere near a power of two; the first has a scale of its own, and so have the smallest
 * and the sum. */
static void fill_values(spw_trial *t, const void *at, void *array, int64_t n) {
    (void)at;
    const char *name = spw_kit_case(t);
    const double size = strcmp(name, "huge") == 0    ? 1e60
                        : strcmp(name, "tiny") == 0  ? 1e-60
                        : strcmp(name, "zeros") == 0 ? 0
                                                     : 1;
    double *val = (double *)array, largest = 0;
    for (int64_t k = 0; k < n && n < 10; k++) val[k] = (k % 2 ? 9.4 : -9.4) + val[k] / 10;
    if (n > 0) val[0] = n == 1 ? -37.3 : 3.1;
    if (n > 1) val[n - 1] = 0.3;
    if (n > 1) val[n / 2] = strcmp(name, "largest-is-positive") == 0 ? 23.7 : -23.7;
    if (strcmp(name, "power-of-two") == 0) val[3] = -32;
    for (int64_t k = 0; k < n; k++) {
        val[k] *= size;
        largest = fmax(largest, fabs(val[k]));
    }
    spw_kit_quantity(t, ".largest", largest);
}

static const spw_argument of_values[] = {SPW_FILLED(conversion, val, "n", .fill = fill_values),
                                         SPW_NUMBER(conversion, scale, "scale"),
                                         SPW_OUTPUT(conversion, single, "n"),
                                         {0}};

static void expect_values(spw_trial *t, const void *at) {
    const conversion *d = (const conversion *)at;
    const double largest = spw_kit_value(t, "largest");
    float *right = (float *)spw_kit_need(t, spw_trial_memory(t, d->n, sizeof *right));
    double scale = 1;
    while (largest > 0 && largest / scale >= 2) scale *= 2;
    while (largest > 0 && largest / scale < 1) scale /= 2;
    for (int64_t k = 0; k < d->n; k++) right[k] = (float)(d->val[k] / scale);
    spw_kit_expect_number(t, d->scale, scale, 0);
    spw_kit_expect(t, d->single, right, NULL);
}

SPW_RESULT(call_to_single, to_single, const conversion *d, *d->scale, d->n, d->val, d->single)
static const spw_kit values_kit =
    SPW_KIT_OF(of_values, conversion, call_to_single, expect_values, .prepare = prepare_values,
               .facts = "{n} values, largest {largest:1}");

/* --- spmv_single ------------------------------------------------------------------------------------- */

SPW_CALL(call_spmv, spmv_single, const product *o, o->of.S, o->x, o->y)
SPW_RIVAL(double_values, const product *o, spw_spmv_csr_omp(o->of.A, o->x, o->y))

static void library_spmv(spw_trial *t) {
    const product *o = (const product *)spw_kit_called(t);
    const spw_csr_float S = view_of(o->of.S);
    spw_spmv_mixed_omp(&S, o->x, o->y);
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < S.n_rows; i++) o->y[i] *= S.scale;
}

static const spw_slip on_the_cpu[] = {{"load 8 n_rows", "y is written, not read"}, {0}};

static const spw_kit product_kit =
    SPW_KIT_OF(of_product, product, call_spmv, expect_product, .matrix = make_matrix,
               .predict = predict_product, .cost = PRODUCT_COST, .slips = on_the_cpu,
               .more_slips = product_slips);

/* --- the declaration ---------------------------------------------------------------------------------- */

enum { MAX_CASES = 64 };

/* clang-format off */
static const char *const value_cases[] = {
    "largest-is-positive", "largest-is-negative", "one", "zeros", "power-of-two", "huge", "tiny", "none",
    "hundred-thousand", NULL};
/* clang-format on */

static const char *matrix_cases[MAX_CASES] = {"small", "small@*1e60", "small@*1e-60"};

/* First sizes that fit a float; of 1e60 and 1e-60 more mistakes than one leave nothing. */
static const char *const step_cases[] = {"tridiag:13@0.4", "tridiag:13@0.7", "small@0.4,0", NULL};
static const char *const system_cases[] = {"small",           "tridiag:13", "fem1:6@+0.5",
                                           "laplace2d:20x17", "fem1:9",     NULL};
static const char *const sized_step_cases[] = {"small@0.4,1e60", "small@0.4,1e-60", NULL};
static const char *const sized_system_cases[] = {
    "fem1:6@+0.5*1e60",       "fem1:6@+0.5*1e-60", "small@=1e60", "small@=1e-60",
    "stencil27:9@+0.1=1e-50", "singular-in-float", NULL};

static const spw_part parts[] = {
    SPW_PART("to_single", value_cases, values_kit, ),
    SPW_PART("spmv_single", matrix_cases, product_kit, .model = "spmv_single_cost",
             .speed = "stencil27:120", .traffic = "stencil27:60", .takes_matrix = true,
             .target = 0.75, .baseline = {.label = "double values", .call = double_values},
             .stretch = {.label = "library, with prefetch", .call = library_spmv}),
    SPW_PART("refine", step_cases, steps_kit, ),
    SPW_PART("refine", system_cases, refine_kit, .model = "refine_cost", .claim = check_refine,
             .speed = "fem1:64@+0.3", .target = 0.7,
             .baseline = {.label = "CG in double to 1e-12", .call = refine_in_double},
             .stretch = {.label = "library, keeps directions", .call = refine_library}),
    SPW_PART("refine", sized_step_cases, steps_kit, ),
    SPW_PART("refine", sized_system_cases, refine_kit, .claim = check_refine),
};

static const char *const allowed[] = {"single_cg", NULL};

int main(int argc, char **argv) {
    int n = 3;
    for (int c = 0; c < spw_csr_case_count() && n < MAX_CASES - 1; c++)
        matrix_cases[n++] = spw_csr_case_name(c);
    return spw_judge(&(spw_exercise){.parts = parts, .n_parts = 6, .allowed = allowed}, argc, argv);
}
