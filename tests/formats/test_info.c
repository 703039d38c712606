/* The counts of formats/info.h: tiny matrices counted by hand, and real ones against published counts. */
#include "collection.h"
#include "formats/ell.h"
#include "formats/generate.h"
#include "formats/info.h"
#include "formats/sell.h"
#include "formats/sellp.h"
#include "test.h"

#include <inttypes.h>
#include <unistd.h>

/* The 6 x 6 matrix of matrices/slides6.mtx. */
static spw_idx slides_ptr[] = {0, 2, 7, 8, 10, 11, 12};
static spw_idx slides_col[] = {0, 1, 0, 1, 3, 4, 5, 2, 0, 3, 4, 5};
static double slides_val[] = {5.4, 1.1, 2.2, 8.3, 3.7, 1.3, 3.8, 4.2, 5.4, 9.2, 1.1, 8.1};
static const spw_csr slides = {6, 6, 12, slides_ptr, slides_col, slides_val};

static int64_t stored(const spw_csr *A, spw_idx C, spw_idx sigma, spw_idx multiple) {
    int64_t entries;
    assert_ok(spw_csr_sliced_entries(A, C, sigma, multiple, &entries));
    return entries;
}

static spw_csr_info inspect(const spw_csr *A) {
    spw_csr_info info;
    assert_ok(spw_csr_inspect(A, &info));
    return info;
}

/* By its name, which must be there. */
static const spw_footprint *footprint_of(const spw_csr_info *info, const char *format) {
    int f = 0;
    while (f < info->n_footprints && strcmp(info->footprint[f].format, format)) f++;
    if (f == info->n_footprints) fail_msg("there is no footprint of %s", format);
    return &info->footprint[f];
}

static void assert_footprint(const spw_csr_info *info, const char *format, int64_t entries,
                             int64_t bytes) {
    const spw_footprint *const got = footprint_of(info, format);
    assert_int_equal(got->stored, entries);
    assert_int_equal(got->bytes, bytes);
    assert_true(got->beta == (double)info->nnz / (double)entries);
}

TEST(the_slides_example_is_counted_as_on_the_slides) {
    assert_int_equal(stored(&slides, 6, 1, 1), 30); /* ELL */
    assert_int_equal(stored(&slides, 2, 1, 1), 16); /* slices of two rows */
    assert_int_equal(stored(&slides, 1, 1, 1), 12); /* as CSR */
    assert_int_equal(stored(&slides, 2, 6, 1), 16); /* sorted 5 2 | 2 1 | 1 1 */
    assert_int_equal(stored(&slides, 2, 1, 2), 20); /* SELL-P: 6 2 2 */
    assert_int_equal(stored(&slides, 3, 1, 1), 21); /* 5 2 */
    assert_int_equal(stored(&slides, 3, 6, 1), 18); /* sorted 5 2 2 | 1 1 1 */
}

TEST(the_last_slice_is_filled_up) {
    assert_int_equal(stored(&slides, 4, 1, 1), 4 * 5 + 4 * 1);
    assert_int_equal(stored(&slides, 4, 4, 1), 4 * 5 + 4 * 1);
    assert_int_equal(stored(&slides, 4, 8, 1), 4 * 5 + 4 * 1);
    assert_int_equal(stored(&slides, 100, 1, 1), 500);
    assert_int_equal(stored(&slides, 5, 1, 4), 5 * 8 + 5 * 4);
}

TEST(a_window_sorts_only_its_own_rows) {
    static spw_idx ptr[] = {0, 1, 4, 4, 6, 9, 10, 13, 13};
    static spw_idx col[] = {0, 0, 1, 2, 0, 1, 0, 1, 2, 0, 0, 1, 2};
    static double val[13] = {0};
    const spw_csr A = {8, 3, 13, ptr, col, val}; /* lengths 1 3 0 2 3 1 3 0 */
    assert_int_equal(stored(&A, 2, 1, 1), 2 * (3 + 2 + 3 + 3));
    assert_int_equal(stored(&A, 2, 4, 1), 2 * (3 + 1 + 3 + 1)); /* 3 2 1 0 | 3 3 1 0 */
    assert_int_equal(stored(&A, 2, 8, 1), 2 * (3 + 3 + 1 + 0)); /* 3 3 3 2 1 1 0 0 */
    assert_int_equal(stored(&A, 2, 6, 1), 2 * (3 + 2 + 1 + 3)); /* 3 3 2 1 1 0 | 3 0 */
}

