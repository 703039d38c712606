/* The generators of formats/generate.h: sizes, values, the same for any threads, and what is refused. */
#include "formats/generate.h"
#include "test.h"

#include <inttypes.h>

/* The smallest, and what else is a case of its own; sample(s) gives the table's after them, then NULL. */
static const char *const own_samples[] = {
    "laplace2d:1",   "laplace2d:1x6", "laplace3d:1",  "stencil27:1",  "stencil27:1x4x2",
    "fem1:1",        "fem1:5",        "arrow:1",      "arrow:2",      "powerlaw:1",
    "powerlaw:2",    "powerlaw:17",   "random:1x1x1", "random:9x9x9", "random:7x50x6",
    "random:50x7x9", "tridiag:1",     "uneven:1",     "uneven:2",     "uneven:29",
    "uneven:30",     "uneven:31",     "convdiff2d:1",
};

static const char *sample(int s) {
    const int n = sizeof own_samples / sizeof *own_samples;
    return s < n ? own_samples[s] : spw_generator_sample(s - n);
}

static void assert_matrix(const char *name, int n_rows, int n_cols, const double *expected) {
    OWN(spw_csr) A = generated(name), B = matrix_of(n_rows, n_cols, expected);
    assert_same_csr(&A, &B);
}

static void assert_symmetric(const char *name) {
    OWN(spw_csr) A = generated(name);
    for (spw_idx i = 0; i < A.n_rows; i++)
        for (spw_idx k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++)
            if (A.val[k] != a_ij(&A, A.col_idx[k], i))
                fail_msg("%s: entry (%d, %d) is %.17g, (%d, %d) is %.17g", name, i, A.col_idx[k],
                         A.val[k], A.col_idx[k], i, a_ij(&A, A.col_idx[k], i));
}

TEST(sizes_follow_the_formulas) {
    static const struct {
        const char *name;
        int64_t n_rows, n_cols, nnz;
    } expected[] = {
        {"laplace2d:1000x1000", 1000000, 1000000, 4996000},
        {"laplace3d:100", 1000000, 1000000, 6940000},
        {"laplace3d:100x80x60", 480000, 480000, 7 * 480000 - 2 * (4800 + 6000 + 8000)},
        {"stencil27:120", 1728000, 1728000, 45882712},
        {"fem1:128", 2097152, 2097152, 55742968},
        {"fem3:128", 6291456, 6291456, INT64_C(55742968) * 9},
        {"fem6:128", 12582912, 12582912, INT64_C(55742968) * 36},
        {"fem1:256", 16777216, 16777216, 449455096},
        {"fem1:256x256x128", 8388608, 8388608, 224140792},
        {"fem3:160", 12288000, 12288000, INT64_C(109215352) * 9},
        {"fem6:96", 5308416, 5308416, INT64_C(23393656) * 36},
        {"fem6:1000", INT64_C(6000000000), INT64_C(6000000000), INT64_C(26946035992) * 36},
        {"arrow:100000", 100000, 100000, 299998},
        {"random:1000x500x12", 1000, 500, 12000},
        {"random:1000x5x12", 1000, 5, 5000},
        {"tridiag:100000", 100000, 100000, 299998},
        {"convdiff2d:1000", 1000000, 1000000, 4996000},
    };
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++) {
        int64_t n_rows, n_cols, nnz;
        assert_ok(spw_generate_size(expected[e].name, &n_rows, &n_cols, &nnz));
        if (n_rows != expected[e].n_rows || n_cols != expected[e].n_cols || nnz != expected[e].nnz)
            fail_msg("%s: %" PRId64 " x %" PRId64 ", %" PRId64 " entries", expected[e].name, n_rows,
                     n_cols, nnz);
    }
}

TEST(matrices_are_valid_and_of_the_predicted_size) {
    for (int s = 0; sample(s); s++) {
        int64_t n_rows, n_cols, nnz;
        assert_ok(spw_generate_size(sample(s), &n_rows, &n_cols, &nnz));
        OWN(spw_csr) A = generated(sample(s));
        if (spw_csr_validate(&A)) fail_msg("%s: %s", sample(s), spw_message());
        assert_int_equal(A.n_rows, n_rows);
        assert_int_equal(A.n_cols, n_cols);
        assert_int_equal(A.nnz, nnz);
    }
}

