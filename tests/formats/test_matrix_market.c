/* formats/matrix_market.h: what is read, what is refused and with which words, from memory, from a
 * file and from gzip, for 1, 3 and all threads; the writer. */
#include "formats/matrix_market.h"

#include "base/random.h"
#include "test.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* --- helpers ------------------------------------------------------------------------------------- */

/* Packs as gzip does. */
static unsigned char *pack(const void *text, size_t length, size_t *packed) {
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    const size_t room = deflateBound(&stream, (uLong)length) + 100;
    unsigned char *bytes = zeroed((int64_t)room, 1);
    stream.next_in = (unsigned char *)(uintptr_t)text;
    stream.avail_in = (unsigned)length;
    stream.next_out = bytes;
    stream.avail_out = (unsigned)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    *packed = stream.total_out;
    deflateEnd(&stream);
    return bytes;
}

static void write_packed(const char *name, const void *text, size_t length) {
    size_t packed;
    unsigned char *bytes = pack(text, length, &packed);
    put_file(name, bytes, packed);
}

static int is_same(const spw_coo *A, const spw_coo *B) {
    return A->n_rows == B->n_rows && A->n_cols == B->n_cols && A->nnz == B->nnz &&
           memcmp(A->row_idx, B->row_idx, (size_t)A->nnz * sizeof *A->row_idx) == 0 &&
           memcmp(A->col_idx, B->col_idx, (size_t)A->nnz * sizeof *A->col_idx) == 0 &&
           memcmp(A->val, B->val, (size_t)A->nnz * sizeof *A->val) == 0;
}

/* "2x3: 1,1=5 2,3=-1" */
static void describe(const spw_coo *A, char *out, size_t room) {
    size_t length = (size_t)snprintf(out, room, "%dx%d:", A->n_rows, A->n_cols);
    for (spw_idx k = 0; k < A->nnz && length < room; k++)
        length += (size_t)snprintf(out + length, room - length, " %d,%d=%.17g", A->row_idx[k] + 1,
                                   A->col_idx[k] + 1, A->val[k]);
}

enum { LONG_N = 3000, LONG_NNZ = 40000 };

typedef struct joined {
    spw_coo *A;
    int blocks;
} joined;

static spw_status join(void *context, const spw_coo *block) {
    joined *all = context;
    spw_coo *A = all->A, both;
    assert_ok(spw_coo_create(block->n_rows, block->n_cols, A->nnz + block->nnz, &both));
    for (int from = 0; from < 2; from++) {
        const spw_coo *B = from ? block : A;
        for (spw_idx k = 0, to = from ? A->nnz : 0; k < B->nnz; k++, to++) {
            both.row_idx[to] = B->row_idx[k];
            both.col_idx[to] = B->col_idx[k];
            both.val[to] = B->val[k];
        }
    }
    spw_coo_destroy(A);
    *A = both;
    all->blocks++;
    return SPW_OK;
}

/* Mirrored entries come earlier, and in CSR the two are the same to the bit. */
static void assert_same_in_csr(const spw_coo *A, const spw_coo *B) {
    OWN(spw_csr) C;
    OWN(spw_csr) D;
    assert_ok(spw_csr_from_coo(A, &C));
    assert_ok(spw_csr_from_coo(B, &D));
    assert_same_csr(&C, &D);
}

/* As block by block, it is the same, or refused for the same line; only gzip and blocks cannot compare sizes first. */
static void read_in_blocks(const char *path, const spw_coo *A, spw_status expected) {
    OWN(spw_coo) B = {0};
    char message[1024];
    joined all = {&B, 0};
    snprintf(message, sizeof message, "%s", spw_message());
    const spw_status status = spw_coo_read_blocks(path, join, &all);
    assert_int_equal(status, expected);
    if (status == SPW_ERR_FORMAT && !strstr(message, "can hold"))
        assert_string_equal(spw_message(), message);
    if (status) return;
    if (all.blocks == 1)
        assert_true(is_same(A, &B));
    else
        assert_same_in_csr(A, &B);
    if (A->nnz > LONG_NNZ) assert_true(all.blocks > 1);
}

/* Reads a text in four ways, which must agree. The message is that of the way from memory. */
static spw_status read_all_ways(const char *text, size_t length, spw_coo *A) {
    char message[1024], expected[2048];
    const spw_status status = spw_coo_parse_matrix_market("m.mtx", text, length, A);
    snprintf(message, sizeof message, "%s", spw_message());
    if (status) assert_no_coo(A);

    for (int packed = 0; packed < 2; packed++) {
        OWN(spw_coo) B = {.nnz = 99};
        const char *path = own_path("m.mtx");
        if (packed)
            write_packed("m.mtx", text, length);
        else
            put_file("m.mtx", text, length);
        assert_int_equal(spw_coo_read_matrix_market(path, &B), status);
        if (status) {
            assert_no_coo(&B);
            snprintf(expected, sizeof expected, "%s%s", path, message + strlen("m.mtx"));
            if (status == SPW_ERR_FORMAT) assert_string_equal(spw_message(), expected);
        } else {
            assert_true(is_same(A, &B));
        }
        read_in_blocks(path, A, status);
    }
    spw_error(status, "%s", message);
    return status;
}

/* --- good texts ---------------------------------------------------------------------------------- */

#define REAL     "%%MatrixMarket matrix coordinate real general\n"
#define INTEGER  "%%MatrixMarket matrix coordinate integer general\n"
#define PATTERN  "%%MatrixMarket matrix coordinate pattern general\n"
#define SYMMETRY "%%MatrixMarket matrix coordinate real symmetric\n"
#define SKEW     "%%MatrixMarket matrix coordinate real skew-symmetric\n"

