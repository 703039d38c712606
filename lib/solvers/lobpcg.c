#include "solvers/lobpcg.h"

#include "base/memory.h"
#include "base/random.h"
#include "perf/timer.h"
#include "solvers/lobpcg_state.h"
#include "solvers/orthogonalise.h"
#include "solvers/small.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { REFRESH = 8 }; /* iterations after which the Gram matrices of X and P are computed anew */
enum { DENSE = 5 };   /* fewer rows than so many blocks have columns: LAPACK does all */
enum { TRIES = 3 };
static const double ROUNDING = 10 * DBL_EPSILON; /* of ||A||: a residual cannot be smaller */
static const double PROJECT = 1e-5; /* of ||A||: residuals below are not orthogonal to X */

typedef spw_lobpcg_state run;

/* --- the result ---------------------------------------------------------------------------------------- */

const char *spw_lobpcg_phase_name(spw_lobpcg_phase phase) {
    static const char *const names[] = {"residual", "preconditioner", "orthogonalise", "A W",
                                        "Gram",     "small problem",  "combine"};
    return phase >= 0 && phase < SPW_LOBPCG_PHASES ? names[phase] : "unknown";
}

void spw_lobpcg_result_destroy(spw_lobpcg_result *result) {
    if (!result) return;
    spw_free(result->lambda);
    spw_free(result->residual);
    spw_free(result->relative);
    spw_free(result->history);
    *result = (spw_lobpcg_result){0};
}

/* What one part has no room for, no part goes on with. */
static spw_status agree(run *r, spw_status mine) {
    double failed = mine != SPW_OK;
    spw_lobpcg_sum(r, 1, &failed);
    return failed && !mine ? spw_error(SPW_ERR_MEMORY, "no room for another part of A") : mine;
}

/* Each part solves the small problems, and all go on with what the first one found: on another CPU the last bit may
 * be another. */
static spw_status take_first(run *r, spw_status status, int count, double *values) {
    if (!r->A.is_part) return status;
    const bool is_first = r->n > 0 && r->A.first == 0;
    double told = is_first ? status : 0;
    if (!is_first) memset(values, 0, sizeof *values * (size_t)count);
    spw_lobpcg_sum(r, count, values);
    spw_lobpcg_sum(r, 1, &told);
    return (spw_status)told == status
               ? status
               : spw_error((spw_status)told, "a small problem is not solved alike everywhere");
}

/* --- small matrices ------------------------------------------------------------------------------------- */

static void swap(double **a, double **b) {
    double *kept = *a;
    *a = *b;
    *b = kept;
}

/* The Gram matrix of a block, of as many vectors as T shall have columns: V := V T, and A V, B V likewise. */
static void transform(run *r, int block, int from, int to, const double *T, bool with_A) {
    double *all[] = {r->V[block], r->has_B ? r->BV[block] : NULL, with_A ? r->AV[block] : NULL};
    r->count[block] = to;
    for (int k = 0; k < 3 && to > 0; k++)
        if (all[k])
            spw_tall_combine(r, SPW_LOBPCG_ORTHOGONALISE, &all[k], &from, 1, T, &all[k], &to, 1);
}

/* G = VᵀBV must not have negative eigenvalues. */
static spw_status check_B(run *r, int nv, const double *G) {
    if (!r->has_B) return SPW_OK;
    double w[WIDTH];
    memcpy(r->U, G, sizeof *G * (size_t)nv * (size_t)nv);
    const spw_status status = spw_small_eigen(nv, r->U, w);
    if (!status && w[0] < -nv * ROUNDING * fmax(fabs(w[0]), w[nv - 1]))
        spw_lobpcg_stop(
            r, SPW_STOP_NOT_SPD,
            "B is not positive definite: there is a vector v, a combination of %d, with v.Bv = "
            "%.3g "
            "v.v",
            nv, w[0]);
    return status;
}

