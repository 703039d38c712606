/* collection.h -- the real matrices of $SHARED_MATRICES (default ../shared/matrices), one row for each of the table in
 * that folder's README.md:
 *
 * | name | file | group | rows | cols | stored | nnz | symmetry | field | SPD | row min/avg/max | notes | ...
 *
 * stored counts the file's lines of entries, and nnz the entries after mirroring with duplicates merged. Notes with
 * "reject" mark what must be refused: complex and dense matrices, and one that holds inf. */
#pragma once

#include "test.h"

enum { COLLECTED_MAX = 1000 };

typedef struct collected {
    char name[64], file[64], path[1024];
    long n_rows, n_cols, stored, nnz, shortest, longest; /* of rows: -1 where it is not told */
    bool general, spd, refused;
} collected;

static inline const char *collection_folder(void) {
    const char *folder = getenv("SHARED_MATRICES");
    return folder && *folder ? folder : "../shared/matrices";
}

/* Cuts the line at its bars. Returns the number of cells found, at most n. */
static inline int cells_of(char *line, int n, char *cells[]) {
    int found = 0;
    if (*line != '|') return 0;
    for (char *at = line + 1; found < n; at++) {
        at += strspn(at, " ");
        char *const bar = strchr(at, '|');
        if (!bar) break;
        *bar = '\0';
        for (char *end = bar; end > at && end[-1] == ' '; end--) end[-1] = '\0';
        cells[found++] = at;
        at = bar;
    }
    return found;
}

/* All rows; 0, and it is said, where there is no such folder. */
static inline int collection(const collected **rows) {
    enum { CELLS = 12 };
    static collected all[COLLECTED_MAX];
    char path[1024], line[4096], *cells[CELLS];
    int n = 0;
    *rows = all;
    snprintf(path, sizeof path, "%s/README.md", collection_folder());
    FILE *table = fopen(path, "r");
    if (!table) {
        print_message("skipped: no folder %s; set SHARED_MATRICES\n", collection_folder());
        return 0;
    }
    while (n < COLLECTED_MAX && fgets(line, sizeof line, table)) {
        if (cells_of(line, CELLS, cells) < CELLS || !strstr(cells[1], ".mtx")) continue;
        collected *R = &all[n++];
        snprintf(R->name, sizeof R->name, "%s", cells[0]);
        snprintf(R->file, sizeof R->file, "%s", cells[1]);
        snprintf(R->path, sizeof R->path, "%s/%s", collection_folder(), cells[1]);
        R->n_rows = strtol(cells[3], NULL, 10);
        R->n_cols = strtol(cells[4], NULL, 10);
        R->stored = strtol(cells[5], NULL, 10);
        R->nnz = strtol(cells[6], NULL, 10);
        R->general = strcmp(cells[7], "general") == 0;
        R->spd = strcmp(cells[9], "yes") == 0;
        if (sscanf(cells[10], "%ld/%*f/%ld", &R->shortest, &R->longest) != 2)
            R->shortest = R->longest = -1;
        R->refused = strstr(cells[11], "reject") != NULL;
    }
    fclose(table);
    return n;
}
