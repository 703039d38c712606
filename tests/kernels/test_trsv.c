/* kernels/trsv.h: the example of the header, every kernel against a dense solution, and the schedule against
 * what it promises. */
#include "kernels/trsv.h"

#include "kernels/kernels.h"
#include "test.h"

/* --- the example ----------------------------------------------------------------------------------------- */

TEST(the_example_of_the_header_is_true) {
    double x[3];
    OWN(spw_csr) A = matrix_of(3, 3, (const double[]){2, 1, 3, 1, 4, 5, 3, 5, 8});
    OWN(spw_triangle) T, U, divided, one;
    assert_ok(spw_triangle_from_csr(&A, SPW_LOWER, SPW_DIAGONAL_OWN, &T));
    assert_memory_equal(T.row_ptr, ((spw_idx[]){0, 0, 1, 3}), 16);
    assert_memory_equal(T.col_idx, ((spw_idx[]){0, 0, 1}), 12);
    assert_memory_equal(T.val, ((double[]){1, 3, 5}), 24);
    assert_memory_equal(T.inverse, ((double[]){0.5, 0.25, 0.125}), 24);
    assert_int_equal(spw_triangle_bytes(&T), 12 * 3 + 4 * 4 + 8 * 3);
    spw_trsv_csr_ref(&T, (double[]){2, 9, 37}, x); /* 2/2; (9-1)/4; (37-3-10)/8 */
    assert_memory_equal(x, ((double[]){1, 2, 3}), 24);
    assert_ok(spw_triangle_from_csr(&A, SPW_UPPER, SPW_DIAGONAL_OWN, &U));
    assert_memory_equal(U.row_ptr, ((spw_idx[]){0, 0, 1, 3}), 16);
    assert_memory_equal(U.col_idx, ((spw_idx[]){2, 2, 1}), 12);
    assert_memory_equal(U.val, ((double[]){5, 3, 1}), 24);
    spw_trsv_csr_ref(&U, (double[]){13, 23, 24}, x); /* 24/8; (23-15)/4; (13-2-9)/2 */
    assert_memory_equal(x, ((double[]){1, 2, 3}), 24);
    assert_ok(spw_triangle_from_csr(&A, SPW_UPPER, SPW_DIAGONAL_DIVIDED, &divided));
    assert_null(divided.inverse);
    assert_memory_equal(divided.val, ((double[]){1.25, 1.5, 0.5}), 24);
    assert_int_equal(spw_triangle_bytes(&divided), 12 * 3 + 4 * 4);
    assert_ok(spw_triangle_from_csr(&A, SPW_LOWER, SPW_DIAGONAL_ONE, &one));
    spw_trsv_csr_ref(&one, (double[]){1, 3, 16}, x); /* 1; 3-1; 16-3-10 */
    assert_memory_equal(x, ((double[]){1, 2, 3}), 24);
    spw_triangle_destroy(NULL);
}

/* --- solutions ---------------------------------------------------------------------------------------------- */

static const char *const names[] = {"laplace2d:9x7", "stencil27:5x4x6", "fem3:3",
                                    "tridiag:90",    "arrow:120",       "convdiff2d:11",
                                    "random:60x60x1"};
enum { N_NAMES = sizeof names / sizeof *names };

/* The largest |T x - b| against the largest |b|, from the matrix as it is. */
static double error_of(const spw_csr *A, spw_half half, spw_diagonal diagonal, const double *b,
                       const double *x) {
    double worst = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        double own = 1, sum = 0;
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) {
            const spw_idx j = A->col_idx[k];
            if (j == i && diagonal != SPW_DIAGONAL_ONE) own = A->val[k];
            if (half == SPW_LOWER ? j < i : j > i) sum += A->val[k] * x[j];
        }
        /* divided: D^-1 (D + N) x = b */
        const double error =
            diagonal == SPW_DIAGONAL_DIVIDED ? sum / own + x[i] - b[i] : sum + own * x[i] - b[i];
        if (!(fabs(error) <= worst)) worst = fabs(error);
    }
    return worst;
}

