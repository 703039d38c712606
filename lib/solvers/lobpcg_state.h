/* solvers/lobpcg_state.h -- what LOBPCG knows while it runs, and its work on matrices of n rows. Internal. */
#pragma once

#include "solvers/lobpcg_parts.h"

enum { X, W, P, BLOCKS }; /* the three blocks, in this order side by side */
enum { WIDTH = 80 };      /* vectors of a block at most */

typedef struct spw_lobpcg_state {
    const spw_lobpcg_place *place;
    void *context; /* the place's */
    spw_lobpcg_matrix A, B, M;
    bool has_B, has_M;
    spw_lobpcg_options options; /* with the defaults filled in */
    spw_lobpcg_result *result;
    int64_t n, n_all;   /* rows here, and of all parts */
    int width;          /* vectors in X: nv and the guard */
    int count[BLOCKS];  /* vectors in use */
    double *V[BLOCKS];  /* [n * width] each */
    double *AV[BLOCKS]; /* A times that */
    double *BV[BLOCKS]; /* B times that; V itself without B */
    double *staging;    /* [n * width] on the host, where the blocks are not; else NULL */
    double *GA, *GB, *U,
        *H;      /* [(3 width)^2] each; H: the eigenvectors of the small problem, in rows */
    double *PAP; /* [width^2] PᵀAP */
    double lambda[WIDTH], square[WIDTH], relative[WIDTH];
    bool active[WIDTH];
    double norm_A;
    bool stopped;
    spw_status failed; /* the first failure of the place: from then on nothing is done there */
    double begin, mark;
} spw_lobpcg_state;

/* Why it ends; the text of the result. */
void spw_lobpcg_stop(spw_lobpcg_state *r, spw_stop why, const char *format, ...) SPW_PRINTF(3, 4);

/* The time since the last mark goes to a phase, with what was computed in it. */
void spw_lobpcg_spent(spw_lobpcg_state *r, spw_lobpcg_phase phase, double load, double store,
                      double flop);

/* values[k] becomes its sum over all parts of A. */
void spw_lobpcg_sum(spw_lobpcg_state *r, int count, double *values);

/* Those of the place, with their cost; nothing is done after a failure. C = UᵀV. */
void spw_tall_gram(spw_lobpcg_state *r, spw_lobpcg_phase phase, int p, double *U, int q, double *V,
                   double *C);

/* C = [L0 L1 ..]ᵀ[R0 R1 ..]. Returns the columns of C, 0 where there is nothing to do. */
int spw_tall_gram_blocks(spw_lobpcg_state *r, spw_lobpcg_phase phase, int n_left,
                         double *const left[], const int *left_count, int n_right,
                         double *const right[], const int *right_count, double *C);

/* [out[0] out[1]] = in C; a block of no vectors is left out. */
void spw_tall_combine(spw_lobpcg_state *r, spw_lobpcg_phase phase, double *const in[],
                      const int *in_count, int n_in, const double *C, double *const out[],
                      const int *out_count, int n_out);

/* to = matrix from; and A V and B V of one of the blocks. */
void spw_tall_multiply(spw_lobpcg_state *r, spw_lobpcg_phase phase, const spw_lobpcg_matrix *matrix,
                       int nv, const double *from, double *to);
void spw_tall_multiply_both(spw_lobpcg_state *r, int block);

/* The squared lengths of vectors: the diagonal of their Gram matrix, one pass for all of them. */
void spw_tall_squares(spw_lobpcg_state *r, spw_lobpcg_phase phase, int nv, double *V,
                      double *square);

/* What the host may look at and change, and its way back. NULL where that failed. */
double *spw_tall_take(spw_lobpcg_state *r, double *V);
void spw_tall_give_back(spw_lobpcg_state *r, double *V);
