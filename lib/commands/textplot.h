/* commands/textplot.h -- plots for the terminal: plain ASCII, at most 80 columns.
 *
 *   1000 |------.                    |             :
 *    500 |       '.            L1    |             :
 *    200 |         '-.________     L2|          L3 :
 *    100 |                    '-.
 *        +-----------------------------------------
 * Both axes are logarithmic: that is how staircases and rooflines are read. A curve is drawn with the
 * characters _ . - ' which stand at four heights of a line, so that twenty lines look like eighty. */
#ifndef SPW_COMMANDS_TEXTPLOT_H
#define SPW_COMMANDS_TEXTPLOT_H

#include <stdio.h>

typedef enum spw_ticks {
    SPW_TICKS_DECIMAL,  /* 10 20 50 100 */
    SPW_TICKS_BYTES,    /* 16 KiB, 64 KiB, ... */
    SPW_TICKS_FRACTIONS /* 1/8 1/4 1/2 1 2 4 */
} spw_ticks;

typedef struct spw_curve {
    const double *x, *y; /* [n] > 0, x ascending; the points are joined */
    int n;
    const char *name; /* written above the curve, NULL: not */
    double name_at;   /* 0 above its left end .. 1 above its right end */
} spw_curve;

typedef struct spw_vertical {
    double x; /* a dotted vertical line */
    const char *name;
} spw_vertical;

typedef struct spw_dot {
    double x, y;
    char mark; /* drawn over everything else */
} spw_dot;

typedef struct spw_textplot {
    const char *title, *x_label; /* the title names y and its unit */
    spw_ticks x_ticks;           /* those of y are decimal */
    double x_min, x_max, y_min, y_max;
    int height; /* lines between the axes */
    const spw_curve *curves;
    const spw_vertical *verticals;
    const spw_dot *dots;
    int n_curves, n_verticals, n_dots;
} spw_textplot;

void spw_textplot_draw(FILE *out, const spw_textplot *plot);

/* A slanted roof of a roofline. */
typedef struct spw_roof {
    const char *name; /* "memory" */
    double bandwidth; /* byte/s */
} spw_roof;

/* A kernel in it. */
typedef struct spw_roofline_point {
    char name[48];
    double intensity;   /* flop/byte */
    double performance; /* flop/s */
} spw_roofline_point;

/* The roofline and below it one line a point: name, intensity, Gflop/s and share of the last roof, which
 * is the memory's. At most 26 points: they are drawn as a, b, c, ... */
void spw_textplot_roofline(FILE *out, const spw_roof *roofs, int n_roofs, double peak,
                           const spw_roofline_point *points, int n_points);

/* Residuals over iterations: logarithmic upwards, linear to the right. history has `each` values of each of
 * n iterations, one iteration after the other; those that are not positive are left out. Nothing is drawn
 * of fewer than three iterations. */
void spw_textplot_history(FILE *out, const char *title, const double *history, int n, int each);

/* "|######......|": share 0 .. 1 of width characters. */
void spw_textplot_bar(FILE *out, double share, int width);

#endif
