/* The process that calls an answer: what a dishonest one may try, each told in a sentence and in bounded time, and
 * nothing left running. BUILD's list, which refuses most of it before, is emptied here. */
#include "judge/twice.h"

#include <dirent.h>

static char answer[64], right[64], record[64];

typedef spw_cost (*cost_fn)(int n);

static spw_cost predict(spw_trial *t, spw_function model) {
    return ((cost_fn)model)(((const problem *)spw_trial_data(t))->n);
}

static const char *const cases[] = {"35", "3000", NULL};
static const spw_part part = {.function = "twice",
                              .model = "twice_cost",
                              .cases = cases,
                              .setup = setup,
                              .call = call,
                              .cost = cost,
                              .predict = predict,
                              .speed = "300000",
                              .target = 1e-6};
static const spw_exercise exercise = {.parts = &part, .n_parts = 1};

/* --- a judge in a process of its own ---------------------------------------------------------------------- */

#define LOOP  "for (int i = 0; i < n; i++) y[i] = 2 * x[i];"
#define MODEL "return (spw_cost){8.0 * n, 8.0 * n, n};"

static void compile(const char *path, const char *before, const char *body, const char *model) {
    char name[128], command[512];
    snprintf(name, sizeof name, "%.*s.c", (int)strlen(path) - 3, path);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fprintf(file,
            "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <pthread.h>\n#include <signal.h>\n"
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/mman.h>\n"
            "#include <sys/socket.h>\n#include <unistd.h>\n#include \"perf/cost.h\"\n%s\n"
            "spw_cost twice_cost(int n)\n{\n    %s\n}\n"
            "void twice(int n, const double *x, double *y)\n{\n    %s\n}\n",
            before, model, body);
    fclose(file);
    snprintf(command, sizeof command,
             "CC=cc CODE='-O2 -w -Ilib -fopenmp' sh lib/judge/compile.sh 06-spmv-csr %s %s && "
             "for list in undefined startup; do : >%.*s.$list; done; sed -i '/ refused$/d' "
             "%.*s.functions",
             name, path, (int)strlen(path) - 3, path, (int)strlen(path) - 3, path);
    assert_int_equal(system(command), 0);
}

static int processes_of(const char *what) {
    int n = 0;
    char path[300], line[512];
    DIR *all = opendir("/proc");
    for (struct dirent *d; all && (d = readdir(all));) {
        snprintf(path, sizeof path, "/proc/%s/maps", d->d_name);
        FILE *file = *d->d_name >= '1' && *d->d_name <= '9' ? fopen(path, "r") : NULL;
        bool found = false;
        while (file && !found && fgets(line, sizeof line, file)) found = strstr(line, what) != NULL;
        if (file) fclose(file);
        n += found;
    }
    if (all) closedir(all);
    return n;
}

/* In seconds; what never comes to its end need not be waited for as long. */
static const char *limit = "3";

/* Judges; the exit status, and what was printed in words. Nothing may be left that has the answer loaded. */
static int judged(const char *check_only) {
    char *argv[] = {"judge",
                    "--folder",
                    "exercises/06-spmv-csr",
                    "--answer",
                    answer,
                    "--source",
                    "twice.c",
                    "--record",
                    record,
                    "--reference",
                    right,
                    "--build",
                    "tests",
                    "--limit",
                    (char *)limit,
                    "--check",
                    (char *)check_only,
                    NULL};
    const int status = judge_apart(&exercise, check_only ? 17 : 15, argv);
    assert_int_equal(processes_of(answer), 0);
    return status;
}

static void fails(const char *before, const char *body, const char *model, const char *with) {
    compile(answer, before, body, model);
    const int status = judged("1");
    if (status != SPW_WRONG) print_error("%s\n", words);
    assert_int_equal(status, SPW_WRONG);
    has(with);
}

static void never_ends(const char *before, const char *body, const char *model, const char *with) {
    limit = "1";
    fails(before, body, model, with);
    limit = "3";
}

#define AT_LOADING(code) "__attribute__((constructor)) static void at_once(void) { " code " }"

TEST(an_honest_answer_is_right_and_may_print) {
    compile(answer, "",
            "if (n == 35) printf(\"hello\\t\\033[2J\\r\\n\");\n#pragma omp parallel for\n" LOOP,
            MODEL);
    assert_int_equal(judged("1"), SPW_PASS);
    has("hello\t?[2J?\n"); /* nothing to write over the report with */
    has("CORRECT  ok     2 of 2 cases");
    has("MODEL    ok");
}

