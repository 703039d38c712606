/* commands/plot.c -- the figures of `make plots`: tables for the scripts in plots/, and text for the terminal.
 *
 *   plot FIGURE [--show] [--quick] [--threads N] [--out FOLDER] [--built FOLDER] [--bench FILE]
 *     --show    shows the text of the last time, if there is one, and measures nothing
 *     --quick   small matrices and few samples: for tests, no times worth a look
 *     --out     folder of the tables, build/plots; --built: of answers, that above this program's;
 *     --bench   what `make bench` kept, build/bench.tsv
 * Without a figure it lists them. Exit status: 0, or 1 with one line of what went wrong. */
#include "base/threads.h"
#include "commands/command.h"
#include "commands/plot/plot.h"
#include "perf/topology.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const plot_figure figures[] = {
    {"sectors", "exercise-04",
     "Sectors of 32 bytes that a warp's request for 32 doubles touches (modelled)", draw_sectors,
     true, "", NULL},
    {"formats", "exercise-08",
     "SpMV on a GPU, which sectors move, counted by the checker (modelled)", draw_formats, true,
     "stencil27:10x25x40 fem3:10", NULL},
    {"convert", "exercise-05", "COO to CSR, ns an entry", draw_convert, false, "", ""},
    {"spmv", "exercise-06", "SpMV in CSR against the roof", draw_spmv, false,
     "stencil27:100 fem1:100 fem3:48 fem6:30 laplace2d:2500 laplace3d:140 convdiff2d:2500 "
     "tridiag:8000000 arrow:5000000 powerlaw:1000000 random:1000000x1000000x24 "
     "random:8000000x8000000x3",
     "stencil27:20 arrow:30000"},
    {"sell", "exercise-07", "SELL-C-sigma", draw_sell, false,
     "uneven:1000000 powerlaw:30000 laplace2d:1000", "uneven:20000 laplace2d:100"},
    {"split", "exercise-16", "A product divided", draw_split, false, "laplace3d:96",
     "laplace3d:20"},
    {"powers", "exercise-20", "p powers by levels against p products", draw_powers, false,
     "laplace2d:1000x1600 laplace3d:100", "laplace2d:40x50 tridiag:3000"},
    {"spmm", "exercise-21", "SpMM against the number of vectors nv", draw_spmm, false,
     "stencil27:64", "stencil27:12"},
    {"orders", "exercise-11", "Orders of rows and columns", draw_orders, true,
     "laplace2d:600 laplace3d:64 stencil27:64 powerlaw:300000 random:300000x300000x12", NULL},
    {"cg", "exercise-12", "CG, where an iteration's time goes", draw_iteration, false,
     "stencil27:72 laplace2d:200", "laplace2d:200 laplace2d:20"},
    {"precond", "exercise-15", "PCG to 1e-8", draw_precond, false, "", ""},
    {"bicgstab", "exercise-18", "BiCGStab, where an iteration's time goes", draw_iteration, false,
     "convdiff2d:700 convdiff2d:200", "convdiff2d:100 convdiff2d:20"},
    {"mixed", "exercise-19",
     "Conjugate gradients in double, in float, and in float refined in double", draw_mixed, true,
     "fem1:24", NULL},
    {"ortho", "exercise-22",
     "||I - QᵀQ|| of 16 vectors with 10000 elements; beside it how many are left", draw_ortho, true,
     "", NULL},
    {"lobpcg", "exercise-23", "LOBPCG", draw_lobpcg, false, "fem3:12", "laplace3d:7"},
    {"multigrid", "exercise-17", "Multigrid and CG, steps to 1e-8", draw_multigrid, false, "", ""},
    {"why", "exercise-17-why", "Six solvers to 1e-8", draw_why, false, "", ""},
    {"streaming", "exercise-24", "A matrix that streams from a file", draw_streaming, false,
     "fem3:48", "fem3:10"},
    {"scaling", "exercise-26",
     "CG with 27 points over ranks: predicted, and run on the modelled clock", draw_scaling, true,
     "", NULL},
    {"speeds", "formats-speed", NULL, draw_speeds, true, "", NULL},
    {"beta", "formats-beta", NULL, draw_beta, true,
     "fem3:24 arrow:100000 powerlaw:100000 random:50000x50000x24", NULL},
};
enum { FIGURES = sizeof figures / sizeof *figures };

/* A build without the checker, ThreadSanitizer's, has no figures of it. */
static const plot_figure *find(const char *name) {
    for (const plot_figure *f = figures; f < figures + FIGURES; f++)
        if (f->draw && strcmp(f->name, name) == 0) return f;
    return NULL;
}