typedef struct good {
    const char *text, *matrix;
} good;

/* clang-format off */
static const good good_texts[] = {
    {REAL "2 3 2\n1 1 5\n2 3 -1\n",               "2x3: 1,1=5 2,3=-1"},
    {"%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 4\n1 1 2.0\n2 1 -1.0\n2 2 2.0\n3 3 1e-3\n",
                                                  "3x3: 1,1=2 2,1=-1 2,2=2 3,3=0.001 1,2=-1"},
    /* banner and line ends */
    {"%%MATRIXMARKET MATRIX COORDINATE REAL GENERAL\n1 1 1\n1 1 5\n", "1x1: 1,1=5"},
    {"%%matrixmarket\tMatrix  coordinate Real gEneral \t\n1 1 1\n1 1 5\n", "1x1: 1,1=5"},
    {"%%MatrixMarket matrix coordinate real general\r\n% c\r\n1 1 1\r\n1 1 5\r\n", "1x1: 1,1=5"},
    {REAL "1 1 1\n1 1 5",                         "1x1: 1,1=5"},
    {REAL "1 1 1\n1 1 5\r",                       "1x1: 1,1=5"},
    {REAL "1 1 1\n1 1 5\n\n \n\t\n\r\n",          "1x1: 1,1=5"},
    {REAL "\n\n  \n1 2 2\n\n1 1 5\n\r\n \t \n1 2 6\n", "1x2: 1,1=5 1,2=6"},
    {REAL "%\n%%\n  % indented\n% 5 5 5\n1 1 1\n1 1 5\n", "1x1: 1,1=5"},
    {REAL "% caf\xc3\xa9 \x01\n1 1 1\n1 1 5\n",   "1x1: 1,1=5"},
    {REAL "  1\t1   1  \n \t1   1\t5 \t\n",        "1x1: 1,1=5"},
    {REAL "01 001 0001\n0001 01 005\n",           "1x1: 1,1=5"},
    /* sizes */
    {REAL "0 0 0\n",                              "0x0:"},
    {REAL "0 5 0",                                "0x5:"},
    {REAL "3 4 0\n",                              "3x4:"},
    {REAL "2147483647 2147483647 1\n2147483647 2147483647 1\n", "2147483647x2147483647: 2147483647,2147483647=1"},
    {SYMMETRY "0 0 0\n",                          "0x0:"},
    /* values */
    {REAL "1 9 9\n1 1 +1.5\n1 2 1.\n1 3 .5\n1 4 1E+05\n1 5 -2e-3\n1 6 1.5D2\n1 7 1d-2\n1 8 -0\n1 9 0\n",
     "1x9: 1,1=1.5 1,2=1 1,3=0.5 1,4=100000 1,5=-0.002 1,6=150 1,7=0.01 1,8=-0 1,9=0"},
    {REAL "1 3 3\n1 1 1e-400\n1 2 4.9406564584124654e-324\n1 3 1.7976931348623157e308\n",
     "1x3: 1,1=0 1,2=4.9406564584124654e-324 1,3=1.7976931348623157e+308"},
    {INTEGER "1 4 4\n1 1 7\n1 2 -2147483648\n1 3 +3\n1 4 9007199254740992\n",
     "1x4: 1,1=7 1,2=-2147483648 1,3=3 1,4=9007199254740992"},
    {INTEGER "1 2 2\n1 1 1152921504606846976\n1 2 -9223372036854775808\n",
     "1x2: 1,1=1.152921504606847e+18 1,2=-9.2233720368547758e+18"},
    {PATTERN "2 2 2\n1 2\n2 1 \n",                "2x2: 1,2=1 2,1=1"},
    /* duplicates and explicit zeros stay */
    {REAL "1 1 3\n1 1 1\n1 1 0\n1 1 -1\n",        "1x1: 1,1=1 1,1=0 1,1=-1"},
    /* symmetry */
    {SYMMETRY "2 2 3\n2 1 5\n2 2 6\n2 1 7\n",     "2x2: 2,1=5 2,2=6 2,1=7 1,2=5 1,2=7"},
    {SYMMETRY "3 3 3\n1 1 1\n2 2 2\n3 3 3\n",     "3x3: 1,1=1 2,2=2 3,3=3"},
    {SKEW "3 3 2\n2 1 5\n3 1 -6\n",               "3x3: 2,1=5 3,1=-6 1,2=-5 1,3=6"},
    {"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n", "2x2: 1,1=1 2,1=1 1,2=1"},
    {"%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 4\n", "2x2: 2,1=4 1,2=4"},
    {"%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 4\n", "2x2: 2,1=4 1,2=-4"},
};
/* clang-format on */

TEST(good_and_odd_texts_are_read) {
    for (size_t i = 0; i < sizeof good_texts / sizeof *good_texts; i++) {
        const good *g = &good_texts[i];
        char matrix[1024];
        OWN(spw_coo) A = {0};
        if (read_all_ways(g->text, strlen(g->text), &A))
            fail_msg("%s\nis refused: %s", g->text, spw_message());
        describe(&A, matrix, sizeof matrix);
        if (strcmp(matrix, g->matrix) != 0) fail_msg("%s\nbecame %s", g->text, matrix);
    }
}

/* --- bad texts ----------------------------------------------------------------------------------- */

typedef struct bad {
    const char *text;
    int line;
    const char *reason;
} bad;

