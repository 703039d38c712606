/* Every mistake of kernels/mistakes.cu is found, at its line, with its array, and in words. */

#include "support.h"
#include "test.h"

static const char source[] = "tests/simt/kernels/mistakes.cu";

/* The line that has the mark. */
static int line_of(const char *mark) {
    char wanted[64];
    size_t length;
    snprintf(wanted, sizeof wanted, "/* %s */", mark);
    const char *text = text_of_file(source, &length), *found = strstr(text, wanted);
    if (!found) fail_msg("no line has %s", wanted);
    int line = 1;
    for (const char *at = text; at < found; at++) line += *at == '\n';
    return line;
}

static int results[256];

typedef struct job {
    spw_any_function f;
    void *argument;
} job;

static void call(void *argument) {
    const job *j = argument;
    ((void (*)(void *))j->f)(j->argument);
}

static bool run(const char *build, const char *launcher, spw_simt_options options) {
    begin_checker(options);
    job j = {kernel_function("mistakes", build, launcher), results};
    return spw_simt_run(call, &j);
}

typedef struct mistake {
    const char *launcher;
    spw_simt_kind kind;
    const char *mark;     /* of its line */
    const char *array;    /* or "" */
    const char *words[4]; /* that the text must hold, ascending */
    const char
        *other; /* mark of the other line of a race: the schedule decides which comes second */
} mistake;