TEST(one_number_stands_for_a_square_or_a_cube) {
    static const char *const pairs[][2] = {
        {"laplace2d:6", "laplace2d:6x6"},   {"laplace3d:4", "laplace3d:4x4x4"},
        {"stencil27:3", "stencil27:3x3x3"}, {"fem3:3", "fem3:3x3x3"},
        {"convdiff2d:5", "convdiff2d:5x5"},
    };
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        OWN(spw_csr) A = generated(pairs[p][0]), B = generated(pairs[p][1]);
        assert_same_csr(&A, &B);
    }
}

TEST(the_same_for_any_number_of_threads) {
    for (int s = 0; sample(s); s++) {
        spw_set_threads(1);
        OWN(spw_csr) A = generated(sample(s));
        static const int threads[] = {2, 3, 5, 8};
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            spw_set_threads(threads[t]);
            OWN(spw_csr) B = generated(sample(s));
            assert_same_csr(&A, &B);
        }
    }
}

/* Points of the 3 x 2 grid: 3 4 5 above 0 1 2. */
TEST(laplace2d_of_six_points) {
    static const double expected[] = {
        4,  -1, 0,  -1, 0,  0,  /* */
        -1, 4,  -1, 0,  -1, 0,  /* */
        0,  -1, 4,  0,  0,  -1, /* */
        -1, 0,  0,  4,  -1, 0,  /* */
        0,  -1, 0,  -1, 4,  -1, /* */
        0,  0,  -1, 0,  -1, 4,
    };
    assert_matrix("laplace2d:3x2", 6, 6, expected);
}

TEST(laplace3d_of_eight_points) {
    double expected[64] = {0};
    for (int i = 0; i < 8; i++) {
        expected[i * 8 + i] = 6;
        for (int bit = 1; bit < 8; bit *= 2) expected[i * 8 + (i ^ bit)] = -1;
    }
    assert_matrix("laplace3d:2", 8, 8, expected);
}

TEST(stencil27_of_27_points) {
    OWN(spw_csr) A = generated("stencil27:3");
    assert_int_equal(A.row_ptr[1] - A.row_ptr[0], 8);    /* a corner */
    assert_int_equal(A.row_ptr[2] - A.row_ptr[1], 12);   /* an edge */
    assert_int_equal(A.row_ptr[5] - A.row_ptr[4], 18);   /* a face */
    assert_int_equal(A.row_ptr[14] - A.row_ptr[13], 27); /* the centre */
    for (spw_idx j = 0; j < 27; j++) assert_true(a_ij(&A, 13, j) == (j == 13 ? 26 : -1));
    assert_true(a_ij(&A, 0, 13) == -1);
    assert_true(a_ij(&A, 0, 2) == 0);
}

TEST(tridiag_of_four) {
    static const double expected[] = {2, -1, 0, 0, -1, 2, -1, 0, 0, -1, 2, -1, 0, 0, -1, 2};
    assert_matrix("tridiag:4", 4, 4, expected);
}

TEST(convdiff2d_is_upwind) {
    static const double expected[] = {
        5.5,  -1,   -1,  0,  /* */
        -2,   5.5,  0,   -1, /* */
        -1.5, 0,    5.5, -1, /* */
        0,    -1.5, -2,  5.5,
    };
    assert_matrix("convdiff2d:2", 4, 4, expected);
}

TEST(arrow_has_a_dense_row_a_dense_column_and_a_diagonal) {
    OWN(spw_csr) A = generated("arrow:6");
    assert_true(a_ij(&A, 0, 0) == 9);
    for (spw_idx i = 1; i < 6; i++) {
        assert_true(a_ij(&A, i, 0) <= -0.5 && a_ij(&A, i, 0) > -1.5);
        assert_true(a_ij(&A, i, i) == 2);
        assert_int_equal(A.row_ptr[i + 1] - A.row_ptr[i], 2);
    }
}

TEST(symmetric_ones_are_so_to_the_last_bit) {
    static const char *const names[] = {"laplace2d:6x5", "laplace3d:3x4x5", "stencil27:3x4x5",
                                        "fem1:4x5x6",    "fem3:3x4x2",      "fem6:2x3x2",
                                        "arrow:40",      "tridiag:9"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) assert_symmetric(names[n]);
}

TEST(fem_and_arrow_are_positive_definite) {
    static const char *const names[] = {"fem1:1", "fem1:5x4x6", "fem3:4", "fem6:3", "arrow:50"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        OWN(spw_csr) A = generated(names[n]);
        assert_positive_definite(&A);
    }
}

