/* exercises/10-diagnose: what is wrong with five kernels. They stand in kernels.c. */
#pragma once

#include <stdint.h>

/* Why a kernel takes longer than its roofline: the reason that explains most of it. */
typedef enum reason {
    NOT_SAID,
    EXTRA_TRAFFIC, /* it moves more bytes than the model says, at full speed */
    SLOW_CODE,     /* its instructions take longer than its data */
    IMBALANCE,     /* some threads have more to do than others */
    LATENCY        /* it waits for one line after the other */
} reason;

typedef struct diagnosis {
    reason because;
    double ratio; /* bytes that were measured over bytes of the model; 1: just as predicted */
} diagnosis;

/* What the kernels read. */
typedef struct particle {
    double x, y, z, u, v, w, mass, charge; /* place, velocity, mass, charge */
} particle;

typedef struct term {
    double a, b, error;
} term;

enum { PAYLOAD = 15, BLOCK = 16000 };
typedef struct node {
    int64_t next; /* number of the node that follows in the list: any, in no order */
    double value[PAYLOAD];
} node;

/* Yours. */
diagnosis diagnose_moment(void);
diagnosis diagnose_deviation(void);
diagnosis diagnose_roots(void);
diagnosis diagnose_norm(void);
diagnosis diagnose_tour(void);