/* clang-format off */
static const mistake exactly[] = {
    {"launch_no_guard", SPW_SIMT_OUTSIDE, "no_guard", "d_x",
     {"Thread 232 of block 3, the last,", "d_x[1000]", "1000 entries", "if (i < n)"}, NULL},
    {"launch_before", SPW_SIMT_OUTSIDE, "before", "d_y", {"Thread 0 of block 0 of kernel before", "d_y[4294967295]", "below zero", NULL}, NULL},
    {"launch_null", SPW_SIMT_NULL, "read_null", "", {"NULL", NULL}, NULL},
    {"launch_host_pointer", SPW_SIMT_HOST_POINTER, "read_null", "", {"host memory", "cudaMalloc", NULL}, NULL},
    {"launch_device_pointer", SPW_SIMT_DEVICE_POINTER, "device_pointer", "d_y", {"d_y[3]", "cudaMemcpy", NULL}, NULL},
    {"launch_freed", SPW_SIMT_FREED, "read_null", "d_x", {"freed", NULL}, NULL},
    {"launch_free_twice", SPW_SIMT_FREED, "free_twice", "d_x", {"freed before", NULL}, NULL},
    {"launch_misaligned", SPW_SIMT_MISALIGNED, "misaligned", "d_x", {"16 bytes", "byte 8", NULL}, NULL},
    {"launch_uninitialised", SPW_SIMT_UNINITIALISED, "uninitialised", "d_y", {"d_y[0]", "nobody has written", NULL}, NULL},
    {"launch_shared_uninitialised", SPW_SIMT_UNINITIALISED, "shared_uninitialised", "s",
     {"s[32]", "Thread 32", "so far in this block", NULL}, NULL},
    {"launch_broadcast", SPW_SIMT_SHARED_RACE, "shared_race", "s",
     {"Thread 1 of block 0", "thread 0 wrote", "__syncthreads() is missing", NULL}, "shared_race_writer"},
    {"launch_warp_race", SPW_SIMT_SHARED_RACE, "warp_race", "s", {"__syncwarp", NULL}, "warp_race_writer"},
    {"launch_round_race", SPW_SIMT_SHARED_RACE, "round_race", "s", {"__syncthreads() is missing", "read", NULL}, "round_race_reader"},
    {"launch_count", SPW_SIMT_GLOBAL_RACE, "global_race", "d_counter", {"d_counter[0]", "thread 0 wrote", NULL}, NULL},
    {"launch_block_race", SPW_SIMT_GLOBAL_RACE, "block_race", "d_sum",
     {"of block 1", "thread 0 of block 0 wrote", "atomic", NULL}, NULL},
    {"launch_deadlock", SPW_SIMT_BARRIER, "deadlock", "",
     {"40 threads wait", "in __syncthreads", "10 threads wait", "in __syncwarp, mask 0xffffffff"}, NULL},
    {"launch_two_barriers", SPW_SIMT_BARRIER, "barrier_one", "", {"32 threads wait", "32 at the one at", NULL}, NULL},
    {"launch_left", SPW_SIMT_LEFT, "left", "", {"Thread 36 of block 1, the last, and 27 others had left", NULL}, NULL},
    {"launch_mask", SPW_SIMT_LANE, "mask", "", {"0x0000ffff", NULL}, NULL},
    {"launch_left_lane", SPW_SIMT_LANE, "left_lane", "", {"reads from lane 31", "has left the kernel", NULL}, NULL},
    {"launch_missing_lane", SPW_SIMT_LANE, "left_lane", "", {"does not exist", "48 threads", NULL}, NULL},
    {"launch_two_shuffles", SPW_SIMT_LANE, "two_shuffles", "",
     {"Thread 16 of block 0", "in a shuffle", "in another at", "the same call"}, NULL},
    {"launch_two_votes", SPW_SIMT_LANE, "two_votes", "", {"in a vote", "0xffffffff", NULL}, "two_votes_other"},
    {"launch_one_line", SPW_SIMT_BARRIER, "one_line", "", {"32 threads wait", "and 32 at the one at", NULL}, NULL},
    {"launch_bools", SPW_SIMT_GLOBAL_RACE, "bools", "is_odd", {"Thread 1 of block 0", "thread 0 wrote", NULL}, NULL},
    {"launch_letters", SPW_SIMT_GLOBAL_RACE, "letters", "d_c", {"d_c[1]", "thread 0 wrote", NULL}, NULL},
    {"launch_negative_entry", SPW_SIMT_OUTSIDE, "negative_entry", "table", {"table[-1]", "3 entries", "negative", NULL}, NULL},
    {"launch_shifted", SPW_SIMT_MISALIGNED, "shifted", "table", {"4 bytes", "byte 1 of table", NULL}, NULL},
    {"launch_host_reads_variable", SPW_SIMT_DEVICE_POINTER, "host_reads_variable", "table",
     {"reads table", "cudaMemcpyFromSymbol", NULL}, NULL},
    {"launch_writes_constant", SPW_SIMT_OUTSIDE, "writes_constant", "weights", {"__constant__", "cudaMemcpyToSymbol", NULL}, NULL},
    {"launch_own_array", SPW_SIMT_OUTSIDE, "own_array", "", {"entry 8 of h", "8 entries", "< or <=", NULL}, NULL},
    {"launch_moves", SPW_SIMT_GLOBAL_RACE, "moves", "d_y", {"writes d_y[", "wrote at", NULL}, NULL},
    {"launch_managed", SPW_SIMT_GLOBAL_RACE, "managed", "m", {"reads m, which kernel own_numbers", "cudaDeviceSynchronize", NULL}, NULL},
    {"launch_no_wait", SPW_SIMT_GLOBAL_RACE, "no_wait", "h", {"reads h, which cudaMemcpyAsync", "returned at once", NULL}, NULL},
    {"launch_two_streams", SPW_SIMT_GLOBAL_RACE, "two_streams", "d_x",
     {"cudaMemcpyAsync here and kernel own_numbers", "two streams", "cudaStreamWaitEvent", NULL}, NULL},
    {"launch_too_many_threads", SPW_SIMT_LAUNCH, "too_many_threads", "", {"2048", "at most 1024", NULL}, NULL},
    {"launch_no_blocks", SPW_SIMT_LAUNCH, "no_blocks", "", {"no blocks", NULL}, NULL},
    {"launch_no_dynamic", SPW_SIMT_OUTSIDE, "no_dynamic", "part", {"the launch gives none", NULL}, NULL},
    {"launch_past_tile", SPW_SIMT_OUTSIDE, "past_tile", "tile", {"Thread 32", "tile[32]", "32 entries", NULL}, NULL},
    {"launch_copy_too_long", SPW_SIMT_CALL, "copy_too_long", "d_x", {"800 bytes", "100 bytes", NULL}, NULL},
    {"launch_copy_backwards", SPW_SIMT_CALL, "copy_backwards", "d_x", {"cudaMemcpyDeviceToHost", "(to, from, bytes, direction)", NULL}, NULL},
    {"launch_stack", SPW_SIMT_STACK, "stack", "", {"64 KiB", NULL}, NULL},
    {"launch_division", SPW_SIMT_CRASH, "division", "", {"division by zero", NULL}, NULL},
};
/* What needs no instrumentation. */
static const char *const in_fast_build_too[] = {
    "launch_null", "launch_device_pointer", "launch_freed", "launch_free_twice", "launch_deadlock",
    "launch_left", "launch_mask", "launch_left_lane", "launch_missing_lane",
    "launch_too_many_threads", "launch_no_blocks", "launch_copy_too_long", "launch_copy_backwards",
    "launch_division"};
