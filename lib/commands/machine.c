/* commands/machine.c -- measures this machine's roofline, keeps it and shows it: `make machine`.
 *
 *   machine [--quick] [--threads N] [--out FILE] [--plots FOLDER] [--points FILE] [--only PART]
 *   machine --show    [--out FILE] [--plots FOLDER] [--points FILE] [--only PART]
 *     --quick    a few seconds instead of about half a minute
 *     --show     measures nothing, shows the file of the last time
 *     --out      the machine file (perf/machine.h), build/machine.tsv
 *     --plots    folder of the tables and pictures, build/plots
 *     --points   kernels to draw into the roofline, parted by tabs: name, flop/byte, Gflop/s; and, where they are known,
 *                Gflop/s that the roof of its own run allowed, and % of the processors that others took then
 *     --only     prints the tables or the roofline, and not the other
 * Exit status: 0, or 1 with one line of what went wrong. */
#include "commands/command.h"
#include "perf/machine.h"
#include "perf/roofline_picture.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_POINTS = 26, MAX_PATH = 4096 };

static const double BUSY = 0.2; /* of the samples, disturbed */

typedef struct options {
    const char *out, *plots, *points, *only;
    int quick, show, threads;
} options;

static int read_arguments(int argc, char **argv, options *o) {
    *o = (options){.out = "build/machine.tsv", .plots = "build/plots"};
    const command_option known[] = {
        flag_option("--quick", &o->quick),
        flag_option("--show", &o->show),
        count_option("--threads", &o->threads, "THREADS", 4096),
        text_option("--out", &o->out),
        text_option("--plots", &o->plots),
        text_option("--points", &o->points),
        text_option("--only", &o->only),
    };
    if (!read_options("machine", known, sizeof known / sizeof *known, argc, argv)) return 1;
    if (o->only && strcmp(o->only, "tables") != 0 && strcmp(o->only, "roofline") != 0)
        return complain(1, "machine", "--only is '%s', must be tables or roofline", o->only);
    return 0;
}

/* --- the report ---------------------------------------------------------------------------------- */

/* 49152 as "48 KiB". */
static const char *size_text(int64_t bytes, char text[24]) {
    const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double size = (double)bytes;
    int unit = 0;
    while (size >= 1024 && unit < 4) {
        size /= 1024;
        unit++;
    }
    snprintf(text, 24, "%.*f %s", size < 10 && size != floor(size) ? 1 : 0, size, units[unit]);
    return text;
}

static void print_count(int n, const char *one, const char *many) {
    printf("%d %s", n, n == 1 ? one : many);
}

static void print_topology(const spw_machine *m) {
    const spw_topology *t = &m->topology;
    char text[24];
    printf("This machine, %s, %s%s\n", m->date, m->compiler, m->quick ? ", a quick look" : "");
    printf("  %s\n  ", t->cpu);
    print_count(t->cores, "core", "cores");
    printf(", ");
    print_count(t->threads, "hardware thread", "hardware threads");
    printf(", ");
    print_count(t->sockets, "socket", "sockets");
    printf(", ");
    print_count(t->numa_nodes, "NUMA node", "NUMA nodes");
    printf("\n  a core has ");
    printf("L1 %s", t->l1 ? size_text(t->l1, text) : "unknown");
    printf(", L2 %s; ", t->l2 ? size_text(t->l2, text) : "unknown");
    if (t->l3)
        printf("%d x L3 %s; ", t->l3_count, size_text(t->l3, text));
    else
        printf("no L3 known; ");
    printf("memory %s\n", size_text(t->memory, text));
    if (t->is_virtual)
        printf("  A virtual machine: its caches are what it is told, neighbours share L3 and\n"
               "  memory, and figures may change from minute to minute.\n");
    if (m->waited > BUSY)
        printf("  BUSY: in %.0f %% of the samples a thread had to wait for a core. Other programs\n"
               "  run here; measure again when they are done.\n",
               100 * m->waited);
}

