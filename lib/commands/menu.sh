#!/bin/sh
# menu.sh PROGRESS: the menu that `make` prints: the table of exercises.sh, and how far you are. Needs no compiler and
# writes nothing.
progress=${1:-progress.tsv}

colour=
if [ -t 1 ] && [ -z "${NO_COLOR-}" ] && [ "${TERM-dumb}" != dumb ]; then colour=1; fi
table=$(sh lib/commands/exercises.sh)
if [ -z "$table" ]; then
    echo "no exercises here: the menu is made from the folders exercises/NN-name, run make where they are" >&2
    exit 1
fi
state=absent
[ -e "$progress" ] && state=unreadable
# a folder or a device is no progress file, and /dev/zero has no end
[ -f "$progress" ] && [ -r "$progress" ] && state=there

# LC_ALL=C: awk counts bytes, whichever awk it is; wide() counts what is seen.
set -- -
[ $state = there ] && set -- "$progress" -
printf '%s\n' "$table" | LC_ALL=C awk -F '\t' -v progress="$progress" -v state="$state" -v colour="$colour" "$(cat lib/judge/progress.awk)"'
function wide(s) { gsub(/[\200-\277]/, "", s); return length(s) }
function pad(s, n) { while (wide(s) < n) s = s " "; return s }
function cut(s, n) {
    if (wide(s) <= n) return pad(s, n)
    while (wide(s) > n - 2) sub(/[^\200-\277][\200-\277]*$/, "", s)
    return pad(s "..", n)
}
function paint(code, s) { return colour ? "\033[" code "m" s "\033[0m" : s }

BEGIN {
    while ((getline line <"exercises/parts.tsv") > 0) if (split(line, f, "\t") > 1) part[f[1] + 0] = f[2]
    delete part[0]
}
# --- the progress file: what can be read of it ---
FILENAME == progress {
    if (take_progress($0, FNR)) next
    if (FNR == 1) other_version = 1
    else if (!damaged) damaged = FNR
    next
}

# --- the table of the exercises ---
{
    n = $2
    order[++count] = n
    file[n] = "exercises/" $3 "/" $4
    stars[n] = $5; minutes[n] = $6; needs[n] = $7; title[n] = $8
}

END {
    print paint("1", pad("Sparse Performance Workbook", 44)) "predict, write, measure, explain"
    for (k = 1; k <= count; k++) {
        n = order[k]
        for (p = n + 0; !(p in part) && p > 0; p--) ;
        if (p != shown) {
            printf "\n %s%s\n", paint("1", part[p]), shown ? "" : pad("", 39 - wide(part[p])) "min  needs         you"
            shown = p
        }
        score = best[n] + 0 == 0 ? "" : sprintf("%.0f %%", best[n])
        if (!(n in verdict)) you = "-"
        else if (verdict[n] == "pass")
            you = paint("32", "PASS") "  " pad(score, 6) (stretch[n] ? paint("33", "★ stretch") : "")
        else if (verdict[n] == "slow") you = paint("33", "slow") "  " pad(score, 6)
        else if (verdict[n] == "correct") you = paint("32", "correct") ", not timed"
        else if (verdict[n] == "wrong") you = paint("31", "not right yet")
        else you = "begun"
        if (verdict[n] == "pass") passed++
        else if (next_one == "" || (next_one ~ /gpu/ && n !~ /gpu/)) next_one = n # a GPU part need not be done
        if (next_star == "" && verdict[n] == "pass" && score != "" && !stretch[n]) next_star = n
        sub(/ +$/, "", you)
        printf " %2s  %s %s %3d  %s  %s\n", n ~ /gpu/ ? "" : n, cut(title[n], 29), pad(stars[n], 4), minutes[n],
            cut(needs[n] == "" ? "-" : needs[n], 12), you
    }

    print ""
    if (state == "unreadable") print " " progress " cannot be read; your progress is not shown."
    else if (other_version)
        print " " progress " is damaged or of another version. Shown is what can be read.\n" \
              " Nothing new is saved until you move it away."
    else if (damaged)
        print " Line " damaged " of " progress " is damaged. Shown is the rest.\n" \
              " Nothing new is saved until you delete that line."
    if (state == "absent") {
        print " New here?  " paint("1", "make setup tour") "   sets up, measures, shows three solved exercises"
        print " Then       " paint("1", pad("make exercise-" next_one, 15)) "   judges " file[next_one]
    } else if (next_one != "") {
        print " Next       " paint("1", pad("make exercise-" next_one, 15)) "   judges " file[next_one]
    } else if (next_star != "") {
        print " All " passed " passed. A stretch goal is left: " paint("1", "make exercise-" next_star)
    } else print " All " passed " passed, and every stretch goal with them."
    print ""
    print " make exercise-N  judge your file       make hint-N      the next of three hints"
    print " make watch-N     judge at each save    make solution-N  judge the solution"
    print " make diff-N      yours, the solution   make reset-N     begin anew, keeps yours"
    print " make doctor      what is missing here  make machine     measure its roofline"
    print " make check-cuda FILE=my.cu       your CUDA program: mistakes, traffic"
    print " make check-mpi FILE=my.c RANKS=8 your MPI program: mistakes, messages"
    print " Options: CHECK=1 (no timing) MATRIX=fem3:64 THREADS=2 CASE=name  All: README.md"
}' "$@"