/* A text with a NUL byte is written with \x7f in its place. */
/* clang-format off */
static const bad bad_texts[] = {
    /* banner */
    {"",                                                        1, "the file is empty"},
    {"\n" REAL "1 1 1\n1 1 5\n",                                1, "does not begin with %%MatrixMarket"},
    {"1 1 1\n1 1 5\n",                                          1, "does not begin with %%MatrixMarket"},
    {"%MatrixMarket matrix coordinate real general\n1 1 1\n",   1, "does not begin with %%MatrixMarket"},
    {"%%MatrixMarke",                                           1, "does not begin with %%MatrixMarket"},
    {"%%MatrixMarketX matrix coordinate real general\n",        1, "does not begin with %%MatrixMarket"},
    {"\x7f\x7f\x7f\x7f",                                        1, "does not begin with %%MatrixMarket"},
    {"%%MatrixMarket\n1 1 1\n",                                 1, "found the end of the line, expected \"matrix\""},
    {"%%MatrixMarket",                                          1, "found the end of the line, expected \"matrix\""},
    {"%%MatrixMarket vector coordinate real general\n",         1, "found \"vector\", expected \"matrix\""},
    {"%%MatrixMarket matrix array real general\n1 1\n5\n",      1, "dense (\"array\")"},
    {"%%MatrixMarket matrix ARRAY complex general\n1 1\n5 5\n", 1, "dense (\"array\")"},
    {"%%MatrixMarket matrix csr real general\n",                1, "found \"csr\", expected the format \"coordinate\""},
    {"%%MatrixMarket matrix coordinates real general\n",        1, "found \"coordinates\""},
    {"%%MatrixMarket matrix coordinate general\n1 1 0\n",       1, "found \"general\", expected the field"},
    {"%%MatrixMarket matrix coordinate double general\n1 1 0\n", 1, "found \"double\", expected the field"},
    {"%%MatrixMarket matrix coordinate complex general\n1 1 0\n", 1, "the matrix is complex"},
    {"%%MatrixMarket matrix coordinate Complex Hermitian\n1 1 0\n", 1, "the matrix is complex"},
    {"%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", 1, "hermitian"},
    {"%%MatrixMarket matrix coordinate real\n1 1 0\n",          1, "found the end of the line, expected \"general\""},
    {"%%MatrixMarket matrix coordinate real skew\n1 1 0\n",     1, "found \"skew\", expected \"general\""},
    {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n", 1, "a pattern has no signs"},
    {"%%MatrixMarket matrix coordinate real general 5\n1 1 0\n", 1, "found \"5\" behind the banner"},
    {"%%MatrixMarket matrix coordinate real gen\x7f" "eral\n1 1 0\n", 1, "found \"gen?eral\""},
    {"%%MatrixMarket matrix coordinate \x7freal general\n1 1 0\n", 1, "found a NUL byte"},
    /* line of sizes */
    {REAL,                                                      1, "ends before the line with the numbers"},
    {REAL "% only\n% comments\n",                               3, "ends before the line with the numbers"},
    {REAL "% nul \x7f\n1 1 0\n",                                2, "NUL byte"},
    {REAL "\n\n",                                               3, "ends before the line with the numbers"},
    {REAL "1 1\n",                                              2, "found the end of the line, expected the number of entries"},
    {REAL "1\n",                                                2, "found the end of the line, expected the number of columns"},
    {REAL "1 1 1 1\n1 1 5\n",                                   2, "found \"1\" behind the numbers of rows"},
    {REAL "a b c\n",                                            2, "found \"a\", expected the number of rows"},
    {REAL "-1 1 1\n",                                           2, "found \"-1\", expected the number of rows"},
    {REAL "+1 1 1\n",                                           2, "found \"+1\", expected the number of rows"},
    {REAL "1.0 1 1\n",                                          2, "found \"1.0\", expected the number of rows"},
    {REAL "1 1e0 1\n",                                          2, "found \"1e0\", expected the number of columns"},
    {REAL "0x1 1 1\n",                                          2, "found \"0x1\", expected the number of rows"},
    {REAL "1 1 1\x7f\n",                                        2, "NUL byte"},
    {REAL "1 1 1\r1 1 5\n",                                     2, "found \"1?1\""},
    {REAL "1 1 \x1b[31m1\n",                                    2, "found \"?[31m1\", expected the number of entries"},
    {REAL "2147483648 1 1\n1 1 5\n",                            2, "\"2147483648\" rows are more than 2147483647"},
    {REAL "1 4294967297 1\n1 1 5\n",                            2, "\"4294967297\" columns are more than"},
    {REAL "1 1 4294967297\n1 1 5\n",                            2, "\"4294967297\" entries are more than"},
    {REAL "18446744073709551617 1 1\n1 1 5\n",                  2, "\"18446744073709551617\" rows are more than"},
    {REAL "1 1 99999999999999999999999999999999\n",             2, "\"999999999999999999999999...\" entries are more"},
    {REAL "1000000 1000000 2000000000\n1 1 5\n",                2, "2000000000 entries, but the 6 bytes that follow can hold 1 at most"},
    {SYMMETRY "1000000 1000000 2147483647\n1 1 5\n",            2, "2147483647 entries, but the 6 bytes"},
    {PATTERN "9 9 3\n1 1\n1 1\n",                               2, "3 entries, but the 8 bytes that follow can hold 2 at most"},
    {REAL "1 1 1\n",                                            2, "1 entries, but the 0 bytes that follow can hold 0"},
    {SYMMETRY "2 3 1\n2 1 5\n",                                 2, "must be square, this one has 2 rows and 3 columns"},
    {SKEW "3 2 1\n2 1 5\n",                                     2, "must be square"},
    /* counts */
    {REAL "2 2 3\n1 1 5.0000000000\n2 2 6\n",                   4, "the file ends after 2 entries: line 2 says 3"},
    {REAL "2 2 3\n1 1 5.0000000000\n2 2 6\n\n\n",               6, "the file ends after 2 entries: line 2 says 3"},
    {REAL "2 2 1\n1 1 5\n2 2 6\n",                              4, "one entry too many: line 2 says 1"},
    {REAL "2 2 1\n1 1 5\n\n\n2 2 6\n1 2 7\n",                   6, "one entry too many: line 2 says 1"},
    {REAL "0 0 0\n1 1 5\n",                                     3, "found \"1\" behind the last of the 0 entries"},
    {REAL "2 2 1\n1 1 5\nthe end\n",                            4, "found \"the\" behind the last of the 1 entries that line 2 says"},
    {REAL "2 2 1\n1 1 5\n% the end\n",                          4, "found \"%\" behind the last"},
    {REAL "2 2 1\n1 1 5\n\x7f\x7f\x7f",                         4, "found a NUL byte behind the last"},
    {REAL "2 2 1\n1 1 5\x7f",                                   3, "found \"5?\", expected a finite number"},
    {REAL "2 2 1\n1 1 5 \x7f\n",                                3, "found a NUL byte behind entry (1, 1)"},
    {REAL "2 2 1\n1 x 5\n2 2 6\n",                              3, "found \"x\", expected the index of a column"},
    {REAL "2 2 9\n1 x 5\n2 2 6.0000000000000000000000000000000000000000000\n", 3, "found \"x\""},
    /* indices */
    {REAL "2 2 1\n0 1 5\n",                                     3, "row 0: indices begin with 1"},
    {REAL "2 2 1\n1 0 5\n",                                     3, "column 0: indices begin with 1"},
    {REAL "2 2 1\n3 1 5\n",                                     3, "row \"3\" is outside the matrix: line 2 says 2"},
    {REAL "2 2 1\n1 3 5\n",                                     3, "column \"3\" is outside the matrix: line 2 says 2"},
    {REAL "2 2 1\n4294967297 1 5\n",                            3, "row \"4294967297\" is outside"},
    {REAL "2 2 1\n1 18446744073709551617 5\n",                  3, "column \"18446744073709551617\" is outside"},
    {REAL "2 2 1\n-1 1 5\n",                                    3, "found \"-1\", expected the index of a row"},
    {REAL "2 2 1\n1.0 1 5\n",                                   3, "found \"1.0\", expected the index of a row"},
    {REAL "2 2 1\n1 1.5 5\n",                                   3, "found \"1.5\", expected the index of a column"},
    {REAL "2 2 1\n1,1,5\n",                                     3, "found \"1,1,5\", expected the index of a row"},
    {REAL "2 2 1\nrow col value\n",                             3, "found \"row\", expected the index of a row"},
    {REAL "2 2 1\n1       \n",                                  3, "found the end of the line, expected the index of a column"},
    {REAL "2 2 1\n% no comment\n1 1 5\n",                       3, "found \"%\", expected the index of a row"},
    {REAL "2 2 2\n1 1 5\n1 1\v5\n",                             4, "found \"1?5\""},
    /* values */
    {REAL "2 2 1\n1 1    \n",                                   3, "found the end of the line, expected a finite number"},
    {REAL "2 2 1\n1 1 nan\n",                                   3, "found \"nan\", expected a finite number"},
    {REAL "2 2 1\n1 1 -NaN\n",                                  3, "found \"-NaN\", expected a finite number"},
    {REAL "2 2 1\n1 1 inf\n",                                   3, "found \"inf\", expected a finite number"},
    {REAL "2 2 1\n1 1 -Infinity\n",                             3, "found \"-Infinity\", expected a finite number"},
    {REAL "2 2 1\n1 1 1e999\n",                                 3, "the value \"1e999\" is too large for a double"},
    {REAL "2 2 1\n1 1 -1.8e308\n",                              3, "the value \"-1.8e308\" is too large for a double"},
    {REAL "2 2 1\n1 1 0x1p3\n",                                 3, "found \"0x1p3\", expected a finite number"},
    {REAL "2 2 1\n1 1 1,5\n",                                   3, "found \"1,5\", expected a finite number"},
    {REAL "2 2 1\n1 1 1.5.5\n",                                 3, "found \"1.5.5\", expected a finite number"},
    {REAL "2 2 1\n1 1 1e\n",                                    3, "found \"1e\", expected a finite number"},
    {REAL "2 2 1\n1 1 e5\n",                                    3, "found \"e5\", expected a finite number"},
    {REAL "2 2 1\n1 1 --5\n",                                   3, "found \"--5\", expected a finite number"},
    {REAL "2 2 1\n1 1 1.5+3\n",                                 3, "found \"1.5+3\", expected a finite number"},
    {REAL "2 2 1\n1 1 .\n",                                     3, "found \".\", expected a finite number"},
    {REAL "2 2 1\n1 1 5 6\n",                                   3, "found \"6\" behind entry (1, 1)"},
    {REAL "2 2 1\n1 1 5 % c\n",                                 3, "found \"%\" behind entry (1, 1)"},
    {REAL "2 2 1\n1 1 5 \r \n",                                 3, "found \"?\" behind entry (1, 1)"},
    {INTEGER "2 2 1\n1 1 1.5\n",                                3, "found \"1.5\", expected an integer"},
    {INTEGER "2 2 1\n1 1 1e3\n",                                3, "found \"1e3\", expected an integer"},
    {INTEGER "2 2 1\n1 1 -\n",                                  3, "found \"-\", expected an integer"},
    {INTEGER "2 2 1\n1 1 9007199254740993\n",                   3, "the value \"9007199254740993\" is too large for a double"},
    {INTEGER "2 2 1\n1 1 18446744073709551150\n",               3, "the value \"18446744073709551150\" is too large for a double"},
    {INTEGER "2 2 1\n1 1 18446744073709551617\n",               3, "is too large for a double"},
    {INTEGER "2 2 1\n1 1 18446744073709551615\n",               3, "is too large for a double"},
    {PATTERN "2 2 1\n1 1 5\n",                                  3, "found \"5\" behind entry (1, 1)"},
    /* symmetry */
    {SYMMETRY "2 2 1\n1 2 5\n",                                 3, "entry (1, 2) is above the diagonal"},
    {SKEW "2 2 1\n1 2 5\n",                                     3, "entry (1, 2) is above the diagonal"},
    {SKEW "2 2 2\n2 1 5\n2 2 0\n",                              4, "entry (2, 2) is on the diagonal of a skew-symmetric matrix"},
    /* the first of several */
    {REAL "2 2 3\n1 1 5\n1 1 x\n1 1 y\n",                       4, "found \"x\""},
};
/* clang-format on */

TEST(bad_texts_are_refused_with_line_and_reason) {
    for (size_t i = 0; i < sizeof bad_texts / sizeof *bad_texts; i++) {
        const bad *b = &bad_texts[i];
        char text[512], begin[32];
        const size_t length = strlen(b->text);
        assert_true(length < sizeof text);
        for (size_t k = 0; k < length; k++) text[k] = (char)(b->text[k] == 0x7f ? 0 : b->text[k]);

        spw_coo A = {.nnz = 99};
        const spw_status status = read_all_ways(text, length, &A);
        if (!status) fail_msg("%s\nis accepted", b->text);
        assert_int_equal(status, strstr(b->reason, "are more") ? SPW_ERR_RANGE : SPW_ERR_FORMAT);
        snprintf(begin, sizeof begin, "m.mtx:%d: ", b->line);
        if (strncmp(spw_message(), begin, strlen(begin)) != 0 || !strstr(spw_message(), b->reason))
            fail_msg("%s\ngives \"%s\", not \"%s... %s\"", b->text, spw_message(), begin,
                     b->reason);
    }
}

TEST(no_beginning_of_a_text_is_accepted) {
    const char text[] = SYMMETRY "% c\n3 3 4\n1 1 2.0\n2 1 -1.25\n2 2 2\n3 3 7\n";
    const size_t whole = sizeof text - 1;
    for (size_t length = 0; length <= whole; length++) {
        /* In a block of its own, so that a read beyond it is seen by the sanitizer. */
        char *part = malloc(length + !length);
        assert_non_null(part);
        memcpy(part, text, length);
        OWN(spw_coo) A;
        const spw_status status = spw_coo_parse_matrix_market("m", part, length, &A);
        free(part);
        assert_int_equal(status,
                         length < whole - 1 ? SPW_ERR_FORMAT : SPW_OK); /* the last LF may lack */
    }
}

TEST(of_a_very_long_path_the_message_shows_the_end) {
    char name[3000];
    spw_coo A;
    memset(name, 'd', sizeof name);
    strcpy(name + sizeof name - 7, "/m.mtx");
    assert_error(spw_coo_parse_matrix_market(name, REAL "x", strlen(REAL "x"), &A), SPW_ERR_FORMAT,
                 "d/m.mtx:2: found \"x\", expected the number of rows");
}

/* --- long texts ---------------------------------------------------------------------------------- */

typedef struct text {
    char *bytes;
    size_t length, room;
} text;

static void text_destroy(text *T) { free(T->bytes); }

static void append(text *T, const char *format, ...) SPW_PRINTF(2, 3);
static void append(text *T, const char *format, ...) {
    va_list args;
    if (T->room - T->length < 1000) {
        T->room = 2 * T->room + 4000;
        T->bytes = realloc(T->bytes, T->room);
        assert_non_null(T->bytes);
    }
    va_start(args, format);
    T->length += (size_t)vsnprintf(T->bytes + T->length, T->room - T->length, format, args);
    va_end(args);
}

static void append_filling(text *T, char c, size_t n) {
    char filling[513];
    memset(filling, c, 512);
    filling[512] = '\0';
    for (; n >= 512; n -= 512) append(T, "%s", filling);
    append(T, "%.*s", (int)n, filling);
}

static void long_entry(uint64_t seed, spw_idx k, spw_idx *row, spw_idx *col, double *val) {
    *row = (spw_idx)spw_random_below(seed, 3 * (uint64_t)k, LONG_N - 1) + 2;
    *col = (spw_idx)spw_random_below(seed, 3 * (uint64_t)k + 1, *row - 1) + 1;
    *val = spw_random_double(seed, 3 * (uint64_t)k + 2) - 0.5;
}

/* About 1.4 MB of entries below the diagonal, as odd as they may be. If wrong >= 0, entry `wrong`
 * and the last one get row 0. */
static text long_text(const char *symmetry, size_t shift, spw_idx wrong) {
    text T = {0};
    append(&T, "%%%%MatrixMarket matrix coordinate real %s\n%d %d %d\n", symmetry, LONG_N, LONG_N,
           LONG_NNZ);
    append_filling(&T, ' ', shift);
    for (spw_idx k = 0; k < LONG_NNZ; k++) {
        spw_idx row, col;
        double val;
        long_entry(5, k, &row, &col, &val);
        if (k % 97 == 0) append(&T, "\n \t\n");
        if (k % 10007 == 5000) append_filling(&T, ' ', 150000); /* longer than two pieces */
        append(&T, "%d %d %.17g%s", k == wrong || (wrong >= 0 && k == LONG_NNZ - 1) ? 0 : row, col,
               val, k % 5 == 0 ? "\r\n" : "\n");
    }
    return T;
}

TEST(a_long_text_is_the_same_for_any_number_of_threads) {
    const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};
    for (int s = 0; s < 3; s++) {
        OWN(text) T = long_text(symmetries[s], 0, -1);
        for (int t = 0; with_count(t); t++) {
            OWN(spw_coo) A;
            assert_ok(spw_coo_parse_matrix_market("long", T.bytes, T.length, &A));
            assert_int_equal(A.nnz, s == 0 ? LONG_NNZ : 2 * LONG_NNZ);
            for (spw_idx k = 0; k < LONG_NNZ; k++) {
                spw_idx row, col;
                double val;
                long_entry(5, k, &row, &col, &val);
                assert_true(A.row_idx[k] == row - 1 && A.col_idx[k] == col - 1 && A.val[k] == val);
                if (s == 0) continue;
                const spw_idx m = LONG_NNZ + k;
                assert_true(A.row_idx[m] == col - 1 && A.col_idx[m] == row - 1);
                assert_true(A.val[m] == (s == 1 ? val : -val));
            }
        }
    }
}

