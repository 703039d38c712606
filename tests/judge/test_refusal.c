/* What an answer may be made of: names, and answers that compile.sh builds. */
#include "judge/answer.h"
#include "judge/refusal.h"
#include "test.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define REFERENCE "solutions/06-spmv-csr/spmv_csr.c"
static char reference[256], answer[256];

static int compile(const char *source, const char *object) {
    char command[1024];
    snprintf(command, sizeof command,
             "CC=cc CODE='-std=gnu11 -O2 -fopenmp -Ilib' sh lib/judge/compile.sh 06-spmv-csr %s %s "
             "2>%s/said",
             source, object, own_folder());
    return system(command) == 0 ? 0 : 1;
}

static int setup(void **state) {
    (void)state;
    snprintf(reference, sizeof reference, "%s", own_path("reference.so"));
    snprintf(answer, sizeof answer, "%s", own_path("answer.so"));
    return compile(REFERENCE, reference);
}

TEST(names_are_allowed_one_by_one) {
    const char *const good[] = {"omp_get_num_threads", "_ZSt4cout", "spw_simt_sync_block", "memcpy",
                                "__kmpc_fork_call",    "printf",    "spw_simt_malloc",     "sqrtf",
                                "pthread_create",      "fabsl",     "GOMP_parallel",       "qsort",
                                "__printf_chk",        "_Znwm",     "__memcpy_chk",        "abort",
                                "__tsan_read8",        "sqrt",      "_ZGVdN4v_sin",        "free"};
    const char *const bad[] = {
        "spw_slices_lay_out", "memfd_create", "shm_open", "openat", "sqrtff", "sqrt ", "GOMP",
        "spw_spmv_expected",  "spw_simt_now", "syscall",  "ptrace", "dlsym",  "fork",  "_chk",
        "process_vm_writev",  "spw_kernels",  "strange",  "execve", "vfork",  "open",  "sqr",
        "spw_spmv_csr_omp",   "single_cg",    "environ",  "socket", "popen",  "mmap",  "*",
        "spw_variant_find",   "spw_simt_",    "dlopen",   "signal", "fopen",  "kill",  "",
        "spw_simt_reset",     "mprotect",     "system"};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
        if (!spw_may_call(good[k])) fail_msg("%s is refused", good[k]);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        if (spw_may_call(bad[k])) fail_msg("\"%s\" is allowed", bad[k]);
    assert_false(spw_may_call("_ZNSt13basic_filebufIcSt11char_traitsIcEEC1Ev"));
    assert_false(spw_may_call("_ZNSt10filesystem6removeERKNS_7__cxx114pathE"));
}

/* The headers call nothing else. */
TEST(what_the_checker_lends_is_allowed) {
    char line[256];
    int n = 0;
    FILE *file = fopen("lib/simt/shim.h", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *name = *line == ' ' || *line == '/' ? NULL : strstr(line, "spw_simt_");
        char *end = name ? strchr(name, '(') : NULL;
        if (!end) continue;
        *end = 0;
        if (strrchr(name, ' ')) name = strrchr(name, ' ') + 1;
        n++;
        if (!spw_may_call(name)) fail_msg("%s is refused", name);
    }
    fclose(file);
    assert_true(n > 40);
}

/* Builds the text as an answer; its refusal has this code and holds these words; NULL: there is none. */
static void is_refused(const char *text, const char *const *allowed, const char *code,
                       const char *words) {
    const char *source = put_text("mine.c", text);
    spw_refusal refusal = {0};
    if (compile(source, answer)) fail_msg("this does not compile: %s", text);
    const bool refused = spw_answer_is_refused(answer, reference, allowed, &refusal);
    if (refused != (code != NULL))
        fail_msg("%s: %s", text, refused ? refusal.what : "is not refused");
    if (!code) return;
    assert_string_equal(refusal.code, code);
    if (!strstr(refusal.what, words)) fail_msg("\"%s\" does not hold \"%s\"", refusal.what, words);
    assert_non_null(refusal.allowed);
}

