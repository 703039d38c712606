/* What a run with detail tells, against counts that know nothing of traces: lanes at work, passes over the banks, a
 * perfect cache, each byte once; and the occupancy. */

#include "support.h"
#include "test.h"

enum { N = 1000, WARP = 32, SECTOR = 32 };

typedef struct job {
    const char *launcher;
    int n;
    int *index, *sum;
    double *x, *y;
    int size, stride, lanes;
} job;

static void call(void *argument) {
    const job *j = argument;
    const spw_any_function f = kernel_function("detail", "check", j->launcher);
    if (strcmp(j->launcher, "launch_loop") == 0)
        ((void (*)(int, const int *, int *))f)(j->n, j->index, j->sum);
    else if (strcmp(j->launcher, "launch_gather") == 0)
        ((void (*)(int, const int *, const double *, double *))f)(j->n, j->index, j->x, j->y);
    else if (strcmp(j->launcher, "launch_add_twice") == 0)
        ((void (*)(int, double *))f)(j->n, j->y);
    else
        ((void (*)(int, int, int))f)(j->size, j->stride, j->lanes);
}

static const spw_simt_options detailed = {.check = true, .count = true, .detail = true};

static job begin_gather(spw_simt_options options, const int *index, const double *x) {
    job j = {"launch_gather", .n = N};
    begin_checker(options);
    assert_ok(spw_simt_copy_in("index", index, N, 4, &j.index));
    assert_ok(spw_simt_copy_in("x", x, N, 8, &j.x));
    assert_ok(spw_simt_room("y", N, 8, &j.y));
    return j;
}

/* A number below `below`, the same in each run. */
static int some(int k, int below) { return (int)((unsigned)k * 2654435761u >> 8) % below; }

TEST(lanes_at_work_in_a_loop_are_those_whose_rows_are_as_long) {
    int length[N];
    int64_t warps = 0, lanes = 0;
    for (int i = 0; i < N; i++) length[i] = some(i, 9);
    for (int first = 0; first < N; first += WARP)
        for (int k = 0; k < 9; k++) {
            int in = 0;
            for (int i = first; i < first + WARP && i < N; i++) in += k < length[i];
            warps += in > 0;
            lanes += in;
        }
    begin_checker(detailed);
    job j = {"launch_loop", .n = N};
    assert_ok(spw_simt_copy_in("length", length, N, 4, &j.index));
    assert_ok(spw_simt_room("sum", N, 4, &j.sum));
    run_right(call, &j);
    bool found = false;
    for (int k = 0, n = spw_simt_line_count(); k < n; k++) {
        const spw_simt_line *l = spw_simt_line_at(k);
        if (l->line != 9) continue;
        found = true;
        assert_string_equal(l->kernel, "loop");
        assert_int_equal(l->warps, warps);
        assert_int_equal(l->lanes, lanes);
    }
    assert_true(found);
}

/* Lanes that go together: 32 with 4 bytes each, 16 with 8. Each word of a bank takes a pass; a word, once for all. */
static int passes_of(int size, int stride, int lanes, int *groups, int *worst) {
    const int together = 128 / size;
    int sum = 0;
    *groups = *worst = 0;
    for (int first = 0; first < lanes; first += together) {
        bool touched[4096] = {false};
        int in_bank[32] = {0}, most = 0;
        for (int lane = first; lane < first + together && lane < lanes; lane++)
            for (int w = lane * stride * size / 4; w < (lane * stride + 1) * size / 4; w++) {
                if (!touched[w] && ++in_bank[w % 32] > most) most = in_bank[w % 32];
                touched[w] = true;
            }
        sum += most;
        ++*groups;
        if (most > *worst) *worst = most;
    }
    return sum;
}