TEST(a_constructor_is_told) {
    fails(AT_LOADING("printf(\" FAST     ok\\n\"); fflush(stdout); _exit(0);"), LOOP, MODEL,
          "BUILD    FAIL   it ended the program while it was being loaded");
    fails(AT_LOADING("abort();"), LOOP, MODEL, "while it was being loaded");
    never_ends(AT_LOADING("for (;;) ;"), LOOP, MODEL,
               "it did not come to its end while it was being loaded");
    fails(AT_LOADING("raise(SIGSTOP);"), LOOP, MODEL,
          "it stopped itself while it was being loaded");
    fails(AT_LOADING("close(open(\"/tmp/spw-runner-was-here\", O_CREAT | O_WRONLY, 0600));"), LOOP,
          MODEL, "it tried to open a file for writing while it was being loaded");
    assert_int_not_equal(access("/tmp/spw-runner-was-here", F_OK), 0);
}

TEST(system_calls_are_refused_by_name) {
    fails("", "if (fork() == 0) for (;;) ;" LOOP, MODEL, "twice tried to fork");
    fails("", "if (daemon(1, 0) == 0) sleep(4);" LOOP, MODEL, "twice tried to fork");
    fails("", "system(\"true\");" LOOP, MODEL, "twice tried to start another program");
    fails("", "kill(getppid(), 9);" LOOP, MODEL, "twice tried to getppid");
    fails("", "kill(1, 9);" LOOP, MODEL, "twice tried to kill");
    fails("", "socket(AF_INET, SOCK_STREAM, 0);" LOOP, MODEL, "twice tried to socket");
    fails("", "execl(\"/bin/true\", \"true\", NULL);" LOOP, MODEL, "twice tried to exec");
    fails("", "unlink(\"/tmp/spw-runner-none\");" LOOP, MODEL, "twice tried to unlink");
}

TEST(each_end_has_its_sentence) {
    fails("", "exit(0);", MODEL, "twice called exit and ended the program");
    fails("", "raise(SIGSTOP);" LOOP, MODEL, "twice stopped itself with a signal");
    fails("", "kill(getpid(), SIGKILL);", MODEL, "twice was ended by signal 9");
    never_ends("", "for (;;) sleep(1);", MODEL, "twice did not return within 1 s");
    never_ends("", "for (;;) puts(\"again and again and again and again\");", MODEL,
               "what your code prints is cut here");
    has("twice did not return within 1 s");
    fails("", "for (;;) memset(malloc(1 << 26), 1, 1);", MODEL, "twice ");
    fails("", LOOP "mprotect((void *)((size_t)y & ~4095UL), 4096, PROT_NONE);", MODEL,
          "nobody can read them");
    fails("", "char word[2000] = \"\"; for (int k = 3; k < 9; k++) write(k, word, 2000);" LOOP,
          MODEL, "twice wrote to the pipe");
    never_ends("", LOOP, "for (;;) ; " MODEL, "twice_cost did not return within 1 s");
    fails("", LOOP, "exit(0); " MODEL, "ended the program");
}

/* It scans for its own input, whose values times 2 are what is expected: nothing but y may hold them. Nor is there what
 * a driver has hidden, the values times 4. */
static const char find[] =
    "static FILE *maps;\n"
    "__attribute__((constructor)) static void early(void) { maps = fopen(\"/proc/self/maps\", "
    "\"r\"); }\n"
    "static double *find(const double *x, double *y, int n, double f)\n{\n"
    "    char line[256]; unsigned long a, b; rewind(maps);\n"
    "    while (fgets(line, 256, maps)) {\n"
    "        if (sscanf(line, \"%lx-%lx rw\", &a, &b) != 2 || !strstr(line, \" rw\")) continue;\n"
    "        for (double *p = (double *)a; p + n <= (double *)b; p++)\n"
    "            if (p != y && p[0] == f * x[0] && p[1] == f * x[1] && p[2] == f * x[2]) return "
    "p;\n"
    "    }\n    return NULL;\n}";

TEST(what_is_expected_is_not_there) {
    fails(find, "double *e = find(x, y, n, 2); if (e) memcpy(y, e, 8 * n);", MODEL,
          "CORRECT  FAIL");
    fails(find, "double *e = find(x, y, n, 4); for (int i = 0; i < n && e; i++) y[i] = e[i] / 2;",
          MODEL, "CORRECT  FAIL");
}

/* The solution is a file, too. */
TEST(once_loaded_it_opens_no_file) {
    compile(answer, "", "if (!fopen(\"README.md\", \"r\")) " LOOP, MODEL);
    assert_int_equal(judged("1"), SPW_PASS);
}

TEST(what_is_no_mistake_is_worth_a_word) {
    compile(answer, "static void *volatile lost;", "lost = malloc(16 * n);\n" LOOP, MODEL);
    assert_int_equal(judged("1"), SPW_PASS);
    has("hint: each call of twice keeps memory, 48");
    compile(answer, "", "double *kept = malloc(16 * n); memset(kept, 0, n);" LOOP "free(kept);",
            MODEL);
    assert_int_equal(judged("1"), SPW_PASS);
    has("hint: twice: no call began a parallel region");
    compile(answer, "", "\n#pragma omp parallel for num_threads(5)\n" LOOP, MODEL);
    assert_int_equal(judged("1"), SPW_PASS);
    has("hint: twice began a parallel region of 5 threads,\n   not of the 1 that it was given");
    compile(answer, "", "\n#pragma omp parallel for\n" LOOP, MODEL);
    assert_int_equal(judged("1"), SPW_PASS);
    assert_null(strstr(words, "hint:"));
}

