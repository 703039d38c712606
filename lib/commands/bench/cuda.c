#include "commands/bench/peers.h"
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"
#include "formats/device_matrix.h"
#include "kernels/cuda.h"
#include "perf/bandwidth_device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The matrix in each format, and the vectors, in the device's memory. */
typedef struct device_operands {
    spw_coo coo;
    spw_csr A;
    spw_ell ell;
    spw_sell sell;
    spw_sellp sellp;
    double *d_x, *d_y;
    spw_device_event *from, *to;
} device_operands;

/* A runner has one pointer of its own: `on` is the host's. */
static device_operands device;

static void free_device(void) {
    spw_coo_device_destroy(&device.coo);
    spw_csr_device_destroy(&device.A);
    spw_ell_device_destroy(&device.ell);
    spw_sell_device_destroy(&device.sell);
    spw_sellp_device_destroy(&device.sellp);
    spw_device_free(device.d_x);
    spw_device_free(device.d_y);
    spw_device_event_destroy(device.from);
    spw_device_event_destroy(device.to);
    device = (device_operands){0};
}

static spw_status load_vectors(const operands *o) {
    spw_status status = SPW_DEVICE_ALLOC(&device.d_x, o->A.n_cols);
    if (!status) status = SPW_DEVICE_ALLOC(&device.d_y, o->A.n_rows);
    if (!status) status = spw_device_copy_to(device.d_x, o->x, 8 * (int64_t)o->A.n_cols);
    if (!status) status = spw_device_event_create(&device.from);
    if (!status) status = spw_device_event_create(&device.to);
    return status;
}

/* Converts on the host, copies, and lets the host's go. */
static spw_status to_device(operands *o, bench_format format, shape *s) {
    spw_status status = operands_convert(o, format, s);
    if (status) return status;
    switch (format) {
    case BENCH_COO: status = spw_coo_to_device(&o->coo, &device.coo); break;
    case BENCH_CSR: return spw_csr_to_device(&o->A, &device.A); /* the others are made of it */
    case BENCH_ELL: status = spw_ell_to_device(&o->ell, &device.ell); break;
    case BENCH_SELL: status = spw_sell_to_device(&o->sell, &device.sell); break;
    case BENCH_SELLP: status = spw_sellp_to_device(&o->sellp, &device.sellp); break;
    default: status = spw_error(SPW_ERR_UNAVAILABLE, "it has no way to the device"); break;
    }
    operands_drop(o, format);
    return status;
}

static spw_status launch(bench_format format, spw_kernel_fn f) {
    device_operands *d = &device;
    switch (format) {
    case BENCH_COO: return ((__typeof__(&spw_spmv_coo_cuda))f)(&d->coo, d->d_x, d->d_y);
    case BENCH_CSR: return ((__typeof__(&spw_spmv_csr_cuda))f)(&d->A, d->d_x, d->d_y);
    case BENCH_ELL: return ((__typeof__(&spw_spmv_ell_cuda))f)(&d->ell, d->d_x, d->d_y);
    case BENCH_SELL: return ((__typeof__(&spw_spmv_sell_cuda))f)(&d->sell, d->d_x, d->d_y);
    case BENCH_SELLP: return ((__typeof__(&spw_spmv_sellp_cuda))f)(&d->sellp, d->d_x, d->d_y);
    default: return SPW_ERR_UNAVAILABLE;
    }
}

/* The device's own time, between two marks in its stream. */
static double seconds_of_launches(const runner *r, int calls) {
    double seconds = 0;
    spw_status status = spw_device_event_record(device.from);
    for (int c = 0; c < calls && !status; c++)
        status = launch((bench_format)r->number, r->kernel->function);
    if (!status) status = spw_device_event_record(device.to);
    if (!status) status = spw_device_event_seconds(device.from, device.to, &seconds);
    if (!status) return seconds / calls;
    printf("  %s is left out from here on: %s\n", r->name, spw_message());
    return NAN;
}

static double seconds_of_device_probe(const runner *r, int calls) {
    double seconds;
    (void)calls;
    return spw_device_probe_run(r->state, &seconds) ? NAN : seconds;
}

static void enter_format(contest *run, operands *o, bench_format format) {
    const double vectors = 8.0 * o->A.n_cols + 8.0 * o->A.n_rows;
    char host[BENCH_OPERATION], operation[BENCH_OPERATION + 8];
    shape s;
    operands_kernels("spmv", format, host);
    snprintf(operation, sizeof operation, "%s_cuda", host);
    if (to_device(o, format, &s)) {
        printf("  %s is left out: %s\n", bench_format_names[format], spw_message());
        return;
    }
    printf("  %s%s: %.4g MB, %.2f bytes an entry\n", bench_format_names[format], s.text,
           1e-6 * s.bytes, s.bytes / o->A.nnz);
    for (const spw_kernel *v = spw_kernels(operation); v->symbol; v++) {
        runner *r = contest_enter(run, v->symbol, s.bytes + vectors, 0);
        r->seconds = seconds_of_launches;
        r->kernel = v;
        r->number = (int)format;
        r->flops = 2.0 * o->A.nnz;
        r->less = s.bytes < 12.0 * o->A.nnz;
    }
}

static void enter_formats(contest *run, operands *o) {
    for (int f = BENCH_COO; f <= BENCH_SELLP; f++) enter_format(run, o, (bench_format)f);
}

static spw_status enter_roof(contest *run, spw_device_probe *probe) {
    const spw_status status = spw_device_probe_create(SPW_LOAD, (int64_t)run->roof_bytes, probe);
    if (status) return status;
    runner *r = contest_enter(run, probe->kernel, spw_device_probe_traffic(probe), -1);
    r->seconds = seconds_of_device_probe;
    r->state = probe;
    return SPW_OK;
}

int bench_cuda(bench *b, const char *name) {
    static contest run;
    spw_device_probe probe = {0};
    operands o;
    int status = 1;
    double seconds;
    memset(&run, 0, sizeof run);
    if (operands_load(name, 1, &o, &seconds)) return fail("%s", spw_message());
    run.roof_bytes = operands_csr_traffic(&o.A);
    if (load_vectors(&o) || enter_roof(&run, &probe)) goto done;
    printf("\nOn the device, sparse matrix times vector, %s: %.3g M rows, %.3g M entries\n"
           "  without copies; share of the roof: the time to load %.4g MB there\n",
           name, 1e-6 * o.A.n_rows, 1e-6 * o.A.nnz, 1e-6 * run.roof_bytes);
    enter_formats(&run, &o);
    peers_enter(b->set, &run, "spmv-cuda", &o.A, 1, o.x, run.roof_bytes, 2.0 * o.A.nnz);
    contest_run(&run, b->rounds);
    contest_report(b, &run, "spmv-cuda", name);
    const runner *ours = contest_best(&run, SIDE_OURS, false);
    printf("\n  %s on the device, the best of each kind: ours / theirs\n", name);
    contest_best_share(b, &run, "spmv-cuda-best", name, "share of the device's roof", ours, 0.9);
    contest_compare(b, "spmv-cuda-best", name, "against the best peer", ours,
                    contest_best(&run, SIDE_PEER, false), 1);
    status = 0;
done:
    if (status) fail("%s on the device: %s", name, spw_message());
    peers_leave(b->set);
    spw_device_probe_destroy(&probe);
    free_device();
    operands_free(&o);
    return status;
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
