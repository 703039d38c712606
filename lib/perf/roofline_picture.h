/* perf/roofline_picture.h -- the roofline in a terminal: plain ASCII, at most 80 columns, both axes logarithmic.
 *
 *    200 |                  peak 200 .------------
 *    100 |            L1 1000  _-'  b   _-'
 *     50 |                 _-'  memory 40
 *     20 |             _-'     a  _-'
 *        +-----------------------------------------
 *          1/16  1/8  1/4   1/2   1    2    4    8
 * A line is drawn with the characters _ . - ' which stand at four heights, so that twenty lines look like eighty. */
#pragma once

#include <stdio.h>

/* A slanted roof. */
typedef struct spw_roof {
    const char *name; /* "memory" */
    double bandwidth; /* byte/s */
} spw_roof;

/* A kernel below it. */
typedef struct spw_roofline_point {
    char name[48];
    double intensity;   /* flop/byte */
    double performance; /* flop/s */
    double roof;        /* flop/s that were allowed when it was measured; 0: by the last roof */
    double others;      /* % of the processors that others took then */
} spw_roofline_point;

/* The picture and below it one line a point: name, intensity, Gflop/s and share of the last roof, which is the
 * memory's, or of its own. At most 26 points: they are drawn as a, b, c, ..., roofs of their own as ^. peak: flop/s. */
void spw_roofline_draw(FILE *out, const spw_roof *roofs, int n_roofs, double peak,
                       const spw_roofline_point *points, int n_points);
