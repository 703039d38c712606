/* Fuzzes the Matrix Market reader: any bytes are either refused with a message that begins with the
 * name, or give the matrix that a second, simple reader sees in them; that matrix is valid, as COO, as
 * CSR and transposed, and reads back the same when it has been written.
 *
 * With clang:   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz FOLDER tests/formats/corpus
 * With others:  gcc -DSPW_FUZZ_STANDALONE -fsanitize=address,undefined ... && \
 *               ./fuzz -runs=100000 FILES     (a fixed sequence of mutations of the files)
 * tests/formats/fuzz.sh does whichever is possible.
 * Bytes that begin as gzip does go through a file, all others are parsed from memory. */
#include "base/memory.h"
#include "base/random.h"
#include "formats/csr.h"
#include "formats/matrix_market.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s; message: %s\n", __FILE__, __LINE__, #condition,  \
                    spw_message());                                                                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* A file of this process, in memory where the system has such a folder. */
static const char *scratch(const char *name) {
    static char path[300];
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/spw-fuzz-%ld-%s", folder ? folder : "/tmp", (long)getpid(),
             name);
    return path;
}

/* The second reader: for texts that were accepted, slow and without any check. */
static void check_against_strtod(const char *text, size_t length, const spw_coo *A) {
    char *copy = malloc(length + 1);
    CHECK(copy);
    memcpy(copy, text, length);
    copy[length] = '\0';
    CHECK(strlen(copy) == length);

    for (char *at = copy; *at && *at != '\n'; at++)
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at + 32 : *at);
    char *at = strchr(copy, '\n');
    CHECK(at);
    *at++ = '\0';
    const int pattern = strstr(copy, " pattern") || strstr(copy, "\tpattern");
    const int skew = strstr(copy, "skew") != NULL, symmetric = !strstr(copy, "general");
    long sizes[3] = {-1, -1, -1}, k = 0, n_mirrored = 0;
    while (at) {
        char *const feed = strchr(at, '\n');
        if (feed) *feed = '\0';
        char *const first = at + strspn(at, " \t\r");
        at = feed ? feed + 1 : NULL;
        if (*first == '\0' || (*first == '%' && sizes[0] < 0)) continue;
        if (sizes[0] < 0) {
            CHECK(sscanf(first, "%ld %ld %ld", &sizes[0], &sizes[1], &sizes[2]) == 3);
            continue;
        }
        char *next;
        const long row = strtol(first, &next, 10), col = strtol(next, &next, 10);
        char *const exponent = strpbrk(next, "dD");
        if (exponent) *exponent = 'e';
        const double val = pattern ? 1 : strtod(next, NULL);
        CHECK(k < A->nnz && A->row_idx[k] == row - 1 && A->col_idx[k] == col - 1 &&
              A->val[k] == val);
        k++;
        if (symmetric && row != col) {
            const long m = sizes[2] + n_mirrored++;
            CHECK(m < A->nnz && A->row_idx[m] == col - 1 && A->col_idx[m] == row - 1);
            CHECK(A->val[m] == (skew ? -val : val));
        }
    }
    CHECK(A->n_rows == sizes[0] && A->n_cols == sizes[1] && k == sizes[2] &&
          A->nnz == k + n_mirrored);
    free(copy);
}

static void check_same(const spw_csr *A, const spw_csr *B) {
    CHECK(A->n_rows == B->n_rows && A->n_cols == B->n_cols && A->nnz == B->nnz);
    CHECK(memcmp(A->row_ptr, B->row_ptr, ((size_t)A->n_rows + 1) * sizeof *A->row_ptr) == 0);
    CHECK(memcmp(A->col_idx, B->col_idx, (size_t)A->nnz * sizeof *A->col_idx) == 0);
    CHECK(memcmp(A->val, B->val, (size_t)A->nnz * sizeof *A->val) == 0);
}