/* clang-format on */
enum {
    N_EXACTLY = sizeof exactly / sizeof *exactly,
    N_FAST = sizeof in_fast_build_too / sizeof *in_fast_build_too
};

static void check_finding(const mistake *m, bool exact) {
    const spw_simt_finding *f = finding_of(m->kind);
    if (!f) {
        print_findings();
        fail_msg("%s: no finding of kind %s", m->launcher, spw_simt_kind_name(m->kind));
        return;
    }
    const int line =
        m->other && f->line == line_of(m->other) ? line_of(m->other) : line_of(m->mark);
    if (f->line != line) print_findings();
    assert_string_equal(f->file, source);
    assert_int_equal(f->line, line);
    assert_string_equal(f->array, m->array);
    char flat[SPW_SIMT_TEXT];
    for (int k = 0; k < SPW_SIMT_TEXT; k++) flat[k] = f->text[k] == '\n' ? ' ' : f->text[k];
    for (int k = 0; exact && k < 4 && m->words[k]; k++)
        if (!strstr(flat, m->words[k]))
            fail_msg("%s: no \"%s\" in:\n%s", m->launcher, m->words[k], f->text);
    for (const char *l = f->text; *l; l += strcspn(l, "\n"), l += *l == '\n')
        if (strcspn(l, "\n") > 77) fail_msg("%s: longer than a line: %s", m->launcher, l);
    assert_null(strstr(f->text, "{0}"));
}

TEST(the_check_build_finds_and_explains_every_mistake) {
    for (int k = 0; k < N_EXACTLY; k++) {
        run("check", exactly[k].launcher, (spw_simt_options){.check = true});
        if (getenv("SHOW")) print_findings();
        check_finding(&exactly[k], true);
    }
}

TEST(descending_lanes_find_them_too) {
    for (int k = 0; k < N_EXACTLY; k++) {
        run("check", exactly[k].launcher, (spw_simt_options){.check = true, .descending = true});
        check_finding(&exactly[k], false);
    }
}

TEST(the_fast_build_finds_what_pages_and_scheduler_see) {
    for (int k = 0; k < N_FAST; k++) {
        run("fast", in_fast_build_too[k], (spw_simt_options){0});
        for (int m = 0; m < N_EXACTLY; m++)
            if (strcmp(exactly[m].launcher, in_fast_build_too[k]) == 0)
                check_finding(&exactly[m], false);
    }
}

TEST(an_array_is_named_with_the_line_of_its_allocation) {
    run("check", "launch_no_guard", (spw_simt_options){.check = true});
    const spw_simt_finding *f = finding_of(SPW_SIMT_OUTSIDE);
    assert_non_null(f);
    assert_string_equal(f->array_file, source);
    assert_int_equal(f->array_line, line_of("no_guard_alloc"));
    assert_int_equal(f->index, 1000);
    assert_int_equal(f->block[0], 3);
    assert_int_equal(f->thread[0], 232);
    assert_string_equal(f->kernel, "no_guard");
}