TEST(conflicts_on_banks_are_as_counted_by_hand_for_all_strides) {
    for (int size = 4; size <= 8; size *= 2)
        for (int stride = 0; stride <= 33; stride++)
            for (int lanes = 32; lanes > 0; lanes -= 13) {
                if (stride == 0 && lanes > 1) continue; /* a race */
                int groups, worst;
                const int passes = passes_of(size, stride, lanes, &groups, &worst);
                begin_checker(detailed);
                job j = {"launch_banks", .size = size, .stride = stride, .lanes = lanes};
                run_right(call, &j);
                const spw_simt_row r = traffic_of("room", SPW_SIMT_STORE);
                assert_int_equal(r.wavefronts, passes);
                assert_int_equal(r.ideal, groups);
                assert_int_equal(spw_simt_row_at(0)->worst, worst);
            }
}

/* --- a perfect cache ------------------------------------------------------------------------------ */

/* Sectors in the cache, the most recent first; a store is written back when it goes out or at the end. */
static struct {
    uint64_t sector[4 * N];
    bool dirty[4 * N];
    int n, room;
} cache;

static int use(uint64_t sector, bool stores) {
    int k = 0;
    while (k < cache.n && cache.sector[k] != sector) k++;
    const bool in = k < cache.n, dirty = in && cache.dirty[k];
    if (!in) k = cache.n++;
    for (; k > 0; k--) {
        cache.sector[k] = cache.sector[k - 1];
        cache.dirty[k] = cache.dirty[k - 1];
    }
    cache.sector[0] = sector;
    cache.dirty[0] = dirty || stores;
    if (cache.room && cache.n > cache.room) cache.n--;
    return stores ? !dirty : !in;
}

/* The distinct sectors of up to 32 addresses, ascending, one after the other. */
static int use_all(uint64_t *address, int n, bool stores) {
    int misses = 0;
    uint64_t last = 0;
    for (int done = 0; done < n;) {
        uint64_t next = UINT64_MAX;
        for (int k = 0; k < n; k++)
            if (address[k] / SECTOR > last && address[k] / SECTOR < next)
                next = address[k] / SECTOR;
        if (next == UINT64_MAX) break;
        misses += use(next, stores);
        last = next;
    }
    return misses;
}

TEST(a_perfect_cache_of_any_size_misses_what_a_list_by_hand_misses) {
    static const int rooms[] = {0, 1, 7, 40, 200, 100000};
    static int index[N];
    static double x[N];
    for (int i = 0; i < N; i++) index[i] = i % 3 ? some(i, N) : i;
    for (int way = 0; way < 6; way++) {
        int64_t of_index = 0, of_x = 0, of_y = 0;
        spw_simt_options options = detailed;
        options.cache_bytes = (int64_t)rooms[way] * SECTOR;
        options.resident_blocks = 1;
        job j = begin_gather(options, index, x);
        cache.n = 0;
        cache.room = rooms[way];
        for (int first = 0; first < N; first += WARP) {
            uint64_t a[WARP], b[WARP], c[WARP];
            int n = 0;
            for (int i = first; i < first + WARP && i < N; i++, n++) {
                a[n] = (uintptr_t)&j.index[i];
                b[n] = (uintptr_t)&j.x[index[i]];
                c[n] = (uintptr_t)&j.y[i];
            }
            of_index += use_all(a, n, false);
            of_x += use_all(b, n, false);
            of_y += use_all(c, n, true);
        }
        run_right(call, &j);
        assert_int_equal(traffic_of("index", SPW_SIMT_LOAD).misses, of_index);
        assert_int_equal(traffic_of("x", SPW_SIMT_LOAD).misses, of_x);
        assert_int_equal(traffic_of("y", SPW_SIMT_STORE).misses, of_y);
    }
}

