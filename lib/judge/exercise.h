/* judge/exercise.h -- what an exercise's driver declares, so that the judge can judge it.
 *
 * An exercise has one or several parts. A part is one function of the learner's, and the model of it if
 * there is one. For each part the driver says how to lay out a case (setup), how to call the function
 * on it (call), and what it costs (cost). All else is done here, alike for every exercise: guard pages,
 * read-only inputs, poisoned outputs, thread counts, time limits, comparison, explanation, timing.
 *
 *     static spw_status setup(spw_trial *t, const char *name) { ... spw_trial_input(t, "x", ...) ... }
 *     static void call(spw_trial *t, spw_function f) { ((triad_fn)f)(d->n, d->s, d->b, d->c, d->a); }
 *     static const spw_part parts[] = {{.function = "triad", .model = "triad_cost", ...}};
 *     SPW_DRIVER(parts)
 *
 * The answer (the learner's file, a solution or a wrong answer) is a shared object that the judge
 * has loaded, by a process of its own (judge/runner.h), so that one driver binary judges them all. */
#pragma once

#include "base/index.h"
#include "base/status.h"
#include "formats/coo.h"
#include "formats/csr.h"
#include "perf/bandwidth.h"
#include "perf/cost.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Any function. Before the call it becomes what the header of the answer declares: SPW_AS(spmv_csr, f)(A, x, y) */
typedef void (*spw_function)(void);
#define SPW_AS(function, f) ((__typeof__(&function))(f))

/* One case being tried: its arrays, and what is known of them. Opaque. */
typedef struct spw_trial spw_trial;

typedef enum spw_type { SPW_DOUBLE, SPW_INDEX, SPW_FLOAT } spw_type; /* double, spw_idx, float */

/* --- laying out a case: called from setup -------------------------------------------------------- */

/* True while the answer's correctness is checked: state expectations. False when setup is called for
 * timing alone (the check has been done by then) and expectations may be left out. */
bool spw_trial_checks(const spw_trial *t);

/* The seed of this run; a case made with it is the same for the same seed. */
uint64_t spw_trial_seed(const spw_trial *t);

/* Zeroed memory for the driver's own use, freed with the trial; NULL, with the message set, where there
 * is none. The first block is what spw_trial_data returns. Not guarded, not visible to the answer. */
void *spw_trial_memory(spw_trial *t, int64_t count, int64_t size);
void *spw_trial_data(const spw_trial *t);

/* The same for a block that spw_alloc gave: taken over in any case. NULL for NULL, and where there is no room. */
void *spw_trial_keep(spw_trial *t, void *block);

/* An array that the answer reads. The driver fills it during setup; then its pages become read-only and
 * lie between unreadable pages. NULL, with the message set, where there is no memory. */
void *spw_trial_input(spw_trial *t, const char *name, spw_type type, int64_t count);

/* The same from a block that spw_alloc gave: taken over, and copied only where guards are wanted. Use
 * it for large arrays. Frees the block in any case. */
void *spw_trial_adopt(spw_trial *t, const char *name, spw_type type, int64_t count, void *block);

/* An input of random numbers, all distinct, of either sign, magnitudes 0.5 to 1.5, filled in parallel. */
double *spw_trial_random(spw_trial *t, const char *name, int64_t count);

/* Where an input of doubles is none of these: two of its numbers may change places in another call. So who remembers a
 * result is told when it is timed. */
void spw_trial_trade(spw_trial *t, void *array);

/* An input struct of any type (copied; read-only during the call). */
void *spw_trial_struct(spw_trial *t, const char *name, const void *value, int64_t size);

/* A matrix whose arrays ("row_ptr", "col_idx", "val") and struct are inputs. *A is taken over and set
 * to zero, on failure too. NULL where there is no memory. */
const spw_csr *spw_trial_csr(spw_trial *t, spw_csr *A);

/* An array that the answer writes and must not read: poisoned before every call. */
void *spw_trial_output(spw_trial *t, const char *name, spw_type type, int64_t count);

/* An array that the answer reads and writes: set to `initial` before every call. */
void *spw_trial_inout(spw_trial *t, const char *name, spw_type type, int64_t count,
                      const void *initial);

/* What `call` leaves at a place that is no array of the trial's, and `derive`, a claim or a description reads: the call
 * runs in a process of its own. Plain data, no pointers. */
void spw_trial_result(spw_trial *t, void *at, int64_t size);

/* What a claim or a description alone reads, and says what is right: it is zeroed where the answer runs. */
void spw_trial_hide(spw_trial *t, void *at, int64_t size);

/* Short facts of the case for the report, printf style: "5 x 4, nz 6". */
void spw_trial_say(spw_trial *t, const char *format, ...) SPW_PRINTF(2, 3);

/* What is said below an access behind the end of an array of `count` entries, or one more; kept by nobody: a literal. */
void spw_trial_beyond(spw_trial *t, int64_t count, const char *text);

/* A named quantity with which a difference between two models can be put into words: ("nz", nnz) lets
 * the report say "your loads are 4 nz bytes too large". */