/* Makes a block B-orthonormal, drops what depends. Needs V, and BV with B. */
static spw_status orthonormalise(run *r, int block) {
    const int nv = r->count[block];
    int rank = 0;
    spw_tall_gram(r, SPW_LOBPCG_ORTHOGONALISE, nv, r->V[block], nv, r->BV[block], r->H);
    if (r->failed) return r->failed;
    for (int k = 0; k < nv * nv; k++)
        if (!isfinite(r->H[k])) {
            spw_lobpcg_stop(r, SPW_STOP_NOT_FINITE,
                            "a product of two vectors is %g in iteration %d", r->H[k],
                            r->result->iterations);
            return SPW_OK;
        }
    spw_status status = check_B(r, nv, r->H);
    if (status || r->stopped) return status;
    status = spw_ortho_transform(SPW_ORTHO_CHOLQR, nv, r->H, r->U, &rank);
    double found = rank;
    status = take_first(r, take_first(r, status, nv * nv, r->U), 1, &found);
    if (status) return status;
    rank = (int)found;
    /* T has nv columns, of which rank are used: close the gaps */
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < rank; j++) r->U[i * rank + j] = r->U[i * nv + j];
    transform(r, block, nv, rank, r->U, false);
    return SPW_OK;
}

/* G[row.., column..] of m columns = part, of `ld` columns, and its transpose. */
static void put(int m, double *G, int row, int rows, int column, int columns, const double *part,
                int ld) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            G[(row + i) * m + column + j] = G[(column + j) * m + row + i] = part[i * ld + j];
}

/* The columns of GA and GB for the blocks `right`, from the products with the blocks `left`: one pass. */
static void gram_columns(run *r, int m, int n_left, const int *left, int n_right,
                         const int *right) {
    const int *c = r->count, at[] = {0, c[X], c[X] + c[W]};
    double *V[BLOCKS] = {NULL}, *images[2 * BLOCKS] = {NULL};
    int count[BLOCKS] = {0}, image_count[2 * BLOCKS] = {0};
    for (int k = 0; k < n_left; k++) {
        V[k] = r->V[left[k]];
        count[k] = c[left[k]];
    }
    for (int k = 0; k < n_right; k++) {
        images[k] = r->AV[right[k]];
        images[n_right + k] = r->BV[right[k]];
        image_count[k] = image_count[n_right + k] = c[right[k]];
    }
    const int ld = spw_tall_gram_blocks(r, SPW_LOBPCG_GRAM, n_left, V, count, 2 * n_right, images,
                                        image_count, r->H);
    const double *rows = r->H;
    for (int i = 0; i < n_left && ld; rows += count[i++] * ld) {
        const double *part = rows;
        for (int j = 0; j < 2 * n_right; part += image_count[j++])
            put(m, j < n_right ? r->GA : r->GB, at[left[i]], count[i], at[right[j % n_right]],
                image_count[j], part, ld);
    }
}

/* GA = SᵀAS and GB = SᵀBS for S = [X W P]. Of X and P all is known from the last iteration, but for rounding:
 * so it is computed only now and then. */
static void gram_matrices(run *r, int m, bool fresh) {
    static const int all[] = {X, W, P}, without_W[] = {X, P}, only_W[] = {W};
    const int *c = r->count, at_P = c[X] + c[W];
    memset(r->GA, 0, sizeof *r->GA * (size_t)m * (size_t)m);
    memset(r->GB, 0, sizeof *r->GB * (size_t)m * (size_t)m);
    for (int k = 0; k < m; k++) r->GB[k * m + k] = 1;
    for (int j = 0; j < c[X]; j++) r->GA[j * m + j] = r->lambda[j];
    put(m, r->GA, at_P, c[P], at_P, c[P], r->PAP, c[P]);
    if (fresh) gram_columns(r, m, 2, without_W, 2, without_W);
    gram_columns(r, m, 3, all, 1, only_W);
}

/* x . G y */
static double product(int m, const double *G, const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < m; i++) {
        double row = 0;
        for (int j = 0; j < m; j++) row += G[i * m + j] * y[j];
        sum += x[i] * row;
    }
    return sum;
}

