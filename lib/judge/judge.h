/* judge/judge.h -- what the files of the judge share. Drivers see judge/exercise.h only.
 *
 * The parent process never calls the answer and never starts a thread: it forks a child for the checks
 * and one for the timing, watches the clock, and explains how the child ended. What the child finds it
 * leaves in memory that both see. The child has the answer called by a third one: runner.h. */
#pragma once

#include "judge/answer.h"
#include "judge/exercise.h"
#include "judge/races/races.h"
#include "judge/teams.h"
#include "judge/trial.h"

#include <stdint.h>
#include <sys/types.h>

enum { SPW_MAX_PARTS = 16, SPW_TEXT = 2048 };

/* What the command line says. NULL and 0: not given. */
typedef struct spw_options {
    const char *folder;    /* exercises/06-spmv-csr */
    const char *answer;    /* the shared object that is judged */
    const char *reference; /* the solution's shared object; may be the same */
    const char *source;    /* the file to edit, for the report */
    const char *build;     /* compiler and flags, for the report */
    const char *workbook;  /* its commit, for the record */
    const char *record;    /* file for the record of the judgement, record.h */
    const char *hints;     /* file that says which hints were shown: lib/commands/hint.sh */
    /* answer and reference as nvcc built them; NULL: no GPU is asked, and no_gpu says why */
    const char *gpu_answer, *gpu_reference, *no_gpu;
    const char
        *wrong; /* folder of wrong answers that have a sentence to say: tests/wrong, mutants.h */
    const char *matrix;    /* MATRIX= */
    const char *case_name; /* CASE= */
    int threads;           /* THREADS= */
    int check_only;        /* CHECK=1 */
    int graded;            /* the answer is a stranger's, runner.h */
    int checked;           /* it has passed the checks before: the clock alone */
    const char *without;   /* functions, between commas, that count as not written */
    uint64_t seed;
    double limit;      /* seconds that one call may take */
    int traffic_calls; /* -1, or: lay out one case, call so often, and nothing else */
    const char *traffic_part;
    int detail; /* DETAIL: of a CUDA exercise's traffic, with a perfect cache of so many KiB; 1: 1024 */
    int traffic_sectors; /* instead of that: the checker's counts, for lib/commands/sectors.awk */
    int traffic_large; /* on the case that is timed, for counters; else on the one for a simulator */
} spw_options;

typedef enum spw_check {
    SPW_BUILD,
    SPW_CORRECT,
    SPW_SAFE,
    SPW_MODEL,
    SPW_FAST,
    SPW_TRAFFIC
} spw_check;

/* How a signal came about, as far as the handler can tell. */
typedef struct spw_fault {
    volatile int signal; /* 0: none */
    int known;           /* the address lies in or around one of the arrays */
    int is_write;        /* 1 write, 0 read, -1 unknown */
    int is_input, is_null, is_stack;
    int is_unknown; /* the address: the kernel does not tell it */
    int is_garbage; /* it is that of an entry whose index was read before it was written */
    char array[32];
    int64_t index, count;
} spw_fault;

/* Why there is no verdict, or FAIL for another reason than the clock. */
typedef enum spw_reason {
    SPW_GOAL_WITHIN,     /* the goal lies within the interval */
    SPW_BLOCKS_DISAGREE, /* slow by the quartiles, but not in enough blocks */
    SPW_ABOVE_ROOF,
    SPW_BASELINE_WINS, /* the reference does not beat the baseline */
    SPW_ONE_THREAD     /* FAIL, or none on a machine that others use */
} spw_reason;

typedef struct spw_part_speed {
    bool measured;
    char facts[96];
    double probe_bytes;
    char probe_text[96]; /* "load, 4 streams, 8 threads, 557 MB" */
    spw_cost cost;
    double bandwidth, peak;  /* byte/s, flop/s */
    double time[5];          /* s a call: answer, reference, baseline, stretch, peer; 0: none */
    double e, e_low, e_high; /* share of the roof reached by the answer */
    double e_rival[5];       /* share of the roof of each, 0: none */
    double to_reference;     /* median over blocks of its time over the answer's; 0: none */
    double target;           /* what had to be reached */
    int blocks, slower_in;   /* in how many of them the answer was too slow */
    spw_verdict verdict;
    spw_reason reason;
    double one_core; /* byte/s of one thread, 0: not measured */
    double chain[2]; /* additions, multiply-adds/s of one thread that wait for each other; or 0 */
    spw_teams teams; /* of the answer's last call */
    double busy;     /* processors busy during the answer's samples */
    bool one_thread; /* nearly all of that was the first thread's; not so in the reference */
    double scatter;  /* width of the interval of the probe's time, relative */
    double scatter_of[2];  /* the answer's, the reference's */
    double stolen, others; /* shares of all processors: the hypervisor's, other processes' */
    bool on_gpu;
    /* of a part on a GPU: s, and bytes, of the copies there and back, which no time above holds */
    double to_device, from_device, bytes_to, bytes_from;
} spw_part_speed;

