/* Exercise 21: Y = A X in CSR and SELL-P, on the CPU. */
#include "spmm.h"

#define EACH_VECTOR                                                                                \
    "the matrix is counted once for each vector, as in nv single SpMVs: once serves all"
#define WRITE_ALLOCATE "Y is written, not read. The write-allocate read is not in the model"
#include "problem.h"

#include "kernels/spmm.h"
#include "kernels/spmv.h"

SPW_CALL(call_csr, spmm_csr, const operands *o, o->A, o->nv, o->X, o->ldx, o->Y, o->ldy)
SPW_CALL(call_sellp, spmm_sellp, const operands *o, o->S, o->nv, o->X, o->ldx, o->Y, o->ldy)
SPW_PREDICT(predict_csr, spmm_csr_cost, const operands *o, o->A, o->nv)

/* The first vectors of X and Y lie in as many bytes. */
static void single_csr(spw_trial *t) {
    const operands *o = (const operands *)spw_kit_called(t);
    for (int v = 0; v < o->nv; v++) spw_spmv_csr_omp(o->A, o->X, o->Y);
}

static const spw_argument of_csr[] = {SPW_CSR(operands, A), VECTORS, {0}};
static const spw_kit csr = {of_csr, KIT(call_csr, predict_csr, SPW_COST_SPMM_CSR, "(n_rows + 1)",
                                        "{size}, nv {nv}, ldx {ldx}, ldy {ldy}")};
static const spw_kit sellp = {
    of_sellp, KIT_OF_SELLP(call_sellp,
                           "SELL-P {b},{t}, beta {beta:3}, {size}, nv {nv}, ldx {ldx}, ldy {ldy}")};

/* clang-format off */
static const char *const csr_cases[] = {
    "small@3", "slides@2", "one-by-one@1", "one-by-one@5", "no-rows@2", "no-columns@3", "no-entries@4",
    "small@3+2", "one-row@7", "one-column@8", "empty-rows@31", "empty-first-last@16", "mostly-empty@3",
    "rectangular-wide@9", "rectangular-tall@17", "every-length@16+1", "dense-row@32", "prime@48",
    "arrow@2", "powerlaw@8", "stencil27@11", "fem3@64", NULL};
static const char *const sellp_cases[] = {
    "small@3/2,3", "slides@2/2,1", "one-by-one@5/8,4", "no-rows@2/8,4", "no-columns@3/8,4",
    "no-entries@4/2,2", "small@3+2/4,2", "one-row@7/4,1", "empty-first-last@16/8,4", "mostly-empty@3/32,2",
    "rectangular-wide@9/1,32", "rectangular-tall@17/16,8", "every-length@31/8,4", "dense-row@8/32,16",
    "prime@48/5,2", "stencil27@11/64,4", "prime@7/8,4", NULL};
/* clang-format on */

#define REGISTERS                                                                                  \
    "Are the sums in registers? A loop\n"                                                          \
    "          to a constant, as 16, keeps them there; one to nv adds in memory."
#define PART(of, bt)                                                                               \
    .function = "spmm_" #of, .model = "spmm_" #of "_cost", .cases = of##_cases, SPW_KIT(&(of)),    \
    .speed = "stencil27:72@16" bt, .traffic = "stencil27:40@16" bt, .takes_matrix = true,          \
    .target = 0.5, .slow = REGISTERS, .stretch.label = "library, Y past the caches",               \
    .stretch.function = (spw_function)spw_spmm_##of##_omp_bypass
static const spw_part parts[] = {
    {PART(csr, ""), .baseline = {.label = "nv single SpMVs", .call = single_csr}},
    {PART(sellp, "/8,4")}}; /* no baseline: it takes longest */

SPW_DRIVER(parts)