/* ref has the order of the entries; the others the same bits as `expected` with all threads and schedules. */
static void assert_all_alike(const spw_triangle *T, const double *b, const double *expected,
                             double tolerance) {
    double *x = zeros(T->n);
    for (const spw_kernel *v = spw_kernels("trsv_csr"); v->symbol; v++)
        for (int threads = 1; with_threads(threads, 4); threads++)
            for (int in_place = 0; in_place < 2; in_place++) {
                for (spw_idx i = 0; i < T->n; i++) x[i] = in_place ? b[i] : NAN;
                ((spw_trsv_csr_fn *)v->function)(T, in_place ? x : b, x);
                if ((spw_trsv_csr_fn *)v->function != spw_trsv_csr_ref)
                    assert_memory_equal(x, expected, (size_t)T->n * sizeof *x);
                assert_near(T->n, x, expected, tolerance);
            }
}

TEST(every_kernel_solves) {
    for (int m = 0; m < N_NAMES; m++) {
        OWN(spw_csr) A = generated(names[m]);
        double *b = zeros(A.n_rows), *x = zeros(A.n_rows), *expected = zeros(A.n_rows);
        for (spw_idx i = 0; i < A.n_rows; i++) b[i] = cos(i * 7);
        for (int half = 0; half < 2; half++)
            for (int diagonal = 0; diagonal < 3; diagonal++) {
                if (strstr(names[m], "random") && diagonal != SPW_DIAGONAL_ONE) continue;
                OWN(spw_triangle) T;
                assert_ok(spw_triangle_from_csr(&A, (spw_half)half, (spw_diagonal)diagonal, &T));
                spw_trsv_csr_ref(&T, b, x);
                double largest = 0;
                for (spw_idx i = 0; i < A.n_rows; i++) largest = fmax(largest, fabs(x[i]));
                const double tolerance = 1e-13 * (1 + 300 * largest);
                assert_true(error_of(&A, (spw_half)half, (spw_diagonal)diagonal, b, x) < tolerance);
                assert_ok(spw_triangle_schedule(&T, 1, 0));
                spw_trsv_csr_omp(&T, b, expected);
                assert_true(error_of(&A, (spw_half)half, (spw_diagonal)diagonal, b, expected) <
                            tolerance);
                static const int plans[][2] = {{1, 0}, {2, 0}, {2, 1}, {3, 4}, {4, 1000}};
                for (int p = 0; p < 5; p++) {
                    assert_ok(spw_triangle_schedule(&T, plans[p][0], plans[p][1]));
                    assert_all_alike(&T, b, expected, tolerance);
                }
            }
    }
}

/* --- transposed ------------------------------------------------------------------------------------------------ */

/* The strict part of A as it is stored in T, and nothing else, transposed by the library's other way. */
static void assert_transposed(const spw_csr *A, const spw_triangle *T, const spw_triangle *U) {
    OWN(spw_csr) B;
    OWN(spw_triangle) V;
    assert_ok(spw_csr_transpose(A, &B));
    assert_ok(spw_triangle_from_csr(&B, U->half, SPW_DIAGONAL_ONE, &V));
    assert_int_not_equal(T->half, U->half);
    assert_int_equal(U->n, V.n);
    assert_int_equal(U->nnz, V.nnz);
    assert_memory_equal(U->row_ptr, V.row_ptr, ((size_t)V.n + 1) * sizeof *V.row_ptr);
    assert_memory_equal(U->col_idx, V.col_idx, (size_t)V.nnz * sizeof *V.col_idx);
    assert_null(U->inverse);
    assert_null(U->begin);
    for (spw_idx k = 0; k < V.n; k++) {
        const spw_idx i = V.half == SPW_UPPER ? V.n - 1 - k : k;
        for (spw_idx at = V.row_ptr[k]; at < V.row_ptr[k + 1]; at++)
            V.val[at] *= T->inverse ? T->inverse[i] : 1;
    }
    assert_memory_equal(U->val, V.val, (size_t)V.nnz * sizeof *V.val);
}

TEST(transposes_are_those_of_the_matrix) {
    for (int m = 0; m < N_NAMES; m++) {
        OWN(spw_csr) A = generated(names[m]);
        for (int half = 0; half < 2; half++)
            for (int own = 0; own < 2; own++)
                for (int threads = 1; threads < 40; threads = 3 * threads + 1) {
                    if (own && strstr(names[m], "random")) continue;
                    OWN(spw_triangle) T, U;
                    spw_set_threads(threads);
                    assert_ok(spw_triangle_from_csr(&A, (spw_half)half,
                                                    own ? SPW_DIAGONAL_OWN : SPW_DIAGONAL_ONE, &T));
                    assert_ok(spw_triangle_transpose(&T, &U));
                    assert_transposed(&A, &T, &U);
                }
    }
}