/* The cuts between pieces fall on every character of a line. */
TEST(pieces_may_be_cut_anywhere) {
    OWN(spw_coo) A;
    OWN(text) T = long_text("general", 0, -1);
    assert_ok(spw_coo_parse_matrix_market("long", T.bytes, T.length, &A));
    for (size_t shift = 1; shift < 40; shift += 1 + shift / 12) {
        OWN(spw_coo) B;
        OWN(text) U = long_text("general", shift, -1);
        assert_ok(spw_coo_parse_matrix_market("long", U.bytes, U.length, &B));
        assert_true(is_same(&A, &B));
    }
}

TEST(the_first_bad_line_is_named_with_any_number_of_threads) {
    const spw_idx wrong[] = {1, 20000, LONG_NNZ - 2};
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        OWN(text) T = long_text("general", 0, wrong[w]);
        /* Two blank lines before every 97th entry. */
        const int line = 2 + wrong[w] + 1 + 2 * (wrong[w] / 97 + 1);
        char begin[40];
        snprintf(begin, sizeof begin, "long:%d: row 0: ", line);
        for (int t = 0; with_count(t); t++) {
            spw_coo A = {.nnz = 99};
            assert_int_equal(spw_coo_parse_matrix_market("long", T.bytes, T.length, &A),
                             SPW_ERR_FORMAT);
            if (strncmp(spw_message(), begin, strlen(begin)) != 0)
                fail_msg("\"%s\" does not begin with \"%s\"", spw_message(), begin);
            assert_no_coo(&A);
        }
    }
}

