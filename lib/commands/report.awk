# The learner's own page, from tables: awk -f lib/judge/progress.awk -f lib/commands/report_svg.awk -f lib/commands/report.awk
# kind=exercises FILE kind=progress FILE ...  Variables: css (a file), build (the folder of what is built), today, home
# (a path that stays off the page), damaged (names of records that could not be read). Run under LC_ALL=C: awk counts bytes, whichever awk it is.
# What is damaged is left out, and said on the page and in one line each on standard error.

# --- words and numbers ---
# For HTML, without paths of this machine: what lies before the tree's own folders goes, and the home folder is ~.
function html(s,    out, part, at) {
    gsub(/\\n/, "\n", s); gsub(/\\t/, "\t", s); gsub(/\\\\/, "\\", s)
    while (match(s, /\/[^ \t\n:,'"]*\/(exercises|solutions|lib|build|tests|matrices)\//)) {
        part = substr(s, RSTART, RLENGTH - 1)
        sub(/.*\//, "", part)
        out = out substr(s, 1, RSTART - 1) part "/"
        s = substr(s, RSTART + RLENGTH)
    }
    s = out s
    if (length(home) > 1) while ((at = index(s, home)) > 0) s = substr(s, 1, at - 1) "~" substr(s, at + length(home))
    gsub(/[\001-\010\013-\037\177]/, "", s)
    gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); gsub(/"/, "\\&quot;", s)
    return s
}
function rate(x) { return sprintf((x >= 99.95) ? "%.0f" : (x >= 9.995) ? "%.1f" : (x >= 0.9995) ? "%.2f" : "%.3g", x) }
function seconds(t) { return (t >= 1) ? rate(t) " s" : (t >= 1e-3) ? rate(1e3 * t) " ms" : rate(1e6 * t) " µs" }
function bytes(v) { return (v >= 1e9) ? rate(v / 1e9) " GB" : (v >= 1e6) ? rate(v / 1e6) " MB" : rate(v / 1e3) " kB" }
function in_percent(x) { return sprintf("%.0f %%", 100 * x) }
function clip(s, n) {
    if (length(s) <= n) return s
    s = substr(s, 1, n - 1)
    sub(/[\300-\377]?[\200-\277]*$/, "", s)
    return s "…"
}
function complain(s) { print s >"/dev/stderr"; notes[++n_notes] = s }
function name_of(e) { return (e ~ /gpu/) ? (e + 0) ", GPU part" : e }
function plural(n, one, more) { return n " " ((n == 1) ? one : more) }

BEGIN {
    sign["pass"] = "✓"; sign["slow"] = "~"; sign["wrong"] = "✗"; sign["no-verdict"] = "?"; sign["not-written"] = "·"
    sign["correct"] = "✓"; sign["unwritten"] = "·"
    word["pass"] = "passed"; word["slow"] = "right, but slow"; word["wrong"] = "wrong"; word["no-verdict"] = "no verdict on its speed"
    word["not-written"] = word["unwritten"] = "begun"; word["correct"] = "right, speed not judged"
}

# --- reading ---
kind == "exercises" {
    split($0, f, "\t")
    e = f[2]
    order[++count] = e; known[e] = 1
    file[e] = "exercises/" f[3] "/" f[4]; stars[e] = f[5]; minutes[e] = f[6]; needs[e] = f[7]
    title[e] = (e ~ /gpu/) ? title[e + 0] ", on a GPU" : f[8]
    read_hints(e, "exercises/" f[3] "/hints" ((e ~ /gpu/) ? "_gpu" : "") ".md")
    next
}
kind == "progress" {
    if (take_progress($0, FNR)) next
    complain((FNR == 1) ? FILENAME " is damaged or of another version: what can be read is shown" \
                        : FILENAME ":" FNR ": a damaged line, left out")
    next
}
kind == "history" {
    if (!take_history($0, FNR)) {
        if (FNR == 1) complain(FILENAME " is damaged or of another version: what can be read is shown")
        else if (!damaged_lines++) first_damaged = FNR
        history_file = FILENAME
    } else if (FNR > 1) take_judgement()
    next
}
kind == "machine" { take_machine(); next }
kind == "record" {
    if (FNR == 1) { r = FILENAME; sub(/.*\//, "", r); has_record[r] = 1 }
    at = index($0, "\t")
    record[r, substr($0, 1, at - 1)] = substr($0, at + 1)
}

# BUILD/hints-6 says how many hints were shown for each function; several functions may share theirs (hint.sh).
function read_hints(e, page,    line, f, seen) {
    while ((getline line <(build "/hints-" e)) > 0) if (split(line, f, " ") == 2) seen[f[1]] = f[2] + 0
    close(build "/hints-" e)
    while ((getline line <page) > 0) if (sub(/^## /, "", line)) { split(line, f, ", "); shown_hints[e] += seen[f[1]] }
    close(page)
}

function take_judgement(    e, t, p, i) {
    e = h["exercise"]
    if (!(e in known)) return
    t = ++tries[e]
    try_verdict[e, t] = h["verdict"]
    try_day[e, t] = substr(h["started"], 1, 10)
    if (h["verdict"] != "pass" && h["name"] != "") {
        failures[e]++
        last_check[e] = h["name"]
        if (!((e, h["name"]) in fails)) check_name[e, ++n_checks[e]] = h["name"]
        fails[e, h["name"]]++
        if (h["code"] != "") {
            if (!((e, h["name"], h["code"]) in codes)) code_name[e, h["name"], ++n_codes[e, h["name"]]] = h["code"]
            codes[e, h["name"], h["code"]]++
        }
    }
    for (p = 1; p <= h_parts; p++) if (part_field(p, "timed") == "true" && part_field(p, "share") + 0 > 0) {
        i = ++try_parts[e, t]
        try_name[e, t, i] = part_field(p, "function")
        try_share[e, t, i] = part_field(p, "share") + 0
        try_low[e, t, i] = part_field(p, "low") + 0
        try_high[e, t, i] = part_field(p, "high") + 0
        try_target[e, t, i] = part_field(p, "target") + 0
        take_best(e, p)
    }
}
# Of each function the run with the largest share of its own roof, of those on the exercise's own matrix.
function take_best(e, p,    k, f, share) {
    f = part_field(p, "function"); share = part_field(p, "share") + 0
    last_b = part_field(p, "bandwidth") + 0; last_peak = part_field(p, "peak") + 0
    if (h["matrix"] h["case"] != "" || part_field(p, "verdict") == "no-verdict") return
    if ((e, f) in best_share && share <= best_share[e, f]) return
    if (!((e, f) in best_share)) best_name[e, ++n_best[e]] = f
    best_share[e, f] = share
    best_low[e, f] = part_field(p, "low") + 0; best_high[e, f] = part_field(p, "high") + 0
    best_target[e, f] = part_field(p, "target") + 0
    best_bytes[e, f] = part_field(p, "load") + part_field(p, "store"); best_flop[e, f] = part_field(p, "flop") + 0
    best_b[e, f] = part_field(p, "bandwidth") + 0; best_peak[e, f] = part_field(p, "peak") + 0
    best_seconds[e, f] = part_field(p, "seconds") + 0
    best_case[e, f] = part_field(p, "case"); best_on[e, f] = part_field(p, "on"); best_day[e, f] = substr(h["started"], 1, 10)
}

function take_machine(    f, k, n) {
    n = split($0, f, "\t")
    if (FNR == 1) { machine_ok = ($0 == "# spw-machine 1"); return }
    if (f[1] == "check") machine_whole = 1
    else if (f[1] == "level") {
        if (f[2] == "memory") for (k = 4; k <= n; k += 3) { if (k == 4) machine_b = f[k] + 0; machine_most = most(machine_most, f[k] + 0) }
    } else if (f[1] == "stair") { stair_bytes[++stairs] = f[2] + 0; stair_median[stairs] = f[3] / 1e9; stair_low[stairs] = f[4] / 1e9; stair_high[stairs] = f[5] / 1e9 }
    else if (f[1] == "saturation") { width_threads[++widths] = f[2] + 0; width_median[widths] = f[3] / 1e9; width_low[widths] = f[4] / 1e9; width_high[widths] = f[5] / 1e9 }
    else if (n == 2) fact[f[1]] = f[2]
    machine_peak = fact["peak_all"] + 0
}
# The figures of a damaged file are not to be drawn.
function check_machine(    k, good) {
    if (fact["cpu"] == "" && !machine_b) return
    good = machine_ok && machine_whole && machine_b > 0 && machine_peak > 0 && stairs > 0 && widths > 0
    for (k = 1; k <= stairs; k++) if (!(stair_bytes[k] > 0 && stair_low[k] > 0 && stair_high[k] > 0)) good = 0
    for (k = 1; k <= widths; k++) if (!(width_threads[k] > 0 && width_high[k] > 0)) good = 0
    if (good) return
    complain("the machine's figures are damaged and left out; to measure again: make machine")
    machine_b = machine_most = machine_peak = stairs = widths = 0
    split("", fact)
}

# --- the page ---
function chip(v) { return "<span class=\"chip " v "\">" sign[v] " " word[v] "</span>" }
function state(e) { return (e in verdict) ? verdict[e] : tries[e] ? try_verdict[e, tries[e]] : "todo" }
function command(s) { return "<code>" html(s) "</code>" }
function goes_on(e) { return tries[e] || has_record[e] }

function head(    k, e, done, gpu_done, gpu_all, all, starred, line) {
    for (k = 1; k <= count; k++) {
        e = order[k]
        if (e ~ /gpu/) { gpu_all++; gpu_done += state(e) == "pass" } else { all++; done += state(e) == "pass" }
        starred += stretch[e]
    }
    print "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>My sparse performance</title>\n<style>"
    while ((getline line <css) > 0) print line
    print "</style>\n</head>\n<body>\n<main>\n<header>"
    printf "<p class=\"date\">Sparse Performance Workbook · my report of %s%s</p>\n", today, (fact["cpu"] == "") ? "" : " · " html(fact["cpu"]) ", " plural(fact["threads"] + 0, "thread", "threads")
    printf "<h1>%d of %s done%s</h1>\n", done, plural(all, "exercise", "exercises"), starred ? ", <span class=\"star\">" starred " ★</span>" : ""
    if (gpu_done) printf "<p class=\"date\">and %d of %s. ★ is a stretch goal reached.</p>\n", gpu_done, plural(gpu_all, "GPU part", "GPU parts")
    else if (starred) print "<p class=\"date\">★ is a stretch goal reached.</p>"
    print "<nav class=\"all\" aria-label=\"exercises\">"
    for (k = 1; k <= count; k++) {
        e = order[k]
        printf "%s<a class=\"%s%s\" href=\"#%s%s\" title=\"%s: %s\">%s%s</a>%s\n", (e ~ /gpu/) ? "" : "<span>", state(e), (e ~ /gpu/) ? " gpu" : "", goes_on(e) ? "e" : "row-", e, html(title[e]), \
            (state(e) == "todo") ? "not begun" : word[state(e)], (e ~ /gpu/) ? "GPU" : e, stretch[e] ? "<sup>★</sup>" : "", (order[k + 1] ~ /gpu/) ? "" : "</span>"
    }
    print "</nav>\n</header>"
    for (k = 1; k <= n_notes; k++) { if (notes[k] !~ /\/build\//) sub(/^\/.*\//, "", notes[k]); printf "<p class=\"note\">%s</p>\n", html(notes[k]) }
}

# As in the menu, first what is not passed, in order; a GPU part need not be done.
function what_next(    k, e, first, begun, n, star) {
    for (k = 1; k <= count; k++) {
        e = order[k]
        if (state(e) == "pass") { if (star == "" && best[e] > 0 && !stretch[e]) star = e; continue }
        if (first == "" || (first ~ /gpu/ && e !~ /gpu/)) first = e
    }
    print "<section><h2>What to do next</h2>\n<ul class=\"next\">"
    if (!machine_b) print "<li>" command("make machine") " measures this machine, in a minute or two: its roofline belongs here.</li>"
    if (first != "") {
        printf "<li>%s judges <b>%s %s</b>: %s minutes, needs %s, edit <code>%s</code>.%s</li>\n", command("make exercise-" first), name_of(first), html(title[first]),
            minutes[first], (needs[first] == "") ? "a C compiler" : html(needs[first]), html(file[first]), stopped(first)
    }
    for (k = 1; k <= count; k++) {
        e = order[k]
        if (e == first || state(e) == "pass" || state(e) == "todo") continue
        if (n++ < 4) printf "<li><a href=\"#%s%s\">%s %s</a> is %s.%s %s</li>\n", goes_on(e) ? "e" : "row-", e, name_of(e), html(title[e]), (state(e) ~ /^(correct|no-verdict)$/) ? "right, and its speed is not judged yet" : "begun", \
            stopped(e), command(((state(e) ~ /^(correct|no-verdict)$/) ? "make exercise-" : "make hint-") e)
    }
    if (n > 4) printf "<li>%d more are begun: see the table below.</li>\n", n - 4
    if (star != "") printf "<li>A stretch goal is left in <b>%s %s</b>, where you reached %.0f %% of the roof: %s</li>\n", name_of(star), html(title[star]), best[star], command("make exercise-" star)
    if (first == "" && star == "") print "<li>Nothing is left: all passed, and every stretch goal with them.</li>"
    else if (first == "") print "<li>All exercises have passed.</li>"
    print "</ul></section>"
}
function stopped(e,    v) {
    v = tries[e] ? try_verdict[e, tries[e]] : ""
    if (v == "no-verdict") return " The last judgement had no verdict on its speed: once more when the machine is quiet."
    if (v != "wrong" && v != "slow") return ""
    return (last_check[e] == "") ? "" : " The last judgement stopped at " html(last_check[e]) "."
}

function own_roofline(    k, i, e, f) {
    for (k = 1; k <= count; k++) for (i = 1; i <= n_best[order[k]]; i++) {
        e = order[k]; f = best_name[e, i]
        if (best_flop[e, f] <= 0 || best_bytes[e, f] <= 0 || best_seconds[e, f] <= 0 || best_b[e, f] <= 0) continue
        point_x[++points] = best_flop[e, f] / best_bytes[e, f]
        point_y[points] = best_flop[e, f] / best_seconds[e, f] / 1e9
        point_roof[points] = least(best_peak[e, f], point_x[points] * best_b[e, f]) / 1e9
        point_gpu[points] = best_on[e, f] != "host"
        point_label[points] = (e ~ /gpu/) ? (e + 0) "g" : e
        point_name[points] = name_of(e) ": " f ", " in_percent(best_share[e, f]) " of the roof of its own run"
    }
    print "<section><h2>My roofline, and where my kernels are</h2>"
    if (!machine_b && !points) {
        print "<p class=\"empty\">There is nothing to draw yet: this machine was not measured (" command("make machine") "), and no kernel of yours was timed.</p></section>"
        return
    }
    roofline()
    print "<p class=\"legend\">" (points ? "A dot is a kernel of yours at its best, with the number of its exercise. The short line above it is the roof that it had in its own run: the distance is what is left." : "No kernel of yours was timed yet.") \
        (machine_b ? ((machine_most > machine_b) ? " The blue band is the bandwidth of memory, from pure loads to the best mix of loads and stores." : "") : " The roof is that of your last run; <code>make machine</code> measures the machine itself.") "</p></section>"
}

function all_exercises(    k, e, t, v, from) {
    print "<section><h2>Every exercise</h2>\n<table class=\"list\"><thead><tr><th>exercise</th><th>verdict</th><th>share of the roof</th><th class=\"r\">best</th><th>judgements</th><th class=\"r\">hints</th><th>date</th></tr></thead><tbody>"
    for (k = 1; k <= count; k++) {
        e = order[k]; v = state(e)
        printf "<tr id=\"row-%s\" class=\"%s\"><td>%s</td><td>%s</td><td>", e, v, \
            (e ~ /gpu/) ? ((goes_on(e)) ? "<a class=\"part\" href=\"#e" e "\">GPU part</a>" : "<span class=\"part\">GPU part</span>") \
                        : "<b>" e "</b> " ((goes_on(e)) ? "<a href=\"#e" e "\">" html(title[e]) "</a>" : html(title[e])), \
            (v == "todo") ? "" : "<span class=\"mark " v "\">" (stretch[e] ? "★" : sign[v]) "</span> " word[v]
        if (best[e] > 0) {
            printf "<div class=\"bar\"><div style=\"width:%d%%\"></div>", least(best[e], 100)
            if (bar_goal(e)) printf "<div class=\"at\" style=\"left:%d%%\" title=\"goal %d %%\"></div>", least(bar_goal(e), 100), bar_goal(e)
            printf "</div>"
        }
        printf "</td><td class=\"r\">%s</td><td class=\"dots\">", (best[e] > 0) ? sprintf("%.0f %%", best[e]) : ""
        from = (tries[e] > 16) ? tries[e] - 14 : 1
        if (from > 1) printf "<span class=\"more\">%d + </span>", from - 1
        for (t = from; t <= tries[e]; t++) printf "<span class=\"mark %s\" title=\"%s: %s\">%s</span>", try_verdict[e, t], try_day[e, t], word[try_verdict[e, t]], sign[try_verdict[e, t]]
        printf "</td><td class=\"r\">%s</td><td class=\"day\">%s</td></tr>\n", shown_hints[e] ? shown_hints[e] : "", (e in date) ? date[e] : tries[e] ? try_day[e, tries[e]] : ""
    }
    print "</tbody></table>\n<p class=\"legend\">Marks of judgements, in order: <span class=\"mark pass\">✓</span> passed, <span class=\"mark slow\">~</span> right but slow, <span class=\"mark wrong\">✗</span> wrong, <span class=\"mark no-verdict\">?</span> no verdict, · not written. The bar is the part with the least share of the roof, the line across it its goal.</p></section>"
}
# The goal of the part with the least share, in the best run.
function bar_goal(e,    i, f, worst, goal) {
    for (i = 1; i <= n_best[e]; i++) {
        f = best_name[e, i]
        if (!worst || best_share[e, f] < worst) { worst = best_share[e, f]; goal = 100 * best_target[e, f] }
    }
    return goal
}

function one_exercise(e,    v, t, i, timed) {
    v = state(e)
    printf "<section class=\"one\" id=\"e%s\"><h3>%s · %s %s</h3>\n", e, name_of(e), html(title[e]), (v == "todo") ? "" : chip(v)
    printf "<p class=\"date\">%s%s%s</p>\n", tries[e] ? plural(tries[e], "judgement", "judgements") ", " try_day[e, 1] ((try_day[e, 1] == try_day[e, tries[e]]) ? "" : " to " try_day[e, tries[e]]) : "no history", \
        shown_hints[e] ? " · " plural(shown_hints[e], "hint", "hints") " read" : "", stretch[e] ? " · ★ stretch goal reached" : ""
    for (t = 1; t <= tries[e]; t++) timed += try_parts[e, t]
    if (timed || failures[e]) {
        print "<div class=\"two\"><div>"
        if (timed) attempts(e)
        else print "<p class=\"empty\">Nothing was timed yet.</p>"
        print "</div><div>"
        what_failed(e)
        print "</div></div>"
    }
    if (n_best[e]) model_and_measurement(e)
    if (has_record[e]) last_judgement(e)
    print "</section>"
}
function what_failed(e,    k, j, c, list) {
    if (!failures[e]) { print "<p class=\"empty\">No check has failed.</p>"; return }
    print "<table class=\"fails\"><thead><tr><th>stopped at</th><th></th><th class=\"r\">times</th></tr></thead><tbody>"
    for (k = 1; k <= n_checks[e]; k++) {
        c = check_name[e, k]; list = ""
        for (j = 1; j <= n_codes[e, c]; j++) list = list (list ? ", " : "") html(code_name[e, c, j]) ((codes[e, c, code_name[e, c, j]] > 1) ? " " codes[e, c, code_name[e, c, j]] "×" : "")
        printf "<tr><td><b>%s</b>%s</td><td><div class=\"count\" style=\"width:%d%%\"></div></td><td class=\"r\">%d</td></tr>\n", html(c), (list == "") ? "" : "<br><span class=\"date\">" list "</span>", 100 * fails[e, c] / failures[e], fails[e, c]
    }
    print "</tbody></table>"
}
function model_and_measurement(e,    i, f, roof) {
    print "<h4>Model and measurement</h4>\n<div class=\"wide\"><table class=\"model\"><thead><tr><th>function, at its best</th><th class=\"r\">bytes</th><th class=\"r\">flop</th><th class=\"r\">flop/byte</th><th class=\"r\">b then, GB/s</th><th class=\"r\">roof</th><th class=\"r\">measured</th><th class=\"r\">share</th><th class=\"r\">goal</th><th>date</th></tr></thead><tbody>"
    for (i = 1; i <= n_best[e]; i++) {
        f = best_name[e, i]
        roof = most(best_bytes[e, f] / most(best_b[e, f], 1), (best_peak[e, f] > 0) ? best_flop[e, f] / best_peak[e, f] : 0)
        printf "<tr><td><code>%s</code><br><span class=\"date\">%s%s</span></td><td class=\"r\">%s</td><td class=\"r\">%s</td><td class=\"r\">%s</td><td class=\"r\">%s</td><td class=\"r\">%s</td><td class=\"r\">%s</td><td class=\"r\"><b>%s</b><br><span class=\"date\">%.0f to %.0f</span></td><td class=\"r\">%s</td><td class=\"day\">%s</td></tr>\n", \
            html(f), html(best_case[e, f]), (best_on[e, f] == "host") ? "" : ", on " html(best_on[e, f]), bytes(best_bytes[e, f]), (best_flop[e, f] > 0) ? rate(best_flop[e, f] / 1e6) " M" : "–", \
            (best_flop[e, f] > 0 && best_bytes[e, f] > 0) ? sprintf("%.3g", best_flop[e, f] / best_bytes[e, f]) : "–", rate(best_b[e, f] / 1e9), seconds(roof), seconds(best_seconds[e, f]), \
            in_percent(best_share[e, f]), 100 * best_low[e, f], 100 * best_high[e, f], in_percent(best_target[e, f]), best_day[e, f]
    }
    print "</tbody></table></div>"
}

# The record of the last judgement: traffic as tables, the rest in the judge's words.
function last_judgement(e,    k, c, tables) {
    for (k = 0; (e, "checks." k ".name") in record; k++) tables += record[e, "checks." k ".name"] == "TRAFFIC" && record[e, "checks." k ".message"] ~ /line +array/
    if (tables) {
        printf "<details><summary>Traffic of the last judgement, modelled by the checker</summary>\n"
        for (k = 0; (e, "checks." k ".name") in record; k++) if (record[e, "checks." k ".name"] == "TRAFFIC") traffic(record[e, "checks." k ".message"])
        print "</details>"
    }
    printf "<details><summary>What the judge said last, %s</summary>\n<dl class=\"said\">\n", html(substr(record[e, "started"], 1, 10) " " substr(record[e, "started"], 12, 5) " UTC")
    for (k = 0; (e, "checks." k ".name") in record; k++) {
        c = "checks." k "."
        if (record[e, c "status"] == "not-reached" || (record[e, c "name"] == "TRAFFIC" && record[e, c "status"] == "ok")) continue
        printf "<dt>%s <span class=\"%s\">%s</span></dt><dd><pre>%s</pre></dd>\n", html(record[e, c "name"]), html(record[e, c "status"]), html(record[e, c "status"]), html(record[e, c "message"])
    }
    print "</dl></details>"
}
function traffic(message,    n, line, k, f, m, j, open_table, a, rest) {
    n = split(message, line, /\\n/)
    for (k = 1; k <= n; k++) {
        m = split(line[k], f, " ")
        if (line[k] ~ /^line +array/) {
            if (open_table) print "</tbody></table>"
            printf "<table class=\"traffic\"><thead><tr><th class=\"r\">line</th><th>array</th><th></th><th class=\"r\">bytes a lane</th><th class=\"r\">requests</th><th class=\"r\">lanes</th><th class=\"r\">%s</th><th class=\"r\">a request</th><th class=\"r\">at least</th></tr></thead><tbody>\n", (line[k] ~ /passes/) ? "passes" : "sectors"
            open_table = 1
            continue
        }
        for (a = m; a > 2 && f[a] !~ /^(load|store|atomic)/; a--) ;
        if (open_table && a > 2 && m >= a + 6) {
            printf "<tr><td class=\"r\">%s</td><td><code>%s", html(f[1]), html(f[2])
            for (j = 3; j < a; j++) printf " %s", html(f[j])
            printf "</code></td><td>%s</td>", html(f[a])
            for (j = a + 1; j <= a + 5; j++) printf "<td class=\"r\">%s</td>", html(f[j])
            rest = f[a + 6]; for (j = a + 7; j <= m; j++) rest = rest " " f[j]
            printf "<td class=\"r\">%s</td></tr>\n", html(rest)
        } else if (open_table && f[1] == "all") {
            printf "<tr class=\"sum\"><td></td><td>all</td><td></td><td></td><td></td><td></td><td class=\"r\">%s</td><td></td><td></td></tr>\n", html(f[2])
        } else {
            if (open_table) { print "</tbody></table>"; open_table = 0 }
            sub(/, [^,]*: traffic \(modelled\)$/, "", line[k])
            printf "<p class=\"%s\">%s</p>\n", (line[k + 1] ~ /^line +array/) ? "kernel" : "date", html(line[k])
        }
    }
    if (open_table) print "</tbody></table>"
}

function this_machine(    k, n, key, name) {
    print "<section><h2>This machine</h2>"
    if (!machine_b) { print "<p class=\"empty\">It was not measured yet: " command("make machine") "</p></section>"; return }
    print "<ul class=\"facts\">"
    n = split("cpu|processor|cores|cores|hardware_threads|hardware threads|sockets|sockets|numa_nodes|memory nodes|l1|L1|l2|L2|l3|L3|memory|memory|compiler|compiler|date|measured", key, "|")
    for (k = 1; k < n; k += 2) if (fact[key[k]] != "") {
        name = fact[key[k]]
        if (key[k] ~ /^l[123]$/) name = (name >= 1048576) ? name / 1048576 " MiB" : name / 1024 " KiB"
        if (key[k] == "memory") name = sprintf("%.1f GB", name / 1e9)
        if (key[k] == "date" && fact["virtual"] + 0) name = name ", in a virtual machine"
        printf "<li><span>%s</span> %s</li>\n", key[k + 1], html(name)
    }
    print "</ul>"
    if (fact["waited_percent"] > 20) printf "<p class=\"note\">It was busy when it was measured: in %d %% of the samples a thread had to wait for a core.</p>\n", fact["waited_percent"]
    print "<div class=\"half\"><div>"
    staircase()
    print "<p class=\"legend\">Loads by all threads, over the working set.</p></div><div>"
    saturation()
    print "<p class=\"legend\">Loads from memory, over threads.</p></div></div></section>"
}

END {
    n = split(damaged, f, " ")
    for (k = 1; k <= n; k++) complain(f[k] " is damaged, left out")
    if (damaged_lines) complain(history_file ":" first_damaged ((damaged_lines == 1) ? ": a damaged line, left out" : ": the first of " damaged_lines " damaged lines, all left out"))
    check_machine()
    head()
    what_next()
    own_roofline()
    all_exercises()
    any = 0
    for (k = 1; k <= count; k++) any += goes_on(order[k]) ? 1 : 0
    if (any) {
        print "<h2>One by one</h2>\n<p class=\"legend\">Charts: a line is a function, in % of the roof of its own run, with the interval in which it lies; short dashes are its goals, and below stand the verdicts. " \
            "Tables: the roof is the time that your model's bytes and flops need at the least, at the bandwidth b and the peak that were measured in the same run.</p>"
    }
    for (k = 1; k <= count; k++) if (goes_on(order[k])) one_exercise(order[k])
    this_machine()
    print "<footer><p>Made by <code>make report</code> from the records on this machine. Nothing of it was sent anywhere; the page needs no other file, and holds no name of a user or a computer.</p></footer>\n</main>\n</body>\n</html>"
}