static int list(void) {
    for (const plot_figure *f = figures; f < figures + FIGURES; f++)
        if (f->draw) printf("%-10s %-12s %s\n", f->name, f->file, f->title ? f->title : "");
    return 0;
}

/* Is what was measured to be shown again? */
static bool read_arguments(int argc, char **argv, plot *p) {
    int show = 0, quick = 0;
    char program[64];
    const command_option options[] = {
        flag_option("--show", &show),
        flag_option("--quick", &quick),
        count_option("--threads", &p->threads, "THREADS", 4096),
        text_option("--out", &p->folder),
        text_option("--built", &p->built),
        text_option("--bench", &p->bench),
    };
    snprintf(program, sizeof program, "plot %s", p->figure->name);
    if (!read_options(program, options, sizeof options / sizeof *options, argc - 1, argv + 1))
        exit(1);
    p->quick = quick && !p->figure->modelled; /* they are */
    static char names[512];
    snprintf(names, sizeof names, "%s", p->quick ? p->figure->quick : p->figure->matrices);
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
        p->matrices[p->n_matrices++] = name;
    return show && !p->figure->modelled;
}

/* The text of the last time; false: there is none, or it is only a quick one. */
static bool show_again(const plot *p) {
    char path[1024], line[512], machine[512]; /* on the second line */
    snprintf(path, sizeof path, "%s/%s.tsv", p->folder, p->file);
    if (access(path, R_OK)) return false;
    snprintf(path, sizeof path, "%s/%s.txt", p->folder, p->file);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    const bool good = fgets(line, sizeof line, file) && fgets(machine, sizeof machine, file) &&
                      (p->quick || !strstr(machine, ", quick"));
    if (good) printf("\n%s%s", line, machine);
    while (good && fgets(line, sizeof line, file)) fputs(line, stdout);
    fclose(file);
    return good;
}

static void begin(plot *p) {
    today(p->date);
    copy_plain(p->cpu, sizeof p->cpu, spw_topology_read().cpu);
    mkdir(p->folder, 0777); /* if it is there already or cannot be made, plot_open tells */
    p->text = plot_open(p, ".txt");
    p->facts = plot_open(p, "-facts.gp");
    plot_fact(p, "cpu = \"%s\"\ndate = '%s'\nthreads = %d", p->cpu, p->date, p->threads);
    if (p->figure->title) {
        printf("\n");
        plot_say(p, "%s\n", p->figure->title);
    }
    if (p->figure->title && !p->figure->modelled)
        plot_say(p, "  %s, %d thread%s, %s%s\n", p->cpu, p->threads, p->threads == 1 ? "" : "s",
                 p->date, p->quick ? ", quick" : "");
    spw_set_threads(p->threads);
    p->before = spw_usage_read();
}

/* As the judge takes it: lib/judge/contest.c. */
static void tell_disturbance(plot *p) {
    double others, stolen;
    spw_usage_of_others(&p->before, &others, &stolen);
    if (p->figure->modelled || others + stolen <= 0.05) return;
    plot_say(p, "BUSY: others took %.0f %% of the processors while this was measured.\n",
             100 * (others + stolen));
    plot_fact(p, "busy = 'BUSY: others took %.0f %% of the processors while this was measured'",
              100 * (others + stolen));
}

/* All of it is there: the new tables take the place of the old ones. */
static void end(plot *p) {
    char partial[1100];
    for (int k = 0; k < p->n_files; k++) {
        const bool failed = ferror(p->files[k].file) != 0;
        snprintf(partial, sizeof partial, "%s.new", p->files[k].path);
        if (fclose(p->files[k].file) || failed || rename(partial, p->files[k].path))
            plot_die(p, "cannot write %s: is the disk full?", p->files[k].path);
    }
}

int main(int argc, char **argv) {
    static plot p;
    char program[1024];
    snprintf(program, sizeof program, "%s", argv[0]);
    p = (plot){.folder = "build/plots",
               .built = dirname(dirname(program)), /* above bin/plot */
               .bench = "build/bench.tsv",
               .threads = spw_max_threads()};
    if (argc < 2) return list();
    p.figure = find(argv[1]);
    if (!p.figure) plot_die(&p, "'%s' is no figure; `plot` alone lists them", argv[1]);
    p.file = p.figure->file;
    const bool show = read_arguments(argc, argv, &p);
    if (show && show_again(&p)) return 0;
    begin(&p);
    p.figure->draw(&p);
    plot_drop_vectors(&p);
    tell_disturbance(&p);
    end(&p);
    return 0;
}
