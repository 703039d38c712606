/* commands/bench.c -- the library's kernels against the roof and against what else is installed.
 *
 *   bench [--quick] [--only SUBJECTS] [--matrix NAME] [--threads N] [--peers FOLDER] [--out FILE]
 *     --quick    small sizes, some minutes; nothing there says whether a goal is reached
 *     --only     some of bandwidth vectors dense block spmv spmm cuda lobpcg-cuda uneven make padding
 *                solvers cg pcg trsv precond eigen, between spaces
 *     --matrix   only the sparse kernels, on this file or generator; cg, pcg, trsv, precond, eigen and
 *                lobpcg-cuda where --only names them
 *     --threads  instead of all
 *     --peers    folder of other libraries' workers (commands/peers/build.sh); without it: none
 *     --no-gpu   why it was built without one
 *     --limit    seconds that a peer may take for one answer, 300
 *     --out      the figures as a table of tabs, build/bench.tsv
 * Exit status: 0, also where a goal is missed; 1 with one line of what went wrong.
 *
 * What is compared runs by turns, one sample of each, in random order (bench/contest.h). "of roof" is
 * the time in which the best loop of that mix moves the bytes over the time taken, with its interval;
 * the roof has arrays of the same size. Bytes are what the kernel must move, without the
 * write-allocate read. */
#include "base/threads.h"
#include "commands/bench/peers.h"
#include "commands/bench/report.h"
#include "commands/bench/subjects.h"
#include "commands/command.h"
#include "formats/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBJECTS                                                                                   \
    "bandwidth vectors dense block spmv spmm cuda lobpcg-cuda uneven make padding solvers cg pcg " \
    "trsv precond eigen"

