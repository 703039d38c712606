/* kernels/symgs.h: colours by what defines them, products and sweeps against plain loops over the matrix as it
 * was, for any part and any number of threads. Where this program can use no device, target regions run on the
 * host, and that is what is tested. */
#include "kernels/symgs.h"

#include "test.h"

static const char *const names[] = {"laplace2d:23x19", "stencil27:7x6x5", "fem3:4",
                                    "tridiag:1",       "arrow:150",       "convdiff2d:20",
                                    "fem1:9",          "laplace3d:8x7x9"};
static const int colours[] = {2, 8, 24, 1, 2, 2, 8, 2};
enum { N_NAMES = sizeof names / sizeof *names, C = SPW_COLOURED_C };

static spw_idx colour_of(const spw_coloured *S, spw_idx row) {
    const spw_idx slice = S->place[row] / C;
    spw_idx c = 0;
    while (S->colour_ptr[c + 1] <= slice) c++;
    return c;
}

TEST(rows_of_a_colour_do_not_meet) {
    for (int m = 0; m < N_NAMES; m++) {
        spw_coloured S;
        OWN(spw_csr) A = generated(names[m]);
        assert_ok(spw_coloured_from_csr(&A, &S));
        assert_int_equal(S.n_colours, colours[m]);
        assert_int_equal(S.n_places, C * S.n_slices);
        assert_int_equal(S.colour_ptr[S.n_colours], S.n_slices);
        assert_int_equal(S.n_stored, S.slice_ptr[S.n_slices]);
        assert_int_equal(spw_coloured_bytes(&S), 12 * (int64_t)S.n_stored + 4 * (S.n_slices + 1));
        int64_t rows = 0, entries = 0;
        for (spw_idx p = 0; p < S.n_places; p++) {
            const spw_idx i = S.row[p];
            rows += i >= 0;
            if (i >= 0) assert_int_equal(S.place[i], p);
            if (i < 0) assert_true(S.inverse[p] == 0);
            for (spw_idx at = S.slice_ptr[p / C] + p % C; at < S.slice_ptr[p / C + 1]; at += C) {
                if (S.val[at] == 0) assert_int_equal(S.col_idx[at], p);
                entries += S.val[at] != 0;
            }
        }
        assert_int_equal(rows, A.n_rows);
        assert_int_equal(entries, A.nnz);
        for (spw_idx i = 0; i < A.n_rows; i++)
            for (spw_idx k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++)
                if (A.col_idx[k] != i)
                    assert_int_not_equal(colour_of(&S, i), colour_of(&S, A.col_idx[k]));
        spw_coloured_destroy(&S);
        assert_null(S.val);
    }
    spw_coloured_destroy(NULL);
}

/* An entry without its mirror image keeps two rows apart, too. */
TEST(one_direction_is_enough) {
    OWN(spw_csr) A = matrix_of(3, 3, (const double[]){1, 0, 5, 0, 2, 0, 0, 0, 4});
    OWN(spw_coloured) S;
    assert_ok(spw_coloured_from_csr(&A, &S));
    assert_int_equal(S.n_colours, 2);
    assert_int_equal(S.row[0], 0); /* longest first */
    assert_int_equal(S.row[1], 1);
    assert_int_equal(S.row[2], -1);
    assert_int_equal(S.row[C], 2);
    assert_int_equal(S.n_stored, 3 * C); /* two entries a row, then one */
    assert_true(S.inverse[1] == 0.5 && S.inverse[C] == 0.25);
}

static const double parts[] = {0, 0.3, 0.5, 0.99, 1};

TEST(products_are_those_of_the_matrix) {
    for (int m = 0; m < N_NAMES; m++) {
        OWN(spw_coloured) S;
        OWN(spw_csr) A = generated(names[m]);
        assert_ok(spw_coloured_from_csr(&A, &S));
        double *x = zeros(A.n_rows), *y = zeros(A.n_rows), *v = zeros(S.n_places);
        double *w = zeros(S.n_places), *first = zeros(S.n_places);
        for (spw_idx i = 0; i < A.n_rows; i++) x[i] = sin(3 * i + 1);
        for (int threads = 1; with_threads(threads, 4); threads++)
            for (int p = 0; p < 5; p++) {
                for (spw_idx k = 0; k < S.n_places; k++) v[k] = w[k] = NAN;
                spw_coloured_gather(&S, x, v);
                spw_spmv_coloured_target(&S, parts[p], v, w);
                if (threads == 1 && p == 0) memcpy(first, w, (size_t)S.n_places * sizeof *w);
                assert_memory_equal(w, first, (size_t)S.n_places * sizeof *w);
                spw_coloured_scatter(&S, w, y);
                for (spw_idx i = 0; i < A.n_rows; i++) {
                    double expected = 0, size = 0;
                    for (spw_idx k = A.row_ptr[i]; k < A.row_ptr[i + 1]; k++) {
                        expected += A.val[k] * x[A.col_idx[k]];
                        size += fabs(A.val[k]);
                    }
                    assert_true(fabs(y[i] - expected) <= 1e-13 * size);
                }
            }
    }
}

