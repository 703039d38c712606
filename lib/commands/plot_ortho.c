/* commands/plot_ortho.c -- loss of orthogonality over the condition number, for every method of
 * solvers/orthogonalise.h: exercise 18's plot.
 *
 *   plot_ortho [--out FOLDER]
 *     --out   folder of exercise-18.tsv, build/plots
 * Blocks X = U S Vᵀ with U and V orthonormal and S falling from 1 to 1 / kappa in equal ratios are made
 * orthonormal by each method; ||I - QᵀQ|| and the number of vectors left are printed and written.
 * Nothing is timed: it takes a second. plots/exercise-18.gp draws it. Exit status: 0, or 1 with one line
 * of what went wrong. */
#include "base/memory.h"
#include "base/random.h"
#include "commands/command.h"
#include "kernels/block.h"
#include "solvers/orthogonalise.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { ROWS = 10000, VECTORS = 16, POINTS = 33 }; /* kappa = 1 .. 1e16, two points a decade */

typedef struct result {
    double kappa, loss[SPW_ORTHO_COUNT];
    int rank[SPW_ORTHO_COUNT];
} result;

static spw_status random_orthonormal(uint64_t seed, int64_t n, double *U)
{
    int rank;
    for (int64_t k = 0; k < n * VECTORS; k++) U[k] = spw_random_double(seed, (uint64_t)k) - 0.5;
    return spw_orthonormalise(SPW_ORTHO_CHOLQR2, n, VECTORS, U, VECTORS, &rank);
}

/* U, V: given; X: overwritten for each method. */
static spw_status measure(double *U, const double *V, double *X, result *r)
{
    double C[VECTORS * VECTORS];
    for (int a = 0; a < VECTORS; a++)
        for (int b = 0; b < VECTORS; b++)
            C[a * VECTORS + b] = pow(r->kappa, -a / (VECTORS - 1.0)) * V[b * VECTORS + a];
    const spw_block from = {U, VECTORS, VECTORS}, to = {X, VECTORS, VECTORS};
    for (int m = 0; m < SPW_ORTHO_COUNT; m++) {
        spw_combine_omp(ROWS, 1, &from, C, 1, &to);
        const spw_status status =
            spw_orthonormalise((spw_ortho)m, ROWS, VECTORS, X, VECTORS, &r->rank[m]);
        if (status) return status;
        r->loss[m] = spw_orthogonality_loss(ROWS, r->rank[m], X, VECTORS);
    }
    return SPW_OK;
}

static spw_status measure_all(result *results)
{
    double *U = NULL, *X = NULL, V[VECTORS * VECTORS];
    spw_status status;
    if ((status = SPW_ALLOC(&U, ROWS * VECTORS)) || (status = SPW_ALLOC(&X, ROWS * VECTORS)) ||
        (status = random_orthonormal(1, ROWS, U)) || (status = random_orthonormal(2, VECTORS, V)))
        goto out;
    for (int k = 0; k < POINTS && !status; k++) {
        results[k].kappa = pow(10, k / 2.0);
        status = measure(U, V, X, &results[k]);
    }
out:
    spw_free(U);
    spw_free(X);
    return status;
}

static int write_table(const result *results, const char *folder)
{
    char path[1024];
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/exercise-18.tsv", folder);
    FILE *file = fopen(path, "w");
    if (!file) return cannot("plot_ortho", "write", path);
    fprintf(file, "# %d vectors of %d\n# kappa", VECTORS, ROWS);
    for (int m = 0; m < SPW_ORTHO_COUNT; m++)
        fprintf(file, "\t%s\tvectors", spw_ortho_name((spw_ortho)m));
    fprintf(file, "\n");
    for (int k = 0; k < POINTS; k++) {
        fprintf(file, "%.6g", results[k].kappa);
        for (int m = 0; m < SPW_ORTHO_COUNT; m++)
            fprintf(file, "\t%.4g\t%d", results[k].loss[m], results[k].rank[m]);
        fprintf(file, "\n");
    }
    return fclose(file) ? cannot("plot_ortho", "write", path) : 0;
}

static void print_table(const result *results)
{
    printf("||I - QᵀQ|| of %d vectors with %d elements; in brackets how many are left\n", VECTORS,
           ROWS);
    printf("  kappa");
    for (int m = 0; m < SPW_ORTHO_COUNT; m++)
        printf("%12s", m == SPW_ORTHO_COUNT - 1 ? "mixed" : spw_ortho_name((spw_ortho)m));
    printf("\n");
    for (int k = 0; k < POINTS; k += 2) {
        printf("  %5.0e", results[k].kappa);
        for (int m = 0; m < SPW_ORTHO_COUNT; m++) {
            char text[32] = "";
            if (results[k].rank[m] < VECTORS)
                snprintf(text, sizeof text, "(%d)", results[k].rank[m]);
            printf("%8.0e%-4s", results[k].loss[m], text);
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    static result results[POINTS];
    const char *folder = "build/plots";
    if (argc == 3 && strcmp(argv[1], "--out") == 0) {
        folder = argv[2];
    } else if (argc > 1) {
        fprintf(stderr, "plot_ortho: '%s' is no option; --out FOLDER is the only one\n", argv[1]);
        return 1;
    }
    if (measure_all(results)) {
        fprintf(stderr, "plot_ortho: %s\n", spw_message());
        return 1;
    }
    print_table(results);
    return write_table(results, folder);
}
