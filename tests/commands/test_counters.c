/* The parsers of what other tools print, on recorded outputs (tests/commands/recorded/README.md). */

#include "commands/counters/traffic.h"
#include "test.h"

#define RECORDED "tests/commands/recorded/"

static char *read_file(const char *name) {
    char path[256];
    size_t length;
    snprintf(path, sizeof path, RECORDED "%s", name);
    return text_of_file(path, &length);
}

static void near(double got, double expected) {
    assert_true(fabs(got - expected) <= 1e-9 * fabs(expected));
}

/* --- cachegrind ---------------------------------------------------------------------------------- */

TEST(cachegrind_lines_become_bytes) {
    char *text = read_file("cachegrind-triad-1.out");
    spw_simulated t;
    assert_ok(spw_traffic_from_cachegrind(text, &t));
    assert_int_equal(t.line, 64);
    near(t.cache_size, 262144);
    near(t.read, 26038 * 64.0);
    near(t.write, 37818 * 64.0);
}

/* What the difference of two runs is for: start-up and set-up cancel. */
TEST(two_more_calls_of_triad_cost_what_the_model_says) {
    char *once = read_file("cachegrind-triad-1.out"), *thrice = read_file("cachegrind-triad-3.out");
    spw_simulated one, three;
    assert_ok(spw_traffic_from_cachegrind(once, &one));
    assert_ok(spw_traffic_from_cachegrind(thrice, &three));
    near((three.read - one.read) / 2, 16.0 * 100000);
    near((three.write - one.write) / 2, 8.0 * 100000);
}

TEST(cachegrind_without_caches_is_refused) {
    char *text = read_file("cachegrind-no-caches.out");
    spw_simulated t;
    assert_error(spw_traffic_from_cachegrind(text, &t), SPW_ERR_FORMAT, "--cache-sim=yes");
    assert_true(t.read == 0 && t.line == 0);
}

TEST(cachegrind_cut_off_is_refused) {
    char *text = read_file("cachegrind-triad-1.out");
    spw_simulated t;
    *strstr(text, "summary:") = 0;
    assert_error(spw_traffic_from_cachegrind(text, &t), SPW_ERR_FORMAT, "interrupted");
    assert_int_equal(spw_traffic_from_cachegrind("", &t), SPW_ERR_FORMAT);
}

/* Cut anywhere: an error or, behind the last number that is needed, a result; never a crash. */
TEST(cachegrind_cut_anywhere_is_survived) {
    char *text = read_file("cachegrind-triad-3.out");
    const size_t length = strlen(text);
    size_t accepted = 0;
    for (size_t cut = 0; cut < length; cut++) {
        char *part = malloc(cut + 1); /* exactly that long: a sanitizer sees any step too far */
        assert_non_null(part);
        memcpy(part, text, cut);
        part[cut] = 0;
        spw_simulated t;
        accepted += spw_traffic_from_cachegrind(part, &t) == SPW_OK;
        free(part);
    }
    assert_true(accepted <= 6);
}

TEST(columns_are_found_by_name) {
    spw_simulated t;
    assert_ok(spw_traffic_from_cachegrind("desc: LL cache:  65536 B, 32 B, direct-mapped\n"
                                          "events: DLmw Ir DLmr\nsummary: 7 1000 5\n",
                                          &t));
    near(t.read, 5 * 32);
    near(t.write, 7 * 32);
}

/* --- likwid -------------------------------------------------------------------------------------- */

TEST(likwid_volume_of_a_region_is_read) {
    char *text = read_file("likwid-region.csv");
    spw_counted t;
    assert_ok(spw_traffic_from_likwid(text, "kernel", &t));
    near(t.read, 0.4803e9);
    near(t.written, 0.1601e9);
    near(t.total, 0.6404e9);
}

TEST(likwid_volume_of_a_whole_run_is_read) {
    char *text = read_file("likwid-whole.csv");
    spw_counted t;
    assert_ok(spw_traffic_from_likwid(text, NULL, &t));
    near(t.total, 0.6404e9);
}

TEST(another_region_is_not_taken_for_ours) {
    char *region = read_file("likwid-region.csv"), *whole = read_file("likwid-whole.csv");
    spw_counted t;
    assert_error(spw_traffic_from_likwid(region, "kern", &t), SPW_ERR_FORMAT, "region kern");
    assert_int_equal(spw_traffic_from_likwid(region, NULL, &t), SPW_ERR_FORMAT);
    assert_int_equal(spw_traffic_from_likwid(whole, "kernel", &t), SPW_ERR_FORMAT);
}

TEST(likwid_that_cannot_count_says_so) {
    char *text = read_file("likwid-unsupported.out");
    spw_counted t;
    assert_error(spw_traffic_from_likwid(text, "kernel", &t), SPW_ERR_UNAVAILABLE,
                 "Unsupported Processor");
    assert_true(t.total == 0);
}

TEST(sockets_are_added_and_dashes_passed_over) {
    spw_counted t;
    const char *csv = "TABLE,Region kernel,Group 1 Metric,MEM,2,\n"
                      "Metric,HWThread 0,HWThread 1,HWThread 16,HWThread 17\n"
                      "Memory bandwidth [MBytes/s],100,-,100,-\n"
                      "Memory data volume [GBytes],1.5,-,2.5,nan\n";
    assert_ok(spw_traffic_from_likwid(csv, "kernel", &t));
    near(t.total, 4e9);
    assert_true(t.read == -1 && t.written == -1);
}

