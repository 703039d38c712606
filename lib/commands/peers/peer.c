/* commands/peers/peer.c -- the worker's side of the protocol of peer.h, linked with one plug-in.
 *
 *   PLUGIN FOLDER/NAME THREADS RANKS
 * reads FOLDER/NAME.RANK.in and, as rank 0, writes FOLDER/NAME.out. */
#include "commands/peers/peer.h"

#include "commands/peers/exchange.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 32, NUMBERS = 8, LINE = 4096, ROW_BLOCK = 6 };

static char reason[512];
static peer_problem problem;
static void *mapped;
static size_t mapped_bytes;
static struct {
    const peer_method *method;
    void *made;
} slots[SLOTS];
static FILE *replies;

/* --- for plug-ins --------------------------------------------------------------------------------- */

void *peer_refuse(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return NULL;
}

double peer_number(const char *parameters, const char *key, double otherwise) {
    const size_t length = strlen(key);
    for (const char *at = parameters; (at = strstr(at, key)); at += length)
        if ((at == parameters || at[-1] == ' ') && at[length] == '=') return atof(at + length + 1);
    return otherwise;
}

static int compare_idx(const void *a, const void *b) {
    const int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    return (i > j) - (i < j);
}

int peer_is_symmetric(const peer_problem *p) {
    if (p->n_rows != p->n_cols) return 0;
    for (int32_t i = 0; i < p->n_rows; i++) {
        for (int32_t k = p->row_ptr[i]; k < p->row_ptr[i + 1]; k++) {
            const int32_t j = p->col_idx[k], begin = p->row_ptr[j];
            const size_t length = (size_t)(p->row_ptr[j + 1] - begin);
            if (j >= i) break;
            const int32_t *at = bsearch(&i, p->col_idx + begin, length, sizeof *at, compare_idx);
            if (!at || p->val[at - p->col_idx] != p->val[k]) return 0;
        }
    }
    /* Each entry below the diagonal has its twin above; are there more above? */
    int64_t below = 0, above = 0;
    for (int32_t i = 0; i < p->n_rows; i++) {
        for (int32_t k = p->row_ptr[i]; k < p->row_ptr[i + 1]; k++) {
            below += p->col_idx[k] < i;
            above += p->col_idx[k] > i;
        }
    }
    return below == above;
}

