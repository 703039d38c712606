#include "diagnose.h"

/* Nothing is to be programmed here. Read kernels.c, type make exercise-10 (a table of times) and make
 * traffic-10 (bytes), and fill in five diagnoses like
 *     return (diagnosis){.because = IMBALANCE, .ratio = 1.25};
 * The reasons are EXTRA_TRAFFIC, SLOW_CODE, IMBALANCE, LATENCY. ratio is right within 10 %. */

/* 1. moment: 16 bytes a particle by the model */
diagnosis diagnose_moment(void) {
    /* SOLUTION your diagnosis here */
    return (diagnosis){.because = EXTRA_TRAFFIC, .ratio = 4}; /* 64 bytes a line, 16 of them used */
    /* END */
}

/* 2. deviation: 8 bytes a number by the model */
diagnosis diagnose_deviation(void) {
    /* SOLUTION your diagnosis here */
    return (diagnosis){.because = EXTRA_TRAFFIC, .ratio = 2}; /* two passes, no cache holds it */
    /* END */
}

/* 3. roots: 16 bytes a term by the model */
diagnosis diagnose_roots(void) {
    /* SOLUTION your diagnosis here */
    return (diagnosis){.because = SLOW_CODE, .ratio = 1.5}; /* 24 bytes a term; but it waits */
    /* END */
}

/* 4. norm: 8 bytes an entry by the model, and the row pointers */
diagnosis diagnose_norm(void) {
    /* SOLUTION your diagnosis here */
    return (diagnosis){.because = IMBALANCE, .ratio = 1};
    /* END */
}

/* 5. tour: 128 bytes a node by the model */
diagnosis diagnose_tour(void) {
    /* SOLUTION your diagnosis here */
    return (diagnosis){.because = LATENCY, .ratio = 1};
    /* END */
}
