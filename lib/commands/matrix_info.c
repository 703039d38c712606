/* commands/matrix_info.c -- what a matrix is like: size, rows, symmetry, and its footprint in five
 * formats. `make matrix-info MATRIX=fem3:32` prints
 *
 *     fem3:32
 *       size         98,304 x 98,304, 7,475,256 entries
 *       row length   24 to 81, mean 76.0
 *       ...
 *       format          stored entries    beta        bytes     of CSR
 *       CSR                  7,475,256   1.000      90.1 MB       1.00
 *       ELL                  7,962,624   0.939      95.6 MB       1.06
 *       ...
 * and how many rows there are of each length.
 *
 * Usage: matrix_info MATRIX. Exit status 1 with one line if the matrix cannot be had, 2 if misused. */
#include "base/memory.h"
#include "formats/generate.h"
#include "formats/info.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_DISTINCT = 12, BAR = 40, GROUPED = 32 };

/* 55742968 as "55,742,968". */
static const char *grouped(int64_t number, char text[GROUPED]) {
    char digits[GROUPED];
    const int length = snprintf(digits, sizeof digits, "%" PRId64, number);
    char *out = text;
    for (int d = 0; d < length; d++) {
        *out++ = digits[d];
        if (d + 1 < length && (length - d - 1) % 3 == 0) *out++ = ',';
    }
    *out = '\0';
    return text;
}

static void print_bytes(int64_t bytes) {
    static const char *const units[] = {"B ", "kB", "MB", "GB", "TB", "PB"};
    double amount = (double)bytes;
    int unit = 0;
    while (amount >= 1000 && unit < 5) {
        amount *= 1e-3;
        unit++;
    }
    printf("%8.*f %s", unit ? 1 : 0, amount, units[unit]);
}

static void print_shape(const spw_csr_info *info) {
    char a[GROUPED], b[GROUPED];
    printf("  size         %s x %s", grouped(info->n_rows, a), grouped(info->n_cols, b));
    printf(", %s entries", grouped(info->nnz, a));
    if (info->n_zeros) printf(", %s of them zero", grouped(info->n_zeros, b));
    printf("\n  row length   %s to %s", grouped(info->row_min, a), grouped(info->row_max, b));
    printf(", mean %.1f", info->row_mean);
    if (info->n_empty_rows)
        printf("; %s empty row%s", grouped(info->n_empty_rows, a),
               info->n_empty_rows == 1 ? "" : "s");
    if (info->has_dense_row) printf("; has a dense row");
    printf("\n  symmetric    ");
    if (info->n_rows != info->n_cols)
        printf("no, it is rectangular");
    else if (info->symmetric && info->pattern_symmetric)
        printf("yes");
    else if (info->skew_symmetric && info->pattern_symmetric)
        printf("skew: a_ji = -a_ij");
    else {
        printf("pattern %s, values %s", info->pattern_symmetric ? "yes" : "no",
               info->symmetric ? "yes" : "no");
        if (!info->symmetric)
            printf(": max |a_ij - a_ji| / max |a_ij| is %.1e%s", info->asymmetry,
                   info->asymmetry < 1e-13 ? ", rounding" : "");
    }
    printf("\n  bandwidth    %s (largest |i - j|)\n", grouped(info->bandwidth, a));
}

static void print_footprints(const spw_csr_info *info) {
    const int64_t csr_bytes = info->footprint[1].bytes;
    printf("\n  format          stored entries    beta        bytes     of CSR\n");
    for (int f = 0; f < info->n_footprints; f++) {
        const spw_footprint *format = &info->footprint[f];
        char stored[GROUPED];
        printf("  %-12s %17s   %5.3f  ", format->format, grouped(format->stored, stored),
               format->beta);
        print_bytes(format->bytes);
        printf("   %8.2f\n", (double)format->bytes / (double)csr_bytes);
    }
    printf("  beta is entries / stored entries: 1 without padding.\n");
}

/* Rows whose length is in low .. high. */
static void print_bar(int64_t low, int64_t high, int64_t count, int64_t most) {
    char label[2 * GROUPED + 2], a[GROUPED], b[GROUPED];
    if (low == high)
        snprintf(label, sizeof label, "%s", grouped(low, a));
    else
        snprintf(label, sizeof label, "%s..%s", grouped(low, a), grouped(high, b));
    printf("  %19s %13s  ", label, grouped(count, a));
    /* Any row shows: a bar rounds up. */
    const int64_t length = (count * BAR + most - 1) / most;
    for (int64_t c = 0; c < length; c++) putchar('#');
    putchar('\n');
}

static int64_t power_of_two_above(int64_t length) {
    int64_t power = 1;
    while (power <= length) power *= 2;
    return power;
}

/* One bar for each length where there are few, else one for lengths up to 1, 3, 7, 15 ... */
static spw_status print_lengths(const spw_csr *A, const spw_csr_info *info) {
    if (A->n_rows == 0) return SPW_OK;
    int64_t *count;
    const spw_status status = SPW_ALLOC_ZERO(&count, (int64_t)info->row_max + 1);
    if (status) return status;
    for (int64_t i = 0; i < A->n_rows; i++) count[A->row_ptr[i + 1] - A->row_ptr[i]]++;

    int n_distinct = 0;
    for (int64_t length = info->row_min; length <= info->row_max; length++)
        n_distinct += count[length] > 0;
    if (n_distinct > MAX_DISTINCT) /* gather each group at its first length */
        for (int64_t length = info->row_min; length <= info->row_max; length++) {
            const int64_t first = power_of_two_above(length) / 2;
            if (first >= length) continue;
            count[first] += count[length];
            count[length] = 0;
        }
    int64_t most = 0;
    for (int64_t length = 0; length <= info->row_max; length++)
        if (count[length] > most) most = count[length];

    printf("\n         row length          rows\n");
    for (int64_t length = 0; length <= info->row_max; length++) {
        if (count[length] == 0) continue;
        int64_t high = length;
        if (n_distinct > MAX_DISTINCT && length > 0) high = 2 * length - 1;
        if (high > info->row_max) high = info->row_max;
        print_bar(length, high, count[length], most);
    }
    spw_free(count);
    return SPW_OK;
}

int main(int argc, char **argv) {
    if (argc != 2 || !argv[1][0]) {
        fprintf(stderr, "matrix-info: which matrix? make matrix-info MATRIX=fem3:32, or a file\n");
        return 2;
    }
    spw_csr A = {0};
    spw_csr_info info;
    spw_status status = spw_csr_load(argv[1], &A);
    if (!status) status = spw_csr_inspect(&A, &info);
    if (!status) {
        printf("%s\n", argv[1]);
        print_shape(&info);
        print_footprints(&info);
        status = print_lengths(&A, &info);
    }
    spw_csr_destroy(&A);
    if (status) fprintf(stderr, "matrix-info: %s\n", spw_message());
    return status ? 1 : 0;
}