static void print_levels(const spw_machine *m) {
    char text[24];
    printf("\nBandwidth in GB/s (1e9 byte/s), ");
    print_count(m->threads, "thread", "threads");
    printf("; memory with its 95 %% interval\n");
    printf("           working set");
    for (int mix = 0; mix < SPW_MIXES; mix++) printf(" %12s", spw_mix_name((spw_mix)mix));
    printf("\n");
    for (int l = 0; l < SPW_LEVELS; l++) {
        if (m->level[l].bytes == 0) {
            printf("  %-8s no such level, or its size is not known\n",
                   spw_level_name((spw_level)l));
            continue;
        }
        printf("  %-8s %11s", spw_level_name((spw_level)l), size_text(m->level[l].bytes, text));
        for (int mix = 0; mix < SPW_MIXES; mix++)
            printf(" %12.1f", m->level[l].rate[mix].median * 1e-9);
        printf("\n");
    }
    printf("%22s", "");
    for (int mix = 0; mix < SPW_MIXES; mix++) {
        const spw_rate *r = &m->level[SPW_MEMORY].rate[mix];
        snprintf(text, sizeof text, "%.*f..%.*f", r->low < 1e11, r->low * 1e-9, r->low < 1e11,
                 r->high * 1e-9);
        printf(" %12s", text);
    }
    printf("\n  Counted are the bytes that the loop asks for; a write-allocate read is not.\n");
}

static void print_peak(const spw_machine *m) {
    printf("\nArithmetic, double precision, fused multiply-adds\n");
    printf("  1 thread %.1f Gflop/s", m->peak_one * 1e-9);
    if (m->threads > 1) printf(", %d threads %.1f Gflop/s", m->threads, m->peak_all * 1e-9);
    printf("\n  Knee: loads from memory limit whatever has less than %.2g flop/byte.\n",
           spw_machine_knee(m, SPW_MEMORY, SPW_LOAD));
}

static void print_saturation(const spw_machine *m) {
    char text[64];
    double most = 0;
    for (int i = 0; i < m->n_saturation; i++)
        most = fmax(most, m->saturation[i].rate[SPW_LOAD].median);
    printf("\nLoads from memory, %s, against threads\n",
           size_text(m->level[SPW_MEMORY].bytes, text));
    for (int i = 0; i < m->n_saturation; i++) {
        const double rate = m->saturation[i].rate[SPW_LOAD].median;
        printf("  %4d %8.1f GB/s  %s\n", m->saturation[i].threads, rate * 1e-9,
               bar(most > 0 ? rate / most : 0, 50, text));
    }
}

static void print_roofline(const spw_machine *m, const spw_roofline_point *points, int n_points) {
    spw_roof roofs[SPW_LEVELS];
    int n = 0;
    for (int l = 0; l < SPW_LEVELS; l++)
        if (m->level[l].bytes > 0)
            roofs[n++] =
                (spw_roof){spw_level_name((spw_level)l), m->level[l].rate[SPW_LOAD].median};
    printf("\n");
    spw_roofline_draw(stdout, roofs, n, m->peak_all, points, n_points);
    double others = 0;
    bool own = false;
    for (int i = 0; i < n_points; i++) {
        own = own || points[i].roof > 0;
        others = fmax(others, points[i].others);
    }
    if (own)
        printf(
            "    ^ is the roof that a kernel had in its own run, measured together with it. The\n"
            "    last column is the share of that.\n");
    else if (n_points > 0)
        printf("    The last column is the share of what the memory's roof allows.\n");
    if (others > 5)
        printf("    BUSY: others took up to %.0f %% of the processors in these runs.\n", others);
}

/* --- points -------------------------------------------------------------------------------------- */

static int read_points(const char *path, spw_roofline_point *points, int *n) {
    char line[512];
    FILE *file = fopen(path, "r");
    *n = 0;
    if (!file) return cannot("machine", "read", path);
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        spw_roofline_point p = {0};
        if (line[0] == '#' || line[strspn(line, " \t\r\n")] == 0) continue;
        if (sscanf(line, "%47[^\t]\t%lf\t%lf\t%lf\t%lf", p.name, &p.intensity, &p.performance,
                   &p.roof, &p.others) < 3 ||
            !(p.intensity > 0) || !(p.performance > 0) || !(p.roof >= 0) || !(p.others >= 0) ||
            !isfinite(p.intensity + p.performance + p.roof)) {
            fprintf(stderr,
                    "machine: %s:%d: expected a name, flop/byte and Gflop/s, parted by tabs\n",
                    path, number);
            fclose(file);
            return 1;
        }
        if (*n == MAX_POINTS) {
            fprintf(stderr, "machine: %s has more than %d points\n", path, MAX_POINTS);
            fclose(file);
            return 1;
        }
        p.performance *= 1e9;
        p.roof *= 1e9;
        points[(*n)++] = p;
    }
    fclose(file);
    return 0;
}

