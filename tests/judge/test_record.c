/* The judge as a whole, in a process of its own: its options, its exit statuses, and the record that every one of them
 * leaves. link: -Wl,--wrap=spw_time_answer */
#include "judge/twice.h"

#include <signal.h>
#include <time.h>

static char answer[128], record[128];

static const char *const cases[] = {"laplace2d:7x5", "2", "7", NULL};
static const char *const other_cases[] = {"7", "5", NULL};

static spw_part part_of(const char *function, const char *const *names) {
    return (spw_part){.function = function,
                      .cases = names,
                      .setup = setup,
                      .call = call,
                      .cost = cost,
                      .speed = "1000000",
                      .target = 1e-6};
}

/* --- a judge in a process of its own ----------------------------------------------------------------- */

/* Under sanitizers nothing is timed, and the judge says so. */
#if defined(__SANITIZE_ADDRESS__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* The clock of check FAST, or one that times nothing: a child that comes to its end without a figure. */
static bool clock_stands;
void __real_spw_time_answer(spw_judgement *j);
void __wrap_spw_time_answer(spw_judgement *j);
void __wrap_spw_time_answer(spw_judgement *j) {
    if (!clock_stands) __real_spw_time_answer(j);
}

/* Judges with the options, which end in NULL. The exit status; what was printed is in words. */
static int judged(const spw_exercise *exercise, ...) {
    char *argv[32] = {"judge",        "--folder", "exercises/06-spmv-csr",
                      "--answer",     answer,     "--source",
                      "twice.c",      "--record", record,
                      "--reference",  answer,     "--build",
                      "tests \"-O3\""};
    int argc = 13;
    va_list more;
    va_start(more, exercise);
    while ((argv[argc] = va_arg(more, char *))) argc++;
    va_end(more);
    unlink(record);
    return judge_apart(exercise, argc, argv);
}

/* The record as record.awk tells it is in words. */
static void read_record(void) {
    char command[256];
    snprintf(command, sizeof command, "awk -f lib/judge/record.awk %s", record);
    FILE *file = popen(command, "r");
    assert_non_null(file);
    words[0] = '\n';
    words[1 + fread(words + 1, 1, sizeof words - 2, file)] = 0;
    assert_int_equal(pclose(file), 0);
}

static void has_not(const char *piece) {
    if (strstr(words, piece)) fail_msg("'%s' is in:\n%s", piece, words);
}

static void compile(const char *body) {
    char command[512], text[4096];
    snprintf(text, sizeof text, "void twice(int n, const double *x, double *y)\n{%s}\n", body);
    const char *source = put_text("twice.c", text);
    snprintf(command, sizeof command,
             "CC=cc CODE=-O2 sh lib/judge/compile.sh 06-spmv-csr %s %s 2>%s/said", source, answer,
             own_folder());
    (void)!system(command); /* not to compile is a result, too */
}

static int name_files(void **state) {
    (void)state;
    snprintf(answer, sizeof answer, "%s", own_path("answer.so"));
    snprintf(record, sizeof record, "%s", own_path("records/6.json"));
    return 0;
}

static spw_exercise of(const spw_part *parts, int n) {
    return (spw_exercise){.parts = parts, .n_parts = n};
}

/* One part: twice. */
static const spw_exercise *twice(void) {
    static spw_part part;
    static spw_exercise e;
    part = part_of("twice", cases);
    e = of(&part, 1);
    return &e;
}

/* --- tests ------------------------------------------------------------------------------------------- */

/* The record that was read has no member that lib/judge/record.h does not name. */
static void is_in_the_schema(void) {
    static char text[sizeof words];
    size_t length;
    const char *schema = text_of_file("lib/judge/record.h", &length);
    memcpy(text, words, sizeof text);
    int n = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), n++) {
        *strchr(line, '\t') = 0;
        const char *name = strrchr(line, '.') ? strrchr(line, '.') + 1 : line;
        const char *at = strstr(schema, name);
        while (at && (strchr("_abcdefghijklmnopqrstuvwxyz", at[-1]) ||
                      strchr("_abcdefghijklmnopqrstuvwxyz", at[strlen(name)])))
            at = strstr(at + 1, name);
        if (!at) fail_msg("'%s' is not in the schema", name);
    }
    assert_true(n > 60);
}

