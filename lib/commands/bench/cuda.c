#include "commands/bench/peers.h"
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"
#include "formats/device_matrix.h"
#include "kernels/cuda.h"

#include <stdio.h>

/* The matrix in each format, and the vectors, in the device's memory. */
typedef struct device_operands {
    spw_coo coo;
    spw_csr A;
    spw_ell ell;
    spw_sell sell;
    spw_sellp sellp;
    double *d_x, *d_y;
} device_operands;

static void free_device(device_operands *d) {
    spw_coo_device_destroy(&d->coo);
    spw_csr_device_destroy(&d->A);
    spw_ell_device_destroy(&d->ell);
    spw_sell_device_destroy(&d->sell);
    spw_sellp_device_destroy(&d->sellp);
    spw_device_free(d->d_x);
    spw_device_free(d->d_y);
}

static spw_status load_vectors(const operands *o, device_operands *d) {
    spw_status status = SPW_DEVICE_ALLOC(&d->d_x, o->A.n_cols);
    if (!status) status = SPW_DEVICE_ALLOC(&d->d_y, o->A.n_rows);
    return status ? status : spw_device_copy_to(d->d_x, o->x, 8 * (int64_t)o->A.n_cols);
}

/* Converts on the host, copies, and lets the host's go. */
static spw_status to_device(operands *o, device_operands *d, bench_format format, shape *s) {
    spw_status status = operands_convert(o, format, s);
    if (status) return status;
    switch (format) {
    case BENCH_COO: status = spw_coo_to_device(&o->coo, &d->coo); break;
    case BENCH_CSR: return spw_csr_to_device(&o->A, &d->A); /* the others are made of it */
    case BENCH_ELL: status = spw_ell_to_device(&o->ell, &d->ell); break;
    case BENCH_SELL: status = spw_sell_to_device(&o->sell, &d->sell); break;
    case BENCH_SELLP: status = spw_sellp_to_device(&o->sellp, &d->sellp); break;
    default: status = spw_error(SPW_ERR_UNAVAILABLE, "it has no way to the device"); break;
    }
    operands_drop(o, format);
    return status;
}

static spw_status launch(const runner *r) {
    const device_operands *d = r->state;
    const spw_kernel_fn f = r->kernel->function;
    switch ((bench_format)r->number) {
    case BENCH_COO: return ((__typeof__(&spw_spmv_coo_cuda))f)(&d->coo, d->d_x, d->d_y);
    case BENCH_CSR: return ((__typeof__(&spw_spmv_csr_cuda))f)(&d->A, d->d_x, d->d_y);
    case BENCH_ELL: return ((__typeof__(&spw_spmv_ell_cuda))f)(&d->ell, d->d_x, d->d_y);
    case BENCH_SELL: return ((__typeof__(&spw_spmv_sell_cuda))f)(&d->sell, d->d_x, d->d_y);
    case BENCH_SELLP: return ((__typeof__(&spw_spmv_sellp_cuda))f)(&d->sellp, d->d_x, d->d_y);
    default: return SPW_ERR_UNAVAILABLE;
    }
}

static void enter_format(contest *run, operands *o, device_operands *d, bench_format format) {
    const double vectors = 8.0 * o->A.n_cols + 8.0 * o->A.n_rows;
    char host[BENCH_OPERATION], operation[BENCH_OPERATION + 8];
    shape s;
    operands_kernels("spmv", format, host);
    snprintf(operation, sizeof operation, "%s_cuda", host);
    if (to_device(o, d, format, &s)) {
        printf("  %s is left out: %s\n", bench_format_names[format], spw_message());
        return;
    }
    operands_tell(o, &s);
    for (const spw_kernel *v = spw_kernels(operation); v->symbol; v++) {
        runner *r = contest_enter(run, v->symbol, s.bytes + vectors, 0);
        r->launch = launch;
        r->kernel = v;
        r->state = d;
        r->number = (int)format;
        r->flops = 2.0 * o->A.nnz;
    }
}

int bench_cuda(bench *b, const bench_case *c) {
    OWNED(operands_free) operands o = {0};
    OWNED(free_device) device_operands d = {0};
    OWNED(contest_close) contest run = {0};
    const char *name = c->matrix;
    set_text(b->about, "%s on the device", name);
    if (operands_load(name, 1, &o)) return 1;
    run.roof_bytes = operands_csr_traffic(&o.A);
    if (load_vectors(&o, &d) || contest_enter_device_probe(&run, run.roof_bytes)) return 1;
    printf("\nOn the device, sparse matrix times vector, %s: %.3g M rows, %.3g M entries\n"
           "  without copies; share of the roof: the time to load %.4g MB there\n",
           name, 1e-6 * o.A.n_rows, 1e-6 * o.A.nnz, 1e-6 * run.roof_bytes);
    for (int f = BENCH_COO; f <= BENCH_SELLP; f++) enter_format(&run, &o, &d, (bench_format)f);
    peers_enter(b->set, &run, "spmv-cuda", &o.A, 1, o.x, run.roof_bytes, 2.0 * o.A.nnz);
    contest_run(&run, b->rounds);
    contest_report(b, &run, "spmv-cuda", name);
    const runner *ours = contest_best(&run, SIDE_OURS, false);
    printf("\n  %s on the device, the best of each kind: ours / theirs\n", name);
    contest_best_share(b, &run, "spmv-cuda-best", name, "share of the device's roof", ours, 0.9);
    contest_compare(b, "spmv-cuda-best", name, "against the best peer", ours,
                    contest_best(&run, SIDE_PEER, false), 1);
    return 0;
}

bool bench_has_device(const bench *b) {
    spw_device_info info;
    if (spw_device_properties(&info)) {
        printf("\nNothing was run on a GPU: %s\n", b->no_gpu ? b->no_gpu : spw_message());
        return false;
    }
    printf("\nGPU: %s, compute capability %d.%d, driver %d, CUDA %d\n", info.name, info.major,
           info.minor, info.driver, info.runtime);
    return true;
}
