# The learner's progress, one plain TSV: this is the one reader of it, for the menu and for progress.sh.
#
#     # spw-progress 1
#     6 <tab> pass <tab> 87.3 <tab> 1 <tab> 0 <tab> 2026-11-20
# number of the exercise, "6-gpu" for its GPU part; pass, slow, correct (right in all checks, and not timed, or without
# a verdict on its speed), wrong or unwritten; best share of the roof in per cent; 1 if the library's best kernel was reached; hints used; date of the best result.

# Line `at` of the file. True, and the entry is in verdict[], best[], stretch[], hints[], date[]; false: damaged, or,
# in line 1, no file of this version.
function take_progress(line, at,    f) {
    sub(/\r$/, "", line)
    if (at == 1) return line == "# spw-progress 1"
    if (line ~ /^(#|$)/) return 1
    if (split(line, f, "\t") != 6 || f[1] !~ /^[0-9]+(-gpu)?$/ || f[2] !~ /^(pass|slow|correct|wrong|unwritten)$/ ||
        f[3] !~ /^[0-9]+(\.[0-9]+)?$/ || f[4] !~ /^[01]$/ || f[5] !~ /^[0-9]+$/ || f[6] !~ /^[0-9-]+$/) return 0
    sub(/^0+/, "", f[1])
    verdict[f[1]] = f[2]; best[f[1]] = f[3]; stretch[f[1]] = f[4]; hints[f[1]] = f[5]; date[f[1]] = f[6]
    return 1
}

# An entry never gets worse for trying again.
function merge_progress(exercise, new, percent, reached, today,    rank, old) {
    rank["unwritten"] = 1; rank["wrong"] = 2; rank["correct"] = 3; rank["slow"] = 4; rank["pass"] = 5
    old = exercise in verdict ? rank[verdict[exercise]] : 0
    if (rank[new] > old || (rank[new] == old && percent > best[exercise] + 0)) {
        verdict[exercise] = new; best[exercise] = sprintf("%.1f", percent); date[exercise] = today
    }
    stretch[exercise] = reached || stretch[exercise] ? 1 : 0
    hints[exercise] += 0
}

# In the order of the exercises, a GPU part behind its exercise.
function print_progress(    last, n, k, e) {
    print "# spw-progress 1"
    for (e in verdict) if (e + 0 > last) last = e + 0
    for (n = 0; n <= last; n++) for (k = 0; k < 2; k++) {
        e = n (k ? "-gpu" : "")
        if (e in verdict) print e "\t" verdict[e] "\t" best[e] "\t" stretch[e] "\t" hints[e] "\t" date[e]
    }
}
