#include "perf/roofline_picture.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { WIDTH = 68, HEIGHT = 20, MARGIN = 8, MAX_POINTS = 26 };

typedef struct canvas {
    double x_min, x_max, y_min, y_max; /* flop/byte, flop/s */
    char cell[HEIGHT][WIDTH + 1];      /* the first row is the lowest */
} canvas;

/* y = bandwidth x, or the peak where bandwidth is 0, from x0 to x1. */
typedef struct line {
    double x0, x1, bandwidth, peak;
} line;

static double height(const line *l, double x) {
    return l->bandwidth > 0 ? l->bandwidth * x : l->peak;
}

/* Where x and y lie, in cells from the lower left corner; not rounded. */
static double column(const canvas *c, double x) {
    return log(x / c->x_min) / log(c->x_max / c->x_min) * (WIDTH - 1);
}

static double row(const canvas *c, double y) {
    return log(y / c->y_min) / log(c->y_max / c->y_min) * (HEIGHT - 1);
}

/* x in the middle of a column. */
static double x_of(const canvas *c, double col) {
    return c->x_min * pow(c->x_max / c->x_min, col / (WIDTH - 1));
}

static void put(canvas *c, int col, int at, char mark) {
    if (col >= 0 && col < WIDTH && at >= 0 && at < HEIGHT) c->cell[at][col] = mark;
}

/* Writes a text if all its cells and two on each side are free. */
static bool write_free(canvas *c, int col, int at, const char *text) {
    const int length = (int)strlen(text);
    if (col < 0 || col + length > WIDTH || at < 0 || at >= HEIGHT) return false;
    for (int i = col - 2; i <= col + length + 1; i++)
        if (i >= 0 && i < WIDTH && c->cell[at][i] != ' ') return false;
    memcpy(&c->cell[at][col], text, (size_t)length);
    return true;
}

static void draw_line(canvas *c, const line *l) {
    for (int col = 0; col < WIDTH; col++) {
        const double x = x_of(c, col), slack = 1 + 1e-9;
        if (x * slack < l->x0 || x > l->x1 * slack) continue;
        const double at = row(c, height(l, x)) + 0.5; /* a cell reaches from row to row + 1 */
        put(c, col, (int)floor(at), "_.-'"[(int)(4 * (at - floor(at)))]);
    }
}

/* Above the line, as near to its right end as there is room. */
static void name_line(canvas *c, const line *l, const char *name) {
    const double left = column(c, l->x0), right = column(c, l->x1);
    const int length = (int)strlen(name);
    for (int up = 1; up <= 3; up++)
        for (int away = 0; away < WIDTH; away++) {
            const int side = away % 2 ? away / 2 + 1 : -away / 2,
                      col = (int)right - length / 2 + side;
            const double centre = fmax(left, fmin(right, col + 0.5 * length));
            const int at = (int)floor(row(c, height(l, x_of(c, centre))) + 0.5) + up;
            if (write_free(c, col, at, name)) return;
        }
}

/* --- axes ---------------------------------------------------------------------------------------- */

static void print_row(FILE *out, const canvas *c, int at) {
    static const double mantissas[] = {1, 2, 5};
    char text[WIDTH + 1], label[16] = "";
    for (int k = 3 * (int)floor(log10(1e-9 * c->y_min));
         k <= 3 * (int)ceil(log10(1e-9 * c->y_max)) + 2; k++) {
        const int e = (int)floor(k / 3.0);
        const double y = mantissas[k - 3 * e] * pow(10, e);
        if ((int)lround(row(c, 1e9 * y)) == at && !*label)
            snprintf(label, sizeof label, "%.*f", e < 0 ? -e : 0, y);
    }
    memcpy(text, c->cell[at], sizeof text);
    for (int k = WIDTH - 1; k >= 0 && text[k] == ' '; k--) text[k] = 0; /* no trailing blanks */
    fprintf(out, "%*s |%s\n", MARGIN - 2, label, text);
}

