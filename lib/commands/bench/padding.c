#include "commands/bench/subjects.h"
#include "formats/generate.h"
#include "formats/info.h"

#include <stdio.h>

/* Table 1 of H. Anzt, S. Tomov, J. Dongarra, Int. J. High Perform. Comput. Appl. 31(5), 2017,
 * doi:10.1177/1094342016672081, and of the same authors' paper at SpringSim'15: stored entries, the zeros of the padding
 * included; SELL-P with slices of 8 rows and 4 threads a row. */
static const struct {
    const char *name;
    int64_t nnz, ell, sellp;
} theirs[] = {
    {"audikw_1", 77651847, 325574775, 95556416}, {"bmwcra_1", 10641602, 52218270, 12232960},
    {"bone010", 47851783, 62162289, 55263680},   {"crankseg_2", 14148858, 218517474, 15991232},
    {"F1", 26837113, 149549085, 33286592},       {"inline_1", 38816170, 424629216, 45603264},
    {"ldoor", 42493817, 73319631, 52696384},
};

static void print_line(bench *b, const char *name, const char *format, int64_t nnz, int64_t ours,
                       int64_t paper) {
    printf("  %-11s %-8s %11lld %12lld %5.2f %% %12lld %+9.4f %%\n", name, format, (long long)nnz,
           (long long)ours, 100 * (1 - (double)nnz / (double)ours), (long long)paper,
           100 * ((double)ours / (double)paper - 1));
    keep_result(b,
                (result){"padding", name, format, (double)ours / (double)paper, .unit = "theirs"});
}

/* Without the explicit zeros, which the papers leave out: matrices/README.md has the counts. */
static spw_status drop_zeros(spw_csr *A) {
    int64_t kept = 0;
    for (spw_idx i = 0; i < A->n_rows; i++) {
        const spw_idx begin = A->row_ptr[i], end = A->row_ptr[i + 1];
        A->row_ptr[i] = (spw_idx)kept;
        for (spw_idx k = begin; k < end; k++) {
            if (A->val[k] == 0) continue;
            A->col_idx[kept] = A->col_idx[k];
            A->val[kept++] = A->val[k];
        }
    }
    A->row_ptr[A->n_rows] = A->nnz = (spw_idx)kept;
    return spw_csr_validate(A);
}

static int count(bench *b, int k) {
    OWNED(spw_csr_destroy) spw_csr A = {0};
    int64_t ell, sellp;
    if (spw_csr_load(theirs[k].name, &A) || drop_zeros(&A) ||
        spw_csr_sliced_entries(&A, A.n_rows, 1, 1, &ell) ||
        spw_csr_sliced_entries(&A, 8, 1, 4, &sellp))
        return 1;
    print_line(b, theirs[k].name, "ELLPACK", A.nnz, ell, theirs[k].ell);
    print_line(b, theirs[k].name, "SELL-P", A.nnz, sellp, theirs[k].sellp);
    return 0;
}

int bench_padding(bench *b, const bench_case *c) {
    int missing = 0;
    (void)c;
    printf("\nPadding, beside Table 1 of the papers (matrices/README.md); explicit zeros left out\n"
           "  %-11s %-8s %11s %12s %7s %12s %11s\n",
           "matrix", "format", "non-zeros", "stored", "padding", "the paper's", "difference");
    for (int k = 0; k < (int)(sizeof theirs / sizeof *theirs); k++) {
        const bool there = !spw_csr_find(theirs[k].name);
        if (!there) printf("  %-11s not counted: not fetched\n", theirs[k].name);
        if (there && count(b, k)) return 1;
        missing += !there;
    }
    if (missing) printf("  To fetch them: make matrices NAMES=paper\n");
    return 0;
}
