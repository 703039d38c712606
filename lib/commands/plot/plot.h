/* commands/plot/plot.h -- what the figures of `make plots` are made of: a figure declares its columns and its
 * matrices, and has one function that puts rows. Options, sampling, tables and the text for the terminal are here.
 *
 *     static const plot_column columns[] = {PLOT_BOTH("vectors", "%.0f", "nv", "%4.0f", 1), {0}};
 *     plot_table t = plot_begin_table(p, "", columns);          exercise-21.tsv, and in the terminal
 *     plot_sample(p, 2, work, &context, &probe, seconds);       in turns, the fast quarter
 *     PLOT_ROW(&t, true, NULL, nv, speed / 2);
 *
 * Whatever fails ends the program with one line: nothing here returns a status. Tables take the place of those of
 * the last time only when all of a figure is done. */
#pragma once

#include "base/status.h"
#include "formats/csr.h"
#include "perf/bandwidth.h"
#include "perf/cpu_time.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PLOT_MATRICES = 16 };

typedef struct plot plot;

typedef void plot_drawing(plot *p);

typedef struct plot_figure {
    const char *name;  /* "spmm" */
    const char *file;  /* its tables are build/plots/FILE*.tsv, and plots/FILE.gp draws them */
    const char *title; /* of the text in the terminal; NULL: none */
    plot_drawing *draw;
    bool modelled;                /* the same on every machine: no clock, made anew each time */
    const char *matrices, *quick; /* between blanks; quick: with --quick, NULL where modelled */
} plot_figure;

/* The rows of the table of plot.c are of these. NULL in a build without the checker: sectors, formats. */
plot_drawing draw_sectors __attribute__((weak)), draw_formats __attribute__((weak));
plot_drawing draw_convert, draw_spmv, draw_sell, draw_split, draw_powers, draw_spmm, draw_orders,
    draw_iteration, draw_precond, draw_mixed, draw_ortho, draw_lobpcg, draw_multigrid, draw_why,
    draw_streaming, draw_scaling, draw_speeds, draw_beta;

struct plot {
    const plot_figure *figure;
    const char *folder; /* of the tables: build/plots */
    const char *built;  /* where solutions/05-coo-to-csr/answer.so is: build/gcc */
    const char *bench;  /* what `make bench` kept: build/bench.tsv */
    const char *file;   /* the figure's, or of its second picture */
    const char *matrices[PLOT_MATRICES];
    int n_matrices, threads;
    bool quick;
    char cpu[96], date[16];
    spw_usage before;   /* of the processors, when measuring began */
    FILE *text, *facts; /* FILE.txt, FILE-facts.gp */
    int n_vectors, n_files;
    double *vectors[32]; /* of plot_vector */
    struct {
        FILE *file;
        char path[1024];
    } files[12];
};

/* One column: in the table, in the terminal, or in both. */
typedef struct plot_column {
    const char *head, *format; /* in the table; NULL: not there */
    const char *shown;         /* heading in the terminal; NULL: not there */
    const char *text;          /* its format there, or "|16": a bar of 16 characters */
    double scale;              /* what the value is multiplied by there */
} plot_column;

/* In the table only, in both, in the terminal only. */
/* clang-format off */
#define PLOT_KEPT(h, f) {h, f, NULL, NULL, 1}
#define PLOT_BOTH(h, f, s, t, by) {h, f, s, t, by}
#define PLOT_SHOWN(s, t, by) {NULL, NULL, s, t, by}
/* clang-format on */

typedef struct plot_table {
    plot *p;
    FILE *file; /* NULL: for the terminal only */
    const plot_column *columns;
    bool heading_due;
    int rows;
} plot_table;

/* FILE + ending + .tsv with a head of date, threads, processor and columns. An ending of NULL: no file. */
plot_table plot_begin_table(plot *p, const char *ending, const plot_column *columns);

/* A row. name: of the first column, where that is a text; then one value for each other column. */
void plot_row(plot_table *t, bool shown, const char *name, const double *values, int n);
#define PLOT_ROW(t, shown, name, ...)                                                              \
    plot_row(t, shown, name, (const double[]){__VA_ARGS__},                                        \
             (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))

/* What follows has a heading of its own, and is an index of gnuplot's. */
void plot_block(plot_table *t, const char *format, ...) SPW_PRINTF(2, 3);

/* To the terminal and into FILE.txt; a line of FILE-facts.gp; any other file of the folder. */
void plot_say(plot *p, const char *format, ...) SPW_PRINTF(2, 3);
void plot_fact(plot *p, const char *format, ...) SPW_PRINTF(2, 3);
FILE *plot_open(plot *p, const char *ending);

/* Ends with "plot spmm: ...". must: with spw_message(), if status says so. */
void plot_die(const plot *p, const char *format, ...) SPW_PRINTF(2, 3) __attribute__((noreturn));
void plot_must(const plot *p, spw_status status);

/* A matrix of a generator. */
spw_csr plot_load(const plot *p, const char *name);

/* n doubles of 0.5 to 1.5, or zeros, touched by all threads; theirs until all are dropped. */
double *plot_vector(plot *p, int64_t n, bool zero);
void plot_drop_vectors(plot *p);

/* A function of an answer, of build/gcc/PATH. */
void *plot_function(const plot *p, const char *path, const char *name);

/* seconds[k]: of work(context, k), k below n. The fast quarter of samples that are taken by turns (perf/timer.h). A
 * probe, if there is one, takes part, and its byte/s are returned. */
double plot_sample(const plot *p, int n, void (*work)(void *context, int k), void *context,
                   spw_probe *probe, double *seconds);

/* A probe of that mix and size. */
spw_probe plot_probe(const plot *p, spw_mix mix, double bytes);