/* --- several vectors ------------------------------------------------------------------------------------------ */

/* Vector j is that of every_kernel_solves, 1 + j times as large: so must the solution be. Behind each row are two
 * elements that nobody may touch. */
static void assert_block(const spw_triangle *T, spw_trsm_csr_fn solve, int nv, const double *b,
                         const double *x) {
    const int64_t ld = nv + 2;
    double *B = zeros(T->n * ld), *X = zeros(T->n * ld);
    for (int in_place = 0; in_place < 2; in_place++) {
        for (int64_t k = 0; k < T->n * ld; k++) {
            B[k] = k % ld < nv ? (1.0 + (double)(k % ld)) * b[k / ld] : -7;
            X[k] = in_place ? B[k] : k % ld < nv ? NAN : -7;
        }
        solve(T, nv, in_place ? X : B, ld, X, ld);
        for (int64_t k = 0; k < T->n * ld; k++) {
            const double factor = 1.0 + (double)(k % ld);
            const double expected = k % ld < nv ? factor * x[k / ld] : -7;
            if (!(fabs(X[k] - expected) <= 1e-12 * factor * (1 + fabs(x[k / ld]))))
                fail_msg("nv %d, row %d, vector %d: %g, not %g", nv, (int)(k / ld), (int)(k % ld),
                         X[k], expected);
        }
    }
}

TEST(blocks_are_solved_vector_by_vector) {
    static const char *const grids[] = {"laplace2d:17x13", "tridiag:50", "stencil27:5"};
    static const int counts[] = {1, 3, 8, 19};
    for (int m = 0; m < 3; m++) {
        OWN(spw_csr) A = generated(grids[m]);
        double *b = zeros(A.n_rows), *x = zeros(A.n_rows);
        for (spw_idx i = 0; i < A.n_rows; i++) b[i] = cos(i * 7);
        for (int kind = 0; kind < 6; kind++) {
            OWN(spw_triangle) T;
            assert_ok(
                spw_triangle_from_csr(&A, (spw_half)(kind % 2), (spw_diagonal)(kind / 2), &T));
            assert_ok(spw_triangle_schedule(&T, 2, 4));
            spw_trsv_csr_ref(&T, b, x);
            for (int threads = 1; with_threads(threads, 3); threads++)
                for (int c = 0; c < 4; c++) {
                    for (const spw_kernel *v = spw_kernels("trsm_csr"); v->symbol; v++)
                        assert_block(&T, (spw_trsm_csr_fn *)v->function, counts[c], b, x);
                }
        }
    }
}

/* --- the schedule --------------------------------------------------------------------------------------------- */

/* Each row is solved once, after what it needs; what another thread solves is waited for. */
static void assert_schedule(const spw_triangle *T) {
    int64_t *when =
        zeroed(T->n, sizeof *when); /* level, then thread, then place in the share; 0: never */
    int64_t solved = 0, place = 0;
    const int64_t shares = (int64_t)T->n_levels * T->threads;
    spw_idx *level = zeroed(T->n, sizeof *level), *thread = zeroed(T->n, sizeof *thread);
    for (int64_t s = 0; s < shares; s++)
        for (spw_idx block = T->share_ptr[s]; block < T->share_ptr[s + 1]; block++)
            for (spw_idx k = T->begin[block]; k < T->end[block]; k++, solved++) {
                assert_in_range(k, 0, T->n - 1);
                assert_int_equal(when[k], 0);
                when[k] = ++place;
                level[k] = (spw_idx)(s / T->threads);
                thread[k] = (spw_idx)(s % T->threads);
                for (spw_idx at = T->row_ptr[k]; at < T->row_ptr[k + 1]; at++) {
                    const spw_idx j = T->col_idx[at];
                    const spw_idx needed = T->half == SPW_UPPER ? T->n - 1 - j : j;
                    assert_true(when[needed] > 0);
                    if (thread[needed] == thread[k]) continue;
                    assert_true(level[needed] < level[k]);
                    assert_true(level[needed] < T->wait_level[s]);
                }
                assert_true(T->wait_level[s] <= level[k]);
            }
    assert_int_equal(solved, T->n);
    if (T->n) assert_int_equal(T->share_ptr[shares], T->n_blocks);
}