/* A constant has no gradient: away from the boundary the entries of a row sum to zero. */
TEST(fem_differentiates) {
    OWN(spw_csr) A = generated("fem1:5");
    for (int z = 1; z < 4; z++)
        for (int y = 1; y < 4; y++)
            for (int x = 1; x < 4; x++) {
                const int i = (z * 5 + y) * 5 + x;
                double sum = 0;
                for (spw_idx k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++) sum += A.val[k];
                assert_int_equal(A.row_ptr[i + 1] - A.row_ptr[i], 27);
                assert_true(fabs(sum) < 1e-12 * a_ij(&A, i, i));
            }
}

TEST(fem_entries_are_not_zero_and_differ) {
    OWN(spw_csr) A = generated("fem3:5");
    for (spw_idx i = 0; i < A.n_rows; i++)
        for (spw_idx k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++) {
            assert_true(A.val[k] != 0);
            assert_true(k == A.row_ptr[i] || A.val[k] != A.val[k - 1]);
        }
    for (spw_idx i = 3; i < A.n_rows; i++) assert_true(a_ij(&A, i, i) != a_ij(&A, i - 3, i - 3));
}

/* A block of fem6 is the entry of fem1 times B. */
TEST(fem_blocks_couple_all_unknowns) {
    OWN(spw_csr) A = generated("fem1:3"), B = generated("fem6:3");
    for (int i = 0; i < 27; i++)
        for (int j = 0; j < 27; j++)
            for (int a = 0; a < 6; a++)
                for (int b = 0; b < 6; b++) {
                    const double factor = (1 + a / 4.0) * (1 + b / 4.0) / pow(2, abs(a - b));
                    const double expected = a_ij(&A, i, j) * factor;
                    assert_true(fabs(a_ij(&B, 6 * i + a, 6 * j + b) - expected) <=
                                1e-15 * fabs(expected));
                }
}

TEST(powerlaw_has_many_short_rows_and_a_few_long_ones) {
    OWN(spw_csr) A = generated("powerlaw:100000");
    spw_idx longest = 0, n_short = 0, n_hundred = 0;
    for (spw_idx i = 0; i < A.n_rows; i++) {
        const spw_idx length = A.row_ptr[i + 1] - A.row_ptr[i];
        assert_true(length >= 2);
        if (length > longest) longest = length;
        n_short += length < 8;
        n_hundred += length >= 100;
    }
    assert_int_equal(longest, 12500);
    /* P(length >= l) = 2 / l, and the mean 2 ln(n / 8); five standard deviations of room. */
    assert_in_range(n_short, 74300, 75700);
    assert_in_range(n_hundred, 1780, 2220);
    assert_in_range(A.nnz, 1600000, 2300000);
}

TEST(uneven_has_rows_of_1_to_15_entries) {
    OWN(spw_csr) A = generated("uneven:20000");
    int of_length[16] = {0};
    for (spw_idx i = 0; i < A.n_rows; i++) {
        const spw_idx begin = A.row_ptr[i], length = A.row_ptr[i + 1] - begin;
        assert_in_range(length, 1, 15);
        of_length[length]++;
        for (spw_idx k = 0; k < length; k++) {
            assert_int_equal(A.col_idx[begin + k], A.col_idx[begin] + 2 * k);
            assert_in_range(A.col_idx[begin + k] - i + 30, 0, 60);
        }
    }
    for (int l = 1; l <= 15; l++) assert_in_range(of_length[l], 1200, 1467);
}

TEST(random_rows_have_exactly_k_entries_or_are_full) {
    OWN(spw_csr) A = generated("random:40x23x5"), B = generated("random:40x5x9");
    int n_equal = 0;
    for (spw_idx i = 0; i < 40; i++) {
        assert_int_equal(A.row_ptr[i + 1] - A.row_ptr[i], 5);
        assert_int_equal(B.row_ptr[i + 1] - B.row_ptr[i], 5);
        n_equal += i > 0 && !memcmp(A.col_idx + 5 * i, A.col_idx + 5 * i - 5, 5 * sizeof(spw_idx));
    }
    assert_true(n_equal < 5); /* the rows differ */
    for (spw_idx k = 0; k < A.nnz; k++) assert_true(A.val[k] != 0 && fabs(A.val[k]) < 1);
}

