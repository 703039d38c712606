/* Which accesses form one request where lanes part and meet again. The expected count comes from a model
 * of lanes in step that is written for each kernel by hand: an access at round k of a loop is shared by
 * the lanes that are in round k. */

#include "support.h"
#include "test.h"

enum { N = 333, LONGEST = 9 };

typedef void kernel(int, const int *, const int *, const double *, double *);
typedef void search_kernel(int, const int *, int, const int *, int *);

static int first[N], second[N];
static double x[N], y[3 * N];

static struct {
    spw_any_function f;
    int *first, *second;
    double *x, *y;
} device;

static void begin(const char *launcher) {
    begin_checker((spw_simt_options){.check = false, .count = true});
    for (int i = 0; i < N; i++) {
        first[i] = (i * 37 + 11) % (LONGEST + 1);
        second[i] = (i * 53 + 5) % (LONGEST + 1);
    }
    assert_ok(spw_simt_copy_in("first", first, N, 4, &device.first));
    assert_ok(spw_simt_copy_in("second", second, N, 4, &device.second));
    assert_ok(spw_simt_copy_in("x", x, N, 8, &device.x));
    assert_ok(spw_simt_copy_in("y", y, 3 * N, 8, &device.y));
    device.f = kernel_function("divergent", "check", launcher);
}

static void call(void *unused) {
    (void)unused;
    ((kernel *)device.f)(N, device.first, device.second, device.x, device.y);
}

static void run(const char *launcher) {
    begin(launcher);
    run_right(call, NULL);
}

/* --- one request after the other -------------------------------------------------------------------- */

typedef struct tally {
    int64_t requests, sectors;
    int64_t open[32]; /* sectors of the request that is being collected */
    int n_open;
} tally;

static void touch(tally *t, int64_t index, int size) {
    const int64_t sector = index * size / 32;
    for (int k = 0; k < t->n_open; k++)
        if (t->open[k] == sector) return;
    t->open[t->n_open++] = sector;
}

static void close_request(tally *t) {
    t->requests += t->n_open > 0;
    t->sectors += t->n_open;
    t->n_open = 0;
}

static void expect(const char *array, spw_simt_access access, const tally *t) {
    const spw_simt_row r = traffic_of(array, access);
    if (r.requests != t->requests || r.sectors != t->sectors)
        print_message("%s: %lld requests, %lld sectors; by hand %lld, %lld\n", array,
                      (long long)r.requests, (long long)r.sectors, (long long)t->requests,
                      (long long)t->sectors);
    assert_int_equal(r.requests, t->requests);
    assert_int_equal(r.sectors, t->sectors);
}

#define FOR_LANES(i, warp) for (int i = 32 * (warp); i < 32 * (warp) + 32 && i < N; i++)
enum { WARPS = (N + 31) / 32 };

/* y[first + i] by lane i, in one request. */
static void touch_own(tally *t, int warp, int first_of_y) {
    FOR_LANES(i, warp) touch(t, first_of_y + i, 8);
    close_request(t);
}

/* --- the kernels ------------------------------------------------------------------------------------ */

TEST(nested_loops_meet_at_each_outer_round) {
    run("launch_nested");
    tally in_x = {0}, in_inner = {0}, in_y = {0};
    for (int w = 0; w < WARPS; w++) {
        for (int a = 0; a < LONGEST; a++) {
            FOR_LANES(i, w) if (a < first[i]) touch(&in_inner, (i + a) % N, 4);
            close_request(&in_inner);
            for (int b = 0; b < LONGEST; b++) {
                FOR_LANES(i, w)
                if (a < first[i] && b < second[(i + a) % N])
                    touch(&in_x, (i * 7 + a * 31 + b) % N, 8);
                close_request(&in_x);
            }
        }
        touch_own(&in_y, w, 0);
    }
    expect("second", SPW_SIMT_LOAD, &in_inner);
    expect("x", SPW_SIMT_LOAD, &in_x);
    expect("y", SPW_SIMT_STORE, &in_y);
}