TEST(a_missing_barrier_shows_wrong_values_in_one_of_two_schedules) {
    const char *const builds[] = {"fast", "check"};
    for (int b = 0; b < 2; b++)
        for (int descending = 0; descending < 2; descending++) {
            double y[128];
            begin_checker((spw_simt_options){.descending = descending});
            job j = {kernel_function("mistakes", builds[b], "launch_broadcast"), y};
            assert_true(spw_simt_run(call, &j));
            int wrong = 0;
            for (int k = 0; k < 128; k++) wrong += y[k] != 5;
            assert_int_equal(wrong, descending ? 127 : 0);
        }
}

TEST(a_lost_update_is_found_though_the_value_is_right) {
    run("check", "launch_count", (spw_simt_options){.check = true});
    assert_int_equal(results[0], 256);
    assert_non_null(finding_of(SPW_SIMT_GLOBAL_RACE));
}

TEST(refused_launches_and_copies_return_cudas_codes) {
    const struct {
        const char *launcher;
        int code;
    } cases[] = {{"launch_too_many_threads", 9},
                 {"launch_no_blocks", 9},
                 {"launch_copy_too_long", 1},
                 {"launch_copy_backwards", 1}};
    for (int k = 0; k < 4; k++) {
        results[0] = -1;
        assert_true(run("fast", cases[k].launcher, (spw_simt_options){0}));
        assert_int_equal(results[0], cases[k].code);
    }
}

TEST(who_may_not_wait_for_the_device_is_told_where_it_does) {
    double y[128] = {0};
    begin_checker((spw_simt_options){.check = true, .asynchronous = true});
    job j = {kernel_function("mistakes", "check", "launch_with_copies"), y};
    assert_true(spw_simt_run(call, &j));
    assert_int_equal(spw_simt_finding_count(), 2);
    const spw_simt_finding *copy = spw_simt_finding_at(0), *wait = spw_simt_finding_at(1);
    assert_int_equal(copy->kind, SPW_SIMT_CALL);
    assert_int_equal(copy->line, line_of("copy_to_host"));
    assert_string_equal(copy->array, "d_y");
    assert_says(copy->text, "to the host");
    assert_int_equal(wait->kind, SPW_SIMT_CALL);
    assert_int_equal(wait->line, line_of("wait"));
    assert_true(run("check", "launch_with_copies", (spw_simt_options){.check = true}));
    assert_int_equal(spw_simt_finding_count(), 0);
}

/* The launcher copies 1 kB to the device, 1 kB on it, 1 kB back: two cross. */
TEST(copies_beyond_what_is_allowed_are_told) {
    double y[128] = {0};
    const struct {
        int copies;
        int64_t bytes;
        int found;
        const char *words;
    } cases[] = {{2, 2048, 0, ""},
                 {2, 2047, 1, "takes 1024 bytes of d_y to the host"},
                 {1, 0, 1, "copy number 2"},
                 {0, 1023, 2, "takes 1024 bytes of d_y to the device"},
                 {1, 1023, 2, "1023 bytes"}};
    for (int k = 0; k < 5; k++) {
        begin_checker((spw_simt_options){
            .check = true, .most_copies = cases[k].copies, .most_copied = cases[k].bytes});
        job j = {kernel_function("mistakes", "check", "launch_with_copies"), y};
        for (int again = 0; again < 1 + !cases[k].found; again++) /* a second run counts anew */
            assert_true(spw_simt_run(call, &j));
        assert_int_equal(spw_simt_finding_count(), cases[k].found);
        if (cases[k].found) {
            const spw_simt_finding *f = finding_of(SPW_SIMT_CALL);
            assert_string_equal(f->array, "d_y");
            assert_says(f->text, cases[k].words);
        }
    }
}

TEST(a_spin_ends_at_the_time_limit) {
    const char *const builds[] = {"fast", "check"};
    for (int b = 0; b < 2; b++) {
        assert_false(run(builds[b], "launch_spin", (spw_simt_options){.limit = 0.1, .check = b}));
        const spw_simt_finding *f = finding_of(SPW_SIMT_TIME);
        assert_non_null(f);
        assert_int_equal(f->line, line_of("spin"));
        assert_says(f->text, "volatile");
    }
}

TEST(the_report_is_text_of_80_columns) {
    run("check", "launch_no_guard", (spw_simt_options){.check = true});
    assert_says(printed(spw_simt_print_findings, 80), "mistakes.cu");
}
