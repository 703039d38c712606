#include "commands/bench/peers.h"

#include "base/memory.h"
#include "commands/bench/worker.h"
#include "commands/peers/exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WORKERS_MAX = 32, SLOTS_MAX = 32 };

struct peers {
    char folder[800], place[900]; /* of the workers; of the FIFOs */
    int threads;
    double limit;
    int n;
    worker workers[WORKERS_MAX];
    int slots[WORKERS_MAX]; /* of each, in use */
    char file[1000];        /* the exchange */
    exchange_head *head;    /* NULL: there is none */
};

/* --- broken off ----------------------------------------------------------------------------------- */

/* Workers are in groups of their own and do not hear Ctrl-C; shared memory outlives its makers. */
static peers *volatile in_use;

static void break_off(int number) {
    const peers *set = in_use;
    if (set) {
        for (int k = 0; k < set->n; k++) worker_kill(&set->workers[k]);
        if (set->file[0]) unlink(set->file);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void watch_signals(peers *set) {
    in_use = set;
    signal(SIGINT, break_off);
    signal(SIGTERM, break_off);
    signal(SIGHUP, break_off);
}

/* --- which there are ------------------------------------------------------------------------------ */

static int read_list(peers *set, FILE *list) {
    char line[2048], verdict[8], name[64], ranks[16];
    while (fgets(line, sizeof line, list)) {
        int end = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "no %63s %n", name, &end) == 1 && end > 0) {
            printf("  %s is not there: %s\n", name, line + end);
            continue;
        }
        if (sscanf(line, "%7s %63s %15s%n", verdict, name, ranks, &end) != 3 ||
            strcmp(verdict, "ok") || set->n == WORKERS_MAX)
            return fail("%s/list: '%s' is not understood", set->folder, line);
        worker *w = &set->workers[set->n++];
        snprintf(w->name, sizeof w->name, "%s", name);
        snprintf(w->run, sizeof w->run, "%.*s", (int)sizeof w->run - 1, line + end);
        w->one_a_thread = strcmp(ranks, "threads") == 0;
    }
    return 0;
}

int peers_open(const char *folder, int threads, double limit, peers **out) {
    char path[1024];
    *out = NULL;
    snprintf(path, sizeof path, "%s/list", folder);
    FILE *list = fopen(path, "r");
    if (!list) return fail("%s: %s", path, strerror(errno));
    peers *set = calloc(1, sizeof *set);
    if (!set) {
        fclose(list);
        return fail("no room for the list of peers");
    }
    set->threads = threads;
    set->limit = limit;
    snprintf(set->folder, sizeof set->folder, "%s", folder);
    snprintf(set->place, sizeof set->place, "%s/run-XXXXXX", set->folder);
    printf("Peers, other libraries for the same job:\n");
    int status = read_list(set, list);
    fclose(list);
    const bool any = set->n > 0;
    if (!status && any && !mkdtemp(set->place))
        status = fail("%s: no folder can be made there: %s", folder, strerror(errno));
    if (!status && any) watch_signals(set);
    for (int k = 0; !status && k < set->n; k++)
        (void)worker_start(&set->workers[k], set->folder, set->place, threads, limit);
    if (status || !any) {
        in_use = NULL;
        free(set);
        return status;
    }
    *out = set;
    return 0;
}

void peers_close(peers *set) {
    if (!set) return;
    for (int k = 0; k < set->n; k++) worker_end(&set->workers[k]);
    (void)rmdir(set->place);
    in_use = NULL;
    free(set);
}

/* --- the exchange --------------------------------------------------------------------------------- */