void spw_trial_unit(spw_trial *t, const char *name, double value);

typedef struct spw_expectation {
    const void *expected;    /* [count], of the array's type; kept until the trial ends */
    const double *tolerance; /* [count], absolute; NULL: exact */
    int64_t count;           /* entries to compare, from the first; the array may have more */
    /* what the index counts, "row"; NULL: "y[3]" is written out; "": a number, "sum" is written out */
    const char *noun;
    /* NULL, or writes what is special about entry i ("the row has no entries"), or "" */
    void (*describe)(const spw_trial *t, int64_t i, char *text, int size);
} spw_expectation;

/* What an output array must hold after a call. Compared in the order in which they are stated. */
void spw_trial_expect(spw_trial *t, const void *array, spw_expectation expectation);

/* What the array would hold after a typical mistake, and the sentence that the report then prints.
 * values: [count of the expectation], kept until the trial ends. */
void spw_trial_mistake(spw_trial *t, const void *array, const void *values, const char *text);

/* For a part on the device: the device's copy of an array that the calls above gave. Only during the
 * call. NULL for NULL and for an array of no entries. */
void *spw_trial_device(const spw_trial *t, const void *array);

/* The same, from setup: what one call may copy between host and device, both ways together. More is a
 * mistake that the checker tells. */
void spw_trial_limit_copies(spw_trial *t, int copies, int64_t bytes);

/* --- during and after the call ------------------------------------------------------------------- */

/* Another function of the answer, NULL if it has none of that name or it is not written yet. */
spw_function spw_trial_symbol(const spw_trial *t, const char *name);

/* From a call: bytes that malloc has given and not got back; 0 where it does not tell. */
int64_t spw_heap_in_use(void);

/* Threads that the call has. */
int spw_trial_threads(const spw_trial *t);

/* From part.claim: the answer is wrong, and this is why, in one sentence or two (printf style; lines
 * separated by \n). Only the first failure of a trial is kept. Returns false. */
bool spw_trial_fail(spw_trial *t, const char *format, ...) SPW_PRINTF(2, 3);

/* From part.claim: a line on a right answer that is worth knowing, told below CORRECT where all is right. */
void spw_trial_note(spw_trial *t, const char *format, ...) SPW_PRINTF(2, 3);

/* --- the declaration ------------------------------------------------------------------------------ */

/* Another kernel that is timed beside the answer on the same arrays. */
typedef struct spw_rival {
    const char *label; /* "plain serial loop"; NULL: none */
    void (*call)(spw_trial *t);
    spw_function function; /* in the place of call: called as the answer is */
    const char *why; /* of the baseline, or NULL: what an answer that is about as slow may do */
} spw_rival;

/* What one array of a kernel may cost on the device, in 32-byte sectors, as the checker counts them. A
 * warp that reads 32 doubles side by side takes 8 sectors a request, 32 scattered ones take 32. */
typedef enum spw_access { SPW_LOADS, SPW_STORES, SPW_ATOMICS } spw_access;
typedef struct spw_sector_bound {
    const char *array; /* name of the array; NULL ends the list */
    spw_access access;
    /* sectors a request, on average, where a lane has one element; at most, 0: any */
    double per_request;
    double times_size; /* sectors in all, at most so many times those that hold the array; 0: any */
    int64_t per_block; /* requests that one block makes, at most; 0: any */
    const char *hint;  /* one line on what to do when it is exceeded, or NULL */
    bool of_case;      /* it holds for the driver's cases alone, and not for MATRIX= */
} spw_sector_bound;

struct spw_kit; /* kit/kit.h */

