#include "streaming.h"

#include <math.h>

/* 1. Write. Rows into a block as long as there is room for them: 12 bytes an entry, 4 (rows + 1) for the pointers. */
int cut(const spw_csr *A, int64_t room, spw_idx *first_row) {
    /* SOLUTION your code here */
    int blocks = 0;
    spw_idx i = 0;
    for (first_row[0] = 0; i < A->n_rows; first_row[++blocks] = i) {
        const spw_idx begin = i;
        for (; i < A->n_rows; i++) {
            const int64_t entries = (int64_t)A->row_ptr[i + 1] - A->row_ptr[begin];
            const int64_t pointers = (int64_t)i + 1 - begin + 1;
            if (12 * entries + 4 * pointers > room) break;
        }
        if (i == begin) return 0;
    }
    return blocks;
    /* END */
}

/* 2. Write. While a block is multiplied the next one is on its way. Two buffers, blocks in order, each one once. */
void spmm_streamed(far_memory *F, void *const buffer[2], int nv, const double *X, double *Y) {
    /* SOLUTION your code here */
    const int blocks = far_blocks(F);
    for (int k = 0; k < 2 && k < blocks; k++) far_begin(F, k, buffer[k]);
    for (int k = 0; k < blocks; k++) {
        far_wait(F, k);
        multiply_block(F, k, buffer[k % 2], nv, X, Y + (int64_t)far_first_row(F, k) * nv);
        if (k + 2 < blocks) far_begin(F, k + 2, buffer[k % 2]);
    }
    /* END */
}

/* 3. Predict. The time of that loop with B equal blocks. */
double stream_time(int B, double T_t, double T_c, double o) {
    /* SOLUTION your model here */
    const double t_t = T_t / B + o, t_c = T_c / B;
    return B * fmax(t_t, t_c) + fmin(t_t, t_c);
    /* END */
}

/* 4. Predict. The number of blocks that is best, by your model. */
int best_blocks(double T_t, double T_c, double o, int least, int most) {
    /* SOLUTION your code here */
    int best = least;
    for (int B = least + 1; B <= most; B++)
        if (stream_time(B, T_t, T_c, o) < stream_time(best, T_t, T_c, o)) best = B;
    return best;
    /* END */
}

/* 5. Predict. From how many vectors on a transfer is hidden behind products. */
int vectors_to_hide(double T_t, double T_first, double T_vector) {
    /* SOLUTION your code here */
    const double more = ceil((T_t - T_first) / T_vector);
    return more > 0 ? 1 + (int)more : 1;
    /* END */
}
