/* A far memory that is played: a clock, and closed pages. */
#include "driver_far.h"

#include "base/threads.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef enum state { EMPTY, ON_ITS_WAY, THERE, USED } state;

static const double LINK = 1e9; /* byte/s */
enum { OWN = 1 << 20 };         /* bytes that nobody asks about */

struct far_memory {
    const spw_csr *A;
    int blocks;
    spw_idx first_row[FAR_MOST + 1];
    double ratio, now, link_free, arrival[2];
    size_t size; /* of a buffer */
    char *buffer[2];
    state state[2];
    int holds[2];
    char brought[FAR_MOST], multiplied[FAR_MOST];
    int64_t allocated;  /* bytes, before the answer was called */
    volatile int early; /* 1 + the buffer that was touched while it was closed */
    int early_holds;
    far_seen seen;
};

static far_memory memory; /* a signal handler gets no context */
static struct sigaction former;

/* --- blocks ---------------------------------------------------------------------------------------- */

int64_t far_bytes(const spw_csr *A, spw_idx begin, spw_idx end) {
    return 12 * ((int64_t)A->row_ptr[end] - A->row_ptr[begin]) + 4 * ((int64_t)end - begin + 1);
}

int far_cut_in(const spw_csr *A, int64_t room, int most, spw_idx *first_row) {
    int blocks = 0;
    for (spw_idx begin = first_row[0] = 0; begin < A->n_rows; begin = first_row[++blocks]) {
        spw_idx end = begin;
        while (end < A->n_rows && far_bytes(A, begin, end + 1) <= room) end++;
        if (end == begin || blocks == most) return most + 1;
        first_row[blocks + 1] = end;
    }
    return blocks;
}

int far_cut(const spw_csr *A, int most, spw_idx first_row[FAR_MOST + 1], int64_t *room) {
    int64_t low = 0, high = far_bytes(A, 0, A->n_rows);
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (far_cut_in(A, middle, most, first_row) > most)
            low = middle;
        else
            high = middle;
    }
    *room = high;
    return far_cut_in(A, high, most, first_row);
}

static double transfer_time(const far_memory *F, int k) {
    return (double)far_bytes(F->A, F->first_row[k], F->first_row[k + 1]) / LINK;
}

/* The loop with two buffers that asks for a block as soon as a buffer is free. */
static double least_time(const far_memory *F) {
    double arrived = 0, done = 0, done_before = 0;
    for (int k = 0; k < F->blocks; k++) {
        arrived = fmax(arrived, done_before) + transfer_time(F, k);
        done_before = done;
        done = fmax(done, arrived) + transfer_time(F, k) / F->ratio;
    }
    return done;
}

/* --- what is noted --------------------------------------------------------------------------------- */

#define trouble(F, ...) spw_kit_first((F)->seen.trouble, sizeof(F)->seen.trouble, __VA_ARGS__)

static void set_closed(const far_memory *F, int b, bool closed) {
    mprotect(F->buffer[b], F->size, closed ? PROT_NONE : PROT_READ | PROT_WRITE);
}

/* What happened since the last call. False: there is trouble, now or before. */
static bool is_well(far_memory *F) {
    const int64_t own = spw_heap_in_use() - F->allocated;
    if (F->early && F->early_holds >= 0)
        trouble(F,
                "block %d was touched before far_wait(F, %d): it was still on its way.\n"
                "From far_begin to far_wait a buffer's pages are closed, so it is found every time",
                F->early_holds, F->early_holds);
    else if (F->early)
        trouble(F, "buffer[%d] was touched before any block was asked for", F->early - 1);
    if (spw_team_size() > 1)
        trouble(F,
                "far memory was called inside a parallel region. One thread calls it, outside of\n"
                "these: the link needs none of your threads, and multiply_block has all cores");
    if (own > OWN)
        trouble(F,
                "more than %d MB of memory were taken besides the two buffers: a matrix that does\n"
                "not fit has no room for a copy either",
                OWN >> 20);
    return !F->seen.trouble[0];
}

