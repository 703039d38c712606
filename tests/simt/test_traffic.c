/* Sectors and wavefronts: the figures of the design study, and the same from a count that knows nothing of
 * traces: it walks the matrix as a warp would and collects sectors in a set. */

#include "formats/ell.h"
#include "kernels/spmv.h"
#include "support.h"
#include "test.h"

/* --- the problem: n = 10000, 27 points on 10 x 25 x 40 --------------------------------------------- */

typedef void copy_kernel(int, const double *, double *);
typedef void csr_kernel(int, const int *, const int *, const double *, const double *, double *);
typedef void ell_kernel(int, int, const int *, const double *, const double *, double *);
typedef void transpose_kernel(int, int, const double *, double *);

typedef struct problem {
    spw_csr A;
    spw_ell E;
    double *x, *expected, *y;     /* host */
    int *row_ptr, *col, *ell_col; /* device */
    double *val, *ell_val, *d_x, *d_y;
    spw_any_function f;
    int n, padding;
} problem;

static problem p;

static int set_up(void **state) {
    (void)state;
    p.A = generated("stencil27:10x25x40");
    if (p.A.nnz != 241192 || spw_ell_from_csr(&p.A, &p.E)) return 1;
    const spw_idx n = p.A.n_rows;
    for (spw_idx i = 0; i < n; i++) /* the study pads with the row's own number */
        for (spw_idx k = p.E.row_len[i]; k < p.E.width; k++) p.E.col_idx[k * n + i] = i;
    if (SPW_ALLOC(&p.x, n) || SPW_ALLOC(&p.y, n) || SPW_ALLOC(&p.expected, n)) return 1;
    for (spw_idx i = 0; i < n; i++) p.x[i] = i % 13 - 6;
    spw_spmv_csr_ref(&p.A, p.x, p.expected);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    spw_csr_destroy(&p.A);
    spw_ell_destroy(&p.E);
    spw_free(p.x);
    spw_free(p.y);
    spw_free(p.expected);
    return 0;
}

static void begin(const char *launcher, spw_simt_options options) {
    options.count = true;
    begin_checker(options);
    assert_ok(spw_simt_copy_in("row_ptr", p.A.row_ptr, p.A.n_rows + 1, 4, &p.row_ptr));
    assert_ok(spw_simt_copy_in("col", p.A.col_idx, p.A.nnz, 4, &p.col));
    assert_ok(spw_simt_copy_in("val", p.A.val, p.A.nnz, 8, &p.val));
    assert_ok(spw_simt_copy_in("ell_col", p.E.col_idx, p.E.n_stored, 4, &p.ell_col));
    assert_ok(spw_simt_copy_in("ell_val", p.E.val, p.E.n_stored, 8, &p.ell_val));
    assert_ok(spw_simt_copy_in("x", p.x, p.A.n_rows, 8, &p.d_x));
    assert_ok(spw_simt_room("y", p.A.n_rows, 8, &p.d_y));
    p.f = kernel_function("traffic", "check", launcher);
}

static void call_copy(void *unused) {
    (void)unused;
    ((copy_kernel *)p.f)(p.n, p.d_x, p.d_y);
}

static void call_csr(void *unused) {
    (void)unused;
    ((csr_kernel *)p.f)(p.A.n_rows, p.row_ptr, p.col, p.val, p.d_x, p.d_y);
}

static void call_ell(void *unused) {
    (void)unused;
    ((ell_kernel *)p.f)(p.E.n_rows, p.E.width, p.ell_col, p.ell_val, p.d_x, p.d_y);
}

static void call_transpose(void *unused) {
    (void)unused;
    ((transpose_kernel *)p.f)(p.n, p.padding, p.d_x, p.d_y);
}

static const spw_simt_options checked = {.check = true};

static void run(const char *launcher, spw_simt_options options, void (*call)(void *)) {
    begin(launcher, options);
    run_right(call, NULL);
}

static void expect(const char *array, spw_simt_access access, int64_t requests, int64_t sectors) {
    const spw_simt_row r = traffic_of(array, access);
    if (r.requests != requests || r.sectors != sectors)
        print_message("%s: %lld requests, %lld sectors\n", array, (long long)r.requests,
                      (long long)r.sectors);
    assert_int_equal(r.requests, requests);
    assert_int_equal(r.sectors, sectors);
}

/* Sectors of the requests if their bytes lay side by side, over those touched, in whole per cent. */
static int side_by_side(void) {
    int64_t ideal = 0;
    for (int k = 0, n = spw_simt_row_count(); k < n; k++)
        if (!spw_simt_row_at(k)->shared) ideal += spw_simt_row_at(k)->ideal;
    return (int)(100.0 * (double)ideal / (double)all_sectors() + 0.5);
}

