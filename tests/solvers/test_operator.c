/* solvers/operator.h and spw_precond_jacobi: products against a dense loop, dots, what is
 * refused, and failing allocations. */
#include "solvers/operator.h"

#include "base/random.h"
#include "kernels/spmv.h"
#include "kit/systems.h"
#include "solvers/precond.h"
#include "test.h"

enum { N = 35 * 35 };

static double x[N], w[N], y[N], expected[N];

static void fill(void) {
    for (int i = 0; i < N; i++) {
        x[i] = sin(i + 1);
        w[i] = cos(3 * i);
        y[i] = NAN;
    }
}

static double dot(const double *a, const double *b) { return spw_system_dot(N, a, b); }

static void assert_product(const spw_operator *op) {
    double w_y = NAN, y_y = NAN;
    spw_operator_apply(op, x, y);
    assert_near(N, y, expected, 1e-13);
    for (int i = 0; i < N; i++) y[i] = NAN;
    spw_operator_apply_dots(op, x, w, y, &w_y, &y_y);
    assert_near(N, y, expected, 1e-13);
    assert_true(fabs(w_y - dot(w, expected)) < 1e-10);
    assert_true(fabs(y_y - dot(expected, expected)) < 1e-10 * dot(expected, expected));
    spw_operator_apply_dots(op, x, x, y, &w_y, NULL);
    assert_true(fabs(w_y - dot(x, expected)) < 1e-10);
}

/* Three times x, as a block. */
static void assert_block(const spw_operator *op) {
    enum { NV = 3 };
    static double X[N * NV], Y[N * NV];
    for (int k = 0; k < N * NV; k++) X[k] = x[k / NV];
    spw_operator_apply_block(op, NV, X, NV, Y, NV, NULL, 0);
    for (int k = 0; k < N * NV; k++) assert_true(fabs(Y[k] - expected[k / NV]) < 1e-13);
}

TEST(matrices_multiply) {
    OWN(spw_operator) op;
    fill();
    OWN(spw_csr) A = generated("convdiff2d:35");
    spw_system_product(&A, x, expected);
    for (int threads = 1; with_threads(threads, 3); threads++) {
        assert_ok(spw_operator_from_csr(&A, &op));
        assert_string_equal(op.name, "csr");
        assert_int_equal(op.n, N);
        assert_product(&op);
        const double matrix = 12.0 * A.nnz + 4.0 * (N + 1);
        assert_true(op.cost.load == matrix + 8.0 * N && op.cost.store == 8.0 * N);
        assert_true(op.cost.flop == 2.0 * A.nnz && op.write_allocate == 8.0 * N);
        spw_operator_destroy(&op);
        assert_null(op.apply);
        assert_ok(spw_operator_in(&A, "sell_short", &op));
        assert_string_equal(op.name, "sell_short");
        assert_product(&op);
        assert_block(&op);
        assert_true(op.cost.load < matrix + 8.0 * N && op.setup_seconds > 0);
        spw_operator_destroy(&op);
    }
    spw_operator_destroy(NULL);
}

/* Half of it, in blocks and by diagonals; not where one bit differs. */
TEST(symmetric_matrices_are_halved) {
    static const char *const halves[][2] = {{"fem3:4x5x6", "sbcsr"}, {"stencil27:4x9x7", "sdia"}};
    for (int h = 0; h < 2; h++) {
        OWN(spw_operator) op;
        OWN(spw_csr) A = generated(halves[h][0]);
        double *u = zeros(A.n_rows), *v = zeros(A.n_rows), *product = zeros(A.n_rows);
        for (spw_idx i = 0; i < A.n_rows; i++) u[i] = spw_random_double(3, (uint64_t)i);
        spw_spmv_csr_ref(&A, u, v);
        for (int threads = 1; with_threads(threads, 3); threads++) {
            assert_ok(spw_operator_in(&A, halves[h][1], &op));
            assert_string_equal(op.name, halves[h][1]);
            assert_true(op.cost.load < 9 * (double)A.nnz && op.cost.flop == 2.0 * A.nnz);
            double v_y, y_y;
            const double square = spw_system_dot(A.n_rows, v, v);
            spw_operator_apply_dots(&op, u, v, product, &v_y, &y_y);
            for (spw_idx i = 0; i < A.n_rows; i++)
                assert_true(fabs(product[i] - v[i]) <= 1e-12 * fabs(v[i]) + 1e-10);
            assert_true(fabs(v_y - square) < 1e-10 * square);
            assert_true(fabs(y_y - square) < 1e-10 * square);
            spw_operator_destroy(&op);
        }
        A.val[1] = nextafter(A.val[1], 100);
        assert_int_equal(spw_operator_in(&A, halves[h][1], &op), SPW_ERR_ARG);
        assert_null(op.apply);
    }
}

