/* commands/bench.c -- the library's kernels against the roof and against what else is installed.
 *
 *   bench [--quick] [--only SUBJECTS] [--matrix NAME] [--threads N] [--peers FOLDER] [--out FILE]
 *     --quick    small sizes, some minutes; nothing there says whether a goal is reached
 *     --only     some of the subjects of the table below, between spaces
 *     --matrix   only what takes a matrix, on this file or generator; solvers where --only names them
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

/* fem3 has 80 entries a row: there a product with a block of 32 vectors must be worth it. */
static const bench_case cases[] = {
    {.subject = "bandwidth", .run = bench_bandwidth},
    {.subject = "vectors", .run = bench_vectors},
    {.subject = "vectors", .run = bench_fused},
    {.subject = "dense", .run = bench_dense},
    {.subject = "block", .run = bench_block},
    {"spmv", bench_spmv, "laplace3d:220", "laplace3d:100", .user = USER_ALWAYS, .goals = {0.9}},
    {"spmv", bench_spmv, "stencil27:148", "stencil27:64", .goals = {0.9}},
    {"spmv", bench_spmv, "fem3:72", "fem3:32", .goals = {0.9}},
    {"spmv", bench_spmv, "arrow:20000000", "arrow:1000000", .goals = {0, 1.3}},
    {"spmv", bench_spmv, "powerlaw:3000000", "powerlaw:300000", .goals = {0, 1.3}},
    {"spmm", bench_spmm, "stencil27:96", "stencil27:40", .user = USER_ALWAYS, .goals = {1}},
    {"cuda", bench_block_cuda, .device = true},
    {"cuda", bench_cuda, "stencil27:148", "stencil27:64", .user = USER_ALWAYS, .device = true},
    {"cuda", bench_cuda, "fem3:72", "fem3:32", .device = true},
    {"cuda", bench_cuda, "powerlaw:3000000", "powerlaw:300000", .device = true},
    {"lobpcg-cuda", bench_lobpcg_cuda, "laplace3d:58", "laplace3d:32", .user = USER_ASKED,
     .device = true},
    {"lobpcg-cuda", bench_lobpcg_cuda, "stencil27:100", "", .device = true},
    {.subject = "uneven", .run = bench_uneven},
    {"make", bench_make, .user = USER_ALWAYS},
    {.subject = "padding", .run = bench_padding},
    {.subject = "solvers", .run = bench_solvers},
    {"cg", bench_cg, "stencil27:148", "stencil27:48", .user = USER_ASKED, .goals = {1.4, 1.8}},
    {"cg", bench_cg, "fem3:72", "fem3:32", .goals = {0, 0, 1.8}},
    {"pcg", bench_pcg, "stencil27:100", "stencil27:32", .user = USER_ASKED, .goals = {1}},
    {"pcg", bench_pcg, "fem3:48", "fem3:12", .goals = {1}},
    {"trsv", bench_trsv, "stencil27:100", "stencil27:48", .user = USER_ASKED},
    {"precond", bench_preconds, "stencil27:100", "stencil27:32", .user = USER_ASKED},
    {"eigen", bench_eigen, "laplace3d:58", "laplace3d:20", .user = USER_ASKED, .nv = 16,
     .goals = {3, 10}},
    {"eigen", bench_eigen, "fem3:40", "fem3:10", .nv = 16, .goals = {2.5, 6}},
    {"eigen", bench_eigen, "laplace3d:58", "laplace3d:20", .nv = 32, .goals = {2.5, 6}},
    {"eigen", bench_eigen, "fem3:40", "fem3:10", .nv = 32, .goals = {2.5, 6, 1.2}},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Is the word one of those between spaces? */
static bool listed(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

/* --- options -------------------------------------------------------------------------------------- */

static int check_only(const char *only) {
    char copy[256], all[256] = "";
    for (int k = 0; k < CASES; k++)
        if (!listed(all, cases[k].subject))
            spw_append(all, sizeof all, "%s%s", k ? " " : "", cases[k].subject);
    snprintf(copy, sizeof copy, "%s", only);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        if (!listed(all, word)) return fail("--only: there is no '%s'; there are %s", word, all);
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
    b->rounds = b->quick ? 5 : 21;
    return b->only ? check_only(b->only) : 0;
}

/* --- the whole ------------------------------------------------------------------------------------ */

static bool is_wanted(const bench *b, const bench_case *c) {
    if (b->only && !listed(b->only, c->subject)) return false;
    if (!b->matrix) return !b->quick || !c->quick || *c->quick;
    return c->user == USER_ALWAYS || (c->user == USER_ASKED && b->only);
}

static int run_case(bench *b, bench_case c) {
    static int has_device = -1;
    if (c.device && has_device < 0) has_device = bench_has_device(b);
    if (c.device && !has_device) return 0;
    if (b->quick) c.matrix = c.quick;
    if (b->matrix) c = (bench_case){.run = c.run, .matrix = b->matrix, .nv = c.nv};
    set_text(b->about, "%s", c.matrix ? c.matrix : c.subject);
    const int failed = c.run(b, &c);
    if (failed) fail("%s: %s", b->about, spw_message());
    peers_leave(b->set);
    return failed;
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
    int failed = 0;
    for (int k = 0; k < CASES && !(failed && b.matrix); k++)
        if (is_wanted(&b, &cases[k])) failed |= run_case(&b, cases[k]);
    peers_close(b.set);
    if (b.n_results == 0) return failed;
    summarise(&b);
    failed |= write_results(&b, &machine);
    return failed;
}