/* y as the kernel left it is A x. */
static void expect_product(void) {
    assert_ok(spw_simt_copy_out(p.y, p.d_y, 8 * (int64_t)p.A.n_rows));
    for (int i = 0; i < p.A.n_rows; i++)
        assert_true(p.y[i] == p.expected[i]); /* whole numbers: exact */
}

/* --- counting by hand ------------------------------------------------------------------------------ */

/* Distinct sectors of what at most 32 lanes read: index[k] * size, for those that are not negative. */
static int sectors_of(const int64_t *index, int size) {
    int64_t seen[32];
    int n = 0;
    for (int lane = 0; lane < 32; lane++) {
        if (index[lane] < 0) continue;
        const int64_t sector = index[lane] * size / 32;
        int k = 0;
        while (k < n && seen[k] != sector) k++;
        if (k == n) seen[n++] = sector;
    }
    return n;
}

typedef struct tally {
    int64_t requests, val, col, x, row_ptr, y;
} tally;

static void add_step(tally *t, const int64_t *entry) {
    int64_t columns[32];
    bool any = false;
    for (int lane = 0; lane < 32; lane++) {
        columns[lane] = entry[lane] < 0 ? -1 : p.A.col_idx[entry[lane]];
        any |= entry[lane] >= 0;
    }
    if (!any) return;
    t->requests++;
    t->val += sectors_of(entry, 8);
    t->col += sectors_of(entry, 4);
    t->x += sectors_of(columns, 8);
}

static tally count_thread_a_row(void) {
    tally t = {0};
    for (int first = 0; first < p.A.n_rows; first += 32) {
        int64_t rows[32], next[32], entry[32];
        for (int lane = 0; lane < 32; lane++) {
            rows[lane] = first + lane < p.A.n_rows ? first + lane : -1;
            next[lane] = rows[lane] < 0 ? -1 : rows[lane] + 1;
        }
        t.row_ptr += sectors_of(rows, 4) + sectors_of(next, 4);
        t.y += sectors_of(rows, 8);
        for (int step = 0; step < 27; step++) {
            for (int lane = 0; lane < 32; lane++) {
                entry[lane] = rows[lane] < 0 ? -1 : p.A.row_ptr[rows[lane]] + step;
                if (rows[lane] >= 0 && entry[lane] >= p.A.row_ptr[rows[lane] + 1]) entry[lane] = -1;
            }
            add_step(&t, entry);
        }
    }
    return t;
}

static tally count_warp_a_row(void) {
    tally t = {0};
    for (int i = 0; i < p.A.n_rows; i++) {
        int64_t entry[32];
        for (int lane = 0; lane < 32; lane++) {
            entry[lane] = p.A.row_ptr[i] + lane;
            if (entry[lane] >= p.A.row_ptr[i + 1]) entry[lane] = -1;
        }
        t.row_ptr += 2;
        t.y++;
        add_step(&t, entry);
    }
    return t;
}

/* --- the table of the study ------------------------------------------------------------------------ */

TEST(a_coalesced_copy_touches_each_sector_once) {
    p.n = 10000;
    run("launch_copy", checked, call_copy);
    expect("x", SPW_SIMT_LOAD, 313, 2500);
    expect("y", SPW_SIMT_STORE, 313, 2500);
    assert_int_equal(all_sectors(), 5000);
    assert_int_equal(side_by_side(), 100);
}

TEST(a_strided_copy_touches_a_sector_for_each_lane) {
    p.n = 10000 / 32;
    run("launch_copy_strided", checked, call_copy);
    expect("x", SPW_SIMT_LOAD, 10, 312);
    expect("y", SPW_SIMT_STORE, 10, 78);
    assert_int_equal(all_sectors(), 390);
    assert_int_equal(side_by_side(), 40);
}

TEST(double2_is_one_access_of_16_bytes) {
    p.n = 5000;
    run("launch_copy_double2", checked, call_copy);
    expect("x", SPW_SIMT_LOAD, 157, 2500);
    expect("y", SPW_SIMT_STORE, 157, 2500);
    assert_int_equal(traffic_of("x", SPW_SIMT_LOAD).size, 16);
    assert_int_equal(all_sectors(), 5000);
}

TEST(csr_with_a_thread_a_row_is_as_counted_by_hand) {
    const tally t = count_thread_a_row();
    run("launch_csr_thread", checked, call_csr);
    expect_product();
    expect("val", SPW_SIMT_LOAD, t.requests, t.val);
    expect("col", SPW_SIMT_LOAD, t.requests, t.col);
    expect("x", SPW_SIMT_LOAD, t.requests, t.x);
    expect("row_ptr", SPW_SIMT_LOAD, 626, t.row_ptr);
    expect("y", SPW_SIMT_STORE, 313, t.y);
    assert_int_equal(all_sectors(), 573722);
    assert_int_equal(side_by_side(), 28);
}