TEST(schedules_keep_their_promises) {
    for (int m = 0; m < N_NAMES; m++) {
        OWN(spw_csr) A = generated(names[m]);
        for (int half = 0; half < 2; half++) {
            OWN(spw_triangle) T;
            assert_ok(spw_triangle_from_csr(&A, (spw_half)half, SPW_DIAGONAL_ONE, &T));
            for (int threads = 1; threads <= 5; threads += 2)
                for (spw_idx block = 0; block < 130; block = 3 * block + 1) {
                    assert_ok(spw_triangle_schedule(&T, threads, block));
                    assert_int_equal(T.threads, threads);
                    assert_schedule(&T);
                }
        }
    }
}

/* That of the other triangle from its end where the pattern is symmetric, and a good one in any case. */
TEST(a_schedule_is_turned_round) {
    static const char *const more[] = {"random:60x60x5", "random:300x300x2", "powerlaw:500"};
    for (int m = 0; m < N_NAMES + 3; m++) {
        const char *const name = m < N_NAMES ? names[m] : more[m - N_NAMES];
        OWN(spw_csr) A = generated(name);
        for (int half = 0; half < 2; half++)
            for (int threads = 1; threads <= 4; threads++)
                for (spw_idx block = 0; block < 50; block = 3 * block + 1) {
                    OWN(spw_triangle) T, other;
                    assert_ok(spw_triangle_from_csr(&A, (spw_half)half, SPW_DIAGONAL_ONE, &T));
                    assert_ok(spw_triangle_from_csr(&A, (spw_half)!half, SPW_DIAGONAL_ONE, &other));
                    assert_ok(spw_triangle_schedule(&other, threads, block));
                    assert_ok(spw_triangle_schedule_turned(&T, &other));
                    assert_int_equal(T.threads, threads);
                    assert_schedule(&T);
                    if (strncmp(name, "random", 6) != 0 && strncmp(name, "powerlaw", 8) != 0) {
                        assert_int_equal(T.block, other.block);
                        assert_int_equal(T.n_blocks, other.n_blocks);
                        assert_int_equal(T.n_levels, other.n_levels);
                    }
                }
    }
}

static void assert_levels(const char *name, int threads, spw_idx block, int levels, int blocks) {
    OWN(spw_triangle) T;
    OWN(spw_csr) A = generated(name);
    assert_ok(spw_triangle_from_csr(&A, SPW_LOWER, SPW_DIAGONAL_OWN, &T));
    assert_ok(spw_triangle_schedule(&T, threads, block));
    assert_int_equal(T.n_levels, levels);
    if (blocks) assert_int_equal(T.n_blocks, blocks);
}

TEST(levels_are_those_of_the_grid) {
    assert_levels("laplace2d:3", 2, 1, 5, 0);
    assert_levels("laplace2d:9x7", 2, 1, 15, 0); /* x + y */
    assert_levels("laplace3d:5x6x7", 2, 1, 16, 0);
    assert_levels("stencil27:6x5x4", 2, 1, 5 + 2 * 4 + 4 * 3 + 1, 0); /* x + 2 y + 4 z */
    assert_levels("stencil27:6x5x4", 2, 6, 4 + 2 * 3 + 1, 0);         /* lines: y + 2 z */
    assert_levels("laplace2d:8x7", 2, 4, 8, 14); /* two pieces a line, of which the second waits */
    assert_levels("tridiag:100000", 2, 0, 1, 1); /* nothing to share: one thread does it */
    assert_levels("laplace2d:40", 1, 0, 1, 1);   /* nobody to share with */
    assert_levels("stencil27:40", 2, 0, 39 + 2 * 39 + 1, 0); /* lines are worth it */
}