/* Whether there is a filter is seen before, without it. */
TEST(an_answer_does_not_choose_its_judge) {
    fails(AT_LOADING("char word[4096] = \"\"; ((int *)word)[2] = 2; write(4, word, sizeof word);"),
          LOOP, MODEL, "BUILD    FAIL");
}

TEST(a_timed_call_is_verified) {
    const struct {
        const char *before, *body, *with;
    } tricks[] = {
        {"static int calls;", "if (n > 3000 && calls++ > 2) return;" LOOP,
         "The timed call left y as it was: it did nothing"},
        {"static int calls;", "if (n > 3000 && calls++ > 2) n = n / 3;" LOOP, "it works on less"},
        {"static double *kept;",
         "if (kept) { memcpy(y, kept, 8 * n); return; }" LOOP
         "if (n > 3000) kept = memcpy(malloc(8 * n), y, 8 * n);",
         "it keeps them, and does"},
        {"static int calls;",
         "mprotect((void *)((size_t)x & ~4095UL), 8192, PROT_READ | PROT_WRITE);" LOOP
         "if (n > 3000 && calls++ > 2) { ((double *)x)[5] = 1; y[5] = 2; }",
         "wrote to x[5]"},
        {"static int N; static const double *X; static double *Y;\n"
         "static void *later(void *p) { int n = N; const double *x = X; double *y = Y; "
         "usleep(20000); " LOOP " return p; }",
         "if (n <= 3000) { " LOOP
         " return; }\n    pthread_t t; N = n; X = x; Y = y; static int calls;\n"
         "    pthread_create(&t, NULL, later, NULL);\n    if (calls++ > 2) pthread_detach(t); else "
         "pthread_join(t, NULL);",
         "It goes on after it has returned"},
        {"static int calls;",
         "static double last; if (n > 3000 && last == x[0]) return; last = x[0];" LOOP,
         "at least one did nothing"},
        {"static double *kept, first[8];",
         "double now[8]; for (int k = 0; k < 8; k++) now[k] = x[k * (n / 8)];"
         "if (kept && memcmp(now, first, 64) == 0) { memcpy(y, kept, 8 * n); return; }" LOOP
         "if (n > 3000) { free(kept); kept = memcpy(malloc(8 * n), y, 8 * n); memcpy(first, now, "
         "64); }",
         "Does it keep something from one call to the next?"},
        {"static volatile int work = 1; static void *burn(void *p) { while (work) ; return p; }\n"
         "static int burns;",
         LOOP "pthread_t t; if (n > 3000 && !burns++) pthread_create(&t, NULL, burn, NULL);",
         "a thread of it works when nobody calls it"},
    };
    for (size_t k = 0; k < sizeof tricks / sizeof *tricks; k++) {
        compile(answer, tricks[k].before, tricks[k].body, MODEL);
        if (judged(NULL) != SPW_WRONG) print_error("%s\n", words);
        has(tricks[k].with);
    }
}

/* Nor is there a PASS for one thread which sees to it that others have no more, or no clock. */
TEST(what_one_thread_sets_is_its_own) {
    const struct {
        const char *before, *body;
    } tricks[] = {
        {"#include <omp.h>", "omp_set_num_threads(1);\n#pragma omp parallel for\n" LOOP},
        {"int clock_gettime(clockid_t c, struct timespec *t)\n"
         "{ t->tv_sec = c ? 0 : 1; t->tv_nsec = 0; return 0; }",
         LOOP},
    };
    for (size_t k = 0; k < sizeof tricks / sizeof *tricks; k++) {
        compile(answer, tricks[k].before, tricks[k].body, MODEL);
        const int status = judged(NULL);
        if (status == SPW_WRONG || status == SPW_FAULT || status == SPW_PASS)
            print_error("%s\n", words);
        assert_true(status == SPW_SLOW || status == SPW_NO_VERDICT);
    }
}

/* Sanitizers watch one process: an answer is called in the one that judges, and nothing of this holds. */
__attribute__((unused)) static void nothing_is_apart(void **state) {
    (void)state;
    print_message("skipped: under sanitizers no runner is started\n");
    skip();
}

int main(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    const struct CMUnitTest none[] = {cmocka_unit_test(nothing_is_apart)};
    return cmocka_run_group_tests(none, NULL, NULL);
#endif
    snprintf(answer, sizeof answer, "%s", own_path("twice.so"));
    snprintf(right, sizeof right, "%s", own_path("right.so"));
    snprintf(record, sizeof record, "%s", own_path("record.json"));
    compile(right, "", "\n#pragma omp parallel for\n" LOOP, MODEL);
    put_text("right.undefined", "GOMP_parallel\n");
    return run_all(NULL, NULL);
}