/* y := its part that is GB-orthogonal to the `count` vectors in rows of Q, of length 1; false if there is none.
 * Twice, so that it holds to rounding. */
static bool orthogonal_part(int m, const double *GB, int count, const double *Q, double *y) {
    double image[3 * WIDTH];
    const double before = product(m, GB, y, y);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < m; i++) {
            image[i] = 0;
            for (int j = 0; j < m; j++) image[i] += GB[i * m + j] * y[j];
        }
        for (int k = 0; k < count; k++) {
            double h = 0;
            for (int i = 0; i < m; i++) h += Q[k * m + i] * image[i];
            for (int i = 0; i < m; i++) y[i] -= h * Q[k * m + i];
        }
    }
    const double square = product(m, GB, y, y);
    if (!(square > 1e-20 * before)) return false;
    for (int i = 0; i < m; i++) y[i] /= sqrt(square);
    return true;
}

/* Coefficients of the new P, in rows behind those of the new X: the part of each active vector that comes from
 * W and P, made orthogonal to all of X. Returns how many there are. Source: Hetmaniuk and Lehoucq. */
static int new_directions(run *r, int m, double *Q) {
    const int width = r->count[X];
    int found = 0;
    for (int j = 0; j < width; j++) {
        if (!r->active[j]) continue;
        double *y = Q + (int64_t)(width + found) * m;
        for (int i = 0; i < m; i++) y[i] = i < width ? 0 : Q[j * m + i];
        found += orthogonal_part(m, r->GB, width + found, Q, y);
    }
    return found;
}

/* PAP = YᵀGAY for the rows Y of the new P. */
static void keep_PAP(run *r, int m, const double *Y, int count) {
    for (int b = 0; b < count; b++) {
        double image[3 * WIDTH];
        for (int i = 0; i < m; i++) {
            image[i] = 0;
            for (int j = 0; j < m; j++) image[i] += r->GA[i * m + j] * Y[b * m + j];
        }
        for (int a = 0; a < count; a++) {
            double sum = 0;
            for (int i = 0; i < m; i++) sum += Y[a * m + i] * image[i];
            r->PAP[a * count + b] = sum;
        }
    }
}

/* The m x m eigenproblem. On return Q = H holds the wanted vectors in its first rows, lambda their values. */
static spw_status solve_small(run *r, int m) {
    const double sign = r->options.largest ? -1 : 1;
    double w[3 * WIDTH];
    for (int64_t k = 0; k < (int64_t)m * m; k++) r->H[k] = sign * r->GA[k];
    memcpy(r->U, r->GB, sizeof *r->U * (size_t)m * (size_t)m);
    int bad;
    spw_status status = spw_small_eigen_general(m, r->H, r->U, w, &bad);
    status = take_first(r, take_first(r, status, m * m, r->H), m, w);
    if (status) return status;
    for (int j = 0; j < r->count[X]; j++) r->lambda[j] = sign * w[j];
    if (!r->has_B) r->norm_A = fmax(r->norm_A, fmax(fabs(w[0]), fabs(w[m - 1])));
    return SPW_OK;
}

/* --- one iteration --------------------------------------------------------------------------------------- */

/* W = residuals of all of X; which pairs have converged? */
static void residuals(run *r) {
    const int width = r->count[X];
    const double n = (double)r->n;
    double x_square[WIDTH], b_square[WIDTH];
    memset(r->square, 0, sizeof r->square);
    if (!r->failed)
        r->failed = r->place->residual(r->context, r->n, width, r->lambda, r->AV[X], r->BV[X],
                                       r->width, r->V[W], r->square);
    spw_lobpcg_sum(r, width, r->square);
    spw_lobpcg_spent(r, SPW_LOBPCG_RESIDUAL, 16 * n * width, 8 * n * width, 4 * n * width);
    for (int j = 0; j < width; j++) x_square[j] = b_square[j] = 1;
    if (r->has_B) {
        spw_tall_squares(r, SPW_LOBPCG_RESIDUAL, width, r->V[X], x_square);
        spw_tall_squares(r, SPW_LOBPCG_RESIDUAL, width, r->BV[X], b_square);
    }
    for (int j = 0; j < width; j++) {
        const double length = sqrt(r->square[j]), scale = fabs(r->lambda[j]) * sqrt(b_square[j]);
        r->relative[j] = length > 0 ? length / scale : 0;
        r->active[j] = !(length <= r->options.tolerance * scale ||
                         length <= ROUNDING * r->norm_A * sqrt(x_square[j]));
    }
}