TEST(a_branch_in_a_loop_is_left_before_the_next_round) {
    run("launch_branch_in_loop");
    tally in_x = {0}, from_y = {0}, to_y = {0};
    for (int w = 0; w < WARPS; w++) {
        for (int k = 0; k < LONGEST; k++) {
            FOR_LANES(i, w) if (k < first[i] && (i + k) % 3 == 0) touch(&in_x, (i + k) % N, 8);
            close_request(&in_x);
            FOR_LANES(i, w)
            if (k < first[i] && (i + k) % 3 != 0) touch(&from_y, (i * 5 + k) % N, 8);
            close_request(&from_y);
            FOR_LANES(i, w) if (k < first[i]) touch(&to_y, N + (i + k) % N, 8);
            close_request(&to_y);
        }
        touch_own(&to_y, w, 2 * N);
    }
    expect("x", SPW_SIMT_LOAD, &in_x);
    expect("y", SPW_SIMT_LOAD, &from_y);
    expect("y", SPW_SIMT_STORE, &to_y);
}

TEST(break_and_continue_keep_the_rounds_apart) {
    run("launch_break_and_continue");
    tally in_x = {0}, in_y = {0};
    for (int w = 0; w < WARPS; w++) {
        for (int k = 0; k < LONGEST; k++) {
            FOR_LANES(i, w) if (k < first[i] && !((i ^ k) & 1)) touch(&in_x, (i * 3 + k) % N, 8);
            close_request(&in_x);
        }
        touch_own(&in_y, w, 0);
    }
    expect("x", SPW_SIMT_LOAD, &in_x);
    expect("y", SPW_SIMT_STORE, &in_y);
}

enum { M = 100 };
static int sorted[M], keys[N];
static int *d_sorted, *d_keys, *d_where;

static void call_search(void *unused) {
    (void)unused;
    ((search_kernel *)device.f)(N, d_keys, M, d_sorted, d_where);
}

TEST(a_binary_search_goes_in_step_though_some_left_early) {
    begin("launch_search");
    for (int k = 0; k < M; k++) sorted[k] = 3 * k;
    for (int i = 0; i < N; i++) keys[i] = i % 5 == 0 ? -1 : i * 71 % 320;
    assert_ok(spw_simt_copy_in("keys", keys, N, 4, &d_keys));
    assert_ok(spw_simt_copy_in("sorted", sorted, M, 4, &d_sorted));
    assert_ok(spw_simt_room("where", N, 4, &d_where));
    run_right(call_search, NULL);
    tally in_sorted = {0}, out = {0};
    for (int w = 0; w < WARPS; w++) {
        int low[N], high[N];
        FOR_LANES(i, w) low[i] = 0, high[i] = keys[i] < 0 ? 0 : M;
        for (int round = 0; round < 8; round++) {
            FOR_LANES(i, w) if (low[i] < high[i]) touch(&in_sorted, (low[i] + high[i]) / 2, 4);
            close_request(&in_sorted);
            FOR_LANES(i, w) {
                const int middle = (low[i] + high[i]) / 2;
                if (low[i] >= high[i]) continue;
                if (sorted[middle] < keys[i])
                    low[i] = middle + 1;
                else
                    high[i] = middle;
            }
        }
        FOR_LANES(i, w) if (keys[i] < 0) touch(&out, i, 4);
        close_request(&out);
        FOR_LANES(i, w) if (keys[i] >= 0) touch(&out, i, 4);
        close_request(&out);
    }
    expect("sorted", SPW_SIMT_LOAD, &in_sorted);
    /* The compiler may make one store of the two: then the lanes meet before it. */
    const spw_simt_row where = traffic_of("where", SPW_SIMT_STORE);
    assert_true(where.requests == out.requests || where.requests == WARPS);
}

TEST(a_function_called_from_two_branches_is_two_ways) {
    run("launch_two_callers");
    tally in_x = {0}, in_y = {0};
    for (int w = 0; w < WARPS; w++) {
        for (int branch = 0; branch < 2; branch++)
            for (int k = 0; k < LONGEST; k++) {
                FOR_LANES(i, w) {
                    const int at = i % 4 == 0 ? i : N - 1 - i;
                    if ((i % 4 == 0) == !branch && k < first[at])
                        touch(&in_x, (at * 11 + k) % N, 8);
                }
                close_request(&in_x);
            }
        touch_own(&in_y, w, 0);
    }
    expect("x", SPW_SIMT_LOAD, &in_x);
    expect("y", SPW_SIMT_STORE, &in_y);
}