TEST(hexahedra_meet_in_27_positions) {
    for (int k = 2; k < 6; k++) {
        OWN(spw_coo) A;
        OWN(spw_csr) B;
        assert_ok(spw_coo_hexahedra(k, 1, &A));
        assert_int_equal(A.n_rows, k * k * k);
        assert_int_equal(A.nnz, 64 * (k - 1) * (k - 1) * (k - 1));
        assert_ok(spw_coo_validate(&A));
        assert_ok(spw_csr_from_coo(&A, &B));
        assert_int_equal(B.nnz, (3 * k - 2) * (3 * k - 2) * (3 * k - 2));
    }
}

typedef struct bad {
    const char *name;
    spw_status status;
    const char *says;
} bad;

static void assert_refused(spw_status (*make)(const char *name, spw_csr *A), bad b) {
    spw_csr A = {.n_rows = 1};
    const spw_status status = make(b.name, &A);
    if (status != b.status || !strstr(spw_message(), b.says))
        fail_msg("'%s': status %d: %s", b.name, (int)status, spw_message());
    assert_no_csr(&A);
}

TEST(bad_names_are_refused_with_the_reason) {
    static const char *const no_sizes[] = {"",    ":",   ":x",  ":10x", ":x10", ":10x10x10",
                                           ":-5", ":+5", ": 5", ":5 ",  ":1e3", ":10.5"};
    static const bad names[] = {
        {"", SPW_ERR_ARG, "laplace2d, laplace3d, stencil27"},
        {"laplace4d:10", SPW_ERR_ARG, ", convdiff2d"},
        {"Laplace2d:10", SPW_ERR_ARG, "no such generator"},
        {"fem2:10", SPW_ERR_ARG, "no such generator"},
        {"laplace3d:10x10", SPW_ERR_ARG, "N or NXxNYxNZ"},
        {"laplace2d:0", SPW_ERR_ARG, "start at 1"},
        {"laplace2d:5x0", SPW_ERR_ARG, "start at 1"},
        {"random:10", SPW_ERR_ARG, "RxCxK"},
        {"random:10x10", SPW_ERR_ARG, "RxCxK"},
        {"random:10x10x0", SPW_ERR_ARG, "start at 1"},
        {"arrow:10x10", SPW_ERR_ARG, "SIZE = N"},
        {"laplace2d:2147483648", SPW_ERR_RANGE, "2147483647"},
        {"laplace2d:99999999999999999999999", SPW_ERR_RANGE, "2147483647"},
        {"laplace2d:50000", SPW_ERR_RANGE, "2500000000 rows and 12499800000 entries"},
        {"laplace2d:40000", SPW_ERR_RANGE, "1600000000 rows and 7999840000 entries"},
        {"fem3:900", SPW_ERR_RANGE, "2187000000 rows and 176753631528 entries"},
        {"random:1000000x1000000x5000", SPW_ERR_RANGE, "5000000000 entries"},
        {"fem6:2147483647", SPW_ERR_RANGE, "too many"},
    };
    for (size_t b = 0; b < sizeof names / sizeof *names; b++)
        assert_refused(spw_csr_generate, names[b]);
    for (size_t s = 0; s < sizeof no_sizes / sizeof *no_sizes; s++) {
        char name[32];
        snprintf(name, sizeof name, "laplace2d%s", no_sizes[s]);
        assert_refused(spw_csr_generate, (bad){name, SPW_ERR_ARG, "N or NXxNY"});
    }
}

TEST(a_failed_prediction_gives_zeros) {
    int64_t n_rows = 1, n_cols = 2, nnz = 3;
    assert_int_equal(spw_generate_size("fem7:3", &n_rows, &n_cols, &nnz), SPW_ERR_ARG);
    assert_true(n_rows == 0 && n_cols == 0 && nnz == 0);
}

TEST(too_large_for_memory_is_said_before_allocating) {
    spw_csr A;
    if (spw_memory_available() > INT64_C(34300000000)) {
        print_message("skipped: random:2147483647x1x1, 34.4 GB, would fit this machine\n");
        skip();
    }
    spw_memory_fail_after(0); /* an allocation would end with another message */
    assert_int_equal(spw_csr_generate("random:2147483647x1x1", &A), SPW_ERR_MEMORY);
    spw_memory_fail_after(-1);
    assert_says(spw_message(), "random:2147483647x1x1 needs 34.4 GB");
}