typedef enum spw_ending {
    SPW_FINISHED,
    SPW_HUNG,       /* a call took longer than the limit */
    SPW_CRASHED,    /* a signal: shared->fault */
    SPW_EXITED,     /* exited before its work was done */
    SPW_SANITIZER,  /* a sanitizer ended it; its words are on stderr */
    SPW_STOPPED,    /* by a signal of its own */
    SPW_REFUSED,    /* a system call that it may not make: shared->refused */
    SPW_TALKED,     /* more answers than calls */
    SPW_UNREADABLE, /* outputs that cannot be read any more */
    SPW_UNLOADABLE, /* shared->text says why */
    SPW_NO_RUNNER   /* the kernel refuses what a runner needs */
} spw_ending;

typedef struct spw_shared {
    /* where the child is */
    volatile double call_since; /* time at which the answer was called, 0: it is not running */
    spw_check stage;
    int part; /* index in exercise->parts */
    char case_name[64], facts[96];
    const char *beyond; /* of the trial: said where an array of so many entries ends */
    int64_t beyond_count;
    char notes[2048]; /* of right answers, lines */
    int threads;
    bool finished;     /* the child's work came to its end */
    spw_ending ending; /* of a runner of the child's, SPW_FINISHED: as it should */
    bool loading;      /* it had not loaded the answer by then */

    spw_fault fault;
    spw_teams teams; /* of the call of the answer that runs, or the last one */
    char refused[32];

    /* what it found */
    int cases, total_cases; /* passed in full, to be tried */
    int models;             /* agreed */
    bool failed;            /* text says why, stage, part, ... say where */
    bool of_threads;        /* the values were right with one thread */
    bool endless;           /* the checker's time limit stopped a kernel */
    spw_races races;        /* what races.c has seen */
    int cause,
        cause_end; /* in text: what a claim says of the cause, which a race takes the place of */
    bool judge_failed; /* text is the judge's own trouble: no memory, a bad matrix */
    char text[SPW_TEXT];
    char hint[256];        /* of the checker: no mistake, and worth a word; "" */
    double reference_time; /* s, of the first call in check FAST */
    spw_part_speed speed[SPW_MAX_PARTS];

    /* of parts on the device, one for each part */
    struct {
        bool counted, failed;
        char facts[96], why[512], table[16384];
        double needed, moved; /* bytes of the model, and of the sectors */
    } traffic[SPW_MAX_PARTS];

    /* of the GPU, where one was asked */
    struct {
        bool found;
        bool failed;   /* what failed, failed there and not on the checker */
        char name[96]; /* "NVIDIA H200" */
        char why[192]; /* not found: why */
        int cases;     /* that were right there, too */
        bool all_right;
    } gpu;

    /* of a driver's own check */
    spw_verdict own_verdict;
    char headline[160];
    char lines[SPW_TEXT * 2];
    double score;
} spw_shared;

typedef struct spw_judgement {
    const spw_exercise *exercise;
    spw_options options;
    spw_shared *shared;
    spw_answer answer, reference;
    int thread_counts[4], n_thread_counts;
    int all_threads;
    char title[128];
    int number;
    char goal[16]; /* "6", "6-gpu": what stands behind make exercise- */
    int unwritten; /* functions and models with an empty body */
    bool uncompiled;
    bool inside; /* answers are called in the child that judges: runner.h */
    /* the result, beside the verdict: may it be kept as progress; the worst share of the roof or what takes its
     * place, in per cent; was the library's best kernel reached in all parts */
    bool whole, stretch;
    double percent;
} spw_judgement;

struct spw_runner; /* runner.h */

struct spw_run {
    spw_judgement *judgement;
    struct spw_runner *runner; /* of an own check, when it has asked */
    spw_trial *nothing;        /* nothing is laid out in it */
};

/* The command line (options.c). Without the whole of it, what could be read of it stands in *o all the same.
 *   SPW_ERR_ARG  the message says what is wrong */
spw_status spw_options_parse(int argc, char **argv, spw_options *o);

/* Is there such a case, such a matrix? Has the driver a target for what is timed? Errors as above. */
spw_status spw_options_check(spw_judgement *j);

/* The checks (verdicts.c): each runs in a child, prints its lines, and notes them for the record. */
spw_verdict spw_run_build(spw_judgement *j);
spw_verdict spw_run_checks(spw_judgement *j); /* CORRECT, SAFE, MODEL */
spw_verdict spw_run_own(spw_judgement *j);
spw_verdict spw_run_speed(spw_judgement *j); /* FAST of every part that is written */
/* TRAFFIC before FAST: the checker counts sectors and knows no time. */
spw_verdict spw_run_traffic(spw_judgement *j);
/* Parts on the device on the GPU, if there is one; else a line that says that there is none. */
spw_verdict spw_run_gpu(spw_judgement *j);
spw_verdict spw_evidence(spw_judgement *j);
spw_verdict spw_closing(spw_judgement *j);