static void on_touch(int number, siginfo_t *info, void *context) {
    (void)number, (void)context;
    for (int b = 0; b < 2; b++) {
        const uintptr_t at = (uintptr_t)info->si_addr - (uintptr_t)memory.buffer[b];
        if (at >= memory.size) continue;
        if (!memory.early) memory.early_holds = memory.holds[b];
        if (!memory.early) memory.early = 1 + b;
        set_closed(&memory, b, false);
        return;
    }
    sigaction(SIGSEGV, &former, NULL); /* a real fault: it is raised again on return */
}

/* --- what the answer calls ------------------------------------------------------------------------- */

int far_blocks(const far_memory *F) {
    return F->blocks;
}

spw_idx far_first_row(const far_memory *F, int k) {
    return F->first_row[k < 0 ? 0 : k > F->blocks ? F->blocks : k];
}

static int number_of(const far_memory *F, const void *buffer) {
    return buffer == F->buffer[0] ? 0 : buffer == F->buffer[1] ? 1 : -1;
}

static bool is_block(far_memory *F, const char *call, int k) {
    if (k >= 0 && k < F->blocks) return true;
    trouble(F, "%s of block %d: the blocks are 0 to far_blocks(F) - 1, and far_blocks(F) is %d",
            call, k, F->blocks);
    return false;
}

/* val, col_idx and row_ptr of block k, one after the other. */
static void copy_block(const far_memory *F, int k, char *to) {
    const spw_csr *A = F->A;
    const spw_idx begin = F->first_row[k], end = F->first_row[k + 1], from = A->row_ptr[begin];
    const size_t n = (size_t)(A->row_ptr[end] - from);
    spw_idx *row_ptr = (spw_idx *)(to + 12 * n);
    if (n) memcpy(to, A->val + from, 8 * n);
    if (n) memcpy(to + 8 * n, A->col_idx + from, 4 * n);
    for (spw_idx i = begin; i <= end; i++) row_ptr[i - begin] = A->row_ptr[i] - from;
}

void far_begin(far_memory *F, int k, void *buffer) {
    const int b = number_of(F, buffer);
    if (!is_well(F) || !is_block(F, "far_begin", k)) return;
    if (b < 0)
        trouble(F, "far_begin(F, %d, ...) names an address that is none of the two buffers", k);
    else if (F->state[b] == ON_ITS_WAY)
        trouble(F, "far_begin(F, %d, ...) while block %d is still on its way into the same buffer",
                k, F->holds[b]);
    else if (F->state[b] == THERE)
        trouble(
            F,
            "far_begin(F, %d, ...) into the buffer that holds block %d, which multiply_block has\n"
            "not had yet: it would be overwritten",
            k, F->holds[b]);
    else if (F->brought[k])
        trouble(F, "block %d is brought a second time: each one has to cross the link once", k);
    if (F->seen.trouble[0]) return;
    F->brought[k] = 1;
    F->state[b] = ON_ITS_WAY;
    F->holds[b] = k;
    F->arrival[b] = F->link_free = fmax(F->now, F->link_free) + transfer_time(F, k);
    set_closed(F, b, false);
    memset(F->buffer[b], 0xff, F->size); /* NaN */
    set_closed(F, b, true);
}

void far_wait(far_memory *F, int k) {
    if (!is_well(F) || !is_block(F, "far_wait", k)) return;
    if (!F->brought[k])
        trouble(F, "far_wait(F, %d): nobody has asked for block %d. far_begin comes first", k, k);
    for (int b = 0; b < 2 && F->brought[k]; b++) {
        if (F->state[b] != ON_ITS_WAY || F->holds[b] != k) continue;
        F->now = fmax(F->now, F->arrival[b]);
        F->state[b] = THERE;
        set_closed(F, b, false);
        copy_block(F, k, F->buffer[b]);
    }
}