TEST(the_first_entry_too_many_is_named_in_a_long_text) {
    for (int less = 1; less <= 30000; less += 9999) {
        OWN(text) T = {0};
        append(&T, "%s9 9 %d\n", REAL, LONG_NNZ - less);
        for (spw_idx k = 0; k < LONG_NNZ; k++) append(&T, "1 1 %d\n", k);
        spw_coo A;
        char expected[120];
        snprintf(expected, sizeof expected, "m:%d: one entry too many: line 2 says %d",
                 3 + LONG_NNZ - less, LONG_NNZ - less);
        assert_message(spw_coo_parse_matrix_market("m", T.bytes, T.length, &A), SPW_ERR_FORMAT,
                       expected);
    }
}

TEST(a_long_header_is_read) {
    const size_t lengths[] = {(1 << 20) - 60, (1 << 20) - 48, (1 << 20) - 47, (1 << 20) - 46,
                              3 << 20};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        OWN(text) T = {0};
        append(&T, "%s%%", REAL);
        append_filling(&T, 'x', lengths[i]);
        append(&T, "\n1 1 1\n1 1 5\n");
        OWN(spw_coo) A;
        assert_ok(read_all_ways(T.bytes, T.length, &A));
        assert_int_equal(A.nnz, 1);
    }
}

