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
#include <libgen.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_POINTS = 26, MAX_PATH = 4096 };

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

/* --- the roofline -------------------------------------------------------------------------------- */

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
    const char *wrong = NULL;
    int number = 1;
    FILE *file = fopen(path, "r");
    if (!file) return cannot("machine", "read", path);
    for (*n = 0; fgets(line, sizeof line, file); number++) {
        spw_roofline_point p = {0};
        if (line[0] == '#' || line[strspn(line, " \t\r\n")] == 0) continue;
        if (sscanf(line, "%47[^\t]\t%lf\t%lf\t%lf\t%lf", p.name, &p.intensity, &p.performance,
                   &p.roof, &p.others) < 3 ||
            !(p.intensity > 0) || !(p.performance > 0) || !(p.roof >= 0) || !(p.others >= 0) ||
            !isfinite(p.intensity + p.performance + p.roof))
            wrong = "expected a name, flop/byte and Gflop/s, parted by tabs";
        else if (*n == MAX_POINTS)
            wrong = "there are more points than letters";
        if (wrong) break;
        p.performance *= 1e9;
        p.roof *= 1e9;
        points[(*n)++] = p;
    }
    fclose(file);
    return wrong ? complain(1, "machine", "%s:%d: %s", path, number, wrong) : 0;
}

/* --- tables and pictures ------------------------------------------------------------------------- */

/* The exit status of a program that was started; 127: it could not be. */
static int wait_for(pid_t child) {
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

/* Runs machine.awk: the tables, and the text where it is shown. */
static int write_tables(const options *o, bool shown) {
    char mixes[128] = "mixes=", curves[32], folder[MAX_PATH];
    for (int mix = 0; mix < SPW_MIXES; mix++)
        spw_append(mixes, sizeof mixes, "%s%s", mix ? " " : "", spw_mix_name((spw_mix)mix));
    snprintf(curves, sizeof curves, "curves=%d", SPW_CURVES);
    snprintf(folder, sizeof folder, "folder=%s", o->plots);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        execlp("awk", "awk", "-F", "\t", "-v", mixes, "-v", curves, "-v", folder, "-v",
               shown ? "shown=1" : "shown=0", "-f", "lib/commands/machine.awk", o->out,
               (char *)NULL);
        _exit(127);
    }
    return wait_for(child) ? complain(1, "machine", "cannot write the tables into %s", o->plots)
                           : 0;
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
    (void)wait_for(child);
}

/* --- main ---------------------------------------------------------------------------------------- */

static bool make_folder_of(const char *path) {
    char folder[MAX_PATH];
    snprintf(folder, sizeof folder, "%s", path);
    return make_folder("machine", dirname(folder));
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

    const bool tables = !o.only || strcmp(o.only, "tables") == 0;
    if (write_tables(&o, tables)) return 1;
    if (tables) {
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