TEST(an_answer_that_is_timed_has_figures) {
    compile("for (int i = 0; i < n; i++) y[i] = 2 * x[i];");
    const int status = judged(twice(), "--seed", "4711", "--workbook", "abcdef", NULL);
    assert_true(status == SPW_PASS || status == SPW_NO_VERDICT);
    read_record();
    has("\nspw_record\t1\nexercise\t6\ntitle\tExercise 6 · SpMV in CSR\nfile\ttwice.c\nsha256\t");
    has("\nworkbook\tabcdef\n");
    has("\ncompiler\ttests \"-O3\"\n");
    has("\noptions.seed\t4711\n");
    has("\nchecks.0.name\tBUILD\nchecks.0.status\tok\n");
    has("\nchecks.1.message\t3 of 3 cases, ");
    has(".name\tFAST\n");
    if (!SANITIZED) {
        has("\nparts.0.function\ttwice\nparts.0.case\tn = "
            "1000000\nparts.0.on\thost\nparts.0.timed\ttrue\n");
        has("\nparts.0.load\t8000000\n");
        has("\nparts.0.low\t");
        has_not("parts.0.share\tnull");
        has("\nparts.0.baseline\tnull\n");
        is_in_the_schema();
    }
    has_not("parts.1");
    char sum[512];
    snprintf(sum, sizeof sum,
             "test \"$(sha256sum <%s/twice.c | cut -c 1-64)\" = "
             "\"$(awk -f lib/judge/record.awk %s | sed -n 's/^sha256.//p')\"",
             own_folder(), record);
    assert_int_equal(system(sum), 0);
}

TEST(what_was_not_timed_does_not_pass) {
    compile("for (int i = 0; i < n; i++) y[i] = 2 * x[i];");
    clock_stands = true;
    const int status = judged(twice(), NULL);
    clock_stands = false;
    if (SANITIZED) {
        assert_int_equal(status, SPW_PASS);
        read_record();
        has("not timed: a sanitizer slows everything down");
        has("\nwhole\tfalse\n");
        return;
    }
    assert_int_equal(status, SPW_FAULT);
    has("twice was not timed");
    read_record();
    has("\nverdict\tfault\nstatus\t5\nmessage\ttwice was not timed\nwhole\tfalse\n");
}

TEST(a_wrong_value_is_told_with_case_and_code) {
    compile("for (int i = 0; i < n; i++) y[i] = i == 6 ? 0 : 2 * x[i];");
    assert_int_equal(judged(twice(), "--check", "1", NULL), SPW_WRONG);
    read_record();
    has("\nverdict\twrong\nstatus\t1\n");
    has("\nwhole\ttrue\n");
    has("\nchecks.1.name\tCORRECT\nchecks.1.status\tfail\nchecks.1.code\twrong-value\n"
        "checks.1.function\ttwice\nchecks.1.case\tlaplace2d:7x5\nchecks.1.threads\t1\n");
    has("No speed is reported");
    has(".name\tSAFE\nchecks.2.status\tnot-reached\n");
    compile("y[n] = x[0];");
    assert_int_equal(judged(twice(), "--check", "1", NULL), SPW_WRONG);
    read_record();
    has(".name\tSAFE\nchecks.2.status\tfail\nchecks.2.code\toutside\n");
    compile("for (;;) y[0] = x[0] * n;");
    assert_int_equal(judged(twice(), "--check", "1", "--limit", "1", NULL), SPW_WRONG);
    read_record();
    has(".code\tendless\n");
}