/* What a small packed file may unpack to is bounded by what its header says. */
TEST(far_too_much_text_is_refused) {
    OWN(text) T = {0};
    spw_coo A;
    append(&T, "%s1 1 1\n1 1 5\n", REAL);
    append_filling(&T, '\n', 4 << 20);
    assert_int_equal(read_all_ways(T.bytes, T.length, &A), SPW_ERR_FORMAT);
    assert_memory_equal(spw_message(), "m.mtx:2: 1 entries, but far more text follows", 45);
    T.length = 0;
    append(&T, "%s%%", REAL);
    append_filling(&T, '%', 20 << 20);
    write_packed("m.mtx.gz", T.bytes, T.length);
    assert_error(spw_coo_read_matrix_market(own_path("m.mtx.gz"), &A), SPW_ERR_FORMAT,
                 "m.mtx.gz:1: the first 16 MB hold no line with the numbers of rows");
    memset(T.bytes, 0, T.length);
    write_packed("m.mtx.gz", T.bytes, T.length);
    assert_error(spw_coo_read_matrix_market(own_path("m.mtx.gz"), &A), SPW_ERR_FORMAT,
                 "does not begin with %%MatrixMarket");
}

/* --- gzip ---------------------------------------------------------------------------------------- */

static const char SMALL[] = SYMMETRY "3 3 4\n1 1 2.0\n2 1 -1.0\n2 2 2.0\n3 3 1e-3\n";

