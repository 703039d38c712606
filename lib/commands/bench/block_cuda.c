/* Tall and skinny products on the device: each against the device's roof, XᵀX beside another library's dgemm. */
#include "base/device.h"
#include "base/memory.h"
#include "commands/bench/peers.h"
#include "commands/bench/contest.h"
#include "commands/bench/subjects.h"
#include "formats/generate.h"
#include "kernels/block.h"
#include "kernels/cuda_block.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { MOST = 64 };

typedef enum op { GRAM, COMBINE, RESIDUAL } op;

/* A block of random vectors, here and there. */
typedef struct blocks {
    int64_t n;
    int nv;
    double *X;               /* [n * nv] */
    double *expected;        /* [nv * nv] XᵀX */
    double *d_X, *d_Y, *d_R; /* [n * nv] */
    double *d_C, *d_room;    /* [nv * nv], and for the parts of sums */
} blocks;

static void drop(blocks *o) {
    spw_free(o->X);
    spw_free(o->expected);
    spw_device_free(o->d_X);
    spw_device_free(o->d_Y);
    spw_device_free(o->d_R);
    spw_device_free(o->d_C);
    spw_device_free(o->d_room);
}

static spw_status make(blocks *o) {
    const int64_t size = o->n * o->nv, square = (int64_t)o->nv * o->nv;
    spw_status status = operands_vector(&o->X, size);
    if (!status) status = SPW_ALLOC(&o->expected, square);
    if (!status) status = SPW_DEVICE_ALLOC(&o->d_X, size);
    if (!status) status = SPW_DEVICE_ALLOC(&o->d_Y, size);
    if (!status) status = SPW_DEVICE_ALLOC(&o->d_R, size);
    if (!status) status = SPW_DEVICE_ALLOC(&o->d_C, square);
    if (!status) status = SPW_DEVICE_ALLOC(&o->d_room, SPW_CUDA_PARTS * square);
    if (status) return status;
    spw_gram_omp(o->n, o->nv, o->X, o->nv, o->nv, o->X, o->nv, o->expected);
    status = spw_device_copy_to(o->d_X, o->X, 8 * size);
    if (!status) status = spw_device_copy(o->d_Y, o->d_X, 8 * size);
    return status ? status : spw_device_zero(o->d_C, 8 * square);
}

static spw_status launch(const runner *r) {
    const blocks *o = r->state;
    const int64_t n = o->n;
    const int nv = o->nv;
    const spw_block X = {o->d_X, nv, nv}, R = {o->d_R, nv, nv};
    switch ((op)r->number) {
    case GRAM: return spw_gram_cuda(n, nv, o->d_X, nv, nv, o->d_X, nv, o->d_C, o->d_room);
    case COMBINE: return spw_combine_cuda(n, 1, &X, o->d_C, 1, &R);
    case RESIDUAL:
        return spw_residual_block_cuda(n, nv, o->d_C, o->d_X, nv, o->d_Y, nv, o->d_R, nv, o->d_room,
                                       o->d_room + nv);
    }
    return SPW_OK;
}

/* Both sum up n products; the order is their own. */
static bool is_gram(const peers_job *job, const double *y, double *numbers, char text[BENCH_TEXT]) {
    const double *expected = job->expected;
    (void)numbers;
    for (int k = 0; k < job->nv * job->nv; k++) {
        const double size = sqrt(expected[k / job->nv * (job->nv + 1)]) *
                            sqrt(expected[k % job->nv * (job->nv + 1)]);
        if (fabs(y[k] - expected[k]) <= 2 * job->A->n_rows * DBL_EPSILON * size) continue;
        set_text(text, "element %d is %.6g, not %.6g", k, y[k], expected[k]);
        return false;
    }
    return true;
}

static void enter_ours(contest *run, blocks *o) {
    static const char *const texts[] = {"spw_gram_cuda", "spw_combine_cuda",
                                        "spw_residual_block_cuda"};
    const double elements = (double)o->n * o->nv;
    for (int k = GRAM; k <= RESIDUAL; k++) {
        runner *r = contest_enter(run, texts[k], 8 * elements * (k + 1), 0);
        r->side = k == GRAM ? SIDE_OURS : SIDE_ASIDE;
        r->launch = launch;
        r->state = o;
        r->number = k;
        r->flops = elements * (k == RESIDUAL ? 4 : 2 * o->nv);
    }
}

static void enter_theirs(bench *b, contest *run, const spw_csr *A, const blocks *o) {
    const peers_job job = {.op = "gram-cuda",
                           .A = A,
                           .nv = o->nv,
                           .x = o->X,
                           .bytes = 8.0 * o->n * o->nv,
                           .flops = 2.0 * o->n * o->nv * o->nv,
                           .expected = o->expected,
                           .is_right = is_gram,
                           .by_device = true};
    peers_enter_job(b->set, run, &job);
}

static int one_count(bench *b, const spw_csr *A, int nv) {
    OWNED(drop) blocks o = {.n = A->n_rows, .nv = nv};
    OWNED(contest_close) contest run = {0};
    char subject[BENCH_TEXT];
    set_text(subject, "n=%d nv=%d", (int)A->n_rows, nv);
    if (make(&o) || contest_enter_device_probe(&run, 16.0 * A->n_rows * nv)) return 1;
    printf("\nOn the device, blocks of %d vectors of %d elements; share of the roof of load\n", nv,
           (int)A->n_rows);
    enter_ours(&run, &o);
    enter_theirs(b, &run, A, &o);
    contest_run(&run, b->rounds);
    contest_report(b, &run, "block-cuda", subject);
    contest_compare(b, "block-cuda", subject, "X'X against the best peer",
                    contest_best(&run, SIDE_OURS, false), contest_best(&run, SIDE_PEER, false), 1);
    peers_leave(b->set);
    return 0;
}

/* Workers get vectors with a matrix only: that of a line. */
int bench_block_cuda(bench *b, const bench_case *c) {
    OWNED(spw_csr_destroy) spw_csr A = {0};
    set_text(b->about, "blocks on the device");
    (void)c;
    if (spw_csr_generate(b->quick ? "tridiag:100000" : "tridiag:1000000", &A)) return 1;
    for (int nv = 16; nv <= MOST; nv *= 2)
        if (one_count(b, &A, nv)) return 1;
    return 0;
}