TEST(bad_slices_are_refused_with_the_values) {
    static const struct {
        spw_idx C, sigma, multiple;
        const char *says;
    } bad[] = {
        {0, 1, 1, "C is 0"},
        {-4, 1, 1, "C is -4"},
        {2, 3, 1, "sigma is 3, must be 1 or a multiple of C = 2"},
        {2, 0, 1, "sigma is 0"},
        {2, -2, 1, "sigma is -2"},
        {2, 1, 0, "multiple is 0"},
    };
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        int64_t entries = 7;
        assert_error(
            spw_csr_sliced_entries(&slides, bad[b].C, bad[b].sigma, bad[b].multiple, &entries),
            SPW_ERR_ARG, bad[b].says);
        assert_int_equal(entries, 0);
    }
}

TEST(the_counts_do_not_depend_on_the_threads) {
    OWN(spw_csr) A = generated("powerlaw:5003");
    spw_set_threads(1);
    const spw_csr_info one = inspect(&A);
    for (int threads = 2; threads < 8; threads += 3) {
        spw_set_threads(threads);
        const spw_csr_info many = inspect(&A);
        for (int f = 0; f < one.n_footprints; f++)
            assert_int_equal(one.footprint[f].stored, many.footprint[f].stored);
        assert_int_equal(one.row_max, many.row_max);
        assert_int_equal(one.bandwidth, many.bandwidth);
        assert_true(one.asymmetry == many.asymmetry);
    }
}

TEST(everything_about_the_slides_example) {
    const spw_csr_info info = inspect(&slides);
    assert_int_equal(info.n_rows, 6);
    assert_int_equal(info.n_cols, 6);
    assert_int_equal(info.nnz, 12);
    assert_int_equal(info.row_min, 1);
    assert_int_equal(info.row_max, 5);
    assert_true(info.row_mean == 2);
    assert_int_equal(info.n_empty_rows, 0);
    assert_int_equal(info.n_zeros, 0);
    assert_false(info.has_dense_row);
    assert_int_equal(info.bandwidth, 4);
    assert_false(info.pattern_symmetric || info.symmetric || info.skew_symmetric);
    assert_true(info.asymmetry == 5.4 / 9.2); /* a(3,0) = 5.4 has no mirror image */

    assert_footprint(&info, "COO", 12, 192);
    assert_footprint(&info, "CSR", 12, 12 * 12 + 4 * 7);
    assert_footprint(&info, "ELL", 30, 12 * 30);
    assert_footprint(&info, "SELL-32-1", 160, 12 * 160 + 4 * 2 + 4 * 6);
    assert_footprint(&info, "SELL-32-256", 160, 12 * 160 + 4 * 2 + 4 * 6);
    assert_footprint(&info, "SELL-P 8x4", 64, 12 * 64 + 4 * 2);
    for (int f = 0; f < info.n_footprints; f++) {
        assert_true(info.footprint[f].stored >= 12);
        assert_true(info.footprint[f].bytes >= 12 * info.footprint[f].stored);
    }
}

TEST(a_matrix_of_nothing_is_no_division_by_zero) {
    static spw_idx ptr[] = {0, 0, 0, 0};
    const spw_csr empty = {3, 4, 0, ptr, NULL, NULL}, none = {0, 0, 0, ptr, NULL, NULL};
    spw_csr_info info = inspect(&empty);
    assert_int_equal(info.row_min, 0);
    assert_int_equal(info.row_max, 0);
    assert_true(info.row_mean == 0 && info.asymmetry == 0);
    assert_int_equal(info.n_empty_rows, 3);
    assert_int_equal(info.bandwidth, 0);
    assert_false(info.has_dense_row);
    assert_in_range(info.n_footprints, 6, SPW_FOOTPRINTS_MAX);
    for (int f = 0; f < info.n_footprints; f++) {
        assert_int_equal(info.footprint[f].stored, 0);
        assert_true(info.footprint[f].beta == 1);
    }
    info = inspect(&none);
    assert_int_equal(info.row_min, 0);
    assert_true(info.row_mean == 0);
    assert_int_equal(footprint_of(&info, "CSR")->bytes, 4);
    assert_true(info.pattern_symmetric && info.symmetric && !info.skew_symmetric);
}