static int converged(const run *r) {
    int count = 0;
    for (int j = 0; j < r->options.nv; j++) count += !r->active[j];
    return count;
}

/* What was written in the place of A W becomes W. */
static void swap_W(run *r) {
    swap(&r->V[W], &r->AV[W]);
    if (!r->has_B) r->BV[W] = r->V[W];
}

/* The residuals of active pairs move to the first columns of W. */
static void keep_active(run *r) {
    const int width = r->count[X];
    int from[WIDTH], count = 0;
    for (int j = 0; j < width; j++)
        if (r->active[j]) from[count++] = j;
    r->count[W] = count;
    if (count == width) return;
    if (!r->failed)
        r->failed = r->place->select(r->n, count, from, r->V[W], r->width, r->AV[W], r->width);
    swap_W(r);
    spw_lobpcg_spent(r, SPW_LOBPCG_RESIDUAL, 8 * (double)r->n * count, 8 * (double)r->n * count, 0);
}

static void precondition(run *r) {
    if (!r->has_M) return;
    spw_tall_multiply(r, SPW_LOBPCG_PRECONDITION, &r->M, r->count[W], r->V[W], r->AV[W]);
    swap_W(r);
}

/* W -= [X P] [X P]ᵀ B W. A residual that no preconditioner changed is orthogonal to both, up to the rounding of
 * A X, which counts where the residual is small. */
static void project(run *r) {
    const int *c = r->count, all = c[X] + c[P] + c[W];
    bool small = false;
    for (int j = 0; j < c[X]; j++)
        small |= r->active[j] && sqrt(r->square[j]) < PROJECT * r->norm_A;
    if (!r->has_M && !r->has_B && !small) return;
    double *const images[] = {r->BV[X], r->BV[P]};
    const int image_count[] = {c[X], c[P]};
    spw_tall_gram_blocks(r, SPW_LOBPCG_ORTHOGONALISE, 2, images, image_count, 1, &r->V[W], &c[W],
                         r->U);
    for (int i = 0; i < all; i++)
        for (int j = 0; j < c[W]; j++) {
            double *u = &r->U[i * c[W] + j];
            *u = i < c[X] + c[P] ? -*u : i - c[X] - c[P] == j;
        }
    double *const in[] = {r->V[X], r->V[P], r->V[W]}, *const out[] = {r->V[W]};
    const int in_count[] = {c[X], c[P], c[W]};
    spw_tall_combine(r, SPW_LOBPCG_ORTHOGONALISE, in, in_count, 3, r->U, out, &c[W], 1);
}

/* Solves the small problem in [X W P], or, where that has become singular, in [X W]. */
static spw_status rayleigh_ritz(run *r, int *m) {
    spw_status status = SPW_OK;
    for (int attempt = 0; attempt < TRIES; attempt++) {
        *m = r->count[X] + r->count[W] + r->count[P];
        gram_matrices(r, *m, attempt > 0 || r->result->iterations % REFRESH == 0);
        if (r->failed) return r->failed;
        r->mark = spw_now();
        status = solve_small(r, *m);
        if (status != SPW_ERR_ARG) return status;
        if (r->count[P]) r->result->restarts++;
        r->count[P] = 0;
    }
    spw_lobpcg_stop(r, SPW_STOP_STAGNATED, "the basis became singular in iteration %d: %s",
                    r->result->iterations, spw_message());
    return SPW_OK;
}

