/* Is what a driver declares whole? Costs and slips are texts, and a misspelt quantity shows only when it is used. */
#include "judge/judge.h"

#include "base/memory.h"

#include <stdio.h>

static spw_function no_symbol(const void *answer, const char *name) {
    (void)answer, (void)name;
    return NULL;
}

static spw_trial new_trial(const spw_part *p) {
    return (spw_trial){.part = p,
                       .symbol = no_symbol,
                       .seed = 3,
                       .threads = 1,
                       .layout = SPW_PLAIN,
                       .checks = true};
}

/* No slip is as far off as this model, so all are asked. */
static bool case_is_whole(const spw_part *p, const char *name) {
    char text[256] = "";
    spw_trial t = new_trial(p);
    const bool laid_out = !spw_trial_begin(&t, name);
    if (!laid_out) fprintf(stderr, "%s, case %s: %s\n", p->function, name, spw_message());
    if (laid_out && p->cost) p->cost(&t);
    if (laid_out && p->model && p->explain_model)
        p->explain_model(&t, (spw_cost){-1e300, -1e300, -1e300}, text, sizeof text);
    spw_trial_end(&t);
    return laid_out;
}

/* Whichever allocation fails, the set-up says that there is no memory. */
static bool case_needs_memory(const spw_part *p, const char *name) {
    for (int given = 0;; given++) {
        spw_trial t = new_trial(p);
        spw_memory_fail_after(given);
        const spw_status status = spw_trial_begin(&t, name);
        spw_memory_fail_after(-1);
        spw_trial_end(&t);
        if (!status) return true;
        if (status == SPW_ERR_MEMORY) continue;
        fprintf(stderr, "%s, case %s, memory for %d blocks: %s\n", p->function, name, given,
                spw_message());
        return false;
    }
}

const char *spw_without_target(const spw_exercise *exercise) {
    for (int k = 0; k < exercise->n_parts; k++)
        if (exercise->parts[k].speed && !(exercise->parts[k].target > 0))
            return exercise->parts[k].function;
    return NULL;
}

bool spw_declaration_is_whole(const spw_exercise *exercise) {
    if (spw_without_target(exercise)) {
        fprintf(stderr, "%s is timed and has no target\n", spw_without_target(exercise));
        return false;
    }
    for (int k = 0; k < exercise->n_parts; k++) {
        const spw_part *p = &exercise->parts[k];
        for (int c = 0; p->cases[c]; c++)
            if (!case_is_whole(p, p->cases[c])) return false;
        if (p->cases[0] && !case_needs_memory(p, p->cases[0])) return false;
        if (p->traffic && !case_is_whole(p, p->traffic)) return false;
    }
    return true;
}