/* Is any part on the device? A conversion on the host may stand in front of the kernel. */
bool spw_on_device(const spw_judgement *j);

/* Passed, and as fast as the library's best, but for 3 %. */
bool spw_reached_stretch(const spw_part_speed *speed);

/* Runs work(j) in a child and waits for its end. */
spw_ending spw_supervise(spw_judgement *j, void (*work)(spw_judgement *));

/* In a child: calls the answer's function on the trial under the clock that the parent watches. */
void spw_call(spw_judgement *j, spw_trial *t, spw_function f);

/* Of one that has been waited for: clang's OpenMP keeps a file for each process, which one that is killed leaves. */
void spw_process_gone(pid_t pid);
/* The result in r->t was wrong, and shared->text says so: if that is a matter of threads, it says that first. */
void spw_ask_for_threads(struct spw_runner *r, spw_poison poison, bool one_was_right);

/* From here on faults are told to `to`, on a stack of its own, and end the process. */
void spw_faults_to(void (*to)(const spw_fault *));

/* In the calls that were counted, was nothing divided, so that each thread did all of it? */
#define SPW_ALL_DID_ALL                                                                            \
    "each thread does all of it: `parallel` divides nothing, `parallel for` does"
bool spw_all_did_all(const spw_judgement *j, const spw_teams *teams);

/* In a child: marks the trial whose arrays a fault is looked up in; NULL: none. */
void spw_watch(const spw_trial *t);

/* Puts the ending of a child into words: "wrote y[17]: the array has 17 entries". */
void spw_explain_ending(const spw_judgement *j, spw_ending ending, char *text, size_t size);

/* The functions that run in children. */
void spw_check_answer(spw_judgement *j);
void spw_time_answer(spw_judgement *j);
void spw_run_own_check(spw_judgement *j);
void spw_show_evidence(spw_judgement *j);
void spw_show_closing(spw_judgement *j);
void spw_count_sectors(spw_judgement *j);
void spw_count_traffic(spw_judgement *j);

/* A part on the device, on the checker (checker.c; checker_none.c says that this build has none). In a
 * child. The case in both schedules. False: the judge or the answer failed, shared->text says why. */
bool spw_checker_case(spw_judgement *j, int part, const char *name);

/* One call of f on a trial that is laid out, once, and what it left copied back. False: `found` says what the checker
 * has found. */
bool spw_checker_leaves(spw_judgement *j, spw_trial *t, spw_function f, char *found, size_t size);

/* Parts on the device on a real GPU (gpu.c), by the answers that nvcc built, which take the places of
 * j->answer and j->reference. In a child: all cases (of --case the one), then, unless the judgement is
 * narrowed to a case, check FAST. Where there is no GPU, shared->gpu.why says so and nothing is done. */
void spw_judge_on_gpu(spw_judgement *j);

/* For a profiler: lays the case out whose traffic the checker counts and calls once, for the part that
 * the options name. Not in a child. */
void spw_call_on_gpu(spw_judgement *j);

/* For the tests: lays every case out and evaluates costs and all slips; and the first case of each part again, with one
 * allocation more each time: without memory a set-up says so. False: stderr says what is missing. A quantity that is
 * not there aborts. */
bool spw_declaration_is_whole(const spw_exercise *exercise);

/* A function that is timed and has no target, or NULL. Every speed is above 0 % of the roof: all would pass. */
const char *spw_without_target(const spw_exercise *exercise);

/* Are this part's function and model both written? */
bool spw_part_written(const spw_judgement *j, int part);

/* At which end of their pages arrays lie: both ends are guarded in turn. */
static inline spw_layout spw_layout_of(int threads) { return threads == 3 ? SPW_LEFT : SPW_RIGHT; }

/* A trial of this judgement's answer, ready for spw_trial_begin. */
spw_trial spw_new_trial(spw_judgement *j, int part, int threads, spw_layout layout);

/* Lays the case out on it, and notes its name and facts for the report. False: the judge failed, shared->text says why. */
bool spw_begin_case(spw_judgement *j, spw_trial *t, const char *name);

/* Keeps the library's message, of what failed, as the judge's own trouble. Always false. */
bool spw_trouble(spw_judgement *j, const char *what);

/* Printing (report.c). What is printed here is noted for the record, but for the title, figures and NEXT. */
void spw_report_title(const spw_judgement *j);
/* The line on which a function of the learner's begins. */
void spw_report_place(const spw_judgement *j, const char *function);
bool spw_is_learners(const spw_judgement *j); /* not a solution, nor a wrong answer */
void spw_report_line(const char *check, const char *verdict, const char *format, ...)
    SPW_PRINTF(3, 4);
void spw_report_indented(const char *lines);
void spw_report_text(const char *format, ...) SPW_PRINTF(1, 2); /* as it is */
void spw_report_speed(const spw_judgement *j, int part);
void spw_report_why(const spw_judgement *j, int part);
void spw_report_next(const spw_judgement *j, spw_verdict verdict);
