/* judge/twice.h -- an exercise as small as can be, y = 2 x, and a judge of it in a process of its own. */
#pragma once

#include "judge/judge.h"
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

typedef void (*twice_fn)(int n, const double *x, double *y);
typedef struct problem {
    int n;
    const double *x;
    double *y;
} problem;

static spw_status setup(spw_trial *t, const char *name) {
    problem *p = (problem *)spw_trial_memory(t, 1, sizeof *p);
    if (!p) return SPW_ERR_MEMORY;
    p->n = atoi(name) > 0 ? atoi(name) : 35;
    p->x = spw_trial_random(t, "x", p->n);
    p->y = (double *)spw_trial_output(t, "y", SPW_DOUBLE, p->n);
    double *expected = (double *)spw_trial_memory(t, p->n, sizeof *expected);
    double *hidden = (double *)spw_trial_memory(t, p->n, sizeof *hidden);
    if (!p->x || !p->y || !expected || !hidden) return SPW_ERR_MEMORY;
    for (int i = 0; i < p->n; i++) hidden[i] = 2 * (expected[i] = 2 * p->x[i]);
    spw_trial_hide(t, hidden, p->n * (int64_t)sizeof *hidden);
    spw_trial_expect(t, p->y, (spw_expectation){.expected = expected, .count = p->n});
    spw_trial_say(t, "n = %d", p->n);
    return SPW_OK;
}

static void call(spw_trial *t, spw_function f) {
    const problem *p = (const problem *)spw_trial_data(t);
    ((twice_fn)f)(p->n, p->x, p->y);
}

static spw_cost cost(const spw_trial *t) {
    const double n = ((const problem *)spw_trial_data(t))->n;
    return (spw_cost){.load = 8 * n, .store = 8 * n, .flop = n};
}

static char words[1 << 18]; /* what the judge printed */

/* The exit status. */
static int judge_apart(const spw_exercise *exercise, int argc, char **argv) {
    int ends[2], status = -1;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        setenv("SPW_ENVIRONMENT", "1", 1);
        status = spw_judge(exercise, argc, argv);
        fflush(NULL);
        _exit(status);
    }
    close(ends[1]);
    FILE *file = fdopen(ends[0], "r");
    words[fread(words, 1, sizeof words - 1, file)] = 0;
    fclose(file);
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void has(const char *piece) {
    if (!strstr(words, piece)) fail_msg("'%s' is not in:\n%s", piece, words);
}