/* --- tables and pictures ------------------------------------------------------------------------- */

/* first: of the column before the rates. */
static void put_heading(FILE *file, const char *first) {
    fprintf(file, "# %s, then GB/s of ", first);
    for (int mix = 0; mix < SPW_CURVES; mix++)
        fprintf(file, "%s%s", mix ? ", " : "", spw_mix_name((spw_mix)mix));
    fprintf(file, ": median, low, high\n");
}

static void put_rates(FILE *file, const spw_rate rate[SPW_MIXES]) {
    for (int mix = 0; mix < SPW_CURVES; mix++) {
        const spw_rate *r = &rate[mix];
        if (r->median > 0)
            fprintf(file, "\t%.4g\t%.4g\t%.4g", r->median * 1e-9, r->low * 1e-9, r->high * 1e-9);
        else
            fprintf(file, "\tnan\tnan\tnan");
    }
    fprintf(file, "\n");
}

static int write_staircase(const spw_machine *m, const char *folder) {
    FILE *file = create_file("machine", folder, "machine-staircase.tsv");
    if (!file) return 1;
    put_heading(file, "working set in bytes");
    for (int i = 0; i < m->n_stairs; i++) {
        fprintf(file, "%lld", (long long)m->stair[i].bytes);
        put_rates(file, m->stair[i].rate);
    }
    return finish_file("machine", file, folder, "machine-staircase.tsv");
}

static int write_threads(const spw_machine *m, const char *folder) {
    FILE *file = create_file("machine", folder, "machine-threads.tsv");
    if (!file) return 1;
    put_heading(file, "threads");
    for (int i = 0; i < m->n_saturation; i++) {
        fprintf(file, "%d", m->saturation[i].threads);
        put_rates(file, m->saturation[i].rate);
    }
    return finish_file("machine", file, folder, "machine-threads.tsv");
}

static int write_roofline(const spw_machine *m, const char *folder) {
    FILE *file = create_file("machine", folder, "machine-roofline.tsv");
    if (!file) return 1;
    fprintf(file, "# level, load bandwidth in GB/s, peak in Gflop/s, knee in flop/byte\n");
    for (int l = 0; l < SPW_LEVELS; l++)
        if (m->level[l].bytes > 0)
            fprintf(file, "%s\t%.4g\t%.4g\t%.4g\n", spw_level_name((spw_level)l),
                    m->level[l].rate[SPW_LOAD].median * 1e-9, m->peak_all * 1e-9,
                    spw_machine_knee(m, (spw_level)l, SPW_LOAD));
    return finish_file("machine", file, folder, "machine-roofline.tsv");
}

/* With a decimal point: gnuplot divides whole numbers as C does. */
static void put_array(FILE *file, const char *name, const double *value, int n) {
    fprintf(file, "array %s[%d] = [", name, n);
    for (int i = 0; i < n; i++) fprintf(file, "%s%#.7g", i > 0 ? ", " : "", value[i]);
    fprintf(file, "]\n");
}