TEST(needed_is_each_byte_once_a_launch) {
    static int index[N];
    static double x[N];
    static bool byte_of_x[8 * N], sector_of_x[N];
    int64_t bytes = 0, sectors = 0;
    for (int i = 0; i < N; i++) index[i] = some(i, N / 2) * 2; /* even ones: half of each sector */
    begin_checker(detailed);
    job j = {"launch_gather", .n = N};
    assert_ok(spw_simt_copy_in("index", index, N, 4, &j.index));
    assert_ok(spw_simt_copy_in("x", x, N, 8, &j.x));
    assert_ok(spw_simt_copy_in("y", x, N, 8, &j.y));
    for (int i = 0; i < N; i++) {
        const int at = 8 * index[i];
        if (!byte_of_x[at]) bytes += 8;
        if (!sector_of_x[at / SECTOR]) sectors++;
        byte_of_x[at] = sector_of_x[at / SECTOR] = true;
    }
    run_right(call, &j);
    const spw_simt_row of_x = traffic_of("x", SPW_SIMT_LOAD),
                       of_y = traffic_of("y", SPW_SIMT_STORE);
    assert_int_equal(of_x.needed, bytes);
    assert_int_equal(of_x.once, sectors);
    assert_int_equal(of_y.needed, 8 * N);
    assert_int_equal(of_y.once, N / 4);
    /* another launch needs it again; what a launch has stored it need not load */
    spw_simt_reset();
    j.launcher = "launch_add_twice";
    run_right(call, &j);
    run_right(call, &j);
    assert_int_equal(traffic_of("y", SPW_SIMT_LOAD).needed, 2 * 8 * N);
    assert_int_equal(traffic_of("y", SPW_SIMT_STORE).needed, 2 * 8 * N);
    assert_int_equal(traffic_of("y", SPW_SIMT_LOAD).sectors, 4 * N / 4);
}

/* --- occupancy ------------------------------------------------------------------------------------ */

/* By NVIDIA's cuda_occupancy.h (CUDA 13, compute capability 9.0), to which all block sizes, numbers of registers and 15 sizes of
 * shared memory were compared on 2026-11-22: 696,150 shapes, no difference. */
TEST(resident_blocks_are_those_of_nvidias_rule) {
    static const struct {
        int threads, registers;
        size_t shared;
        int blocks;
        const char *limit;
    } rows[] = {{256, 32, 0, 8, "warps"},
                {256, 40, 0, 6, "registers"},
                {32, 16, 0, 32, "blocks"},
                {1024, 64, 0, 1, "registers"},
                {1024, 65, 0, 0, "registers"},
                {128, 32, 16384, 13, "shared memory"},
                {256, 32, 232448, 1, "shared memory"},
                {33, 255, 0, 4, "registers"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const spw_simt_shape shape = {
            .threads = rows[k].threads, .registers = rows[k].registers, .shared = rows[k].shared};
        const char *limit;
        int most;
        assert_int_equal(spw_simt_resident_blocks(&shape, &limit, &most), rows[k].blocks);
        assert_string_equal(limit, rows[k].limit);
    }
}

TEST(registers_that_are_not_known_are_no_limit_and_told_as_one) {
    const char *limit;
    int most;
    spw_simt_shape shape = {.threads = 256};
    assert_int_equal(spw_simt_resident_blocks(&shape, &limit, &most), 8);
    assert_int_equal(most, 32);
    shape.registers = most;
    assert_int_equal(spw_simt_resident_blocks(&shape, &limit, &most), 8);
    shape.registers = 33;
    assert_true(spw_simt_resident_blocks(&shape, &limit, &most) < 8);
}

TEST(the_report_of_a_launch_has_shape_registers_and_efficiency) {
    static int index[N];
    static double x[N];
    spw_simt_know_registers("void gather(int, int const*, double const*, double*)", 24);
    job j = begin_gather(detailed, index, x);
    run_right(call, &j);
    assert_int_equal(spw_simt_shape_count(), 1);
    assert_int_equal(spw_simt_shape_at(0)->threads, 64);
    assert_int_equal(spw_simt_shape_at(0)->blocks, (N + 63) / 64);
    assert_int_equal(spw_simt_shape_at(0)->registers, 24);
    /* 4000 + 8 + 8000 bytes needed, of 125 * 4 + 32 + 250 * 4 sectors moved */
    assert_says(printed(spw_simt_print_detail, 77), "12.0");
}