TEST(symmetry_is_told_by_pattern_by_value_and_by_sign) {
    static const struct {
        double lower, upper, diagonal;
        int pattern, symmetric, skew;
        double asymmetry;
    } expected[] = {
        {3, 3, 4, 1, 1, 0, 0},  {3, 2, 4, 1, 0, 0, 0.25}, {3, -3, 0, 1, 0, 1, 2},
        {3, -3, 1, 1, 0, 0, 2}, {0, 0, 0, 1, 1, 0, 0},    {1, 1 + 0x1p-50, 0, 1, 0, 0, 0x1p-50},
    };
    static spw_idx ptr[] = {0, 2, 3}, col[] = {0, 1, 0};
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++) {
        double val[] = {expected[e].diagonal, expected[e].upper, expected[e].lower};
        const spw_csr A = {2, 2, 3, ptr, col, val};
        const spw_csr_info info = inspect(&A);
        assert_int_equal(info.pattern_symmetric, expected[e].pattern);
        assert_int_equal(info.symmetric, expected[e].symmetric);
        assert_int_equal(info.skew_symmetric, expected[e].skew);
        assert_true(info.asymmetry > expected[e].asymmetry * (1 - 1e-14) - 1e-300);
        assert_true(info.asymmetry < expected[e].asymmetry * (1 + 1e-14) + 1e-300);
    }
    /* An explicit zero without a mirror image: equal by value, not by pattern. */
    static spw_idx alone_ptr[] = {0, 1, 1}, alone_col[] = {1};
    static double zero[] = {0};
    const spw_csr alone = {2, 2, 1, alone_ptr, alone_col, zero};
    const spw_csr_info info = inspect(&alone);
    assert_false(info.pattern_symmetric);
    assert_true(info.symmetric);
    assert_int_equal(info.n_zeros, 1);
}

TEST(a_rectangular_matrix_is_not_symmetric) {
    OWN(spw_csr) A = matrix_of(2, 3, (const double[]){1, 0, 0, 0, 0, 1});
    const spw_csr_info info = inspect(&A);
    assert_false(info.pattern_symmetric || info.symmetric || info.skew_symmetric);
    assert_true(info.asymmetry == 0);
    assert_int_equal(info.bandwidth, 1);
}

TEST(generators_are_what_they_are_called) {
    static const struct {
        const char *name;
        int symmetric, dense_row;
        spw_idx row_min, row_max, bandwidth;
    } expected[] = {
        {"laplace2d:40x30", 1, 0, 3, 5, 40},    {"laplace3d:10x9x8", 1, 0, 4, 7, 90},
        {"stencil27:10x9x8", 1, 0, 8, 27, 101}, {"fem3:6x5x4", 1, 0, 24, 81, 3 * 37 + 2},
        {"arrow:1000", 1, 1, 2, 1000, 999},     {"tridiag:100", 1, 0, 2, 3, 1},
        {"convdiff2d:30", 0, 0, 3, 5, 30},
    };
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++) {
        OWN(spw_csr) A = generated(expected[e].name);
        const spw_csr_info info = inspect(&A);
        assert_true(info.pattern_symmetric);
        assert_int_equal(info.symmetric, expected[e].symmetric);
        assert_int_equal(info.has_dense_row, expected[e].dense_row);
        assert_int_equal(info.row_min, expected[e].row_min);
        assert_int_equal(info.row_max, expected[e].row_max);
        assert_int_equal(info.bandwidth, expected[e].bandwidth);
    }
}

TEST(more_than_two_billion_stored_entries_are_counted) {
    OWN(spw_csr) A = generated("arrow:100000");
    const spw_csr_info info = inspect(&A);
    assert_int_equal(footprint_of(&info, "ELL")->stored, INT64_C(10000000000));
    assert_int_equal(footprint_of(&info, "ELL")->bytes, INT64_C(120000000000));
}