static void check_conversions(const spw_coo *C) {
    spw_csr A, B, T;
    spw_coo D;
    int finite = 1;
    CHECK(!spw_coo_validate(C));
    /* Empty rows cost memory that the text has not paid for. */
    if (C->n_rows > 1000000 || C->n_cols > 1000000) return;
    CHECK(!spw_csr_from_coo(C, &A) && !spw_csr_validate(&A));
    CHECK(!spw_csr_transpose(&A, &T) && !spw_csr_validate(&T));
    CHECK(!spw_csr_transpose(&T, &B));
    check_same(&A, &B);
    spw_csr_destroy(&B);
    spw_csr_destroy(&T);

    for (spw_idx k = 0; k < A.nnz; k++) finite &= A.val[k] - A.val[k] == 0; /* sums may overflow */
    if (finite) {
        CHECK(!spw_csr_write_matrix_market(scratch("w"), &A));
        CHECK(!spw_coo_read_matrix_market(scratch("w"), &D));
        CHECK(!spw_csr_from_coo(&D, &B));
        check_same(&A, &B);
        spw_csr_destroy(&B);
        spw_coo_destroy(&D);
        unlink(scratch("w"));
    }
    spw_csr_destroy(&A);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    const int gzip = length >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
    const char *name = gzip ? scratch("r") : "name";
    char begin[310];
    spw_coo C = {.nnz = 99};
    spw_status status;
    if (gzip) {
        FILE *file = fopen(name, "wb");
        CHECK(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
        status = spw_coo_read_matrix_market(name, &C);
        unlink(name);
    } else {
        status = spw_coo_parse_matrix_market(name, (const char *)bytes, length, &C);
        if (!status) check_against_strtod((const char *)bytes, length, &C);
    }
    if (status) {
        snprintf(begin, sizeof begin, "%s:", name);
        CHECK(status == SPW_ERR_FORMAT || status == SPW_ERR_RANGE);
        CHECK(strncmp(spw_message(), begin, strlen(begin)) == 0);
        CHECK(C.nnz == 0 && !C.row_idx && !C.col_idx && !C.val);
        for (const char *at = spw_message(); *at; at++) CHECK(*at >= ' ' && *at <= '~');
        return 0;
    }
    check_conversions(&C);
    spw_coo_destroy(&C);
    return 0;
}

#ifdef SPW_FUZZ_STANDALONE
enum { SEEDS_MAX = 256, TEXT_MAX = 1 << 14 };

typedef struct text {
    uint8_t bytes[TEXT_MAX];
    size_t length;
} text;

static text seeds[SEEDS_MAX];
static int n_seeds;

static void take_file(const char *path) {
    FILE *file = fopen(path, "rb");
    CHECK(file && n_seeds < SEEDS_MAX);
    seeds[n_seeds].length = fread(seeds[n_seeds].bytes, 1, TEXT_MAX, file);
    fclose(file);
    n_seeds++;
}

/* Replaces `cut` bytes at `at` by `n` others, as far as there is room. */
static void splice(text *T, size_t at, size_t cut, const void *with, size_t n) {
    uint8_t copy[TEXT_MAX];
    if (at > T->length) at = T->length;
    if (cut > T->length - at) cut = T->length - at;
    if (n > TEXT_MAX - (T->length - cut)) return;
    memcpy(copy, with, n);
    memmove(T->bytes + at + n, T->bytes + at + cut, T->length - at - cut);
    memcpy(T->bytes + at, copy, n);
    T->length += n - cut;
}

static void mutate(text *T, uint64_t run) {
    static const char *const words[] = {
        "18446744073709551617", "2147483648", "general", "\n\n\n", "real", "\t", "0", ".",
        "9007199254740993",     "4294967297", "pattern", "1e999",  "D-3",  "\n", "1", "e",
        "skew-symmetric",       "coordinate", "integer", "0x1p3",  "nan",  "\r", " ", "+",
        "%%MatrixMarket",       "symmetric",  "complex", "array",  "inf",  "%%", "%", "-",
        "2147483647",           "hermitian",  "1e-400",  "\r\n",   "-1",   "E5"};
    const int n_words = sizeof words / sizeof *words;
    uint64_t i = 0;
#define PICK(bound) ((size_t)spw_random_below(run, i++, (int64_t)(bound)))
    for (size_t n = 1 + PICK(4); n > 0; n--) {
        const size_t at = PICK(T->length + 1), kind = PICK(8);
        const text *other = &seeds[PICK(n_seeds)];
        const size_t from = PICK(other->length + 1), word = PICK(n_words);
        uint8_t byte = (uint8_t)PICK(256);
        switch (kind) {
        case 0: splice(T, at, 1, &byte, 1); break;
        case 1: splice(T, at, 0, &byte, 1); break;
        case 2: splice(T, at, 1 + PICK(20), "", 0); break;
        case 3: splice(T, at, 0, words[word], strlen(words[word])); break;
        case 4: splice(T, at, 1 + PICK(3), words[word], strlen(words[word])); break;
        case 5: splice(T, at, PICK(40), other->bytes + from, PICK(other->length - from + 1)); break;
        case 6: splice(T, at, T->length, "", 0); break;
        default: /* one bit */
            byte = (uint8_t)(at < T->length ? T->bytes[at] ^ 1 << PICK(8) : byte);
            splice(T, at, 1, &byte, 1);
        }
    }
#undef PICK
}

int main(int argc, char **argv) {
    long runs = 0;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-runs=", 6) == 0)
            runs = strtol(argv[i] + 6, NULL, 10);
        else
            take_file(argv[i]);
    }
    for (int i = 0; i < n_seeds; i++) LLVMFuzzerTestOneInput(seeds[i].bytes, seeds[i].length);
    for (long run = 0; run < runs && n_seeds > 0; run++) {
        static text T;
        T = seeds[run % n_seeds];
        mutate(&T, (uint64_t)run);
        /* A block of its own, so that a read beyond it is seen. */
        uint8_t *exact = malloc(T.length + !T.length);
        CHECK(exact);
        memcpy(exact, T.bytes, T.length);
        LLVMFuzzerTestOneInput(exact, T.length);
        free(exact);
    }
    printf("%d files and %ld mutations of them\n", n_seeds, runs);
    return 0;
}
#endif