/* Where SELL would consist of padding; and what is no format. */
TEST(a_format_that_is_not_for_a_matrix_is_refused) {
    OWN(spw_operator) op;
    OWN(spw_csr) A = generated("powerlaw:500"), B = generated("tridiag:500");
    OWN(spw_csr) C = generated("arrow:500");
    assert_error(spw_operator_in(&A, "sell_short", &op), SPW_ERR_ARG, "padding");
    assert_error(spw_operator_in(&A, "ell", &op), SPW_ERR_ARG,
                 "csr, sdia, sbcsr, sell_short, sell_sorted");
    assert_error(spw_operator_in(&B, "sell_sorted", &op), SPW_ERR_ARG, "sorting");
    C.val[1] += 1;
    assert_ok(spw_operator_convert(&C, &op));
    assert_string_equal(op.name, "csr");
    assert_string_equal(op.note, "no other format is for it");
}

/* Whatever is chosen multiplies, and says why it was. */
TEST(the_choice_is_measured) {
    static const char *const names[] = {"laplace2d:35", "fem3:6",       "stencil27:45",
                                        "uneven:5000",  "powerlaw:500", "arrow:30000"};
    static const char *const formats[] = {"sdia", "sbcsr", "sdia", "sell_", "sell_sorted", NULL};
    for (int k = 0; k < 6; k++) {
        OWN(spw_operator) op;
        OWN(spw_csr) A = generated(names[k]);
        double *u = zeros(A.n_rows), *v = zeros(A.n_rows), *product = zeros(A.n_rows);
        for (spw_idx i = 0; i < A.n_rows; i++) u[i] = spw_random_double(5, (uint64_t)i);
        spw_spmv_csr_ref(&A, u, v);
        assert_ok(spw_operator_convert(&A, &op));
        assert_true(op.setup_seconds > 0);
        if (formats[k] && !strstr(op.note, formats[k])) fail_msg("%s: %s", names[k], op.note);
        if (formats[k]) assert_says(op.note, " of the time of csr");
        spw_operator_apply(&op, u, product);
        for (spw_idx i = 0; i < A.n_rows; i++)
            assert_true(fabs(product[i] - v[i]) <= 1e-12 * fabs(v[i]) + 1e-8);
    }
}

/* What a run found the next one reads, for the same matrix alone. */
TEST(choices_are_recorded) {
    OWN(spw_operator) op;
    char note[SPW_OPERATOR_NOTE], line[512], name[16];
    const char *path = put_text("formats.tsv", "");
    OWN(spw_csr) A = generated("laplace2d:35");
    spw_operator_record(path);
    assert_ok(spw_operator_convert(&A, &op));
    snprintf(note, sizeof note, "%s", op.note);
    snprintf(name, sizeof name, "%s", op.name);
    spw_operator_destroy(&op);
    assert_ok(spw_operator_convert(&A, &op));
    assert_string_equal(op.note, note);
    assert_string_equal(op.name, name);
    spw_operator_destroy(&op);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_null(fgets(note, sizeof note, file)); /* it is one line */
    fclose(file);
    char *end = strrchr(line, '\t');
    assert_non_null(end);
    file = fopen(path, "a");
    fprintf(file, "%.*ssell_short\twritten by hand\n", (int)(end - line - (long)strlen(name)),
            line);
    fclose(file);
    assert_ok(spw_operator_convert(&A, &op));
    assert_string_equal(op.name, "sell_short");
    assert_string_equal(op.note, "written by hand");
    spw_operator_destroy(&op);
    A.val[0] += 1;
    assert_ok(spw_operator_convert(&A, &op));
    assert_string_not_equal(op.note, "written by hand");
    spw_operator_record(NULL);
}

/* Further passes are counted, one pass is not. */
TEST(dots_cost_what_they_read) {
    spw_operator op = {.n = 10, .cost = {100, 80, 50}};
    assert_true(spw_operator_cost_dots(&op, 1, 0).load == 100 + 160);
    assert_true(spw_operator_cost_dots(&op, 0, 1).load == 100 + 240);
    op.apply_dots = (void (*)(void *, const double *, const double *, double *, double *,
                              double *))(uintptr_t)1;
    assert_true(spw_operator_cost_dots(&op, 1, 1).load == 100);
    assert_true(spw_operator_cost_dots(&op, 0, 0).load == 180);
    assert_true(spw_operator_cost_dots(&op, 0, 1).flop == 90);
}