TEST(what_is_written_in_c_is_taken) {
    const char *const lent[] = {"spw_small_eigen", NULL};
    is_refused(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\n#include "
        "<assert.h>\n"
        "#include \"spmv_csr.h\"\nvoid spmv_csr(const spw_csr *A, const double *x, double *y)\n{ "
        "assert(A);\n"
        "#pragma omp parallel for\nfor (int i = 0; i < A->n_rows; i++) y[i] = hypot(x[0], i);\n"
        "printf(\"%g\", y[0]); double *t = malloc(8); memset(t, 0, 8); free(t); }\n",
        NULL, NULL, NULL);
    is_refused("int spw_small_eigen(void);\nint f(void) { return spw_small_eigen(); }\n", lent,
               NULL, NULL);
    put_text("beside.h", "enum { MINE };\n");
    is_refused("#include \"formats/ell.h\"\n#include \"beside.h\"\nint f(void) { return 0; }\n",
               NULL, NULL, NULL);
}

TEST(what_others_have_written_is_refused_by_name) {
    is_refused("int spw_small_eigen(void);\nint f(void) { return spw_small_eigen(); }\n", NULL,
               "borrowed-symbol", "it calls spw_small_eigen: that is the library's own.");
    is_refused("extern char spw_kernels[];\nint f(void) { return spw_kernels[0]; }\n", NULL,
               "borrowed-symbol", "spw_kernels");
    is_refused("void *dlsym(void *, const char *);\nvoid *f(void) { return dlsym(0, "
               "\"spw_spmv_csr_omp\"); }\n",
               NULL, "borrowed-symbol", "it calls dlsym, which it does not define.");
    is_refused("#include <unistd.h>\nint f(void) { return fork(); }\n", NULL, "borrowed-symbol",
               "fork");
    is_refused("double f(double) __asm__(\"sin\");\ndouble g(void) { return f(1); }\n", NULL,
               "startup", "line 1 holds assembly.");
}

/* name: within the workbook */
static void including_is_refused(const char *before, const char *name) {
    char text[PATH_MAX + 128], root[PATH_MAX], words[128];
    assert_non_null(getcwd(root, sizeof root));
    snprintf(text, sizeof text, "%s#include \"%s/%s\"\n", before, root, name);
    snprintf(words, sizeof words, "it includes %s.", name);
    is_refused(text, NULL, "refused-header", words);
}

TEST(what_it_includes_is_looked_at) {
    including_is_refused("", REFERENCE);
    including_is_refused("#pragma GCC system_header\n", REFERENCE);
    including_is_refused("", "lib/kernels/omp/spmv_csr.c");
    including_is_refused("", "lib/kernels/spmv.h");
    including_is_refused("", "lib/perf/roofline.h");
    including_is_refused("#include \"spmv_csr.h\"\n", "exercises/06-spmv-csr/problem.h");
}

/* What cannot be looked at is refused. */
TEST(what_it_includes_stays_where_it_is) {
    char words[600];
    spw_refusal r;
    const char *gone = put_text("gone.h", "enum { GONE };\n");
    snprintf(words, sizeof words, "it includes %s, which is not there any more.", gone);
    assert_int_equal(compile(put_text("mine.c", "#include \"gone.h\"\n"), answer), 0);
    assert_false(spw_answer_is_refused(answer, reference, NULL, &r));
    assert_int_equal(unlink(gone), 0);
    assert_true(spw_answer_is_refused(answer, reference, NULL, &r));
    assert_string_equal(r.what, words);
}

TEST(thousands_of_files_hide_none) {
    enum { FILES = 4200 };
    char line[128];
    spw_refusal r;
    const char *path = own_path("mine.c");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int k = 0; k < FILES; k++) { /* one file by as many names */
        line[0] = 0;
        for (int bit = 0; bit < 13; bit++) strcat(line, k >> bit & 1 ? "./" : "/");
        fprintf(file, "#include \"/usr/%sinclude/alloca.h\"\n", line);
    }
    fputs("#include \"kernels/spmv.h\"\n", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(compile(path, answer), 0);
    assert_true(spw_answer_is_refused(answer, reference, NULL, &r));
    assert_string_equal(r.what, "it includes 4096 files and more.");
}

/* The body of a function by #include, and another file between. */
TEST(files_beside_it_are_its_own) {
    put_text("body.h", "for (int i = 0; i < 3; i++) y[i] = 0;\n");
    is_refused("int g(void);\nvoid f(double *y)\n{\n#include \"body.h\"\n}\n", NULL, NULL, NULL);
    OWN(spw_answer) a = {0};
    assert_ok(spw_answer_load(answer, &a));
    assert_true(spw_answer_function(&a, "f") && spw_answer_line(&a, "f") == 2);
}