/* One row after the other, in the order of the places, there and back: what Gauss-Seidel is. */
static void sweep(const spw_csr *A, const spw_coloured *S, int back, const double *r, double *x) {
    for (spw_idx k = 0; k < S->n_places; k++) {
        const spw_idx i = S->row[back ? S->n_places - 1 - k : k];
        if (i < 0) continue;
        double sum = r[i], own = 0;
        for (spw_idx at = A->row_ptr[i]; at < A->row_ptr[i + 1]; at++)
            if (A->col_idx[at] == i)
                own = A->val[at];
            else
                sum -= A->val[at] * x[A->col_idx[at]];
        x[i] = sum / own;
    }
}

TEST(sweeps_are_those_of_gauss_seidel) {
    for (int m = 0; m < N_NAMES; m++) {
        OWN(spw_coloured) S;
        OWN(spw_csr) A = generated(names[m]);
        assert_ok(spw_coloured_from_csr(&A, &S));
        double *r = zeros(A.n_rows), *x = zeros(A.n_rows), *y = zeros(A.n_rows);
        double *rp = zeros(S.n_places), *xp = zeros(S.n_places), *first = zeros(S.n_places);
        for (spw_idx i = 0; i < A.n_rows; i++) r[i] = cos(5 * i);
        for (int time = 0; time < 2; time++) { /* from zero, and from there */
            sweep(&A, &S, 0, r, x);
            sweep(&A, &S, 1, r, x);
        }
        for (int threads = 1; with_threads(threads, 4); threads++)
            for (int p = 0; p < 5; p++) {
                memset(xp, 0, (size_t)S.n_places * sizeof *xp);
                spw_coloured_gather(&S, r, rp);
                spw_symgs_coloured_target(&S, parts[p], rp, xp);
                spw_symgs_coloured_target(&S, parts[p], rp, xp);
                if (threads == 1 && p == 0) memcpy(first, xp, (size_t)S.n_places * sizeof *xp);
                assert_memory_equal(xp, first, (size_t)S.n_places * sizeof *xp);
                for (spw_idx k = 0; k < S.n_places; k++)
                    if (S.row[k] < 0) assert_true(xp[k] == 0);
                spw_coloured_scatter(&S, xp, y);
                for (spw_idx i = 0; i < A.n_rows; i++)
                    assert_true(fabs(y[i] - x[i]) < 1e-12 * (1 + fabs(x[i])));
            }
    }
}

TEST(a_device_is_used_where_there_is_one) {
    OWN(spw_coloured) S;
    OWN(spw_csr) A = generated("laplace2d:9");
    assert_ok(spw_coloured_from_csr(&A, &S));
    const spw_status status = spw_coloured_to_device(&S);
    print_message("devices for target regions: %d\n", spw_target_devices());
    if (spw_target_devices() == 0) {
        assert_error(status, SPW_ERR_UNAVAILABLE, "make doctor");
        assert_false(S.on_device);
    } else {
        assert_ok(status);
        double *rp = zeros(S.n_places), *host = zeros(S.n_places), *both = zeros(S.n_places);
        for (spw_idx k = 0; k < S.n_places; k++) rp[k] = S.row[k] < 0 ? 0 : sin(k);
        spw_symgs_coloured_target(&S, 0, rp, host);
        for (int p = 1; p < 5; p++) {
            memset(both, 0, (size_t)S.n_places * sizeof *both);
            spw_symgs_coloured_target(&S, parts[p], rp, both);
            assert_near(S.n_places, both, host, 1e-13);
        }
    }
}

TEST(what_cannot_be_is_refused) {
    spw_coloured S;
    spw_idx row_ptr[] = {0, 1, 2, 3}, missing[] = {0, 0, 2}, there[] = {0, 1, 2};
    double val[] = {1, 0, 5};
    spw_csr A = {3, 3, 3, row_ptr, missing, val};
    assert_message(spw_coloured_from_csr(&A, &S), SPW_ERR_ARG, "row 1 has no diagonal entry");
    assert_null(S.row);
    A.col_idx = there;
    assert_message(spw_coloured_from_csr(&A, &S), SPW_ERR_ARG,
                   "the diagonal entry of row 1 is 0, which has no inverse");
    A.n_cols = 4;
    assert_error(spw_coloured_from_csr(&A, &S), SPW_ERR_ARG, "3 x 4");
}

TEST(no_memory_is_a_status) {
    OWN(spw_coloured) S;
    OWN(spw_csr) A = generated("laplace2d:9");
    assert_in_range(FAILURES(spw_coloured_from_csr(&A, &S), !S.row), 14, 24);
    spw_coloured_destroy(&S);
    OWN(spw_csr) none = case_of("nothing", 0);
    assert_ok(spw_coloured_from_csr(&none, &S));
    assert_int_equal(S.n_colours, 0);
    spw_spmv_coloured_target(&S, 0.5, NULL, NULL);
    spw_symgs_coloured_target(&S, 0.5, NULL, NULL);
}