/* A giant row is for the kernel that shares it. */
TEST(a_giant_row_is_shared) {
    OWN(spw_operator) giant, even;
    spw_set_threads(2);
    OWN(spw_csr) A = generated("arrow:40000"), B = generated("laplace2d:30");
    assert_ok(spw_operator_from_csr(&A, &giant));
    assert_null(giant.apply_dots);
    assert_ok(spw_operator_from_csr(&B, &even));
    assert_non_null(even.apply_dots);
}

/* With and without gaps; as wide as streaming stores want it, and not; by SpMM and one by one. */
TEST(blocks_multiply) {
    static const int shapes[][2] = {{1, 1}, {3, 5}, {8, 8}, {16, 16}, {17, 20}};
    static double X[N * 20], Y[N * 20], room[2 * N];
    OWN(spw_operator) op;
    OWN(spw_csr) A = generated("convdiff2d:35");
    assert_ok(spw_operator_from_csr(&A, &op));
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
            const int nv = shapes[s][0], ld = shapes[s][1];
            for (int k = 0; k < N * ld; k++) X[k] = sin(k + 1), Y[k] = 7;
            spw_operator_apply_block(&op, nv, X, ld, Y, ld, one_by_one ? room : NULL, one_by_one);
            for (int i = 0; i < N; i++)
                for (int v = 0; v < ld; v++) {
                    double sum = v < nv ? 0 : 7;
                    for (spw_idx k = A.row_ptr[i]; k < A.row_ptr[i + 1] && v < nv; k++)
                        sum += A.val[k] * X[A.col_idx[k] * ld + v];
                    assert_true(fabs(Y[i * ld + v] - sum) < 1e-13);
                }
        }
    const spw_cost block = spw_operator_cost_block(&op, 3, 0);
    const spw_cost single = spw_operator_cost_block(&op, 3, 1);
    assert_true(block.load == 12.0 * A.nnz + 4.0 * (N + 1) + 24.0 * N && block.store == 24.0 * N);
    assert_true(block.flop == 6.0 * A.nnz && single.flop == block.flop);
    assert_true(single.load == 3 * (12.0 * A.nnz + 4.0 * (N + 1) + 24.0 * N));
}

TEST(rectangles_are_refused) {
    spw_operator op;
    OWN(spw_csr) A = generated("random:4x5x2");
    assert_error(spw_operator_from_csr(&A, &op), SPW_ERR_ARG, "4 x 5");
    assert_null(op.apply);
    assert_int_equal(spw_operator_convert(&A, &op), SPW_ERR_ARG);
    assert_null(op.apply);
    assert_error(spw_precond_jacobi(&A, &op), SPW_ERR_ARG, "4 x 5");
}

TEST(jacobi_applies) {
    OWN(spw_operator) M;
    fill();
    OWN(spw_csr) A = generated("arrow:1225");
    assert_ok(spw_precond_jacobi(&A, &M));
    for (int i = 0; i < N; i++) expected[i] = x[i] / (i == 0 ? 1.5 * N : 2);
    for (int threads = 1; with_threads(threads, 3); threads++) {
        assert_product(&M);
    }
    assert_true(M.setup_seconds > 0 && M.cost.load == 16.0 * N && M.cost.store == 8.0 * N);
}

TEST(a_diagonal_without_inverse_is_named) {
    OWN(spw_operator) M;
    spw_idx row_ptr[] = {0, 1, 2, 3}, missing[] = {0, 0, 2}, there[] = {0, 1, 2};
    double val[] = {1, 0, 5};
    spw_csr A = {3, 3, 3, row_ptr, missing, val};
    assert_message(spw_precond_jacobi(&A, &M), SPW_ERR_ARG, "jacobi: row 1 has no diagonal entry");
    assert_null(M.apply);
    A.col_idx = there;
    assert_error(spw_precond_jacobi(&A, &M), SPW_ERR_ARG, "row 1 is 0");
    val[1] = 1e-310; /* its inverse overflows */
    assert_int_equal(spw_precond_jacobi(&A, &M), SPW_ERR_ARG);
    val[1] = INFINITY;
    assert_int_equal(spw_precond_jacobi(&A, &M), SPW_ERR_ARG);
    val[1] = -2;
    assert_ok(spw_precond_jacobi(&A, &M));
}

TEST(no_memory_is_a_status) {
    OWN(spw_operator) M, converted, sdia;
    OWN(spw_csr) A = generated("tridiag:100");
    assert_true(FAILURES(spw_precond_jacobi(&A, &M), !M.context) >= 2);
    assert_in_range(FAILURES(spw_operator_convert(&A, &converted), !converted.apply), 4, 29);
    assert_in_range(FAILURES(spw_operator_in(&A, "sdia", &sdia), !sdia.apply), 2, 4);
}
