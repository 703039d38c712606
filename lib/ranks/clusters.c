/* The table of networks that the modelled clock knows. */
#include "ranks/ranks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool between(double low, double x, double high) { return x >= low && x <= high; }

static bool parse(const char *line, spw_cluster *c) {
    char more;
    double L, o, B, b;
    if (sscanf(line, "%15s %lf %lf %lf %lf %c", c->name, &L, &o, &B, &b, &more) != 5) return false;
    c->latency = 1e-6 * L;
    c->overhead = 1e-6 * o;
    c->bandwidth = 1e9 * B;
    c->memory_bandwidth = 1e9 * b;
    return between(0, L, 1e6) && between(0, o, 1e6) && between(1e-6, B, 1e6) &&
           between(1e-6, b, 1e6);
}

spw_status spw_clusters_read(spw_cluster of[SPW_CLUSTERS]) {
    const char *path = getenv("CLUSTERS");
    char line[256];
    int found = 0;
    bool right = true;
    if (!path || !*path) path = "exercises/26-distributed/clusters.tsv";
    FILE *file = fopen(path, "r");
    if (!file) return spw_error(SPW_ERR_FILE, "%s: %s", path, strerror(errno));
    while (right && fgets(line, sizeof line, file)) {
        if (line[0] == '#' || !line[strspn(line, " \t\r\n")]) continue;
        right = found < SPW_CLUSTERS && parse(line, &of[found++]);
    }
    fclose(file);
    if (right && found == SPW_CLUSTERS) return SPW_OK;
    return spw_error(SPW_ERR_FORMAT,
                     "%s: two lines of name, L and o in µs, B and b in GB/s are wanted", path);
}
