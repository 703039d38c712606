#include "judge/progress.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ENTRIES = 256 };

static const char HEADER[] = "# spw-progress 1";

typedef struct entry {
    int number, gpu, rank, stretch, hints;
    double percent;
    char date[16];
} entry;

/* From worst to best. */
static const char *const ranks[] = {"unwritten", "wrong", "slow", "pass"};
enum { N_RANKS = sizeof ranks / sizeof ranks[0] };

static int rank_of(spw_verdict verdict)
{
    switch (verdict) {
    case SPW_PASS: return 3;
    case SPW_SLOW: return 2;
    case SPW_WRONG: return 1;
    default: return 0;
    }
}

static bool parse(const char *line, entry *e)
{
    char word[16];
    int begin = 0;
    if (sscanf(line, "%d%n", &e->number, &begin) != 1) return false;
    e->gpu = strncmp(line + begin, "-gpu", 4) == 0;
    if (sscanf(line + begin + (e->gpu ? 4 : 0), "\t%15[a-z]\t%lf\t%d\t%d\t%15[0-9-]", word,
               &e->percent, &e->stretch, &e->hints, e->date) != 5)
        return false;
    for (e->rank = 0; e->rank < N_RANKS; e->rank++)
        if (strcmp(word, ranks[e->rank]) == 0) return true;
    return false;
}

/* *n entries; a file that is not there has none. */
static spw_status load(const char *path, entry *entries, int *n)
{
    char line[256];
    spw_status status = SPW_OK;
    *n = 0;
    FILE *file = fopen(path, "r");
    if (!file && errno == ENOENT) return SPW_OK;
    if (!file) return spw_error(SPW_ERR_FILE, "cannot read %s: %s", path, strerror(errno));
    for (int number = 1; !status && fgets(line, sizeof line, file); number++) {
        line[strcspn(line, "\r\n")] = 0;
        if (number == 1 && strcmp(line, HEADER) != 0)
            status = spw_error(SPW_ERR_FORMAT,
                               "%s:1: '%.30s' is not '%s': damaged, or of another version", path,
                               line, HEADER);
        else if (number > 1 && (*n == MAX_ENTRIES || !parse(line, &entries[(*n)++])))
            status = spw_error(SPW_ERR_FORMAT, "%s:%d: damaged: '%.40s'", path, number, line);
    }
    if (!status && ferror(file)) status = spw_error(SPW_ERR_FILE, "cannot read %s", path);
    fclose(file);
    return status;
}

static spw_status store(const char *path, const entry *entries, int n)
{
    char partial[1024];
    snprintf(partial, sizeof partial, "%s.partial", path);
    FILE *file = fopen(partial, "w");
    if (!file) return spw_error(SPW_ERR_FILE, "cannot write %s: %s", partial, strerror(errno));
    bool ok = fprintf(file, "%s\n", HEADER) > 0;
    for (int k = 0; k < n; k++)
        ok = ok && fprintf(file, "%d%s\t%s\t%.1f\t%d\t%d\t%s\n", entries[k].number,
                           entries[k].gpu ? "-gpu" : "", ranks[entries[k].rank], entries[k].percent,
                           entries[k].stretch, entries[k].hints, entries[k].date) > 0;
    ok = ok && fflush(file) == 0 && fsync(fileno(file)) == 0;
    ok = fclose(file) == 0 && ok;
    if (ok && rename(partial, path) == 0) return SPW_OK;
    const int reason = errno;
    unlink(partial);
    return spw_error(SPW_ERR_FILE, "cannot write %s: %s", path, strerror(reason));
}

/* The GPU part stands behind its exercise. */
static int place(int number, bool gpu)
{
    return 2 * number + gpu;
}

spw_status spw_progress_save(const char *path, int number, bool gpu, spw_verdict verdict,
                             double percent, bool stretch)
{
    static entry entries[MAX_ENTRIES];
    int n, k = 0;
    const spw_status status = load(path, entries, &n);
    if (status) return status;
    const int mine = place(number, gpu);
    while (k < n && place(entries[k].number, entries[k].gpu) < mine) k++;
    if (k == n || place(entries[k].number, entries[k].gpu) != mine) {
        if (n == MAX_ENTRIES) return spw_error(SPW_ERR_FORMAT, "%s has too many entries", path);
        memmove(&entries[k + 1], &entries[k], sizeof(entry) * (size_t)(n - k));
        entries[k] = (entry){.number = number, .gpu = gpu, .rank = -1, .percent = -1};
        n++;
    }
    entry *e = &entries[k];
    const int rank = rank_of(verdict);
    const bool better = rank > e->rank || (rank == e->rank && percent > e->percent);
    if (better) {
        const time_t now = time(NULL);
        strftime(e->date, sizeof e->date, "%Y-%m-%d", localtime(&now));
        e->rank = rank;
        e->percent = percent;
    }
    e->stretch |= stretch;
    return store(path, entries, n);
}
