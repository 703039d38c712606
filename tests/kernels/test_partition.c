/* kernels/schedule/partition.h: shares cover the matrix once, are even, and keep short rows whole. */
#include "kernels/schedule/partition.h"

#include "kit/cases.h"
#include "test.h"

static const int parts[] = {1, 2, 3, 7, 64, 1000};
enum { PARTS = sizeof parts / sizeof *parts };

static spw_csr_shares divide(const spw_csr *A, int n) {
    spw_csr_shares s;
    spw_csr_divide(A, n, &s);
    return s;
}

/* Checks the n shares of every case, for all n of parts. */
static void for_all(void (*check)(const spw_csr *A, const spw_csr_shares *s, int n)) {
    for (int c = 0; c < spw_csr_case_count(); c++) {
        OWN(spw_csr) A = case_of(spw_csr_case_name(c), 1);
        for (int p = 0; p < PARTS; p++) {
            const spw_csr_shares s = divide(&A, parts[p]);
            check(&A, &s, parts[p]);
        }
    }
}

static bool is_giant(const spw_csr_shares *s, spw_idx row) {
    for (int g = 0; g < s->n_giants; g++)
        if (s->giants[g] == row) return true;
    return false;
}

/* Rows, and entries that are not of giants, in front of the cut. Counted one by one. */
static int64_t work(const spw_csr_shares *s, spw_csr_cut cut) {
    const spw_idx *row_ptr = s->A->row_ptr;
    int64_t sum = cut.row;
    for (spw_idx i = 0; i < cut.row; i++) sum += is_giant(s, i) ? 0 : row_ptr[i + 1] - row_ptr[i];
    return sum + cut.entry - row_ptr[cut.row];
}

/* The example of the header. */
TEST(example_is_cut_at_row_2) {
    spw_idx row_ptr[] = {0, 3, 4, 4, 5, 7};
    const spw_csr A = {.n_rows = 5, .n_cols = 3, .nnz = 7, .row_ptr = row_ptr};
    const spw_csr_shares s = divide(&A, 2);
    const spw_csr_cut cut = spw_csr_share_begin(&s, 1);
    assert_int_equal(cut.row, 2);
    assert_int_equal(cut.entry, 4);
}

static void ends_are_those_of_the_matrix(const spw_csr *A, const spw_csr_shares *s, int n) {
    const spw_csr_cut first = spw_csr_share_begin(s, 0), last = spw_csr_share_begin(s, n);
    assert_true(first.row == 0 && first.entry == 0);
    assert_true(last.row == A->n_rows && last.entry == A->nnz);
}

TEST(shares_begin_at_the_start_and_end_at_the_end) { for_all(ends_are_those_of_the_matrix); }

static void cuts_ascend(const spw_csr *A, const spw_csr_shares *s, int n) {
    int64_t before = 0;
    for (int t = 0; t <= n; t++) {
        const spw_csr_cut cut = spw_csr_share_begin(s, t);
        assert_true((int64_t)cut.row + cut.entry >= before);
        before = (int64_t)cut.row + cut.entry;
        assert_in_range(cut.row, 0, A->n_rows);
        if (cut.row == A->n_rows) {
            assert_int_equal(cut.entry, A->nnz);
            continue;
        }
        const spw_idx begin = A->row_ptr[cut.row], end = A->row_ptr[cut.row + 1];
        assert_true(cut.entry == begin || (cut.entry > begin && cut.entry < end));
        if (cut.entry > begin) assert_true(end - begin >= SPW_SHARE_FROM && !is_giant(s, cut.row));
    }
}

TEST(cuts_ascend_and_lie_inside_their_row) { for_all(cuts_ascend); }

static void shares_are_even(const spw_csr *A, const spw_csr_shares *s, int n) {
    (void)A;
    const int64_t all = work(s, spw_csr_share_begin(s, n));
    for (int t = 0; t <= n; t += 1 + n / 64) {
        const double even = (double)all * t / n;
        const double off = (double)work(s, spw_csr_share_begin(s, t)) - even;
        assert_true(off <= SPW_SHARE_FROM / 2 + 2 && off >= -SPW_SHARE_FROM / 2 - 2);
    }
}

TEST(shares_differ_by_less_than_a_short_row) { for_all(shares_are_even); }

TEST(a_long_row_is_cut) {
    int inside = 0;
    OWN(spw_csr) A = case_of("many-long-rows", 1);
    const spw_csr_shares s = divide(&A, 7);
    assert_int_equal(s.n_giants, 0);
    for (int t = 1; t < 7; t++) {
        const spw_csr_cut cut = spw_csr_share_begin(&s, t);
        inside += cut.entry > A.row_ptr[cut.row];
    }
    assert_in_range(inside, 4, 6);
}