static int64_t page_after(int64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

static exchange_head layout(const spw_csr *A, int nv) {
    exchange_head h = {.n_rows = A->n_rows, .n_cols = A->n_cols, .nnz = A->nnz, .nv = nv};
    memcpy(h.magic, EXCHANGE_MAGIC, sizeof h.magic);
    h.row_ptr = 4096;
    h.col_idx = page_after(h.row_ptr + 4 * (h.n_rows + 1));
    h.val = page_after(h.col_idx + 4 * h.nnz);
    h.x = page_after(h.val + 8 * h.nnz);
    h.y = page_after(h.x + 8 * h.n_cols * nv);
    h.bytes = page_after(h.y + 8 * h.n_rows * nv);
    return h;
}

/* A file of that size in memory, if the machine has such a folder with room, else beside the workers. */
static int open_exchange(peers *set, int64_t bytes) {
    const char *const folders[] = {"/dev/shm", set->place};
    for (int k = 0; k < 2; k++) {
        snprintf(set->file, sizeof set->file, "%s/spw-bench-%ld", folders[k], (long)getpid());
        const int file = open(set->file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file < 0) continue;
        if (posix_fallocate(file, 0, bytes) == 0) return file;
        close(file);
        unlink(set->file);
    }
    return -1;
}

static void copy(void *to, const void *from, int64_t bytes) {
#pragma omp parallel for schedule(static)
    for (int64_t at = 0; at < bytes; at += 1 << 20)
        memcpy((char *)to + at, (const char *)from + at,
               (size_t)(bytes - at < 1 << 20 ? bytes - at : 1 << 20));
}

static int put_matrix(peers *set, const spw_csr *A, int nv, const double *x) {
    const exchange_head h = layout(A, nv);
    if (spw_memory_check("the matrix for the peers", h.bytes)) return 1;
    const int file = open_exchange(set, h.bytes);
    if (file < 0) {
        spw_error(SPW_ERR_FILE, "no room for %.3g GB in shared memory or in %s", 1e-9 * h.bytes,
                  set->place);
        return 1;
    }
    char *base = mmap(NULL, (size_t)h.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (base == MAP_FAILED) {
        unlink(set->file);
        spw_error(SPW_ERR_FILE, "%s: %s", set->file, strerror(errno));
        return 1;
    }
    copy(base + h.row_ptr, A->row_ptr, 4 * (h.n_rows + 1));
    copy(base + h.col_idx, A->col_idx, 4 * h.nnz);
    copy(base + h.val, A->val, 8 * h.nnz);
    copy(base + h.x, x, 8 * h.n_cols * nv);
    set->head = (exchange_head *)base;
    *set->head = h;
    return 0;
}

static void remove_matrix(peers *set) {
    if (!set->head) return;
    munmap(set->head, (size_t)set->head->bytes);
    unlink(set->file);
    set->head = NULL;
}

/* --- is the result right? ------------------------------------------------------------------------- */

/* Counts the entries of Y whose error is beyond what any order of summation may have (kit/cases.h); *first is one
 * of them. */
static int64_t count_wrong(const spw_csr *A, int nv, const double *x, const double *y,
                           int64_t *first) {
    int64_t wrong = 0, at = INT64_MAX;
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : wrong) reduction(min : at)
    for (spw_idx i = 0; i < A->n_rows; i++) {
        for (int v = 0; v < nv; v++) {
            double sum = 0, size = 0;
            for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
                const double term = A->val[k] * x[(int64_t)A->col_idx[k] * nv + v];
                sum += term;
                size += fabs(term);
            }
            const double bound = 2.0 * (A->row_ptr[i + 1] - A->row_ptr[i] + 1) * DBL_EPSILON * size;
            const int64_t here = (int64_t)i * nv + v;
            if (fabs(y[here] - sum) <= bound) continue;
            wrong++;
            if (here < at) at = here;
        }
    }
    *first = at;
    return wrong;
}

static bool is_product(const peers_job *job, const double *y, double *numbers,
                       char text[BENCH_TEXT]) {
    (void)numbers;
    int64_t first;
    const int64_t wrong = count_wrong(job->A, job->nv, job->x, y, &first);
    if (wrong == 0) return true;
    set_text(text, "%lld of %lld entries, the first one y[%lld] = %.6g", (long long)wrong,
             (long long)job->A->n_rows * job->nv, (long long)first, y[first]);
    return false;
}

/* Y is garbage before, so that a worker that does nothing is wrong. *r gets what it said. */
static bool is_right(peers *set, worker *w, int slot, const char *method, const peers_job *job,
                     runner *r) {
    char reply[WORKER_LINE];
    const exchange_head *h = set->head;
    double *y = (double *)((char *)set->head + h->y), *numbers = r->numbers;
    for (int64_t i = 0; i < h->n_rows * h->nv; i++) y[i] = -1e88;
    const worker_answer ran = worker_ask(w, reply, "run %d 1", slot);
    if (ran == WORKER_NO) printf("  %s %s is left out: %s\n", w->name, method, reply);
    if (ran != WORKER_OK) return false;
    (void)sscanf(reply, "%lf %lf %lf %lf %lf %lf %lf %lf %lf", &r->first, numbers, numbers + 1,
                 numbers + 2, numbers + 3, numbers + 4, numbers + 5, numbers + 6, numbers + 7);
    if (worker_ask(w, reply, "result %d", slot) != WORKER_OK) return false;
    if ((job->is_right ? job->is_right : is_product)(job, y, numbers, r->note)) return true;
    printf("  %s %s is WRONG and not timed: %s\n", w->name, method, r->note);
    return false;
}