static void multiply(spw_idx n_rows, const spw_idx *row_ptr, const spw_idx *col_idx,
                     const double *val, int nv, const double *X, double *Y) {
#pragma omp parallel for schedule(static)
    for (spw_idx i = 0; i < n_rows; i++) {
        double *y = Y + (int64_t)i * nv;
        for (int v = 0; v < nv; v++) y[v] = 0;
        for (spw_idx j = row_ptr[i]; j < row_ptr[i + 1]; j++)
            for (int v = 0; v < nv; v++) y[v] += val[j] * X[(int64_t)col_idx[j] * nv + v];
    }
}

void far_multiply(const spw_csr *A, int nv, const double *X, double *Y) {
    multiply(A->n_rows, A->row_ptr, A->col_idx, A->val, nv, X, Y);
}

void multiply_block(far_memory *F, int k, const void *buffer, int nv, const double *X, double *Y) {
    const int b = number_of(F, buffer);
    if (!is_well(F) || !is_block(F, "multiply_block", k)) return;
    if (b < 0 || F->state[b] == EMPTY)
        trouble(F, "multiply_block(F, %d, ...) with %s", k,
                b < 0 ? "an address that is none of the two buffers"
                      : "a buffer for which no block was asked");
    else if (F->holds[b] != k)
        trouble(F, "multiply_block(F, %d, ...) with the buffer that holds block %d", k,
                F->holds[b]);
    else if (F->multiplied[k])
        trouble(F, "block %d is multiplied a second time", k);
    if (F->seen.trouble[0]) return;
    (void)*(volatile const char *)F->buffer[b]; /* is it closed? */
    if (!is_well(F)) return;
    const spw_idx begin = F->first_row[k], end = F->first_row[k + 1];
    const size_t n = (size_t)(F->A->row_ptr[end] - F->A->row_ptr[begin]);
    multiply(end - begin, (const spw_idx *)(F->buffer[b] + 12 * n),
             (const spw_idx *)(F->buffer[b] + 8 * n), (const double *)F->buffer[b], nv, X, Y);
    bool all = true;
    for (int other = 0; other < F->blocks; other++) all = all && F->brought[other];
    const int idle = !all && F->link_free <= F->now;
    F->seen.idle += idle;
    F->seen.early += idle && F->state[1 - b] == THERE;
    F->now += transfer_time(F, k) / F->ratio;
    F->multiplied[k] = 1;
    F->state[b] = USED;
}

/* --- one loop -------------------------------------------------------------------------------------- */

far_memory *far_open(const spw_csr *A, int most, double ratio, void *buffer[2]) {
    far_memory *F = &memory;
    int64_t room;
    int team = 0;
    *F = (far_memory){.A = A, .ratio = ratio, .holds = {-1, -1}};
    F->blocks = far_cut(A, most, F->first_row, &room);
    const int64_t page = (int64_t)sysconf(_SC_PAGESIZE);
    F->size = (size_t)((room + page - 1) / page * page);
    for (int b = 0; b < 2; b++) {
        void *block =
            mmap(NULL, F->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED && b) munmap(F->buffer[0], F->size);
        if (block == MAP_FAILED) return NULL;
        buffer[b] = F->buffer[b] = (char *)block;
    }
    for (int k = 0; k < F->blocks; k++) F->seen.transfers += transfer_time(F, k);
    F->seen.blocks = F->blocks;
    F->seen.products = F->seen.transfers / ratio;
    F->seen.least = least_time(F);
    struct sigaction action = {.sa_sigaction = on_touch, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &former);
#pragma omp parallel reduction(+ : team)
    team++; /* its threads are there now */
    F->allocated = team > 0 ? spw_heap_in_use() : 0;
    for (int b = 0; b < 2; b++) set_closed(F, b, true);
    return F;
}

void far_close(far_memory *F, far_seen *seen) {
    (void)is_well(F);
    for (int k = 0; k < F->blocks; k++)
        if (!F->multiplied[k])
            trouble(F, "block %d was never multiplied: rows %d to %d of Y are missing", k,
                    F->first_row[k], F->first_row[k + 1] - 1);
    sigaction(SIGSEGV, &former, NULL);
    for (int b = 0; b < 2; b++) munmap(F->buffer[b], F->size);
    F->seen.time = F->now;
    *seen = F->seen;
}