static void update(run *r, int m) {
    const int old[] = {r->count[X], r->count[W], r->count[P]};
    const int found = new_directions(r, m, r->H), q = old[X] + found;
    keep_PAP(r, m, r->H + (int64_t)old[X] * m, found);
    for (int j = 0; j < q; j++)
        for (int i = 0; i < m; i++) r->U[i * q + j] = r->H[j * m + i];
    spw_lobpcg_spent(r, SPW_LOBPCG_SMALL, 0, 0, 0);
    const int count[] = {old[X], found};
    double **const sets[] = {r->V, r->AV, r->has_B ? r->BV : NULL};
    for (int s = 0; s < 3; s++) {
        if (!sets[s]) continue;
        double *const in[] = {sets[s][X], sets[s][W], sets[s][P]};
        double *const out[] = {sets[s][X], sets[s][P]};
        spw_tall_combine(r, SPW_LOBPCG_COMBINE, in, old, 3, r->U, out, count, 2);
    }
    r->count[P] = found;
}

static spw_status iterate(run *r) {
    keep_active(r);
    precondition(r);
    project(r);
    if (r->has_B) spw_tall_multiply(r, SPW_LOBPCG_MULTIPLY, &r->B, r->count[W], r->V[W], r->BV[W]);
    spw_status status = orthonormalise(r, W);
    if (status || r->stopped) return status;
    if (!r->count[W]) {
        spw_lobpcg_stop(r, SPW_STOP_ROUNDING,
                        "%d of %d pairs converged; rounding leaves no direction to go",
                        converged(r), r->options.nv);
        return SPW_OK;
    }
    spw_tall_multiply(r, SPW_LOBPCG_MULTIPLY, &r->A, r->count[W], r->V[W], r->AV[W]);
    int m = 0;
    status = rayleigh_ritz(r, &m);
    if (!status && !r->stopped) update(r, m);
    return status;
}

/* Has everything converged, by products computed anew? Then true. */
static bool finished(run *r) {
    if (converged(r) < r->options.nv) return false;
    spw_tall_multiply_both(r, X);
    residuals(r);
    if (converged(r) < r->options.nv) return false;
    spw_lobpcg_stop(r, SPW_STOP_CONVERGED, "%d pairs converged in %d iterations", r->options.nv,
                    r->result->iterations);
    return true;
}

static void note_history(run *r) {
    double largest = 0;
    spw_lobpcg_result *result = r->result;
    double *row = result->history + (int64_t)result->n_history++ * r->options.nv;
    for (int j = 0; j < r->options.nv; j++) {
        row[j] = r->relative[j];
        if (r->active[j]) largest = fmax(largest, r->relative[j]);
        if (!isfinite(r->square[j]) && !r->stopped)
            spw_lobpcg_stop(r, SPW_STOP_NOT_FINITE, "the residual of pair %d is %g in iteration %d",
                            j, sqrt(r->square[j]), result->iterations);
    }
    if (!r->stopped && r->options.progress &&
        r->options.progress(r->options.progress_context, result->iterations, converged(r), largest,
                            spw_now() - r->begin))
        spw_lobpcg_stop(r, SPW_STOP_CANCELLED, "cancelled in iteration %d", result->iterations);
}

/* --- begin and end ---------------------------------------------------------------------------------------- */

static void random_columns(run *r, int from) {
    const int width = r->width;
    double *V = spw_tall_take(r, r->V[X]);
    if (!V) return;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < r->n; i++)
        for (int j = from; j < width; j++)
            V[i * width + j] =
                spw_random_double(r->options.seed, (uint64_t)((r->A.first + i) * width + j)) - 0.5;
    spw_tall_give_back(r, r->V[X]);
}

/* The first columns of a block of ld, and their way to X. */
static void take_guess(run *r, int guess, const double *from) {
    int all[WIDTH];
    for (int j = 0; j < guess; j++) all[j] = j;
    if (guess && !r->failed)
        r->failed = r->place->select(r->n, guess, all, from, guess, r->V[X], r->width);
}

