/* Is what a driver declares whole? Costs and slips are texts, and a misspelt quantity shows only when it is used. */
#include "judge/judge.h"

#include <stdio.h>

static spw_function no_symbol(const void *answer, const char *name)
{
    (void)answer, (void)name;
    return NULL;
}

/* No slip is as far off as this model, so all are asked. */
static bool case_is_whole(const spw_part *p, const char *name)
{
    char text[256] = "";
    spw_trial t = {.part = p,
                   .symbol = no_symbol,
                   .seed = 3,
                   .threads = 1,
                   .layout = SPW_PLAIN,
                   .checks = true};
    const bool laid_out = !spw_trial_begin(&t, name);
    if (!laid_out) fprintf(stderr, "%s, case %s: %s\n", p->function, name, spw_message());
    if (laid_out && p->cost) p->cost(&t);
    if (laid_out && p->model && p->explain_model)
        p->explain_model(&t, (spw_cost){-1e300, -1e300, -1e300}, text, sizeof text);
    spw_trial_end(&t);
    return laid_out;
}

const char *spw_without_target(const spw_exercise *exercise)
{
    for (int k = 0; k < exercise->n_parts; k++)
        if (exercise->parts[k].speed && !(exercise->parts[k].target > 0))
            return exercise->parts[k].function;
    return NULL;
}

bool spw_declaration_is_whole(const spw_exercise *exercise)
{
    if (spw_without_target(exercise)) {
        fprintf(stderr, "%s is timed and has no target\n", spw_without_target(exercise));
        return false;
    }
    for (int k = 0; k < exercise->n_parts; k++) {
        const spw_part *p = &exercise->parts[k];
        for (int c = 0; p->cases[c]; c++)
            if (!case_is_whole(p, p->cases[c])) return false;
        if (p->traffic && !case_is_whole(p, p->traffic)) return false;
    }
    return true;
}
