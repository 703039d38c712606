/* Plots for the terminal. */
#include "commands/textplot.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { WIDTH = 68, MARGIN = 8, MAX_HEIGHT = 40 };

typedef struct canvas {
    const spw_textplot *plot;
    int height;
    char cell[MAX_HEIGHT][WIDTH + 1];
} canvas;

/* Where x and y lie, in cells from the lower left corner; not rounded. */
static double column(const canvas *c, double x)
{
    const spw_textplot *p = c->plot;
    return log(x / p->x_min) / log(p->x_max / p->x_min) * (WIDTH - 1);
}

static double line(const canvas *c, double y)
{
    const spw_textplot *p = c->plot;
    return log(y / p->y_min) / log(p->y_max / p->y_min) * (c->height - 1);
}

static void put(canvas *c, int col, int row, char mark)
{
    if (col >= 0 && col < WIDTH && row >= 0 && row < c->height)
        c->cell[c->height - 1 - row][col] = mark;
}

static char get(const canvas *c, int col, int row)
{
    if (col < 0 || col >= WIDTH || row < 0 || row >= c->height) return 'x';
    return c->cell[c->height - 1 - row][col];
}

/* Writes a text if all its cells and two on each side are free. */
static bool write_free(canvas *c, int col, int row, const char *text)
{
    const int length = (int)strlen(text);
    for (int i = -2; i <= length + 1; i++)
        if (col + i >= 0 && col + i < WIDTH && get(c, col + i, row) != ' ') return false;
    if (col < 0 || col + length > WIDTH || row < 0 || row >= c->height) return false;
    for (int i = 0; i < length; i++) put(c, col + i, row, text[i]);
    return true;
}

/* y of the curve at x, by straight lines between its points on the logarithmic axes; 0 outside. */
static double height_at(const spw_curve *curve, double x)
{
    const double slack = 1 + 1e-9;
    for (int i = 0; i + 1 < curve->n; i++) {
        const double x0 = curve->x[i], x1 = curve->x[i + 1];
        if (x * slack < x0 || x > x1 * slack) continue;
        const double share = log(x / x0) / log(x1 / x0);
        return curve->y[i] * pow(curve->y[i + 1] / curve->y[i], share);
    }
    return 0;
}

static void draw_curve(canvas *c, const spw_curve *curve)
{
    static const char heights[] = "_.-'";
    const spw_textplot *p = c->plot;
    for (int col = 0; col < WIDTH; col++) {
        const double x = p->x_min * pow(p->x_max / p->x_min, (double)col / (WIDTH - 1));
        const double y = height_at(curve, x);
        if (y <= 0) continue;
        const double at = line(c, y) + 0.5; /* a cell reaches from row to row + 1 */
        const int row = (int)floor(at);
        put(c, col, row, heights[(int)(4 * (at - row))]);
    }
}

/* Above the curve, as near to where it should be as there is room. */
static void name_curve(canvas *c, const spw_curve *curve)
{
    if (!curve->name || curve->n < 1) return;
    const int length = (int)strlen(curve->name);
    const double left = column(c, curve->x[0]), right = column(c, curve->x[curve->n - 1]);
    const double middle = left + curve->name_at * (right - left);
    for (int up = 1; up <= 3; up++)
        for (int away = 0; away < WIDTH / 2; away++)
            for (int side = -1; side <= 1; side += 2) {
                const int col = (int)middle - length / 2 + side * away;
                const double centre = fmax(left, fmin(right, col + 0.5 * length)) / (WIDTH - 1);
                const spw_textplot *p = c->plot;
                const double y = height_at(curve, p->x_min * pow(p->x_max / p->x_min, centre));
                if (y <= 0) continue;
                if (write_free(c, col, (int)floor(line(c, y) + 0.5) + up, curve->name)) return;
            }
}

static void draw_vertical(canvas *c, const spw_vertical *v)
{
    const int col = (int)lround(column(c, v->x)), length = (int)strlen(v->name);
    bool named = false;
    for (int row = 0; row < 3 && !named; row++)
        named = write_free(c, col - length - 1, row, v->name);
    for (int row = 0; row < 3 && !named; row++) named = write_free(c, col + 2, row, v->name);
    for (int row = 0; row < c->height; row++)
        if (get(c, col, row) == ' ') put(c, col, row, ':');
}

/* --- axes ---------------------------------------------------------------------------------------- */

static void print_y_axis_label(FILE *out, const canvas *c, int row)
{
    static const double mantissas[] = {1, 2, 5};
    const spw_textplot *p = c->plot;
    for (int e = (int)floor(log10(p->y_min)); e <= (int)ceil(log10(p->y_max)); e++)
        for (int m = 0; m < 3; m++) {
            const double y = mantissas[m] * pow(10, e);
            if (y >= 0.99 * p->y_min && y <= 1.01 * p->y_max && (int)lround(line(c, y)) == row) {
                fprintf(out, "%*.*f |", MARGIN - 2, e < 0 ? -e : 0, y);
                return;
            }
        }
    fprintf(out, "%*s |", MARGIN - 2, "");
}