/* X B-orthonormal, with its Ritz values. guess: columns that are given. */
static spw_status begin(run *r, int guess) {
    double square[WIDTH], image[WIDTH], sum = 0, image_sum = 0;
    random_columns(r, guess);
    for (int attempt = 0; attempt < TRIES; attempt++) {
        r->count[X] = r->width;
        if (r->has_B) spw_tall_multiply(r, SPW_LOBPCG_MULTIPLY, &r->B, r->width, r->V[X], r->BV[X]);
        const spw_status status = orthonormalise(r, X);
        if (status || r->stopped) return status;
        if (r->count[X] == r->width) break;
        random_columns(r, r->count[X]); /* in the place of what depends */
    }
    if (r->count[X] < r->width) {
        spw_lobpcg_stop(r, SPW_STOP_NOT_SPD,
                        "B is singular: of %d random vectors %d are independent in it", r->width,
                        r->count[X]);
        return SPW_OK;
    }
    spw_tall_multiply(r, SPW_LOBPCG_MULTIPLY, &r->A, r->width, r->V[X], r->AV[X]);
    spw_tall_squares(r, SPW_LOBPCG_ORTHOGONALISE, r->width, r->V[X], square);
    spw_tall_squares(r, SPW_LOBPCG_ORTHOGONALISE, r->width, r->AV[X], image);
    if (r->failed) return r->failed;
    for (int j = 0; j < r->width; j++) sum += square[j], image_sum += image[j];
    r->norm_A = sqrt(image_sum / sum);
    if (!isfinite(r->norm_A)) {
        spw_lobpcg_stop(r, SPW_STOP_NOT_FINITE, "A times random vectors is not finite");
        return SPW_OK;
    }
    gram_matrices(r, r->width, true);
    if (r->failed) return r->failed;
    const spw_status status = solve_small(r, r->width);
    if (status) return status;
    for (int i = 0; i < r->width; i++)
        for (int j = 0; j < r->width; j++) r->U[i * r->width + j] = r->H[j * r->width + i];
    transform(r, X, r->width, r->width, r->U, true);
    return SPW_OK;
}

/* A matrix written out: it times the unit vectors, as many of them at a time as W has columns. dense: [n_all^2] zeros. */
static void write_out(run *r, const spw_lobpcg_matrix *matrix, double *dense) {
    const int64_t n = r->n_all, top = r->A.first;
    for (int64_t first = 0; first < n; first += r->width) {
        const int count = n - first < r->width ? (int)(n - first) : r->width;
        double *unit = spw_tall_take(r, r->V[W]);
        for (int64_t k = 0; unit && k < r->n * r->width; k++)
            unit[k] = top + k / r->width == first + k % r->width;
        spw_tall_give_back(r, r->V[W]);
        spw_tall_multiply(r, SPW_LOBPCG_MULTIPLY, matrix, count, r->V[W], r->AV[W]);
        const double *image = spw_tall_take(r, r->AV[W]);
        for (int64_t i = 0; image && i < r->n; i++)
            for (int j = 0; j < count; j++)
                dense[(first + j) * n + top + i] = image[i * r->width + j];
    }
    spw_lobpcg_sum(r, (int)(n * n), dense);
}