/* What the gnuplot scripts need besides the tables: titles, limits, names of the curves. */
static int write_facts(const spw_machine *m, const char *folder) {
    FILE *file = create_file("machine", folder, "machine-facts.gp");
    if (!file) return 1;
    const int cores = m->threads < m->topology.cores ? m->threads : m->topology.cores;
    fprintf(file, "cpu = '");
    for (const char *c = m->topology.cpu; *c; c++) fprintf(file, *c == '\'' ? "''" : "%c", *c);
    fprintf(file, "'\ndate = '%s'\nthreads = %d\n", m->date, m->threads);
    if (m->waited > BUSY)
        fprintf(file, "busy = 'BUSY: in %.0f %% of the samples a thread had to wait for a core'\n",
                100 * m->waited);
    fprintf(file, "memory_set = %.0f\npeak = %#.7g\n", (double)m->level[SPW_MEMORY].bytes,
            m->peak_all * 1e-9);

    const double caches[] = {(double)m->topology.l1 * cores, (double)m->topology.l2 * cores,
                             (double)m->topology.l3 * m->topology.l3_count};
    put_array(file, "cache", caches, 3);

    double roof[SPW_LEVELS], stair_end[SPW_MIXES], threads_end[SPW_MIXES];
    int n_roofs = 0, n_curves = 0;
    for (int l = 0; l < SPW_LEVELS; l++)
        if (m->level[l].bytes > 0) roof[n_roofs++] = m->level[l].rate[SPW_LOAD].median * 1e-9;
    put_array(file, "roof", roof, n_roofs);
    fprintf(file, "array roof_level[%d] = [", n_roofs); /* 1, 2, 3 are caches, 4 is memory */
    for (int l = 0, put = 0; l < SPW_LEVELS; l++)
        if (m->level[l].bytes > 0) fprintf(file, "%s%d", put++ > 0 ? ", " : "", l + 1);
    fprintf(file, "]\n");

    double least = INFINITY, top = 0;
    for (int i = 0; i < m->n_stairs; i++)
        for (int mix = 0; mix < SPW_CURVES; mix++) {
            const double rate = m->stair[i].rate[mix].median * 1e-9;
            if (rate > 0) least = fmin(least, rate);
            top = fmax(top, rate);
        }
    const int last = m->n_stairs - 1, most = m->n_saturation - 1;
    for (int mix = 0; mix < SPW_CURVES && last >= 0 && most >= 0; mix++) {
        if (m->stair[last].rate[mix].median <= 0) continue;
        stair_end[n_curves] = m->stair[last].rate[mix].median * 1e-9;
        threads_end[n_curves++] = m->saturation[most].rate[mix].median * 1e-9;
    }
    fprintf(file, "n_roofs = %d\nn_curves = %d\n", n_roofs, n_curves);
    if (n_curves > 0) {
        put_array(file, "stair_end", stair_end, n_curves);
        put_array(file, "threads_end", threads_end, n_curves);
        fprintf(file, "stair_least = %#.7g\nstair_most = %#.7g\n", least, top);
        fprintf(file, "stair_first = %.0f\nstair_last = %.0f\none_thread = %#.7g\n",
                (double)m->stair[0].bytes, (double)m->stair[last].bytes,
                m->saturation[0].rate[SPW_LOAD].median * 1e-9);
    }
    return finish_file("machine", file, folder, "machine-facts.gp");
}

/* Runs draw.sh with the three pictures, or with one in the terminal; where gnuplot is not, it says so. */
static void draw(const char *folder, const char *points, bool text) {
    static const char script[] = "lib/commands/draw.sh", staircase[] = "machine-staircase";
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        setenv("POINTS", points ? points : "", 1);
        if (text) execl("/bin/sh", "sh", script, "--text", folder, staircase, (char *)NULL);
        execl("/bin/sh", "sh", script, folder, staircase, "machine-threads", "machine-roofline",
              (char *)NULL);
        _exit(127);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
}

/* --- main ---------------------------------------------------------------------------------------- */

static bool make_folder_of(const char *path) {
    char folder[MAX_PATH];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder) return true;
    *slash = 0;
    return make_folder("machine", folder);
}

static void show_progress(void *context, double done, const char *what) {
    (void)context;
    if (done < 1)
        fprintf(stderr, "\r measuring %3.0f %%  %-40s", 100 * done, what);
    else
        fprintf(stderr, "\r%-60s\r", "");
}

int main(int argc, char **argv) {
    options o;
    spw_machine m;
    spw_roofline_point points[MAX_POINTS];
    int n_points = 0;
    if (read_arguments(argc, argv, &o)) return 1;
    if (o.points && read_points(o.points, points, &n_points)) return 1;
    if (!make_folder("machine", o.plots) || !make_folder_of(o.out)) return 1;

    spw_status status;
    if (o.show) {
        status = spw_machine_load(o.out, &m);
    } else {
        spw_machine_progress *progress = isatty(STDERR_FILENO) ? show_progress : NULL;
        status = spw_machine_measure(o.threads, o.quick, progress, NULL, &m);
        if (!status) status = spw_machine_save(&m, o.out);
    }
    if (status) return complain(1, "machine", "%s", spw_message());

    if (write_staircase(&m, o.plots) || write_threads(&m, o.plots) || write_roofline(&m, o.plots) ||
        write_facts(&m, o.plots))
        return 1;
    if (!o.only || strcmp(o.only, "tables") == 0) {
        print_topology(&m);
        print_levels(&m);
        print_peak(&m);
        print_saturation(&m);
        printf("\n");
        draw(o.plots, NULL, true);
    }
    if (!o.only || strcmp(o.only, "roofline") == 0) {
        print_roofline(&m, points, n_points);
        printf("\n");
        draw(o.plots, n_points > 0 ? o.points : NULL, false);
        printf("Kept in %s\n", o.out);
    }
    return 0;
}
