/* The roofline in a terminal: it fits, and what is drawn stands where it should. */

#include "perf/roofline_picture.h"
#include "test.h"

enum { MAX_LINES = 64, MAX_TEXT = 1 << 14 };

/* What a drawing function wrote, cut into lines. */
typedef struct page {
    char text[MAX_TEXT];
    char *line[MAX_LINES];
    int n;
} page;

static FILE *begin(page *p) {
    memset(p, 0, sizeof *p);
    FILE *file = fmemopen(p->text, MAX_TEXT - 1, "w");
    assert_non_null(file);
    return file;
}

static void end(page *p, FILE *file) {
    fclose(file);
    for (char *at = strtok(p->text, "\n"); at; at = strtok(NULL, "\n")) {
        assert_true(p->n < MAX_LINES);
        p->line[p->n++] = at;
    }
}

static int line_with(const page *p, const char *text) {
    for (int i = 0; i < p->n; i++)
        if (strstr(p->line[i], text)) return i;
    fail_msg("no line contains '%s'", text);
    return -1;
}

static void fits(const page *p) {
    for (int i = 0; i < p->n; i++) {
        const size_t length = strlen(p->line[i]);
        assert_true(length <= 80);
        assert_true(length == 0 || p->line[i][length - 1] != ' ');
        for (const char *c = p->line[i]; *c; c++) assert_in_range(*c, ' ', '~');
    }
}

static const spw_roof roofs[] = {{"L1", 1000e9}, {"L2", 400e9}, {"memory", 40e9}};

TEST(a_roofline_names_its_roofs_and_points) {
    const spw_roofline_point points[] = {{"triad", 1.0 / 12, 3e9, 0, 0},
                                         {"dense product", 8, 100e9, 0, 0}};
    page p;
    FILE *file = begin(&p);
    spw_roofline_draw(file, roofs, 3, 200e9, points, 2);
    end(&p, file);
    fits(&p);
    line_with(&p, "L1 1000");
    line_with(&p, "L2 400");
    line_with(&p, "memory 40");
    line_with(&p, "peak 200 Gflop/s");
    line_with(&p, "flop/byte");
    const int triad = line_with(&p, " a  triad"), dense = line_with(&p, " b  dense product");
    assert_says(p.line[triad], "90 %"); /* 3 of 40 / 12 Gflop/s */
    assert_says(p.line[dense], "50 %"); /* 100 of 200 */
}

TEST(a_point_has_the_roof_of_its_own_run) {
    const spw_roofline_point points[] = {{"quick minute", 0.25, 5.1e9, 5.2e9, 0}};
    page p;
    FILE *file = begin(&p);
    spw_roofline_draw(file, roofs, 3, 200e9, points, 1); /* memory allows 10 */
    end(&p, file);
    fits(&p);
    assert_says(p.line[line_with(&p, "quick minute")], "98 %");
    const spw_roofline_point far[] = {{"slow kernel", 0.25, 0.5e9, 5e9, 0}};
    file = begin(&p);
    spw_roofline_draw(file, roofs, 3, 200e9, far, 1);
    end(&p, file);
    int mark = line_with(&p, "^"), point = -1;
    const long column = strchr(p.line[mark], '^') - p.line[mark];
    for (int i = mark + 1; i < p.n && point < 0; i++)
        if ((long)strlen(p.line[i]) > column && p.line[i][column] == 'a') point = i;
    assert_true(point > mark); /* straight below its roof */
}

TEST(points_stand_where_they_belong) {
    const spw_roofline_point points[] = {{"low", 0.25, 2e9, 0, 0}, {"high", 8, 150e9, 0, 0}};
    page p;
    FILE *file = begin(&p);
    spw_roofline_draw(file, roofs, 3, 200e9, points, 2);
    end(&p, file);
    int row_a = -1, row_b = -1, col_a = -1, col_b = -1;
    for (int i = 1; i < p.n && strncmp(p.line[i], "       +", 8) != 0; i++)
        for (int c = 8; p.line[i][c]; c++) {
            const char before = p.line[i][c - 1], behind = p.line[i][c + 1];
            const int alone = before != 'e' && before != 'm' && behind != 'k' && behind != 'm';
            if (p.line[i][c] == 'a' && alone) row_a = i, col_a = c;
            if (p.line[i][c] == 'b' && alone) row_b = i, col_b = c;
        }
    assert_true(row_a > 0 && row_b > 0);
    assert_true(row_b < row_a); /* higher */
    assert_true(col_b > col_a); /* further right */
}

TEST(a_roofline_without_points_or_caches_is_drawn) {
    page p;
    FILE *file = begin(&p);
    spw_roofline_draw(file, roofs + 2, 1, 200e9, NULL, 0);
    end(&p, file);
    fits(&p);
    line_with(&p, "memory 40");
}

TEST(machines_of_any_size_fit) {
    const double scale[] = {1e-3, 1, 1e3};
    for (int k = 0; k < 3; k++) {
        const spw_roof roof[] = {{"L1", 1000e9 * scale[k]}, {"memory", 7e9 * scale[k]}};
        const spw_roofline_point point[] = {
            {"a very long name of a kernel that goes on and on", 1e-3, 1e6, 0, 0}};
        page p;
        FILE *file = begin(&p);
        spw_roofline_draw(file, roof, 2, 3e11 * scale[k], point, 1);
        end(&p, file);
        fits(&p);
    }
}
