#include "diagnose.h"

/* Nothing is to be programmed here. Read kernels.c, type make exercise-10 (a table of times) and make
 * traffic-10 (bytes), and fill in five diagnoses like
 *     return (diagnosis){.because = IMBALANCE, .ratio = 1.25};
 * The reasons are EXTRA_TRAFFIC, SLOW_CODE, IMBALANCE, LATENCY. ratio is right within 10 %. */

/* 1. moment: 16 bytes a particle by the model */
diagnosis diagnose_moment(void) {
    /* your diagnosis here */
}

/* 2. deviation: 8 bytes a number by the model */
diagnosis diagnose_deviation(void) {
    /* your diagnosis here */
}

/* 3. roots: 16 bytes a term by the model */
diagnosis diagnose_roots(void) {
    /* your diagnosis here */
}

/* 4. norm: 8 bytes an entry by the model, and the row pointers */
diagnosis diagnose_norm(void) {
    /* your diagnosis here */
}

/* 5. tour: 128 bytes a node by the model */
diagnosis diagnose_tour(void) {
    /* your diagnosis here */
}