/* Is the word one of those between spaces? */
static bool listed(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

static bool wanted(const bench *b, const char *subject) {
    return !b->only || listed(b->only, subject);
}

/* With a matrix of the user's: only what is asked for by its name. */
static bool named(const bench *b, const char *subject) {
    return b->only && listed(b->only, subject);
}

/* --- options -------------------------------------------------------------------------------------- */

static int check_only(const char *only) {
    char copy[256];
    snprintf(copy, sizeof copy, "%s", only);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        if (!listed(SUBJECTS, word))
            return fail("--only: there is no '%s'; there are " SUBJECTS, word);
    return 0;
}

static int read_arguments(int argc, char **argv, bench *b) {
    *b = (bench){.out = "build/bench.tsv", .threads = spw_max_threads()};
    int quick = 0, limit = 300;
    const command_option options[] = {
        flag_option("--quick", &quick),
        text_option("--only", &b->only),
        text_option("--matrix", &b->matrix),
        count_option("--threads", &b->threads, "THREADS", 4096),
        text_option("--peers", &b->peers),
        text_option("--no-gpu", &b->no_gpu),
        count_option("--limit", &limit, "LIMIT", 86400),
        text_option("--out", &b->out),
    };
    if (!read_options("bench", options, sizeof options / sizeof *options, argc, argv)) return 1;
    b->quick = quick;
    b->limit = limit;
    b->rounds = b->quick ? 7 : 21;
    return b->only ? check_only(b->only) : 0;
}

/* --- the whole ------------------------------------------------------------------------------------ */

static int all_spmv(bench *b) {
    const bool q = b->quick;
    const spmv_goals even = {.roof = 0.9}, uneven = {.plain = 1.3};
    int failed = bench_spmv(b, q ? "laplace3d:100" : "laplace3d:220", even);
    failed |= bench_spmv(b, q ? "stencil27:64" : "stencil27:148", even);
    failed |= bench_spmv(b, q ? "fem3:32" : "fem3:72", even);
    failed |= bench_spmv(b, q ? "arrow:1000000" : "arrow:20000000", uneven);
    failed |= bench_spmv(b, q ? "powerlaw:300000" : "powerlaw:3000000", uneven);
    return failed;
}

static int all_cuda(bench *b) {
    const bool q = b->quick;
    const bool products = wanted(b, "cuda"), lobpcg = wanted(b, "lobpcg-cuda");
    int failed = 0;
    if ((!products && !lobpcg) || !bench_has_device(b)) return 0;
    if (products) {
        failed |= bench_block_cuda(b);
        failed |= bench_cuda(b, q ? "stencil27:64" : "stencil27:148");
        failed |= bench_cuda(b, q ? "fem3:32" : "fem3:72");
        failed |= bench_cuda(b, q ? "powerlaw:300000" : "powerlaw:3000000");
    }
    if (lobpcg) failed |= bench_lobpcg_cuda(b, q ? "laplace3d:32" : "laplace3d:58");
    if (lobpcg && !q) failed |= bench_lobpcg_cuda(b, "stencil27:100");
    return failed;
}

static int all_uneven(bench *b) {
    const bool q = b->quick;
    int failed = bench_uneven(b, q ? "arrow:1000000" : "arrow:20000000",
                              q ? "tridiag:1000000" : "tridiag:20000000");
    failed |= bench_uneven(b, q ? "powerlaw:300000" : "powerlaw:3000000",
                           q ? "random:300000x300000x21" : "random:3000000x3000000x26");
    return failed;
}

static int all_making(bench *b) {
    const bool q = b->quick;
    printf("\nMaking matrices\n");
    int failed = bench_generate(b, q ? "stencil27:64" : "stencil27:148");
    failed |= bench_generate(b, q ? "fem3:32" : "fem3:72");
    failed |= bench_sort(b, q ? "stencil27:48" : "stencil27:100");
    failed |= bench_convert(b, q ? "stencil27:48" : "stencil27:100");
    failed |= bench_convert(b, q ? "powerlaw:300000" : "powerlaw:1000000");
    failed |= bench_parse(b, q ? "fem1:32" : "fem1:64");
    return failed;
}

static int all_pcg(bench *b) {
    const bool q = b->quick;
    int failed = bench_pcg(b, q ? "stencil27:32" : "stencil27:100", true);
    failed |= bench_pcg(b, q ? "fem3:12" : "fem3:48", true);
    return failed;
}

static int all_eigen(bench *b) {
    static const int counts[] = {16, 32};
    int failed = 0;
    for (int k = 0; k < 2; k++) {
        const eigen_goals grid = {.slepc = 2.5, .hypre = 6};
        /* fem3 has 80 entries a row */
        const eigen_goals mesh = {.slepc = 2.5, .hypre = 6, .blocked = counts[k] == 32 ? 1.2 : 0};
        failed |= bench_eigen(b, b->quick ? "laplace3d:20" : "laplace3d:58", counts[k], grid);
        failed |= bench_eigen(b, b->quick ? "fem3:10" : "fem3:40", counts[k], mesh);
    }
    return failed;
}

static int everything(bench *b) {
    const bool q = b->quick;
    int failed = 0;
    if (wanted(b, "bandwidth")) failed |= bench_bandwidth(b);
    if (wanted(b, "vectors")) failed |= bench_vectors(b) | bench_fused(b);
    if (wanted(b, "dense")) failed |= bench_dense(b);
    if (wanted(b, "block")) failed |= bench_block(b);
    if (wanted(b, "spmv")) failed |= all_spmv(b);
    if (wanted(b, "spmm")) failed |= bench_spmm(b, q ? "stencil27:40" : "stencil27:96", true);
    failed |= all_cuda(b);
    if (wanted(b, "uneven")) failed |= all_uneven(b);
    if (wanted(b, "make")) failed |= all_making(b);
    if (wanted(b, "padding")) failed |= bench_padding(b);
    if (wanted(b, "solvers")) failed |= bench_solvers(b);
    if (wanted(b, "cg")) failed |= bench_cg(b, q ? "stencil27:48" : "stencil27:148", true);
    if (wanted(b, "pcg")) failed |= all_pcg(b);
    if (wanted(b, "trsv")) failed |= bench_trsv(b, q ? "stencil27:48" : "stencil27:100");
    if (wanted(b, "precond")) failed |= bench_preconds(b, q ? "stencil27:32" : "stencil27:100");
    if (wanted(b, "eigen")) failed |= all_eigen(b);
    return failed;
}

static int one_matrix(bench *b) {
    if (wanted(b, "spmv") && bench_spmv(b, b->matrix, (spmv_goals){0})) return 1;
    if (wanted(b, "spmm") && bench_spmm(b, b->matrix, false)) return 1;
    if (wanted(b, "cuda") && bench_has_device(b) && bench_cuda(b, b->matrix)) return 1;
    if (named(b, "lobpcg-cuda") && bench_has_device(b) && bench_lobpcg_cuda(b, b->matrix)) return 1;
    if (wanted(b, "make") && bench_convert(b, b->matrix)) return 1;
    if (named(b, "cg") && bench_cg(b, b->matrix, false)) return 1;
    if (named(b, "pcg") && bench_pcg(b, b->matrix, false)) return 1;
    if (named(b, "trsv") && bench_trsv(b, b->matrix)) return 1;
    if (named(b, "precond") && bench_preconds(b, b->matrix)) return 1;
    return named(b, "eigen") && bench_eigen(b, b->matrix, 16, (eigen_goals){0});
}

int main(int argc, char **argv) {
    static bench b;
    setvbuf(stdout, NULL, _IOLBF, 0); /* what goes before a long wait is seen before it */
    if (read_arguments(argc, argv, &b)) return 1;
    if (b.matrix && spw_csr_find(b.matrix)) return fail("%s", spw_message());
    if (check_out(&b)) return 1;
    const spw_topology machine = spw_topology_read();
    spw_set_threads(b.threads);
    printf("%s%s, %d cores, %d threads used\n", machine.cpu,
           machine.is_virtual ? " (virtual machine)" : "", machine.cores, b.threads);
    if (b.peers && peers_open(b.peers, b.threads, b.limit, &b.set)) return 1;
    int failed = b.matrix ? one_matrix(&b) : everything(&b);
    peers_close(b.set);
    if (b.n_results == 0) return failed;
    summarise(&b);
    failed |= write_results(&b, &machine);
    return failed;
}