static int giants_found;

/* Against a search that looks at every row. */
static void giants_are_long(const spw_csr *A, const spw_csr_shares *s, int n) {
    const int most = n < 16 ? 4 * n : 64;
    int giants = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const int64_t length = A->row_ptr[i + 1] - A->row_ptr[i];
        const bool giant = length >= SPW_GIANT_FROM && length * most >= A->nnz;
        assert_true(giant == is_giant(s, i));
        assert_true(giant == (length >= s->giant_length));
        giants += giant;
    }
    assert_int_equal(giants, s->n_giants);
    giants_found += giants;
}

TEST(giants_are_the_rows_with_a_good_part_of_all_entries) {
    for_all(giants_are_long);
    assert_true(giants_found > 3 * PARTS - 1); /* long-row has one, two-long-rows has two */
}

TEST(giants_are_cut_into_equal_parts) {
    OWN(spw_csr) A = case_of("two-long-rows", 1);
    const spw_csr_shares s = divide(&A, 7);
    assert_int_equal(s.n_giants, 2);
    for (int g = 0; g < 2; g++) {
        const spw_idx row = s.giants[g];
        assert_int_equal(spw_csr_giant_begin(&s, g, 0), A.row_ptr[row]);
        assert_int_equal(spw_csr_giant_begin(&s, g, 7), A.row_ptr[row + 1]);
        const int64_t even = (A.row_ptr[row + 1] - A.row_ptr[row]) / 7;
        for (int t = 0; t < 7; t++) {
            const int64_t part = spw_csr_giant_begin(&s, g, t + 1) - spw_csr_giant_begin(&s, g, t);
            assert_in_range(part, even, even + 1);
        }
    }
}

/* 64 equal rows are 64 giants, not more; 32-bit numbers would overflow. Nothing is allocated for the
 * entries. */
TEST(sizes_near_the_limit_do_not_overflow) {
    spw_idx row_ptr[SPW_GIANTS + 1];
    for (int i = 0; i <= SPW_GIANTS; i++)
        row_ptr[i] = (spw_idx)((int64_t)SPW_IDX_MAX / SPW_GIANTS * i);
    const spw_csr A = {.n_rows = SPW_GIANTS,
                       .n_cols = SPW_IDX_MAX,
                       .nnz = row_ptr[SPW_GIANTS],
                       .row_ptr = row_ptr};
    const spw_csr_shares many = divide(&A, 1000);
    assert_int_equal(many.n_giants, SPW_GIANTS);
    assert_int_equal(spw_csr_giant_begin(&many, SPW_GIANTS - 1, 1000), A.nnz);
    assert_int_equal(spw_csr_share_begin(&many, 500).row, SPW_GIANTS / 2);

    const spw_csr_shares few = divide(&A, 2);
    assert_int_equal(few.n_giants, 0);
    const spw_csr_cut cut = spw_csr_share_begin(&few, 1);
    assert_true(cut.entry >= A.nnz / 2 - 64 && cut.entry <= A.nnz / 2 + 64);
}

/* Against a walk along all slices. */
TEST(simple_cuts_are_the_first_slices_that_reach_their_part) {
    static const spw_idx rows[] = {0, 4, 6, 6, 7, 40, 41}, none[] = {0}, flat[] = {0, 0, 0, 0};
    const struct {
        const spw_idx *ptr;
        int64_t n;
    } cases[] = {{rows, 6}, {none, 0}, {flat, 3}};
    for (int c = 0; c < 3; c++)
        for (int64_t height = 1; height <= 32; height *= 8)
            for (int n_parts = 1; n_parts <= 9; n_parts++)
                for (int part = 0; part <= n_parts; part++) {
                    const spw_idx *ptr = cases[c].ptr;
                    const int64_t n = cases[c].n, all = ptr[n] + n * height;
                    const int64_t big = all % n_parts; /* parts of one unit more come first */
                    const int64_t goal = all / n_parts * part + (part < big ? part : big);
                    int64_t s = 0;
                    while (s < n && ptr[s] + s * height < goal) s++;
                    if (part == n_parts) s = n;
                    assert_int_equal(spw_cut_at(ptr, n, height, part, n_parts), s);
                }
    static const spw_idx example[] = {0, 3, 4, 4, 5, 7};
    assert_int_equal(spw_cut_at(example, 5, 1, 1, 2), 2); /* of the header */
}