TEST(csr_with_a_warp_a_row_is_as_counted_by_hand) {
    const tally t = count_warp_a_row();
    run("launch_csr_warp", checked, call_csr);
    expect_product();
    expect("val", SPW_SIMT_LOAD, 10000, t.val);
    expect("col", SPW_SIMT_LOAD, 10000, t.col);
    expect("x", SPW_SIMT_LOAD, 10000, t.x);
    expect("row_ptr", SPW_SIMT_LOAD, 20000, t.row_ptr);
    expect("y", SPW_SIMT_STORE, 10000, t.y);
    assert_int_equal(traffic_of("y", SPW_SIMT_STORE).lanes, 10000);
    assert_int_equal(traffic_of("row_ptr", SPW_SIMT_LOAD).lanes, 640000);
    assert_int_equal(all_sectors(), 255948);
    assert_int_equal(side_by_side(), 76);
}

TEST(ell_by_columns_is_as_in_the_study) {
    run("launch_ell", checked, call_ell);
    expect_product();
    expect("ell_val", SPW_SIMT_LOAD, 313 * 27, 27 * 2500);
    expect("ell_col", SPW_SIMT_LOAD, 313 * 27, 27 * 1250);
    expect("x", SPW_SIMT_LOAD, 313 * 27, 101540);
    assert_int_equal(all_sectors(), 205290);
    assert_int_equal(side_by_side(), 83);
}

TEST(a_column_of_padding_ends_bank_conflicts) {
    for (int padding = 0; padding < 2; padding++) {
        p.n = 96;
        p.padding = padding;
        run("launch_transpose", checked, call_transpose);
        const spw_simt_row store = traffic_of("tile", SPW_SIMT_STORE),
                           load = traffic_of("tile", SPW_SIMT_LOAD);
        assert_true(load.shared);
        assert_int_equal(load.requests, 9 * 32);
        assert_int_equal(store.wavefronts, 2 * store.requests);
        assert_int_equal(load.wavefronts, (padding ? 2 : 32) * load.requests);
        assert_int_equal(load.sectors, 0);
        assert_int_equal(traffic_of("y", SPW_SIMT_STORE).sectors, 8 * 9 * 32);
    }
}

/* --- schedules, fibers, reports --------------------------------------------------------------------- */

TEST(the_count_does_not_depend_on_the_schedule_or_the_fibers) {
    const spw_simt_options ways[] = {{.descending = true},
                                     {.descending = true, .portable_fibers = true}};
    for (int k = 0; k < 2; k++) {
        run("launch_csr_warp", ways[k], call_csr);
        expect_product();
        assert_int_equal(all_sectors(), 255948);
    }
}

TEST(the_plain_build_gives_the_same_values) {
    for (int way = 0; way < 3; way++) {
        begin("launch_csr_warp",
              (spw_simt_options){.descending = way & 1, .portable_fibers = way & 2});
        p.f = kernel_function("traffic", "fast", "launch_csr_warp");
        run_right(call_csr, NULL);
        expect_product();
    }
}

TEST(an_l2_that_holds_everything_misses_each_sector_once) {
    run("launch_csr_thread", (spw_simt_options){.detail = true}, call_csr);
    assert_int_equal(traffic_of("x", SPW_SIMT_LOAD).misses, 2500);
    assert_int_equal(traffic_of("val", SPW_SIMT_LOAD).misses, 241192 / 4);
    run("launch_csr_thread", (spw_simt_options){.detail = true, .cache_bytes = 16 << 10}, call_csr);
    assert_true(traffic_of("x", SPW_SIMT_LOAD).misses > 2500);
}

TEST(reset_forgets_the_counts_and_a_second_run_adds) {
    p.n = 10000;
    run("launch_copy", checked, call_copy);
    run_right(call_copy, NULL);
    assert_int_equal(all_sectors(), 10000);
    spw_simt_reset();
    assert_int_equal(spw_simt_row_count(), 0);
    run_right(call_copy, NULL);
    assert_int_equal(all_sectors(), 5000);
}

TEST(the_table_names_line_array_and_kernel) {
    run("launch_csr_thread", checked, call_csr);
    const char *text = printed(spw_simt_print_traffic, 80);
    assert_says(text, "csr_thread, tests/simt/kernels/traffic.cu: traffic (modelled)");
    assert_says(text, "573722");
    for (int k = 0; k < spw_simt_row_count(); k++) {
        assert_true(spw_simt_row_at(k)->line > 0);
        assert_string_equal(spw_simt_row_at(k)->kernel, "csr_thread");
    }
}

int main(void) { return run_all(set_up, tear_down); }
