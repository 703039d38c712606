/* Level after level, but a thread waits only for what its own rows need.
 *
 * A barrier costs as much as some ten rows, and makes everybody wait for the slowest in every level. Here each thread
 * tells how many levels it has solved, and looks at the others' numbers only before a level that has a row of theirs
 * to wait for. So it may be some levels ahead, and one slow level is made up for by the next.
 * The gain over barriers was not measured apart; `make bench ONLY=trsv` shows both. */
#include "kernels/expert/trsv_rows.h"

#include "base/threads.h"

#include <sched.h>
#include <stdatomic.h>

enum { PATIENCE = 2000 }; /* looks, some microseconds, before other processes may run */

/* Levels solved, on a cache line of its own. */
typedef struct progress {
    _Alignas(64) atomic_int levels;
} progress;

static inline void wait_for(const progress *others, int me, int team, spw_idx levels) {
    for (int t = 0; t < team; t++) {
        if (t == me) continue;
        for (int looks = 0; atomic_load_explicit(&others[t].levels, memory_order_acquire) < levels;)
            if (++looks >= PATIENCE) sched_yield();
    }
}

void spw_trsv_wait(const spw_triangle *T, spw_trsv_work rows, const void *with) {
    const int most = spw_max_threads();
    if (T->n_blocks <= 1 || most == 1) {
        rows(T, 0, T->n, with);
        return;
    }
    progress done[most];
    for (int t = 0; t < most; t++) atomic_init(&done[t].levels, 0);
#pragma omp parallel
    {
        const int me = spw_thread(), team = spw_team_size();
        const spw_idx *const wait_level =
            T->wait_level + (team == T->threads ? me : 0); /* of another team it is not known */
        for (spw_idx l = 0; l < T->n_levels; l++) {
            spw_idx block, end;
            wait_for(done, me, team, team == T->threads ? wait_level[(int64_t)l * team] : l);
            spw_trsv_share(T, l, me, team, &block, &end);
            for (; block < end; block++) rows(T, T->begin[block], T->end[block], with);
            atomic_store_explicit(&done[me].levels, l + 1, memory_order_release);
        }
    }
}