/* --- requests ------------------------------------------------------------------------------------- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void reply(const char *format, ...) {
    if (!replies) return;
    va_list args;
    va_start(args, format);
    vfprintf(replies, format, args);
    va_end(args);
    fputc('\n', replies);
    fflush(replies);
}

static void forget(void) {
    if (mapped) munmap(mapped, mapped_bytes);
    mapped = NULL;
}

static int32_t first_row(int rank) {
    const int64_t blocks = (problem.n_rows + ROW_BLOCK - 1) / ROW_BLOCK;
    const int64_t row = blocks * rank / problem.ranks * ROW_BLOCK;
    return (int32_t)(row < problem.n_rows ? row : problem.n_rows);
}

static void take_matrix(const char *path) {
    struct stat about;
    forget();
    const int file = open(path, O_RDWR);
    if (file < 0 || fstat(file, &about)) {
        reply("no %s cannot be read", path);
        if (file >= 0) close(file);
        return;
    }
    mapped_bytes = (size_t)about.st_size;
    char *base = mmap(NULL, mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    const exchange_head *head = (const exchange_head *)base;
    if (base == MAP_FAILED || mapped_bytes < sizeof *head ||
        memcmp(head->magic, EXCHANGE_MAGIC, sizeof head->magic)) {
        reply("no %s is not in the form of exchange.h", path);
        return;
    }
    mapped = base;
    problem.n_rows = (int32_t)head->n_rows;
    problem.n_cols = (int32_t)head->n_cols;
    problem.nnz = (int32_t)head->nnz;
    problem.nv = (int)head->nv;
    problem.row_ptr = (const int32_t *)(base + head->row_ptr);
    problem.col_idx = (const int32_t *)(base + head->col_idx);
    problem.val = (const double *)(base + head->val);
    problem.x = (const double *)(base + head->x);
    problem.y = (double *)(base + head->y);
    problem.row_begin = first_row(problem.rank);
    problem.row_end = first_row(problem.rank + 1);
    reply("ok");
}

static void offer(const char *op) {
    char list[LINE] = "ok";
    for (const peer_method *m = plugin.methods; m->op; m++)
        if (strcmp(m->op, op) == 0)
            snprintf(list + strlen(list), sizeof list - strlen(list), " %s%s", m->name,
                     m->half ? "/half" : "");
    reply("%s", list);
}

static void make(int slot, const char *op, const char *name, const char *parameters) {
    for (const peer_method *m = plugin.methods; m->op; m++) {
        if (strcmp(m->op, op) || strcmp(m->name, name)) continue;
        slots[slot].method = m;
        slots[slot].made = m->make(&problem, parameters);
        if (slots[slot].made)
            reply("ok");
        else
            reply("no %s", reason);
        return;
    }
    reply("no there is no %s %s", op, name);
}

static void run(int slot, int calls) {
    double numbers[NUMBERS];
    char text[LINE];
    if (plugin.barrier) plugin.barrier();
    const double begin = now();
    const int n = slots[slot].method->run(slots[slot].made, calls, numbers);
    if (plugin.barrier) plugin.barrier();
    const double seconds = now() - begin;
    if (n < 0) {
        reply("no the call failed");
        return;
    }
    snprintf(text, sizeof text, "ok %.9e", seconds / calls);
    for (int k = 0; k < n && k < NUMBERS; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %.17g", numbers[k]);
    reply("%s", text);
}

/* Requests that are about a slot. */
static void on_slot(const char *verb, int slot, const char *line) {
    char op[64], name[64];
    int calls = 1, end = 0;
    if (slot < 0 || slot >= SLOTS) {
        reply("no slot %d", slot);
    } else if (!strcmp(verb, "make")) {
        if (sscanf(line, "%*s %*d %63s %63s%n", op, name, &end) == 2)
            make(slot, op, name, line + end);
        else
            reply("no 'make' needs an operation and a method");
    } else if (!slots[slot].made) {
        reply("no slot %d is empty", slot);
    } else if (!strcmp(verb, "run")) {
        (void)sscanf(line, "%*s %*d %d", &calls);
        run(slot, calls < 1 ? 1 : calls);
    } else if (!strcmp(verb, "result")) {
        slots[slot].method->result(slots[slot].made, &problem);
        if (plugin.barrier) plugin.barrier();
        reply("ok");
    } else if (!strcmp(verb, "drop")) {
        slots[slot].method->destroy(slots[slot].made);
        slots[slot].made = NULL;
        reply("ok");
    } else {
        reply("no '%s' is not understood", verb);
    }
}

static int serve(char *line) {
    char verb[32] = "", argument[LINE] = "";
    line[strcspn(line, "\n")] = '\0';
    (void)sscanf(line, "%31s %4095s", verb, argument);
    if (!strcmp(verb, "quit")) return 0;
    if (!strcmp(verb, "hello")) {
        reply("ok %s %s", plugin.name, plugin.version);
    } else if (!strcmp(verb, "offers")) {
        offer(argument);
    } else if (!strcmp(verb, "matrix")) {
        take_matrix(argument);
    } else if (!strcmp(verb, "forget")) {
        forget();
        reply("ok");
    } else {
        on_slot(verb, atoi(argument), line);
    }
    return 1;
}

/* The number that Open MPI, MPICH and Slurm give a process. */
static int own_rank(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (getenv(names[k])) return atoi(getenv(names[k]));
    return 0;
}

int main(int argc, char **argv) {
    char path[LINE];
    static char line[LINE];
    if (argc < 4) {
        fprintf(stderr, "%s is started by `make bench`\n", argv[0]);
        return 2;
    }
    const char *channel = argv[1];
    problem.threads = atoi(argv[2]);
    problem.ranks = atoi(argv[3]);
    problem.rank = problem.ranks > 1 ? own_rank() : 0;
    snprintf(path, sizeof path, "%s.%d.in", channel, problem.rank);
    FILE *requests = fopen(path, "r");
    snprintf(path, sizeof path, "%s.out", channel);
    if (problem.rank == 0) replies = fopen(path, "w");
    if (!requests || (problem.rank == 0 && !replies)) {
        perror(path);
        return 1;
    }
    if (plugin.start) plugin.start(&argc, &argv);
    while (fgets(line, sizeof line, requests) && serve(line)) continue;
    if (plugin.finish) plugin.finish();
    return 0;
}