/* All of A and B as dense matrices, and all of the work by LAPACK. */
static spw_status solve_dense(run *r) {
    const int n = (int)r->n_all;
    int bad = -1;
    double *A = NULL, *B = NULL, *w = NULL, *V;
    spw_status status;
    status = SPW_ALLOC_ZERO(&A, (int64_t)n * n);
    if (!status) status = SPW_ALLOC_ZERO(&B, (int64_t)n * n);
    if (!status) status = SPW_ALLOC(&w, n);
    if ((status = agree(r, status))) goto out;
    write_out(r, &r->A, A);
    if (r->has_B) write_out(r, &r->B, B);
    if ((status = r->failed)) goto out;
    status = r->has_B ? spw_small_eigen_general(n, A, B, w, &bad) : spw_small_eigen(n, A, w);
    status = take_first(r, take_first(r, status, n * n, A), n, w);
    spw_lobpcg_spent(r, SPW_LOBPCG_SMALL, 0, 0, 0);
    if (status == SPW_ERR_ARG) {
        if (bad >= 0)
            spw_lobpcg_stop(r, SPW_STOP_NOT_SPD, "B is not positive definite: row %d", bad);
        else
            spw_lobpcg_stop(r, SPW_STOP_NOT_FINITE, "%s", spw_message());
        status = SPW_OK;
        goto out;
    }
    if (status) goto out;
    r->count[X] = r->width;
    if (!(V = spw_tall_take(r, r->V[X]))) goto out;
    for (int j = 0; j < r->width; j++) {
        const int from = r->options.largest ? n - 1 - j : j;
        r->lambda[j] = w[from];
        for (int64_t i = 0; i < r->n; i++)
            V[i * r->width + j] = A[(int64_t)from * n + r->A.first + i];
    }
    spw_tall_give_back(r, r->V[X]);
    r->norm_A = fmax(fabs(w[0]), fabs(w[n - 1]));
    spw_lobpcg_stop(r, SPW_STOP_CONVERGED, "%d pairs of a matrix of %d rows by LAPACK",
                    r->options.nv, n);
out:
    spw_free(A);
    spw_free(B);
    spw_free(w);
    return status ? status : r->failed;
}

/* The residuals that are reported, of products computed anew; the vectors. */
static void end(run *r, double *out) {
    spw_lobpcg_result *result = r->result;
    const int nv = r->options.nv;
    int all[WIDTH];
    if (r->count[X] == r->width) {
        spw_tall_multiply_both(r, X);
        residuals(r);
        result->converged = converged(r);
        for (int j = 0; j < nv; j++) {
            result->lambda[j] = r->lambda[j];
            result->residual[j] = sqrt(r->square[j]);
            result->relative[j] = r->relative[j];
        }
    } else { /* it did not get so far as to have pairs */
        result->converged = 0;
        for (int j = 0; j < nv; j++)
            result->lambda[j] = result->residual[j] = result->relative[j] = NAN;
    }
    for (int j = 0; j < nv; j++) all[j] = j;
    if (out && !r->failed) r->failed = r->place->select(r->n, nv, all, r->V[X], r->width, out, nv);
    if (!r->failed) r->failed = r->place->wait();
    result->seconds = spw_now() - r->begin;
}

static spw_status check(run *r, const spw_lobpcg_options *options) {
    spw_lobpcg_options *o = &r->options;
    if (options) *o = *options;
    if (!o->nv) o->nv = 1;
    if (o->nv < 1 || o->nv > SPW_LOBPCG_MAX || o->nv > r->n_all)
        return spw_error(SPW_ERR_ARG,
                         "%d eigenvalues of a matrix of %" PRId64 " rows: nv must be 1 .. %d, and "
                         "at most the rows",
                         o->nv, r->n_all, SPW_LOBPCG_MAX);
    if (!(o->tolerance >= 0) || o->max_iterations < 0 || o->guard < -1)
        return spw_error(SPW_ERR_ARG,
                         "tolerance is %g, max_iterations %d, guard %d: must not be negative, "
                         "but for guard = -1",
                         o->tolerance, o->max_iterations, o->guard);
    if (r->has_B && r->B.n != r->n)
        return spw_error(SPW_ERR_ARG, "B has %" PRId64 " rows, A %" PRId64, r->B.n, r->n);
    if (r->has_M && r->M.n != r->n)
        return spw_error(SPW_ERR_ARG,
                         "the preconditioner %s has %" PRId64 " rows, the matrix %" PRId64,
                         r->M.name, r->M.n, r->n);
    if (o->tolerance == 0) o->tolerance = 1e-6;
    if (!o->max_iterations) o->max_iterations = 1000;
    /* a multiple of four vectors fills registers and lines */
    r->width = o->guard < 0   ? o->nv
               : o->guard > 0 ? o->nv + o->guard
                              : (o->nv + o->nv / 4 + 1 + 3) / 4 * 4;
    if (r->width > WIDTH) r->width = WIDTH;
    if (r->width > r->n_all) r->width = (int)r->n_all;
    return SPW_OK;
}