/* 1/8 1/4 1/2 1 2 4, those that there is room for. */
static void print_x_axis(FILE *out, const canvas *c) {
    char axis[WIDTH + 1], names[WIDTH + 16];
    int free_from = 0;
    memset(axis, '-', WIDTH);
    memset(names, ' ', sizeof names);
    axis[WIDTH] = 0;
    for (double x = exp2(ceil(log2(c->x_min))); x <= c->x_max; x *= 2) {
        const int col = (int)lround(column(c, x));
        char name[24];
        const int length =
            snprintf(name, sizeof name, x < 0.9 ? "1/%.0f" : "%.0f", x < 0.9 ? 1 / x : x);
        const int from = col - length / 2 > 0 ? col - length / 2 : 0;
        axis[col] = '+';
        if (from < free_from || from + length > WIDTH + 4) continue;
        memcpy(names + from, name, (size_t)length);
        free_from = from + length + 1;
    }
    names[free_from > 0 ? free_from - 1 : 0] = 0;
    fprintf(out, "%*s+%s\n%*s%s\n%*sflop/byte\n", MARGIN - 1, "", axis, MARGIN, "", names, MARGIN,
            "");
}

/* --- the roofline -------------------------------------------------------------------------------- */

/* Room for the knees of all roofs, and for all points. */
static canvas frame(double slowest, double peak, const spw_roofline_point *points, int n_points) {
    canvas c = {.x_min = 1.0 / 16, .x_max = 16, .y_max = 2 * peak};
    while (c.x_max < 4 * peak / slowest && c.x_max < 1024) c.x_max *= 2;
    c.y_min = c.x_min * slowest;
    for (int i = 0; i < n_points; i++) {
        c.x_min = fmin(c.x_min, points[i].intensity / 1.3);
        c.x_max = fmax(c.x_max, points[i].intensity * 1.3);
        c.y_min = fmin(c.y_min, points[i].performance / 1.3);
        c.y_max = fmax(c.y_max, points[i].roof * 1.3);
    }
    c.y_min = fmin(c.y_min, c.x_min * slowest);
    c.x_max = fmax(c.x_max, 4 * peak / slowest);
    for (int at = 0; at < HEIGHT; at++) memset(c.cell[at], ' ', WIDTH);
    return c;
}

void spw_roofline_draw(FILE *out, const spw_roof *roofs, int n_roofs, double peak,
                       const spw_roofline_point *points, int n_points) {
    double fastest = 0, slowest = INFINITY;
    char name[48];
    if (n_points > MAX_POINTS) n_points = MAX_POINTS;
    for (int i = 0; i < n_roofs; i++) {
        fastest = fmax(fastest, roofs[i].bandwidth);
        slowest = fmin(slowest, roofs[i].bandwidth);
    }
    canvas c = frame(slowest, peak, points, n_points);
    const line top = {.x0 = peak / fastest, .x1 = c.x_max, .peak = peak};
    for (int i = 0; i < n_roofs; i++)
        draw_line(&c, &(line){c.x_min, peak / roofs[i].bandwidth, roofs[i].bandwidth, peak});
    draw_line(&c, &top);
    for (int i = 0; i < n_points; i++)
        if (points[i].roof > 0)
            put(&c, (int)lround(column(&c, points[i].intensity)),
                (int)lround(row(&c, points[i].roof)), '^');
    for (int i = 0; i < n_points; i++)
        put(&c, (int)lround(column(&c, points[i].intensity)),
            (int)lround(row(&c, points[i].performance)), (char)('a' + i));
    for (int i = 0; i < n_roofs; i++) {
        const double b = roofs[i].bandwidth;
        snprintf(name, sizeof name, "%s %.*f", roofs[i].name, b < 10e9, b * 1e-9);
        name_line(&c, &(line){c.x_min, peak / b, b, peak}, name);
    }
    snprintf(name, sizeof name, "peak %.*f Gflop/s", peak < 10e9, peak * 1e-9);
    name_line(&c, &top, name);

    fprintf(out, "Gflop/s; the slanted roofs are named with their GB/s\n");
    for (int at = HEIGHT - 1; at >= 0; at--) print_row(out, &c, at);
    print_x_axis(out, &c);
    for (int i = 0; i < n_points; i++) {
        const spw_roofline_point *p = &points[i];
        const double roof =
            p->roof > 0 ? p->roof : fmin(peak, p->intensity * roofs[n_roofs - 1].bandwidth);
        fprintf(out, " %c  %-32.32s %8.4f flop/byte %8.3g Gflop/s %4.0f %%\n", 'a' + i, p->name,
                p->intensity, p->performance * 1e-9, 100 * p->performance / roof);
    }
}
