/* Exercise 6: y = A x in CSR. What mistakes give is told by the patches in tests/wrong/06-spmv-csr. */
#include "spmv_csr.h"
#include "problem.h"

SPW_CALL(call, spmv_csr, const operands *o, o->A, o->x, o->y)
static const spw_kit product = SPW_KIT_OF(arguments, operands, call, expect, .predict = predict,
                                          .cost = SPW_COST_SPMV_CSR, .slips = slips);

enum { MAX_CASES = 64 };
static const char *cases[MAX_CASES] = {"small", "slides"};

static const spw_part parts[] = {
    SPW_PART("spmv_csr", cases, product, .model = "spmv_csr_cost", .speed = "stencil27:120",
             .traffic = "stencil27:60", .takes_matrix = true, .target = 0.8,
             .slow =
                 "Four reasons are possible: it moves more than\n"
                 "          the model says, its code is slow, the work is uneven, or it waits for\n"
                 "          single loads. README.md names them, exercise 10 tells them apart.",
             .baseline = {"plain serial loop", .function = (spw_function)spw_spmv_csr_ref},
             .stretch = {"library, rows cut by entries",
                         .function = (spw_function)spw_spmv_csr_omp_balanced}),
};

int main(int argc, char **argv) {
    int n = 2;
    for (int c = 0; c < spw_csr_case_count() && n < MAX_CASES - 1; c++)
        cases[n++] = spw_csr_case_name(c);
    return spw_judge(&(spw_exercise){.parts = parts, .n_parts = 1}, argc, argv);
}