static void tick_name(spw_ticks ticks, double x, char *text, size_t size)
{
    if (ticks == SPW_TICKS_BYTES && x < 1 << 20)
        snprintf(text, size, "%.0fK", x / 1024);
    else if (ticks == SPW_TICKS_BYTES && x < 1 << 30)
        snprintf(text, size, "%.0fM", x / (1 << 20));
    else if (ticks == SPW_TICKS_BYTES)
        snprintf(text, size, "%.0fG", x / (1 << 30));
    else if (ticks == SPW_TICKS_FRACTIONS && x < 0.9)
        snprintf(text, size, "1/%.0f", 1 / x);
    else
        snprintf(text, size, "%.0f", x);
}

static void print_x_axis(FILE *out, const canvas *c)
{
    const spw_textplot *p = c->plot;
    char axis[WIDTH + 1], names[WIDTH + 16];
    memset(axis, '-', WIDTH);
    memset(names, ' ', sizeof names);
    axis[WIDTH] = 0;
    const double factor = p->x_ticks == SPW_TICKS_BYTES     ? 4
                          : p->x_ticks == SPW_TICKS_DECIMAL ? 10
                                                            : 2;
    int free_from = 0;
    const double first = pow(factor, floor(log(p->x_min) / log(factor)));
    for (double x = first; x <= 1.001 * p->x_max; x *= factor) {
        if (x < 0.999 * p->x_min) continue;
        const int col = (int)lround(column(c, x));
        char name[24];
        tick_name(p->x_ticks, x, name, sizeof name);
        const int length = (int)strlen(name), from = col - length / 2 > 0 ? col - length / 2 : 0;
        axis[col] = '+';
        if (from < free_from || from + length > WIDTH + 4) continue;
        memcpy(names + from, name, (size_t)length);
        free_from = from + length + 1;
    }
    names[free_from > 0 ? free_from - 1 : 0] = 0;
    fprintf(out, "%*s+%s\n", MARGIN - 1, "", axis);
    fprintf(out, "%*s%s\n", MARGIN, "", names);
    fprintf(out, "%*s%s\n", MARGIN, "", p->x_label);
}

void spw_textplot_draw(FILE *out, const spw_textplot *plot)
{
    canvas c = {.plot = plot, .height = plot->height < MAX_HEIGHT ? plot->height : MAX_HEIGHT};
    memset(c.cell, ' ', sizeof c.cell);
    for (int i = 0; i < plot->n_curves; i++) draw_curve(&c, &plot->curves[i]);
    for (int i = 0; i < plot->n_dots; i++)
        put(&c, (int)lround(column(&c, plot->dots[i].x)), (int)lround(line(&c, plot->dots[i].y)),
            plot->dots[i].mark);
    for (int i = 0; i < plot->n_curves; i++) name_curve(&c, &plot->curves[i]);
    for (int i = 0; i < plot->n_verticals; i++) draw_vertical(&c, &plot->verticals[i]);

    fprintf(out, "%s\n", plot->title);
    for (int row = c.height - 1; row >= 0; row--) {
        char *text = c.cell[c.height - 1 - row];
        int length = WIDTH;
        while (length > 0 && text[length - 1] == ' ') length--; /* no trailing blanks */
        text[length] = 0;
        print_y_axis_label(out, &c, row);
        fprintf(out, "%s\n", text);
    }
    print_x_axis(out, &c);
}

/* --- the roofline -------------------------------------------------------------------------------- */

enum { MAX_ROOFS = 8, MAX_POINTS = 26 };

