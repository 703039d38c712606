# The learner's progress, one plain TSV: this is the one reader of it, for the menu and for progress.sh.
#
#     # spw-progress 1
#     6 <tab> pass <tab> 87.3 <tab> 1 <tab> 0 <tab> 2026-11-20
# number of the exercise, "6-gpu" for its GPU part; pass, slow, correct (right in all checks, and not timed, or without
# a verdict on its speed), wrong or unwritten; best share of the roof in per cent; 1 if the library's best kernel was reached; hints used; date of the best result.

# Beside it the history, PROGRESS.history, which only grows: a line of every judgement of the learner's file that ended.
#
#     # spw-history 1
#     started  exercise  verdict  whole  percent  stretch  seconds  check  matrix  case  NAME  CODE  FUNCTION  part ...
#
# parted by tabs; names and meanings are those of the record (record.h), check is options.check, and NAME, CODE and
# FUNCTION are of the first check that failed or had no verdict. Then 16 fields for each part of the record: function
# case on timed load store flop bandwidth peak seconds share low high target verdict traffic.

# Line `at` of the history. True, and what it says is in h[], but the parts, of which h_parts is the number;
# part_field(k, name) is of part k = 1, 2 ... False: damaged, or, in line 1, no file of this version.
function take_history(line, at,    k, n) {
    sub(/\r$/, "", line)
    if (at == 1) return line == "# spw-history 1"
    n = split(line, h_field, "\t")
    if (n < 13 || (n - 13) % 16 || h_field[1] !~ /^[0-9]+-[0-9][0-9]-[0-9][0-9]T[0-9:]+Z$/ ||
        h_field[2] !~ /^[0-9]+(-gpu)?$/ || h_field[3] !~ /^(pass|slow|no-verdict|wrong|not-written)$/) return 0
    if (!h_names) h_names = split("started exercise verdict whole percent stretch seconds check matrix case name code function", h_name, " ")
    for (k = 1; k <= h_names; k++) h[h_name[k]] = h_field[k]
    h_parts = (n - 13) / 16
    return 1
}
function part_field(part, name,    k) {
    if (!h_part_names) {
        h_part_names = split("function case on timed load store flop bandwidth peak seconds share low high target verdict traffic", h_part_name, " ")
        for (k = 1; k <= h_part_names; k++) h_part_at[h_part_name[k]] = k
    }
    return h_field[13 + 16 * (part - 1) + h_part_at[name]]
}

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