TEST(a_matrix_without_a_triangle_is_one_level) {
    double diagonal[100] = {0}, b[10], x[10];
    for (int i = 0; i < 10; i++) diagonal[11 * i] = i + 1, b[i] = 3 * (i + 1);
    OWN(spw_csr) A = matrix_of(10, 10, diagonal), none = case_of("nothing", 0);
    OWN(spw_triangle) T, no_rows;
    assert_ok(spw_triangle_from_csr(&A, SPW_UPPER, SPW_DIAGONAL_OWN, &T));
    assert_ok(spw_triangle_schedule(&T, 2, 1));
    assert_int_equal(T.n_levels, 1);
    assert_int_equal(T.n_blocks, 2); /* neighbours in a share are one block */
    assert_int_equal(T.end[0], 5);
    spw_trsv_csr_omp_wait(&T, b, x);
    for (int i = 0; i < 10; i++) assert_true(fabs(x[i] - 3) < 1e-15);
    assert_ok(spw_triangle_from_csr(&none, SPW_LOWER, SPW_DIAGONAL_OWN, &no_rows));
    assert_ok(spw_triangle_schedule(&no_rows, 2, 0));
    assert_int_equal(no_rows.n_levels, 0);
    for (const spw_kernel *v = spw_kernels("trsv_csr"); v->symbol; v++)
        ((spw_trsv_csr_fn *)v->function)(&no_rows, NULL, NULL);
}

/* --- what is refused -------------------------------------------------------------------------------------------- */

TEST(a_diagonal_without_inverse_is_named) {
    OWN(spw_triangle) T;
    spw_idx row_ptr[] = {0, 1, 2, 3}, missing[] = {0, 0, 2}, there[] = {0, 1, 2};
    double val[] = {1, 0, 5};
    spw_csr A = {3, 3, 3, row_ptr, missing, val};
    assert_message(spw_triangle_from_csr(&A, SPW_LOWER, SPW_DIAGONAL_OWN, &T), SPW_ERR_ARG,
                   "row 1 has no diagonal entry");
    assert_null(T.row_ptr);
    assert_ok(spw_triangle_from_csr(&A, SPW_LOWER, SPW_DIAGONAL_ONE, &T));
    spw_triangle_destroy(&T);
    A.col_idx = there;
    assert_message(spw_triangle_from_csr(&A, SPW_UPPER, SPW_DIAGONAL_DIVIDED, &T), SPW_ERR_ARG,
                   "the diagonal entry of row 1 is 0, which has no inverse");
    A.n_cols = 4;
    assert_error(spw_triangle_from_csr(&A, SPW_UPPER, SPW_DIAGONAL_ONE, &T), SPW_ERR_ARG, "3 x 4");
    A.n_cols = 3;
    assert_ok(spw_triangle_from_csr(&A, SPW_UPPER, SPW_DIAGONAL_ONE, &T));
    assert_int_equal(spw_triangle_schedule(&T, 0, 1), SPW_ERR_ARG);
    assert_error(spw_triangle_schedule(&T, 1, -1), SPW_ERR_ARG, "blocks of -1");
    assert_null(T.begin);
    OWN(spw_triangle) other = {0};
    assert_int_equal(spw_triangle_schedule_turned(&T, &other), SPW_ERR_ARG); /* no schedule */
    assert_ok(spw_triangle_from_csr(&A, SPW_UPPER, SPW_DIAGONAL_ONE, &other));
    assert_ok(spw_triangle_schedule(&other, 2, 0));
    assert_int_equal(spw_triangle_schedule_turned(&T, &other), SPW_ERR_ARG); /* the same half */
    assert_says(spw_message(), "the other triangle");
    assert_null(T.begin);
}

TEST(no_memory_is_a_status) {
    OWN(spw_triangle) T;
    OWN(spw_csr) A = generated("laplace2d:9");
    assert_in_range(
        FAILURES(spw_triangle_from_csr(&A, SPW_LOWER, SPW_DIAGONAL_OWN, &T), !T.row_ptr), 3, 5);
    assert_in_range(FAILURES(spw_triangle_schedule(&T, 2, 1), !T.begin), 8, 10);
    OWN(spw_triangle) U;
    assert_in_range(FAILURES(spw_triangle_transpose(&T, &U), !U.row_ptr), 4, 5);
    assert_in_range(FAILURES(spw_triangle_schedule_turned(&U, &T), !U.begin), 6, 7);
}