TEST(names_of_other_cpus_are_known) {
    spw_counted t;
    const char *client = "TABLE,Group 1 Metric,MEM,2\nMemory load data volume [GBytes],3\n"
                         "Memory evict data volume [GBytes],1\n";
    assert_ok(spw_traffic_from_likwid(client, NULL, &t));
    near(t.read, 3e9);
    near(t.written, 1e9);
    near(t.total, 4e9);
    const char *zen = "TABLE,Group 1 Metric,MEM1,1\n"
                      "Memory data volume (channels 0-3) [GBytes],2\r\n";
    assert_ok(spw_traffic_from_likwid(zen, NULL, &t));
    near(t.total, 2e9);
}

TEST(a_group_without_volumes_is_refused) {
    spw_counted t;
    assert_int_equal(spw_traffic_from_likwid("TABLE,Group 1 Metric,CLOCK,1\nCPI,0.5\n", NULL, &t),
                     SPW_ERR_FORMAT);
    assert_non_null(strstr(spw_message(), "no memory data volume"));
    assert_int_equal(spw_traffic_from_likwid("", "kernel", &t), SPW_ERR_FORMAT);
}

/* --- ncu ----------------------------------------------------------------------------------------- */

TEST(launches_of_a_kernel_are_added_up) {
    char *text = read_file("ncu-two-kernels.csv");
    spw_profiled k[4];
    int n = -1;
    assert_ok(spw_traffic_from_ncu(text, k, 4, &n));
    assert_int_equal(n, 2);
    assert_string_equal(k[0].kernel, "coo_zero"); /* of coo_zero<double, (int)4>(int, double *) */
    assert_int_equal(k[0].launches, 1);
    assert_true(k[0].load_requests == 0 && k[0].store_requests == 313);
    assert_true(k[0].store_sectors == 2500 && k[0].l2_sectors == 2531);
    assert_true(k[0].dram_read == 1024 && k[0].dram_written == 0);
    assert_string_equal(k[1].kernel, "coo_entry");
    assert_int_equal(k[1].launches, 2);
    assert_true(k[1].load_requests == 2 * 30152 && k[1].load_sectors == 2 * 197413);
    assert_true(k[1].atomic_requests == 2 * 7538 && k[1].atomic_sectors == 2 * 9917);
    assert_true(k[1].dram_read == 3936512 + 3936000 && k[1].dram_written == 160128);
}

TEST(more_kernels_than_there_is_room_for_are_refused) {
    char *text = read_file("ncu-two-kernels.csv");
    spw_profiled k[1];
    int n;
    assert_int_equal(spw_traffic_from_ncu(text, k, 1, &n), SPW_ERR_FORMAT);
}

TEST(columns_are_found_by_their_names) {
    const char *csv =
        "my own output, with commas\n"
        "\"ID\",\"Metric Value\",\"Kernel Name\",\"Metric Unit\",\"Metric Name\",\"Rule\"\n"
        "\"7\",\"1,234.5\",\"a \"\"k\"\"\",\"Kbyte\",\"dram__bytes_read.sum\",\"\"\r\n"
        "\"7\",\"n/a\",\"a \"\"k\"\"\",\"sector\",\"lts__t_sectors.sum\",\"\"\n"
        "\"7\",\"12\",\"a \"\"k\"\"\",\"%\",\"some__other.pct\",\"\"\n";
    spw_profiled k[2];
    int n;
    assert_ok(spw_traffic_from_ncu(csv, k, 2, &n));
    assert_int_equal(n, 1);
    assert_string_equal(k[0].kernel, "a \"k\"");
    assert_int_equal(k[0].launches, 1);
    near(k[0].dram_read, 1234500);
    assert_true(k[0].l2_sectors == -1 && k[0].dram_written == -1 && k[0].load_sectors == -1);
}

TEST(what_ncu_complains_of_is_passed_on) {
    char *text = read_file("ncu-no-permission.out");
    spw_profiled k[2];
    int n;
    assert_error(spw_traffic_from_ncu(text, k, 2, &n), SPW_ERR_UNAVAILABLE, "ERR_NVGPUCTRPERM");
    assert_int_equal(n, 0);
    assert_int_equal(spw_traffic_from_ncu("", k, 2, &n), SPW_ERR_FORMAT);
    assert_int_equal(spw_traffic_from_ncu("\"ID\",\"Kernel Name\"\n\"0\",\"k\"\n", k, 2, &n),
                     SPW_ERR_FORMAT);
    /* cut off in the middle of a row, and of a quote */
    const char *cut =
        "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n\"0\",\"k";
    assert_int_equal(spw_traffic_from_ncu(cut, k, 2, &n), SPW_ERR_FORMAT);
}

TEST(all_metrics_are_asked_for_once) {
    const char *all = spw_traffic_ncu_metrics();
    int commas = 0;
    for (const char *c = all; *c; c++) commas += *c == ',';
    assert_int_equal(commas, 10);
    assert_non_null(strstr(all, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,"));
    assert_non_null(strstr(all, "lts__t_sectors.sum,dram__bytes_read.sum,dram__bytes_write.sum"));
    assert_string_equal(all, spw_traffic_ncu_metrics());
}