TEST(counts_agree_with_the_formats_themselves) {
    static const char *const names[] = {"powerlaw:3001", "fem3:5x4x7", "random:97x50x3", "springs",
                                        "empty-rows"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        OWN(spw_csr) A = generated(names[n]);
        OWN(spw_ell) E;
        OWN(spw_sell) S, sorted;
        OWN(spw_sellp) P;
        assert_ok(spw_ell_from_csr(&A, &E));
        assert_ok(spw_sell_from_csr(&A, 32, 1, &S));
        assert_ok(spw_sell_from_csr(&A, 32, 256, &sorted));
        assert_ok(spw_sellp_from_csr(&A, 8, 4, &P));
        const spw_csr_info info = inspect(&A);
        assert_footprint(&info, "COO", A.nnz, 16 * (int64_t)A.nnz);
        assert_footprint(&info, "CSR", A.nnz, spw_csr_bytes(&A));
        assert_footprint(&info, "ELL", E.n_stored, spw_ell_bytes(&E));
        assert_footprint(&info, "SELL-32-1", S.n_stored, spw_sell_bytes(&S));
        assert_footprint(&info, "SELL-32-256", sorted.n_stored, spw_sell_bytes(&sorted));
        assert_footprint(&info, "SELL-P 8x4", P.n_stored, spw_sellp_bytes(&P));
    }
}

/* Ginkgo's benchmark data (github.com/ginkgo-project/ginkgo-data, V100 runs of 2021, CC-BY 4.0) give
 * the bytes of ELL, 12 a stored entry, and of SELL-P in slices of 64 rows: 12 a stored entry, 8 for the
 * length of a slice and 8 for its start, of which there is one more. */
TEST(counts_agree_with_published_ones) {
    static const struct {
        const char *file;
        spw_idx nnz;
        int64_t ell_bytes, sellp_bytes;
    } published[] = {
        {"bcsstk08.mtx", 12960, 4369032, 1230616},
        {"bcsstk13.mtx.gz", 83883, 2283420, 1769224},
        {"bcsstk14.mtx", 63454, 1040256, 1042648},
        {"bcsstk16.mtx.gz", 290378, 4747248, 4663000},
        {"bcsstk24.mtx.gz", 159910, 2436408, 2148232},
        {"1138_bus.mtx", 4054, 245808, 146216},
        {"can_1072.mtx", 12444, 450240, 313624},
        {"cage8.mtx", 11003, 219240, 159240},
        {"crack.mtx", 60760, 1105920, 986376},
        {"tols4000.mtx", 8784, 4320000, 156152},
        {"ca-GrQc.mtx", 28980, 5095224, 2700072},
        {"lp_e226.mtx", 2768, 294360, 218184},
        {"karate.mtx", 156, 6936, 13080},
    };
    const char *folder = collection_folder();
    if (access(folder, R_OK)) {
        print_message("skipped: no folder %s\n", folder);
        skip();
    }
    int n_found = 0;
    for (size_t p = 0; p < sizeof published / sizeof *published; p++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, published[p].file);
        if (access(path, R_OK)) continue;
        n_found++;
        OWN(spw_csr) A = generated(path);
        assert_int_equal(A.nnz, published[p].nnz);
        const int64_t n_slices = (A.n_rows + 63) / 64;
        const int64_t ell = 12 * stored(&A, A.n_rows, 1, 1);
        const int64_t sellp = 12 * stored(&A, 64, 1, 1) + 8 * n_slices + 8 * (n_slices + 1);
        if (ell != published[p].ell_bytes || sellp != published[p].sellp_bytes)
            fail_msg("%s: ELL %" PRId64 ", SELL-P %" PRId64 " bytes", path, ell, sellp);
    }
    assert_true(n_found > 0);
}

TEST(every_failed_allocation_is_survived) {
    spw_csr_info info;
    assert_true(FAILURES((SPOIL(info), spw_csr_inspect(&slides, &info)), info.n_rows == 0) >= 1);
}