typedef struct spw_part {
    const struct spw_kit *kit; /* NULL, or what SPW_KIT declares: set-up, call, cost and texts */
    const char *function;      /* name of the learner's function */
    const char *model;         /* name of the learner's model of it, or NULL */
    const char *const *cases;  /* [] names for setup, the nastiest first, NULL at the end */
    spw_status (*setup)(spw_trial *t, const char *name);
    void (*call)(spw_trial *t, spw_function f);
    /* NULL, or what is made of what a call left, before it is compared: in the process that judges */
    void (*derive)(spw_trial *t);
    /* NULL, or what cannot be put as an expectation; runs after each call, after the comparison, in the process that
     * judges: nothing can be called. On the device: arrays are the host's copies again */
    void (*claim)(spw_trial *t);

    spw_cost (*predict)(spw_trial *t, spw_function model); /* calls the learner's model */
    spw_cost (*cost)(const spw_trial *t);                  /* the truth */
    /* NULL, or makes predict and cost those of a case that is larger than any; false: this one cannot be made so */
    bool (*enlarge)(spw_trial *t);
    /* NULL, or one sentence on a wrong model, "" where it knows none */
    void (*explain_model)(const spw_trial *t, spw_cost got, char *text, int size);

    /* The function launches kernels, its arrays live on the device. Runs on the checker (lib/simt), which
     * counts the traffic of case `traffic`; bounds: what passes, or NULL. Then, where a GPU is found, on
     * that (gpu.c): baseline and stretch launch kernels, too, and call spw_trial_fail if they cannot. */
    bool on_device;
    const spw_sector_bound *bounds;
    bool asynchronous; /* a call that copies to the host, or waits for the device, is wrong */
    bool in_steps;     /* its launches may be small: each waits for the one before */

    /* NULL, or a kernel of the driver's own on the same case, which the answer is only about. `make
     * traffic-N` counts this one, also while the answer is not written; counters take case `counted`. */
    void (*given)(spw_trial *t);
    const char *counted;

    /* the case that is timed, or NULL: this part is not timed. On the device: where a GPU is found */
    const char *speed;
    const char *traffic; /* a smaller case whose traffic is counted, or NULL */
    /* NULL, or a second one, for the bounds alone: on a device of one multiprocessor, so that loops go round */
    const char *traffic_rounds;
    /* 0, or the least share of what copies and kernels could hide of each other in case `traffic`, by the checker's
     * timeline (simt/simt.h), which is then shown, too */
    double hidden;
    bool takes_matrix; /* MATRIX= replaces these two */
    double target;     /* share of the roof that is good, 0.7 */
    /* of a part that makes long sums: the flops of a term, 1 or 2; where it is slow it is compared with a chain of
     * additions that wait for each other. 0: it makes none */
    int sum_of;
    const char *slow; /* NULL, or what to ask where nothing that was measured says why it is slow */
    spw_rival baseline; /* the naive kernel */
    spw_rival stretch;  /* the library's best, the stretch goal */
    spw_rival peer;     /* another library, for comparison alone; its label is printed */
} spw_part;

/* The verdicts, which are exit statuses too. */
typedef enum spw_verdict {
    SPW_PASS = 0,
    SPW_WRONG = 1,       /* does not build, wrong, unsafe, or a wrong model */
    SPW_NOT_WRITTEN = 2, /* a function's body is still empty */
    SPW_SLOW = 3,        /* correct but slow */
    SPW_NO_VERDICT = 4,  /* the machine is too noisy to tell */
    SPW_FAULT = 5        /* not the learner's fault: bad option, no memory, the judge itself */
} spw_verdict;

/* What a driver's own fifth check is given. It runs in a child process under the time limit. */
typedef struct spw_run spw_run;

/* From an own check: has the answer's functions called, in the process where they are (spw_trial_symbol finds them).
 * data: static, or laid out before the first of these; what work leaves in it comes back. False: that was the end of it,
 * and the judge says which. */
bool spw_run_ask(spw_run *run, void (*work)(spw_trial *, void *), void *data, size_t size);
/* A function of the answer, NULL: not written yet. From `closing` alone, which runs where they are. */
spw_function spw_run_symbol(const spw_run *run, const char *name);
int spw_run_threads(const spw_run *run);
uint64_t spw_run_seed(const spw_run *run);
/* The text behind the verdict, and the lines below it; printf style, no newline, 77 columns. */
void spw_run_headline(spw_run *run, const char *format, ...) SPW_PRINTF(2, 3);
void spw_run_line(spw_run *run, const char *format, ...) SPW_PRINTF(2, 3);
/* Lays out a case of a part, as for timing, and calls work on it. False: no memory; the judge says so. */
bool spw_run_case(spw_run *run, int part, const char *name, void (*work)(spw_trial *, void *),
                  void *context);
/* The figure that the progress file keeps, in per cent; more is better. */
void spw_run_score(spw_run *run, double percent);

typedef struct spw_exercise {
    const spw_part *parts;
    int n_parts;
    bool gpu; /* driver_gpu.c: make exercise-N-gpu, a result of its own */
    /* NULL, or functions of the library and the driver that the answer may call, beside those that any may
     * (judge/refusal.h); NULL at the end */
    const char *const *allowed;
    /* NULL, or takes the place of check FAST under another name, e.g. "PREDICT" */
    const char *own_check_name;
    spw_verdict (*own_check)(spw_run *run);
    /* NULL, or prints what the answer is found from, before any check: written or not. In a child. */
    void (*evidence)(spw_run *run);
    /* NULL, or prints what the functions do together, those that are written, below check FAST of an answer that is
     * right and not found slow, without MATRIX=. In a child. */
    void (*closing)(spw_run *run);
} spw_exercise;

/* Judges the answer that the command line names, prints the report, returns the verdict as exit status. */
int spw_judge(const spw_exercise *exercise, int argc, char **argv);

/* The main of a driver, whose parts are an array: SPW_DRIVER(parts, .allowed = allowed) */
#define SPW_DRIVER(parts_, ...)                                                                    \
    int main(int argc, char **argv) {                                                              \
        return spw_judge(&(spw_exercise){.parts = (parts_),                                        \
                                         .n_parts = sizeof(parts_) / sizeof(parts_)[0],            \
                                         __VA_ARGS__},                                             \
                         argc, argv);                                                              \
    }