TEST(every_failed_allocation_is_survived) {
    OWN(spw_csr) A;
    const int failures =
        FAILURES((SPOIL(A), spw_csr_generate("powerlaw:300", &A)),
                 A.n_rows == 0 && A.nnz == 0 && !A.row_ptr && !A.col_idx && !A.val);
    assert_true(failures >= 3); /* row_ptr, col_idx, val */
}

TEST(generators_are_told_from_files) {
    assert_true(spw_is_generator("laplace2d:10"));
    assert_true(spw_is_generator("fem3:nonsense"));
    assert_false(spw_is_generator("fem3"));
    assert_false(spw_is_generator("fem31:4"));
    assert_false(spw_is_generator("matrix.mtx"));
    assert_false(spw_is_generator("c:/laplace2d:10"));
    assert_false(spw_is_generator(""));
}

/* "name:" of each stands where a line of the list has it. */
static void assert_lists_all(const char *path, const char *before, const char *other) {
    size_t length_of_page;
    const char *const text = text_of_file(path, &length_of_page);
    for (int k = 0; spw_generator_sample(k); k++) {
        const char *const name = spw_generator_sample(k);
        const int length = (int)strcspn(name, ":") + 1;
        char first[64], next[64];
        snprintf(first, sizeof first, "%s%.*s", before, length, name);
        snprintf(next, sizeof next, "%s%.*s", other, length, name);
        if (!strstr(text, first) && !strstr(text, next))
            fail_msg("%s: there is no generator %.*s", path, length - 1, name);
    }
}

TEST(each_generator_is_listed) {
    assert_non_null(spw_generator_sample(11));
    for (int k = 0; spw_generator_sample(k); k++)
        assert_true(spw_is_generator(spw_generator_sample(k)));
    assert_lists_all("matrices/README.md", "| `", "` `");
    assert_lists_all("lib/formats/generate.h", "\n *     ", " ");
}

TEST(load_takes_generators_files_and_names) {
    OWN(spw_csr) grid = generated("laplace2d:3x2");
    assert_int_equal(grid.nnz, 20);
    static const char *const names[] = {"matrices/slides6.mtx", "slides6"};
    for (int f = 0; f < 2; f++) {
        OWN(spw_csr) A = generated(names[f]);
        assert_int_equal(A.n_rows, 6);
        assert_int_equal(A.nnz, 12);
        assert_true(a_ij(&A, 3, 3) == 9.2);
    }
}

TEST(load_says_what_is_wrong) {
    static const bad names[] = {
        {"fem3", SPW_ERR_ARG, "write fem3:SIZE"},
        {"fem4:12", SPW_ERR_ARG, "no such generator"},
        {"no_such_matrix", SPW_ERR_FILE, "no_such_matrix: no such file"},
        {"no/such/file.mtx", SPW_ERR_FILE, "no/such/file.mtx: no such file"},
        {"matrices", SPW_ERR_FILE, "matrices"},
    };
    for (size_t b = 0; b < sizeof names / sizeof *names; b++)
        assert_refused(spw_csr_load, names[b]);
}

/* Any rows of each: as those of all. */
TEST(rows_alone_are_those_of_the_matrix) {
    for (int s = 0; sample(s); s++) {
        OWN(spw_csr) A = generated(sample(s));
        const int64_t cuts[] = {0, A.n_rows / 3, A.n_rows / 3, A.n_rows - 1, A.n_rows};
        for (int k = 0; k < 4; k++) {
            int64_t entries;
            OWN(spw_csr) B;
            const int64_t begin = cuts[k] < 0 ? 0 : cuts[k],
                          end = cuts[k + 1] < begin ? begin : cuts[k + 1];
            assert_int_equal(spw_csr_generate_rows(sample(s), begin, end, &B), SPW_OK);
            assert_int_equal(spw_generate_entries(sample(s), begin, end, &entries), SPW_OK);
            assert_int_equal(B.n_rows, end - begin);
            assert_int_equal(B.n_cols, A.n_cols);
            assert_int_equal(B.nnz, entries);
            const spw_idx at = A.row_ptr[begin];
            for (int64_t i = begin; i <= end; i++)
                assert_int_equal(B.row_ptr[i - begin] + at, A.row_ptr[i]);
            assert_memory_equal(B.col_idx, A.col_idx + at, sizeof *B.col_idx * (size_t)entries);
            assert_memory_equal(B.val, A.val + at, sizeof *B.val * (size_t)entries);
        }
    }
}
