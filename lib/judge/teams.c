#define _GNU_SOURCE /* RTLD_NEXT */
#include "judge/teams.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef void (*body)(void *);

/* As libgomp has them (gcc/omp-builtins.def): of `parallel`, of a loop with schedule(dynamic) inside it, of both in
 * one, and of code that divides by the thread's number, which schedule(static) does, too. What divides otherwise:
 * spw_answer_divides. */
void GOMP_parallel(body f, void *data, unsigned threads, unsigned flags);
void GOMP_parallel_loop_nonmonotonic_dynamic(body f, void *data, unsigned threads, long begin,
                                             long end, long step, long chunk, unsigned flags);
bool GOMP_loop_nonmonotonic_dynamic_start(long begin, long end, long step, long chunk, long *from,
                                          long *to);
int omp_get_thread_num(void);

static struct {
    void (*parallel)(body, void *, unsigned, unsigned);
    void (*parallel_dynamic)(body, void *, unsigned, long, long, long, long, unsigned);
    bool (*dynamic)(long, long, long, long, long *, long *);
    int (*thread)(void);
    int (*in_parallel)(void);
    int (*most)(void);
} omp;

/* ISO C has no cast from object to function pointer. */
static void find(const char *name, void *function) {
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
}

__attribute__((constructor)) static void find_all(void) {
    find("GOMP_parallel", &omp.parallel);
    find("GOMP_parallel_loop_nonmonotonic_dynamic", &omp.parallel_dynamic);
    find("GOMP_loop_nonmonotonic_dynamic_start", &omp.dynamic);
    find("omp_get_thread_num", &omp.thread);
    find("omp_in_parallel", &omp.in_parallel);
    find("omp_get_max_threads", &omp.most);
}

static spw_teams *counted;
static volatile bool divided; /* the region that runs: has one of its threads asked? */

void spw_teams_count(spw_teams *teams) {
    if (teams) *teams = (spw_teams){0};
    counted = teams;
}

/* Is it a region of the answer, of several threads, and not inside another one? The judge has regions of its own. */
static bool count(body f, unsigned threads) {
    extern const char __executable_start[], etext[];
    const uintptr_t at = (uintptr_t)f;
    const bool own = at >= (uintptr_t)__executable_start && at < (uintptr_t)etext;
    const int team = threads ? (int)threads : omp.most();
    if (!counted || own || omp.in_parallel() || team <= 1) return false;
    counted->regions++;
    counted->team = team;
    return true;
}

static void count_chunks(long begin, long end, long step, long chunk) {
    counted->chunks += step && chunk ? (end - begin) / step / chunk : 0;
    counted->chunk = chunk;
}

/* Written once a region: the threads read it, and do not fight for its line. */
static void divide(void) {
    if (!divided) divided = true;
}

void GOMP_parallel(body f, void *data, unsigned threads, unsigned flags) {
    const bool counting = count(f, threads);
    if (counting) divided = false;
    omp.parallel(f, data, threads, flags);
    if (counting && !divided) counted->undivided++;
}

void GOMP_parallel_loop_nonmonotonic_dynamic(body f, void *data, unsigned threads, long begin,
                                             long end, long step, long chunk, unsigned flags) {
    if (count(f, threads)) count_chunks(begin, end, step, chunk);
    omp.parallel_dynamic(f, data, threads, begin, end, step, chunk, flags);
}

bool GOMP_loop_nonmonotonic_dynamic_start(long begin, long end, long step, long chunk, long *from,
                                          long *to) {
    divide();
    if (counted && omp.thread() == 0) count_chunks(begin, end, step, chunk);
    return omp.dynamic(begin, end, step, chunk, from, to);
}

int omp_get_thread_num(void) {
    divide();
    return omp.thread();
}