void spw_textplot_roofline(FILE *out, const spw_roof *roofs, int n_roofs, double peak,
                           const spw_roofline_point *points, int n_points)
{
    spw_curve curves[MAX_ROOFS + 1];
    spw_dot dots[MAX_POINTS];
    double x[MAX_ROOFS][2], y[MAX_ROOFS][2], x_peak[2], y_peak[2], fastest = 0, slowest = INFINITY;
    char names[MAX_ROOFS + 1][48];
    if (n_roofs > MAX_ROOFS) n_roofs = MAX_ROOFS;
    if (n_points > MAX_POINTS) n_points = MAX_POINTS;

    for (int i = 0; i < n_roofs; i++) {
        fastest = fmax(fastest, roofs[i].bandwidth);
        slowest = fmin(slowest, roofs[i].bandwidth);
    }
    double x_min = 1.0 / 16, x_max = 16;
    while (x_max < 4 * peak / slowest && x_max < 1024) x_max *= 2;
    double y_min = x_min * slowest;
    for (int i = 0; i < n_points; i++) {
        x_min = fmin(x_min, points[i].intensity / 1.3);
        x_max = fmax(x_max, points[i].intensity * 1.3);
        y_min = fmin(y_min, points[i].performance / 1.3);
    }
    y_min = fmin(y_min, x_min * slowest);
    if (x_max < 4 * peak / slowest) x_max = 4 * peak / slowest;

    for (int i = 0; i < n_roofs; i++) {
        const double b = roofs[i].bandwidth;
        x[i][0] = x_min, x[i][1] = peak / b;
        y[i][0] = x_min * b * 1e-9, y[i][1] = peak * 1e-9;
        snprintf(names[i], sizeof names[i], "%s %.*f", roofs[i].name, b < 10e9, b * 1e-9);
        curves[i] = (spw_curve){.x = x[i], .y = y[i], .n = 2, .name = names[i], .name_at = 1};
    }
    x_peak[0] = n_roofs > 0 ? peak / fastest : x_min;
    x_peak[1] = x_max;
    y_peak[0] = y_peak[1] = peak * 1e-9;
    snprintf(names[MAX_ROOFS], sizeof names[0], "peak %.*f Gflop/s", peak < 10e9, peak * 1e-9);
    curves[n_roofs] =
        (spw_curve){.x = x_peak, .y = y_peak, .n = 2, .name = names[MAX_ROOFS], .name_at = 1};
    for (int i = 0; i < n_points; i++)
        dots[i] = (spw_dot){
            .x = points[i].intensity, .y = points[i].performance * 1e-9, .mark = (char)('a' + i)};

    spw_textplot_draw(
        out, &(spw_textplot){.title = "Gflop/s; the slanted roofs are named with their GB/s",
                             .x_label = "flop/byte",
                             .x_ticks = SPW_TICKS_FRACTIONS,
                             .x_min = x_min,
                             .x_max = x_max,
                             .y_min = y_min * 1e-9,
                             .y_max = 2 * peak * 1e-9,
                             .height = 20,
                             .curves = curves,
                             .n_curves = n_roofs + 1,
                             .dots = dots,
                             .n_dots = n_points});
    for (int i = 0; i < n_points; i++) {
        fprintf(out, " %c  %-32.32s %8.4f flop/byte %8.3g Gflop/s", 'a' + i, points[i].name,
                points[i].intensity, points[i].performance * 1e-9);
        if (n_roofs > 0) {
            const double b = roofs[n_roofs - 1].bandwidth;
            const double roof = fmin(peak, points[i].intensity * b);
            fprintf(out, " %4.0f %%", 100 * points[i].performance / roof);
        }
        fprintf(out, "\n");
    }
}

void spw_textplot_bar(FILE *out, double share, int width)
{
    const int full = (int)lround(fmin(1, fmax(0, share)) * width);
    fputc('|', out);
    for (int i = 0; i < width; i++) fputc(i < full ? '#' : '.', out);
    fputc('|', out);
}

/* --- residuals ------------------------------------------------------------------------------------- */

enum { HISTORY_WIDTH = 64, HISTORY_HEIGHT = 14 };

typedef char history_line[HISTORY_WIDTH + 1];

static bool is_drawn(double residual)
{
    return isfinite(residual) && residual > 0;
}

static void mark_history(history_line *cell, const double *history, int n, int each, double bottom,
                         double top)
{
    for (int64_t k = 0; k < (int64_t)n * each; k++) {
        if (!is_drawn(history[k])) continue;
        const double up = (log10(history[k]) - bottom) / (top - bottom);
        const int at = (int)(k / each * (HISTORY_WIDTH - 1) / (n - 1));
        cell[HISTORY_HEIGHT - 1 - (int)(up * (HISTORY_HEIGHT - 1) + 0.5)][at] = '*';
    }
}

void spw_textplot_history(FILE *out, const char *title, const double *history, int n, int each)
{
    double low = INFINITY, high = 0;
    for (int64_t k = 0; k < (int64_t)n * each; k++) {
        if (!is_drawn(history[k])) continue;
        low = fmin(low, history[k]);
        high = fmax(high, history[k]);
    }
    if (n < 3 || !(low < high)) return;
    const double top = ceil(log10(high)), bottom = floor(log10(low));
    history_line cell[HISTORY_HEIGHT], axis;
    memset(cell, ' ', sizeof cell);
    mark_history(cell, history, n, each, bottom, top);
    fprintf(out, "\n  %s\n", title);
    for (int k = 0; k < HISTORY_HEIGHT; k++) {
        int end = HISTORY_WIDTH;
        while (end > 0 && cell[k][end - 1] == ' ') end--;
        cell[k][end] = '\0';
        if (k == 0 || k == HISTORY_HEIGHT - 1)
            fprintf(out, "  1e%+03.0f |%s\n", k ? bottom : top, cell[k]);
        else
            fprintf(out, "        |%s\n", cell[k]);
    }
    memset(axis, '-', HISTORY_WIDTH);
    axis[HISTORY_WIDTH] = '\0';
    fprintf(out, "        +%s\n         0%*d iterations\n", axis, HISTORY_WIDTH - 12, n - 1);
}
