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

static const plot_figure *const groups[] = {plot_checked, plot_products, plot_ordered,
                                            plot_solvers, plot_grids,    plot_streaming,
                                            plot_scaling, plot_benched};

static const plot_figure *find(const char *name) {
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (const plot_figure *f = groups[g]; f->name; f++)
            if (strcmp(f->name, name) == 0) return f;
    return NULL;
}

static int list(void) {
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (const plot_figure *f = groups[g]; f->name; f++)
            printf("%-10s %-12s %s\n", f->name, f->file, f->title ? f->title : "");
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
    p->matrices = p->quick ? p->figure->quick : p->figure->matrices;
    while (p->matrices[p->n_matrices]) p->n_matrices++;
    return show && !p->figure->modelled;
}

/* The text of the last time; false: there is none, or it is only a quick one. */
static bool show_again(const plot *p) {
    char path[1024], line[512];
    snprintf(path, sizeof path, "%s/%s.tsv", p->folder, p->file);
    if (access(path, R_OK)) return false;
    snprintf(path, sizeof path, "%s/%s.txt", p->folder, p->file);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    const bool good = fgets(line, sizeof line, file) && (p->quick || !strstr(line, ", quick"));
    if (good) printf("\n%s", line);
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
    if (p->figure->title) printf("\n");
    if (p->figure->title && p->figure->modelled) plot_say(p, "%s\n", p->figure->title);
    if (p->figure->title && !p->figure->modelled)
        plot_say(p, "%s: %s, %d thread%s, %s%s\n", p->figure->title, p->cpu, p->threads,
                 p->threads == 1 ? "" : "s", p->date, p->quick ? ", quick" : "");
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