static spw_status make_room(run *r) {
    spw_status status;
    spw_lobpcg_result *result = r->result;
    const int64_t size = r->n * r->width, small = 9 * (int64_t)r->width * r->width;
    const int nv = r->options.nv;
    for (int b = 0; b < BLOCKS; b++) {
        if ((status = r->place->alloc(size, &r->V[b])) ||
            (status = r->place->alloc(size, &r->AV[b])))
            return status;
        if (!r->has_B)
            r->BV[b] = r->V[b];
        else if ((status = r->place->alloc(size, &r->BV[b])))
            return status;
    }
    if (!r->place->on_host && (status = SPW_ALLOC(&r->staging, size))) return status;
    if ((status = r->place->begin(r->n, r->width, &r->context)) ||
        (status = SPW_ALLOC(&r->GA, small)) || (status = SPW_ALLOC(&r->GB, small)) ||
        (status = SPW_ALLOC(&r->U, small)) || (status = SPW_ALLOC(&r->H, small)) ||
        (status = SPW_ALLOC(&r->PAP, small)) || (status = SPW_ALLOC(&result->lambda, nv)) ||
        (status = SPW_ALLOC(&result->residual, nv)) || (status = SPW_ALLOC(&result->relative, nv)))
        return status;
    return SPW_ALLOC(&result->history, (r->options.max_iterations + 1) * (int64_t)nv);
}

static void free_room(run *r) {
    for (int b = 0; b < BLOCKS; b++) {
        r->place->release(r->V[b]);
        r->place->release(r->AV[b]);
        if (r->has_B) r->place->release(r->BV[b]);
    }
    r->place->end(r->context);
    spw_free(r->staging);
    spw_free(r->GA);
    spw_free(r->GB);
    spw_free(r->U);
    spw_free(r->H);
    spw_free(r->PAP);
}

/* From the first vectors to the last iteration. */
static spw_status run_to_the_end(run *r, const double *out, int use_guess) {
    const int guess = use_guess && out ? r->options.nv : 0;
    if (r->n_all < DENSE * (int64_t)r->width) return solve_dense(r);
    take_guess(r, guess, out);
    spw_status status = begin(r, guess);
    while (!status && !r->stopped) {
        residuals(r);
        if (r->failed) break;
        note_history(r);
        if (r->stopped || finished(r)) break;
        if (r->result->iterations == r->options.max_iterations) {
            spw_lobpcg_stop(r, SPW_STOP_ITERATIONS, "%d of %d pairs converged in %d iterations",
                            converged(r), r->options.nv, r->result->iterations);
            break;
        }
        status = iterate(r);
        r->result->iterations++;
    }
    return status ? status : r->failed;
}

spw_status spw_lobpcg_run(const spw_lobpcg_place *place, spw_lobpcg_matrix A, spw_lobpcg_matrix B,
                          spw_lobpcg_matrix M, double *out, int use_guess,
                          const spw_lobpcg_options *options, spw_lobpcg_result *result) {
    run r = {.place = place,
             .A = A,
             .B = B,
             .M = M,
             .has_B = B.op != NULL,
             .has_M = M.op != NULL,
             .result = result,
             .n = A.n};
    double rows = (double)A.n;
    spw_lobpcg_sum(&r, 1, &rows);
    r.n_all = (int64_t)rows;
    *result = (spw_lobpcg_result){0};
    spw_status status = check(&r, options);
    if (!status) status = make_room(&r);
    status = agree(&r, status);
    if (!status) {
        result->nv = r.options.nv;
        r.begin = r.mark = spw_now();
        status = run_to_the_end(&r, out, use_guess);
    }
    if (!status) {
        end(&r, out);
        status = r.failed;
    }
    free_room(&r);
    if (status) spw_lobpcg_result_destroy(result);
    return status;
}
