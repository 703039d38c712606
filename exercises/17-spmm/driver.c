/* Exercise 17: Y = A X in CSR and SELL-P, on the CPU. */
#include "spmm.h"

#define LDX "ldx"
#include "problem.h"

#include "kernels/spmm.h"
#include "kernels/spmv.h"

static const spw_argument of_csr[] = {SPW_CSR(operands, A), VECTORS, {0}};

static void call_csr(const void *at, spw_function f)
{
    const operands *o = (const operands *)at;
    ((spw_spmm_csr_fn)f)(o->A, o->nv, o->X, o->ldx, o->Y, o->ldy);
}

static void call_sellp(const void *at, spw_function f)
{
    const operands *o = (const operands *)at;
    ((spw_spmm_sellp_fn)f)(o->S, o->nv, o->X, o->ldx, o->Y, o->ldy);
}

static spw_cost predict_csr(const void *at, spw_function model)
{
    const operands *o = (const operands *)at;
    return ((spw_cost(*)(const spw_csr *, spw_idx))model)(o->A, o->nv);
}

/* The first vectors of X and Y lie in as many bytes. */
static void single_csr(spw_trial *t)
{
    const operands *o = (const operands *)spw_kit_called(t);
    for (int v = 0; v < o->nv; v++) spw_spmv_csr_omp(o->A, o->X, o->Y);
}

static const spw_slip on_the_cpu[] = {
    {"load (nv - 1) (12 stored + 4 pointers)",
     "the matrix is counted once for each vector. That is what nv single SpMVs move;\n"
     "here each entry is loaded once and used for all vectors"},
    {"load 12 (nv - 1) stored",
     "the entries are counted once for each vector. That is what nv single SpMVs move;\n"
     "here each entry is loaded once and used for all vectors"},
    {"load 8 nv n_rows", "Y is written, not read. The write-allocate read is not in the model:\n"
                         "it depends on the kind of store"},
    {0}};

#define KIT(arguments_, call_, predict_, cost_, units_, facts_)                                    \
    {                                                                                              \
        arguments_, sizeof(operands), .parameters = PARAMETERS, .prepare = prepare,                \
                                      .facts = facts_, .units = units_, .call = call_,             \
                                      .expect = expect, .predict = predict_, .cost = cost_,        \
                                      .slips = on_the_cpu, .more_slips = slips                     \
    }
static const spw_kit csr = KIT(of_csr, call_csr, predict_csr, SPW_COST_SPMM_CSR,
                               UNITS("(n_rows + 1)"), "{size}, nv {nv}, ldx {ldx}, ldy {ldy}");
static const spw_kit sellp =
    KIT(of_sellp, call_sellp, predict_sellp, SPW_COST_SPMM_SELLP, UNITS_OF_SELLP,
        "SELL-P {b},{t}, beta {beta:3}, {size}, nv {nv}, ldx {ldx}, ldy {ldy}");

/* clang-format off */
static const char *const csr_cases[] = {
    "small@3", "slides@2", "one-by-one@1", "one-by-one@5", "no-rows@2", "no-columns@3", "no-entries@4",
    "small@3+2", "one-row@7", "one-column@8", "empty-rows@31", "empty-first-last@16", "mostly-empty@3",
    "rectangular-wide@9", "rectangular-tall@17", "every-length@16+1", "dense-row@32", "prime@48",
    "arrow@2", "powerlaw@8", "stencil27@11", "fem3@64", NULL};
static const char *const sellp_cases[] = {
    "small@3/2,2", "slides@2/2,1", "one-by-one@5/8,4", "no-rows@2/8,4", "no-columns@3/8,4",
    "no-entries@4/2,2", "small@3+2/4,2", "one-row@7/4,1", "empty-first-last@16/8,4", "mostly-empty@3/32,2",
    "rectangular-wide@9/1,32", "rectangular-tall@17/16,8", "every-length@31/8,4", "dense-row@8/32,16",
    "prime@48/5,2", "stencil27@11/64,4", "prime@7/8,4", NULL};
/* clang-format on */

static const spw_part parts[] = {
    {
        .function = "spmm_csr",
        .model = "spmm_csr_cost",
        .cases = csr_cases,
        SPW_KIT(&csr),
        .speed = "stencil27:72@16",
        .traffic = "stencil27:40@16",
        .takes_matrix = true,
        .target = 0.5,
        .baseline = {.label = "nv single SpMVs", .call = single_csr},
        .stretch = {"library, Y past the caches",
                    .function = (spw_function)spw_spmm_csr_omp_stream},
    },
    {
        .function = "spmm_sellp", /* no baseline: it takes longest */
        .model = "spmm_sellp_cost",
        .cases = sellp_cases,
        SPW_KIT(&sellp),
        .speed = "stencil27:72@16/8,4",
        .traffic = "stencil27:40@16/8,4",
        .takes_matrix = true,
        .target = 0.5,
        .stretch = {"library, Y past the caches",
                    .function = (spw_function)spw_spmm_sellp_omp_stream},
    },
};

static const char *const forbidden[] = {"spw_spmm_csr", "spw_spmm_sellp", NULL};

SPW_DRIVER(parts, .forbidden = forbidden)