/* --- in the contest ---------------------------------------------------------------------------------- */

static double seconds_of_solver(const runner *r, int calls) {
    char reply[WORKER_LINE];
    double seconds = NAN;
    if (worker_ask(r->state, reply, "run %d %d", r->number, calls) == WORKER_OK)
        (void)sscanf(reply, "%lf", &seconds);
    return seconds;
}

static double seconds_of_product(const runner *r, int calls) {
    char reply[WORKER_LINE];
    if (worker_ask(r->state, reply, "run %d %d", r->number, calls) != WORKER_OK) return NAN;
    double seconds = NAN, by_device;
    return sscanf(reply, "%lf %lf", &seconds, &by_device) == 2 ? by_device : seconds;
}

static void enter_method(peers *set, int which, char *method, const peers_job *job, contest *run) {
    worker *w = &set->workers[which];
    char reply[WORKER_LINE], name[BENCH_TEXT];
    const int slot = set->slots[which];
    char *slash = strchr(method, '/');
    if (slash) *slash = '\0';
    set_text(name, "%s %s", w->name, method);
    /* its own form of the matrix, and what it needs on the way */
    if (slot == SLOTS_MAX || spw_memory_check(name, 5 * spw_csr_bytes(job->A) / 2)) {
        printf("  %s is left out: %s\n", name, slot == SLOTS_MAX ? "too many" : spw_message());
        return;
    }
    const worker_answer made = worker_ask(w, reply, "make %d %s %s nv=%d %s", slot, job->op, method,
                                          job->nv, job->parameters ? job->parameters : "");
    if (made == WORKER_NO) printf("  %s is left out: %s\n", name, reply);
    if (made != WORKER_OK) return;
    runner said = {0};
    if (!is_right(set, w, slot, method, job, &said)) {
        (void)worker_ask(w, reply, "drop %d", slot);
        return;
    }
    set->slots[which]++;
    runner *r = contest_enter(run, name, job->bytes, 0);
    r->side = SIDE_PEER;
    r->flops = job->flops;
    r->less = slash != NULL;
    r->process = which + 1;
    r->state = w;
    r->number = slot;
    r->seconds = seconds_of_product;
    if (!job->is_right || job->by_device) return;
    r->seconds = seconds_of_solver;
    r->first = said.first;
    memcpy(r->numbers, said.numbers, sizeof r->numbers);
    memcpy(r->note, said.note, sizeof r->note);
}

void peers_enter_job(peers *set, contest *run, const peers_job *job) {
    char reply[WORKER_LINE], offers[WORKER_LINE];
    if (!set) return;
    if (put_matrix(set, job->A, job->nv, job->x)) {
        printf("  peers are left out: %s\n", spw_message());
        return;
    }
    for (int k = 0; k < set->n; k++) {
        worker *w = &set->workers[k];
        if (worker_ask(w, offers, "offers %s", job->op) != WORKER_OK || !*offers) continue;
        const worker_answer taken = worker_ask(w, reply, "matrix %s", set->file);
        if (taken == WORKER_NO) printf("  %s is left out: %s\n", w->name, reply);
        if (taken != WORKER_OK) continue;
        char *rest;
        for (char *method = strtok_r(offers, " ", &rest); method;
             method = strtok_r(NULL, " ", &rest))
            enter_method(set, k, method, job, run);
        (void)worker_ask(w, reply, "forget");
    }
    remove_matrix(set);
}

void peers_enter(peers *set, contest *run, const char *op, const spw_csr *A, int nv,
                 const double *x, double bytes, double flops) {
    const peers_job job = {.op = op, .A = A, .nv = nv, .x = x, .bytes = bytes, .flops = flops};
    peers_enter_job(set, run, &job);
}

void peers_leave(peers *set) {
    char reply[WORKER_LINE];
    if (!set) return;
    for (int k = 0; k < set->n; k++)
        while (set->slots[k] > 0)
            (void)worker_ask(&set->workers[k], reply, "drop %d", --set->slots[k]);
    remove_matrix(set);
}
