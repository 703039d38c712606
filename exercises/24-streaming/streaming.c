#include "streaming.h"

#include <math.h>

/* 1. Write. Rows into a block as long as there is room for them: 12 bytes an entry, 4 (rows + 1) for the pointers. */
int cut(const spw_csr *A, int64_t room, spw_idx *first_row) {
    /* your code here */
}

/* 2. Write. While a block is multiplied the next one is on its way. Two buffers, blocks in order, each one once. */
void spmm_streamed(far_memory *F, void *const buffer[2], int nv, const double *X, double *Y) {
    /* your code here */
}

/* 3. Predict. The time of that loop with B equal blocks. */
double stream_time(int B, double T_t, double T_c, double o) {
    /* your model here */
}

/* 4. Predict. The number of blocks that is best, by your model. */
int best_blocks(double T_t, double T_c, double o, int least, int most) {
    /* your code here */
}

/* 5. Predict. From how many vectors on a transfer is hidden behind products. */
int vectors_to_hide(double T_t, double T_first, double T_vector) {
    /* your code here */
}
