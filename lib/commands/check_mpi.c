/* commands/check_mpi.c -- runs a whole MPI program, with its main, as ranks that are fibers. lib/commands/check_mpi.sh
 * calls it:
 *
 *   check_mpi PROGRAM FOLDER up|down|ORDER RANKS SECONDS NAME [ARGUMENT...]
 *
 * PROGRAM is a shared object; each rank loads a copy of its own, so that its globals are its own. up: the lowest rank
 * runs first, on the fast network; down: the highest, on the slow one. ORDER: a number, in which order a receive from any
 * rank takes messages (lib/ranks/ranks.h). SECONDS: of processor time. What was found is left in FOLDER: the file
 * `findings`, its first line how many; `network`: messages, bytes, and modelled time; and `chance`: how many orders are
 * worth a run, as far as this one can tell, and in words what is left to chance.
 *
 * Exit status: 0 where `findings` says 0 and every main returned 0; else 1; 5: it could not be loaded. */
#include "base/memory.h"
#include "commands/command.h"
#include "ranks/ranks.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SIGNAL_STACK = 64 << 10 };

typedef int main_function(int, char **);

static struct program {
    main_function **mains; /* [ranks] */
    const char *folder;
    int argc, failed, status; /* the first rank whose main did not return 0, and what it returned */
    char **argv;
    bool told;
} program = {.failed = -1};

static void tell(int further, const char *text) {
    FILE *file = program.told ? NULL : create_file("check_mpi", program.folder, "findings");
    if (!file) return;
    program.told = true;
    const int count = spw_ranks_finding_count() + further;
    fprintf(file, "%d\n%s%s", count, text, spw_ranks_findings());
    if (count && *spw_ranks_choices())
        fprintf(file, "Before that, where an MPI may choose:\n%s", spw_ranks_choices());
    (void)finish_file("check_mpi", file, program.folder, "findings");
}

/* An access outside, a division by 0, processor time used up: whose, and where its last call was. */
static void on_signal(int signal) {
    static char text[512];
    const char *what = signal == SIGSEGV || signal == SIGBUS
                           ? "touched memory that it does not have"
                       : signal == SIGFPE  ? "divided by 0"
                       : signal == SIGABRT ? "was aborted"
                                           : "used up its processor time: an endless loop?";
    const char *last = spw_ranks_last_call();
    snprintf(text, sizeof text, "rank %d %s%s%s\n", spw_ranks_current(), what,
             *last ? ", after " : "", last);
    fflush(stdout);
    tell(1, text);
    _exit(1);
}

static void catch_signals(double seconds) {
    static char room[SIGNAL_STACK];
    const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    const struct rlimit limit = {(rlim_t)seconds, (rlim_t)seconds + 2};
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
    sigaction(SIGXCPU, &action, NULL);
    setrlimit(RLIMIT_CPU, &limit);
}

/* dlopen takes two files of one name for one: each copy has a name of its own. */
static main_function *load(const char *bytes, size_t size, const char *folder, int rank) {
    char path[1024];
    main_function *found = NULL;
    snprintf(path, sizeof path, "%s/rank-%d.so", folder, rank);
    FILE *file = fopen(path, "wb");
    const bool written = file && fwrite(bytes, 1, size, file) == size;
    if (!file || fclose(file) || !written) {
        (void)cannot("check_mpi", "write", path);
        return NULL;
    }
    void *answer = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = answer ? dlsym(answer, "main") : NULL;
    if (!symbol) fprintf(stderr, "check_mpi: %s\n", dlerror());
    unlink(path);
    memcpy(&found, &symbol, sizeof found);
    return found;
}

static bool load_all(const char *path, const char *folder, int ranks) {
    char *bytes;
    int64_t size = 0;
    program.mains = calloc((size_t)ranks, sizeof *program.mains);
    bool all = !read_text(path, &bytes, &size) && program.mains;
    for (int k = 0; k < ranks && all; k++)
        all = (program.mains[k] = load(bytes, (size_t)size, folder, k));
    spw_free(bytes);
    return all;
}

static void body(int rank, void *unused) {
    (void)unused;
    const int status = program.mains[rank](program.argc, program.argv);
    if (!status || program.failed >= 0) return;
    program.failed = rank;
    program.status = status;
}

static void tell_network(const spw_ranks_result *r, const spw_cluster *c) {
    FILE *file = create_file("check_mpi", program.folder, "network");
    if (!file) return;
    fprintf(file,
            "%" PRId64 " messages, %" PRId64 " bytes; at most %" PRId64 " and %" PRId64
            " of one rank; %" PRId64 " collectives\n",
            r->messages, r->bytes, r->most_messages, r->most_bytes, r->collectives);
    fprintf(file, "%-6s %.4g µs, %.4g GB/s: %.1f µs\n", c->name, 1e6 * c->latency,
            1e-9 * c->bandwidth, 1e6 * r->seconds);
    (void)finish_file("check_mpi", file, program.folder, "network");
}

/* Of two senders, three orders: the low one, the high one, by turns. */
static void tell_chance(const spw_ranks_result *r, int order) {
    FILE *file = create_file("check_mpi", program.folder, "chance");
    const int n = r->most_senders;
    if (!file) return;
    fprintf(file, "%d\n%s\n",
            !order  ? r->from_any > 0
            : n < 2 ? 1
            : n < 3 ? 3
                    : n,
            spw_ranks_doubt());
    (void)finish_file("check_mpi", file, program.folder, "chance");
}

int main(int argc, char **argv) {
    if (argc > 1 && argc < 7)
        return complain(
            5, "check_mpi", "%s",
            "usage: check_mpi PROGRAM FOLDER up|down|ORDER RANKS SECONDS NAME [ARGUMENT...]");
    spw_cluster clusters[SPW_CLUSTERS];
    if (spw_clusters_read(clusters)) return complain(5, "check-mpi", "%s", spw_message());
    if (argc == 1) return 0;
    const bool up = strcmp(argv[3], "down") != 0;
    const int order = atoi(argv[3]);
    const spw_ranks_options options = {
        .ranks = atoi(argv[4]), .descending = !up, .order = order, .cluster = clusters[!up]};
    spw_ranks_result result;
    program.folder = argv[2];
    program.argc = argc - 6;
    program.argv = argv + 6;
    if (!load_all(argv[1], argv[2], options.ranks)) return 5;
    catch_signals(atof(argv[5]));
    if (spw_ranks_run(&options, body, NULL, &result))
        return complain(5, "check_mpi", "%s", spw_message());
    tell_network(&result, &options.cluster);
    tell_chance(&result, order);
    char text[128] = "";
    if (program.failed >= 0)
        snprintf(text, sizeof text, "main of rank %d returned %d\n", program.failed,
                 program.status);
    tell(program.failed >= 0, text);
    fflush(NULL);
    _exit(spw_ranks_finding_count() ||
          program.failed >= 0); /* destructors of copies have no rank */
}