TEST(any_definition_is_enough) {
    is_refused(
        "#if 0\nint f(void)\n{\n}\n#endif\nint f(void)\n{\n    return 1;\n}\n"
        "int empty(void)\n{\n    /* here */\n}\n"
        "void "
        "a_name_of_more_than_sixty_four_letters_is_a_name_all_the_same_for_a_compiler(void)\n{\n}\n"
        "#define KERNEL(x) int x(void)\nKERNEL(g) { return 2; }\n"
        "__attribute__((noinline)) int h(void) __attribute__((cold));\n"
        "int crlf(void)\r\n{\r\n    return 3;\r\n}\r\n",
        NULL, NULL, NULL);
    OWN(spw_answer) a = {0};
    assert_ok(spw_answer_load(answer, &a));
    assert_true(spw_answer_function(&a, "f") && spw_answer_line(&a, "f") == 6);
    assert_true(!spw_answer_function(&a, "empty") && spw_answer_line(&a, "empty") == 10);
    assert_true(!spw_answer_function(
        &a, "a_name_of_more_than_sixty_four_letters_is_a_name_all_the_same_for_a_compiler"));
    assert_true(spw_answer_function(&a, "crlf") && spw_answer_line(&a, "crlf") == 20);
    assert_true(spw_answer_function(&a, "g") && spw_answer_line(&a, "g") == 18);
}

TEST(seventy_functions_are_seventy) {
    char text[8192] = "";
    for (int k = 0; k < 100; k++)
        spw_append(text, sizeof text, "int f%d(void) {%s}\n", k, k == 99 ? "" : " return 1; ");
    assert_int_equal(compile(put_text("mine.c", text), answer), 0);
    OWN(spw_answer) a = {0};
    assert_ok(spw_answer_load(answer, &a));
    assert_true(spw_answer_function(&a, "f98") && !spw_answer_function(&a, "f99"));
    assert_int_equal(spw_answer_line(&a, "f99"), 100);
}

/* What never ends is stopped, what is long is not begun. */
TEST(the_compiler_has_an_end) {
    char words[512], *text = zeroed(300000, 1);
    assert_int_equal(mkfifo(own_path("pipe.h"), 0600), 0);
    setenv("COMPILE_SECONDS", "1", 1);
    const char *path = put_text("mine.c", "#include \"pipe.h\"\nint f(void) { return 1; }\n");
    assert_int_equal(compile(path, answer), 1);
    assert_int_equal(spw_answer_refused(answer, words, sizeof words), 1);
    assert_says(words, "the compiler was stopped after 1 s");
    unsetenv("COMPILE_SECONDS");

    memset(text, '\n', 299999);
    assert_int_equal(compile(put_text("mine.c", text), answer), 1);
    assert_int_equal(spw_answer_refused(answer, words, sizeof words), 1);
    assert_says(words, "has 299999 bytes, 262144 are the most");
}

TEST(nothing_runs_before_it_is_called) {
    is_refused("int x;\n__attribute__((constructor)) static void early(void) { x = 1; }\nint "
               "f(void) { return x; }\n",
               NULL, "startup", "line 2 holds a constructor");
    is_refused("void __gmon_start__(void) {}\nint f(void) { return 1; }\n", NULL, "startup",
               "it has a __gmon_start__");
    is_refused("void __tsan_init(void);\nint x;\n"
               "#define E(a, b) a##b\n__attribute__((E(construc, tor))) static void early(void) "
               "{ x = 1; }\nint f(void) { __tsan_init(); return x; }\n",
               NULL, "startup", "line 4 holds a constructor");
    is_refused("__attribute__((no_sanitize(\"thread\"))) int f(void) { return 1; }\n", NULL,
               "startup", "no tool would see");
    is_refused("# 1 \"/usr/include/x.h\" 1 3\nint f(void) { return 1; }\n", NULL, "startup",
               "line 1 holds a marker");
    is_refused("int f(void)\n{\n    __asm__ volatile(\"nop\");\n    return 0;\n}\n", NULL,
               "startup", "line 3 holds assembly.");
    is_refused("__attribute__((section(\".init\"))) void f(void) {}\n", NULL, "startup",
               "line 1 holds a section");
    is_refused("extern int section(int, ...);\nint asmall(int n) { return n; }\nint f(void) { "
               "return asmall(0); }\n",
               NULL, NULL, NULL);
    is_refused("static int g(void) { return 1; }\nstatic int (*pick(void))(void) { return g; }\n"
               "int f(void) __attribute__((ifunc(\"pick\")));\n",
               NULL, "startup", "it has a resolver");
}

int main(void) { return run_all(setup, NULL); }