/* As printed a shell takes it; and the function that failed is where to edit. */
TEST(what_to_type_again_can_be_pasted) {
    static const char *const words_apart[] = {"7", "9 and more", NULL};
    const spw_part parts[2] = {part_of("twice", other_cases), part_of("again", words_apart)};
    const spw_exercise e = of(parts, 2);
    compile("for (int i = 0; i < n; i++) y[i] = 2 * x[i]; }\n\n"
            "void again(int n, const double *x, double *y)\n"
            "{ for (int i = 0; i < n; i++) y[i] = (n == 9 ? 3 : 2) * x[i];");
    assert_int_equal(judged(&e, "--check", "1", "--source", "exercises/twice.c", NULL), SPW_WRONG);
    read_record();
    has("edit:  exercises/twice.c:4, again\\nagain: make exercise-6 CASE='9 and more' SEED=");
    assert_int_equal(judged(&e, "--check", "1", "--source", "solutions/twice.c", NULL), SPW_WRONG);
    read_record();
    has_not("edit:");
}

TEST(an_answer_that_does_not_compile_is_judged) {
    compile("return n + x + \"y\";");
    assert_int_equal(judged(twice(), NULL), SPW_WRONG);
    has("Exercise 6 · SpMV in CSR\n BUILD    FAIL   twice.c\n NEXT     mend the first error above");
    read_record();
    has("\nverdict\twrong\n");
    has("\nwhole\tfalse\n");
    has("\nchecks.0.code\tcompiler\n");
    has("twice.c:2:"); /* the compiler's place */
    has("error: ");
    /* where there is no compiler, it is not the learner's fault */
    FILE *file = fopen(answer, "w");
    fputs("5\n", file);
    fclose(file);
    assert_int_equal(judged(twice(), NULL), SPW_FAULT);
    read_record();
    has("\nverdict\tfault\n");
}

TEST(a_judge_that_is_killed_leaves_a_record) {
    compile("for (;;) y[0] = x[n - 1];");
    char *const argv[] = {"judge",    "--folder", "exercises/06-spmv-csr", "--answer", answer,
                          "--record", record,     "--reference",           answer,     NULL};
    unlink(record);
    const pid_t child = fork();
    if (child == 0) {
        setenv("SPW_ENVIRONMENT", "1", 1);
        _exit(spw_judge(twice(), 9, (char **)argv));
    }
    int status;
    nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    read_record();
    has("\nverdict\tfault\nstatus\t5\nmessage\tinterrupted\nwhole\tfalse\n");
}

TEST(a_case_that_is_not_there_gets_all_names_once) {
    const spw_part parts[] = {part_of("twice", cases), part_of("thrice", other_cases)};
    const spw_exercise e = of(parts, 2);
    assert_int_equal(judged(&e, "--case", "x\ty", NULL), SPW_FAULT);
    has("There are: laplace2d:7x5 2 7 5\n");
    read_record();
    has("\nmessage\tthere is no case 'x\\ty'. There are: laplace2d:7x5 2 7 5\n");
}

TEST(a_part_that_is_timed_needs_a_target) {
    spw_part part = part_of("twice", cases);
    part.target = 0;
    const spw_exercise e = of(&part, 1);
    assert_int_equal(judged(&e, "--check", "1", NULL), SPW_FAULT);
    has("twice is timed and has no target");
    part.speed = NULL;
    compile("for (int i = 0; i < n; i++) y[i] = 2 * x[i];");
    assert_int_equal(judged(&e, "--check", "1", NULL), SPW_PASS);
}

TEST(a_record_that_cannot_be_written_is_said) {
    compile("for (int i = 0; i < n; i++) y[i] = 2 * x[i];");
    assert_int_equal(judged(twice(), "--check", "1", "--record", "/dev/full/6.json", NULL),
                     SPW_FAULT);
    has(" CORRECT  ok ");
    has("This result was not saved: cannot write /dev/full/6.json");
}

int main(void) { return run_all(name_files, NULL); }