TEST(every_truncated_gzip_file_is_refused) {
    size_t packed;
    unsigned char *bytes = pack(SMALL, sizeof SMALL - 1, &packed);
    for (size_t length = 0; length < packed; length++) {
        spw_coo A = {.nnz = 99};
        put_file("cut.gz", bytes, length);
        assert_int_equal(spw_coo_read_matrix_market(own_path("cut.gz"), &A), SPW_ERR_FORMAT);
        assert_no_coo(&A);
        if (length >= 2) assert_says(spw_message(), "the file was cut short");
        assert_says(spw_message(), "/cut.gz:");
    }
}

TEST(a_damaged_gzip_file_never_gives_another_matrix) {
    size_t packed;
    int refused = 0;
    spw_coo A;
    OWN(spw_coo) good_one;
    unsigned char *bytes = pack(SMALL, sizeof SMALL - 1, &packed);
    assert_ok(spw_coo_parse_matrix_market("m", SMALL, sizeof SMALL - 1, &good_one));
    for (size_t bit = 0; bit < 8 * packed; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        put_file("bit.gz", bytes, packed);
        if (spw_coo_read_matrix_market(own_path("bit.gz"), &A)) {
            refused++;
            assert_no_coo(&A);
        } else {
            assert_true(
                is_same(&A, &good_one)); /* time stamp and system are not part of the text */
        }
        spw_coo_destroy(&A);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_true(refused > 8 * ((int)packed - 10));
    bytes[packed - 6] ^= 1; /* of the check sum */
    put_file("bit.gz", bytes, packed);
    assert_error(spw_coo_read_matrix_market(own_path("bit.gz"), &A), SPW_ERR_FORMAT,
                 "/bit.gz:7: the gzip data are damaged here");
}

TEST(what_follows_the_gzip_data_is_refused_unless_it_is_gzip) {
    size_t packed[2];
    const size_t half = 60;
    spw_coo A;
    OWN(spw_coo) good_one;
    assert_ok(spw_coo_parse_matrix_market("m", SMALL, sizeof SMALL - 1, &good_one));
    unsigned char *first = pack(SMALL, half, &packed[0]);
    unsigned char *second = pack(SMALL + half, sizeof SMALL - 1 - half, &packed[1]);
    unsigned char *both = zeroed((int64_t)(packed[0] + packed[1]) + 1, 1);
    memcpy(both, first, packed[0]);
    memcpy(both + packed[0], second, packed[1]);

    put_file("two.gz", both, packed[0] + packed[1]);
    assert_ok(spw_coo_read_matrix_market(own_path("two.gz"), &A));
    assert_true(is_same(&A, &good_one));
    spw_coo_destroy(&A);

    const unsigned char tails[] = {0, 'x', '\n', 0x1f};
    for (size_t i = 0; i < sizeof tails; i++) {
        both[packed[0] + packed[1]] = tails[i];
        put_file("tail.gz", both, packed[0] + packed[1] + 1);
        assert_error(spw_coo_read_matrix_market(own_path("tail.gz"), &A), SPW_ERR_FORMAT,
                     tails[i] == 0x1f ? "cut short" : "follows the end of the gzip data");
        assert_no_coo(&A);
    }
}

TEST(a_long_packed_text_is_read) {
    OWN(text) T = long_text("symmetric", 0, -1);
    OWN(spw_coo) A;
    assert_ok(read_all_ways(T.bytes, T.length, &A));
    assert_int_equal(A.nnz, 2 * LONG_NNZ);
}

/* --- files --------------------------------------------------------------------------------------- */

TEST(files_that_cannot_be_read_are_refused_with_the_reason) {
    spw_coo A = {.nnz = 99};
    assert_error(spw_coo_read_matrix_market(own_path("missing"), &A), SPW_ERR_FILE,
                 "/missing: cannot be opened: No such file");
    assert_no_coo(&A);
    assert_error(spw_coo_read_matrix_market(own_folder(), &A), SPW_ERR_FILE, "is a directory");
    assert_int_equal(spw_coo_read_matrix_market("", &A), SPW_ERR_FILE);
    assert_error(spw_coo_read_matrix_market("/dev/zero", &A), SPW_ERR_FILE,
                 "/dev/zero: is not a regular file");
    assert_int_equal(mkfifo(own_path("pipe"), 0600), 0);
    assert_error(spw_coo_read_matrix_market(own_path("pipe"), &A), SPW_ERR_FILE,
                 "/pipe: is not a regular file");
    assert_no_coo(&A);
}

TEST(a_file_without_permission_is_refused_with_the_reason) {
    const int root = geteuid() == 0; /* may read everything, so that another user has to try */
    put_file("secret", SMALL, sizeof SMALL - 1);
    assert_int_equal(chmod(own_path("secret"), 0), 0);
    if (root && seteuid(65534) != 0) {
        print_message("skipped: root may read everything and cannot be somebody else here\n");
        skip();
    }
    spw_coo A;
    const spw_status status = spw_coo_read_matrix_market(own_path("secret"), &A);
    if (root) assert_int_equal(seteuid(0), 0);
    assert_error(status, SPW_ERR_FILE, "/secret: cannot be opened: Permission denied");
}

TEST(an_archive_is_told_apart) {
    char archive[1024] = "m/m.mtx";
    spw_coo A;
    memcpy(archive + 257, "ustar", 5);
    write_packed("m.tar.gz", archive, sizeof archive);
    assert_error(spw_coo_read_matrix_market(own_path("m.tar.gz"), &A), SPW_ERR_FORMAT,
                 "m.tar.gz:1: this is a tar archive: unpack it");
}

/* --- writer -------------------------------------------------------------------------------------- */

static int exists(const char *name) { return access(own_path(name), F_OK) == 0; }

TEST(written_text_is_as_short_as_can_be) {
    OWN(spw_csr) A = matrix_of(3, 3, (const double[]){0.1, 0, -1, 0, 0, 0, 0, 1.0 / 3, 4});
    size_t length;
    A.val[1] = -0.0;
    assert_ok(spw_csr_write_matrix_market(own_path("w.mtx"), &A));
    char *written = text_of_file(own_path("w.mtx"), &length);
    assert_string_equal(written, REAL "3 3 4\n1 1 0.1\n1 3 -0\n3 2 0.3333333333333333\n3 3 4\n");
    assert_false(exists("w.mtx.partial"));
}

TEST(a_written_matrix_reads_back_the_same) {
    const spw_idx sizes[][3] = {{0, 0, 0}, {4, 0, 0}, {5, 7, 0}, {1, 1, 1}, {100, 37, 2000}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        OWN(spw_coo) C, D;
        OWN(spw_csr) A, B;
        assert_ok(spw_coo_create(sizes[s][0], sizes[s][1], sizes[s][2], &C));
        for (spw_idx k = 0; k < C.nnz; k++) {
            const uint64_t bits = spw_random_u64(1, (uint64_t)k);
            C.row_idx[k] = (spw_idx)spw_random_below(2, (uint64_t)k, C.n_rows);
            C.col_idx[k] = (spw_idx)spw_random_below(3, (uint64_t)k, C.n_cols);
            memcpy(&C.val[k], &bits, sizeof bits);
            if (!isfinite(C.val[k])) C.val[k] = -0.0;
        }
        assert_ok(spw_csr_from_coo(&C, &A));
        assert_ok(spw_csr_write_matrix_market(own_path("rw.mtx"), &A));
        assert_ok(spw_coo_read_matrix_market(own_path("rw.mtx"), &D));
        assert_ok(spw_csr_from_coo(&D, &B));
        assert_same_csr(&A, &B);
    }
}

/* An earlier file of the name must survive a failure, and no part of the new one stay. */
TEST(a_failed_write_leaves_nothing_and_loses_nothing) {
    enum { N = 5000 };
    spw_idx row_ptr[2] = {0, N}, col_idx[N];
    double val[N];
    size_t length;
    for (int k = 0; k < N; k++) {
        col_idx[k] = k;
        val[k] = 1.0 / (k + 1);
    }
    spw_csr A = {1, N, N, row_ptr, col_idx, val};
    put_file("kept.mtx", SMALL, sizeof SMALL - 1);

    struct rlimit before, small = {10000, 10000};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small.rlim_max = before.rlim_max;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const spw_status full = spw_csr_write_matrix_market(own_path("kept.mtx"), &A);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_error(full, SPW_ERR_FILE, "/kept.mtx: cannot be written: ");
    assert_says(spw_message(), strerror(EFBIG));
    assert_false(exists("kept.mtx.partial"));

    val[N - 1] = NAN;
    assert_error(spw_csr_write_matrix_market(own_path("kept.mtx"), &A), SPW_ERR_ARG,
                 "the value of entry (1, 5000) is ");
    assert_false(exists("kept.mtx.partial"));
    val[N - 1] = 1;
    row_ptr[0] = 1;
    assert_int_equal(spw_csr_write_matrix_market(own_path("kept.mtx"), &A), SPW_ERR_ARG);
    row_ptr[0] = 0;

    char *kept = text_of_file(own_path("kept.mtx"), &length);
    assert_string_equal(kept, SMALL);

    assert_error(spw_csr_write_matrix_market(own_path("no/such/folder.mtx"), &A), SPW_ERR_FILE,
                 "/no/such/folder.mtx.partial: cannot be created: No such file");
    assert_int_equal(mkdir(own_path("taken.mtx"), 0700), 0);
    assert_error(spw_csr_write_matrix_market(own_path("taken.mtx"), &A), SPW_ERR_FILE,
                 "cannot be renamed");
    assert_false(exists("taken.mtx.partial"));
}

/* --- memory -------------------------------------------------------------------------------------- */

static spw_status look(void *unused, const spw_coo *block) {
    (void)unused;
    return spw_coo_validate(block);
}

TEST(every_failing_allocation_is_survived) {
    OWN(text) T = long_text("symmetric", 0, -1);
    put_file("a.mtx", T.bytes, T.length);
    write_packed("a.mtx.gz", T.bytes, T.length);
    OWN(spw_csr) B = matrix_of(1, 1, &(const double){5});
    OWN(spw_coo) parsed, read, unpacked;
#define NOTHING(A) A.n_rows == 0 && A.nnz == 0 && !A.row_idx && !A.col_idx && !A.val
    assert_true(
        FAILURES((SPOIL(parsed), spw_coo_parse_matrix_market("a", T.bytes, T.length, &parsed)),
                 NOTHING(parsed)) > 0);
    assert_true(FAILURES((SPOIL(read), spw_coo_read_matrix_market(own_path("a.mtx"), &read)),
                         NOTHING(read)) > 0);
    assert_true(
        FAILURES((SPOIL(unpacked), spw_coo_read_matrix_market(own_path("a.mtx.gz"), &unpacked)),
                 NOTHING(unpacked)) > 0);
    assert_true(FAILURES(spw_csr_write_matrix_market(own_path("b.mtx"), &B),
                         !exists("b.mtx") && !exists("b.mtx.partial")) > 0);
    assert_true(FAILURES(spw_coo_read_blocks(own_path("a.mtx.gz"), look, NULL), true) > 0);
}
