# models.awk: are byte and flop tables and figures of a page, of the texts or of the talk, those of its driver's costs? Reads tests/models.txt, which says how.
#     awk -f tests/models.awk tests/models.txt
# Prints one line for each difference, and fails where there is one.

# What pages and drivers write: numbers, names, + - * / ( ), and factors side by side.
function token() {
    sub(/^ +/, "", rest)
    if (!match(rest, /^([0-9]+(\.[0-9]+)?(e[0-9]+)?|[A-Za-z_][A-Za-z_0-9]*|[-+*\/()])/)) { here = rest == "" ? "" : "?"; return }
    here = substr(rest, 1, RLENGTH)
    rest = substr(rest, RLENGTH + 1)
}
function factor(    v, name) {
    if (here == "(") {
        token(); v = sum()
        if (here != ")") complain("a ) is missing: " whole)
        token(); return v
    }
    if (here == "-") { token(); return -factor() }
    if (here ~ /^[0-9]/) { v = here + 0; token(); return v }
    if (here ~ /^[A-Za-z_]/) {
        name = here; token()
        if (name in value) return value[name]
        if (name in term) return inner(term[name], rest, here, whole)
    }
    complain("what is " (name == "" ? here : name) " in: " whole)
    token()
    return 0
}
function inner(text, rest_, here_, whole_,    v) {   # a cost, with the quantities of now
    v = evaluated(text)
    rest = rest_; here = here_; whole = whole_
    return v
}
function product(    v, w) {
    v = factor()
    while (here ~ /^([0-9A-Za-z_]|\(|\*|\/)/) {
        if (here == "/") { token(); w = factor(); v = w ? v / w : 0 }
        else { if (here == "*") token(); v *= factor() }
    }
    return v
}
function sum(    v) {
    v = product()
    while (here == "+" || here == "-") { if (here == "+") { token(); v += product() } else { token(); v -= product() } }
    return v
}
function evaluated(text,    v) {
    gsub(/−/, "-", text); gsub(/·/, "*", text); gsub(/β/, "beta", text); gsub(/nv²|nv\^2/, "nv nv", text); gsub(/\\,|\$/, " ", text)
    whole = rest = text; token(); v = sum()
    if (here != "") complain("not understood from " here ": " text)
    return v
}

# A cell: words in parentheses are no part of the sum, (n + 1) is. Of 12 n_stored = 12 nz / beta both sides are.
function cell(text,    from, inside, left, sides, k, v) {
    gsub(/\*\*/, "", text); gsub(/−/, "-", text); gsub(/^ +| +$/, "", text)
    if (text == "none") return 0
    left = ""
    while (match(text, /\([^()]*\)/)) {
        inside = substr(text, RSTART, RLENGTH)
        if (inside !~ / [-+] /) inside = ""
        left = left substr(text, 1, RSTART - 1) inside
        text = substr(text, RSTART + RLENGTH)
    }
    text = left text
    if (text ~ /^ *$/) return 0
    k = split(text, sides, "=")
    v = evaluated(sides[1])
    if (k > 1 && !near(evaluated(sides[2]), v)) complain("two sides are not equal: " text)
    return v
}
function near(a, b) { return a - b <= 1e-9 * (a < 0 ? -a : a) + 1e-9 && b - a <= 1e-9 * (a < 0 ? -a : a) + 1e-9 }
function complain(text) { print page " (tests/models.txt:" FNR "): " text; bad = 1 }

# A file as one text of single blanks; of C, strings that follow each other are joined.
function slurp(file, c,    text, line) {
    while ((getline line <file) > 0) { if (c) sub(/\\$/, "", line); text = text " " line }
    close(file)
    gsub(/[ \t]+/, " ", text)
    if (c) gsub(/" "/, "", text)
    return text
}
function drivers(folder,    text, k, names, n, name, s) {
    n = split("driver.c driver_gpu.c driver_refine.c driver_offload.c problem.h", names, " ")
    for (k = 1; k <= n; k++) text = text slurp(folder "/" names[k], 1)
    for (name in standard) {
        k = 0
        while ((s = index(text, name)) && substr(text, s + length(name), 1) !~ /[A-Z_]/ && k++ < 9) text = substr(text, 1, s - 1) standard[name] substr(text, s + length(name))
    }
    gsub(/" "/, "", text)
    return text
}
# The tables of a page that have a column of loads, reads, bytes or flops: rows[table, row], heads[table].
function tables(file,    line, in_table) {
    n_tables = 0
    while ((getline line <file) > 0) {
        if (line !~ /^\|/) { in_table = 0; continue }
        if (!in_table) {
            in_table = 1
            if (line ~ /\| (loads|reads|bytes|flop)[, |]/ && line !~ /^\| sectors|fraction/) { kept = ++n_tables; heads[kept] = line; n_rows[kept] = 0; used[kept] = 0 }
            else kept = 0
        } else if (kept && line !~ /^\| ?-/) rows[kept, ++n_rows[kept]] = line
    }
    close(file)
}
function head_of(cell_) {
    return cell_ ~ /^ (loads|reads)/ ? "load" : cell_ ~ /^ (stores|writes)/ ? "store" : cell_ ~ /^ flop/ ? "flop" : cell_ ~ /^ bytes/ ? "bytes" : cell_ ~ /^ WA/ ? "WA" : cell_ ~ /^ times/ ? "times" : ""
}
# Adds up the rows of table k whose label begins with `label`; where the page has **?**, blanks has the answers in order.
function add_up(k, label, columns, blanks,    r, c, n, cells, names, n_names, gap, n_gaps, g, what, times, v, only) {
    n_gaps = split(blanks, gap, " *\\| *")
    g = 0
    n_names = split(heads[k], names, "|")
    split("", total)
    used[k] = 1
    for (r = 1; r <= n_rows[k]; r++) {
        n = split(rows[k, r], cells, "|")
        if (label == "" ? cells[2] ~ /^ *sum *$/ : index(cells[2], " " label) != 1) continue
        times = match(cells[2], /^ [a-z]+ times:/) ? evaluated(substr(cells[2], 2, RLENGTH - 8)) : 1
        for (c = 3; c < n; c++) {
            what = head_of(names[c])
            if (what == "" || (columns != "" && index(" " columns " ", " " c - 1 " ") == 0)) continue
            if (what == "times") { times = evaluated(cells[c]); continue }
            if (cells[c] ~ /\?/) {
                if (++g > n_gaps) complain("table " k " has more gaps than answers")
                sub(/\*\*\?\*\*/, gap[g], cells[c])
            }
            if (cells[c] ~ /^ *A in|^ *r in|^ *d, |^ *[rxq]( |,|$)/) continue
            total[what] += times * cell(cells[c])
        }
    }
    if (g < n_gaps) complain("table " k " has fewer gaps than answers: " g)
}
function done_with_page(    k) {
    for (k = 1; k <= n_tables; k++) if (!used[k]) { page = page_; complain("its table " k " is compared with no cost: " heads[k]) }
}

BEGIN {
    while ((getline line <"lib/kernels/costs.h") > 0) {
        if (line ~ /\\$/) { sub(/\\$/, "", line); part = part line; continue }
        line = part line; part = ""
        if (match(line, /SPW_COST_[A-Z_]+/)) {
            name = substr(line, RSTART, RLENGTH); sub(/^[^"]*/, "", line); sub(/[^"]*$/, "", line); gsub(/" *"/, "", line)
            standard[name] = line
        }
    }
}
/^#/ || /^ *$/ { next }
$1 == "page" {
    done_with_page()
    page_ = page = $2; folder = $4; if (folder == "") { folder = page; sub(/\/[^\/]*$/, "", folder) }
    text_of = slurp(page, 0); judged = drivers(folder); n_tables = 0; if (page !~ /^slides/) tables(page)
    split("", value)
    value["n"] = value["n_rows"] = value["n_cols"] = 10007; value["nz"] = 79193; value["nv"] = 11; value["n_stored"] = 90001
    value["beta"] = value["nz"] / value["n_stored"]; value["k"] = 5; value["p"] = 3; value["q"] = 2
    next
}
$1 == "set" { name = $2; line = $0; sub(/^[^=]*= */, "", line); value[name] = evaluated(line); next }
# cost NAME load ...; store ...; flop ...     as the driver has it
$1 == "cost" {
    name = $2; line = $0; sub(/^cost +[^ ]+ +/, "", line)
    if (!index(judged, "\"" line "\"")) complain("no driver of " folder " has the cost " line)
    term["load_" name] = term["store_" name] = term["flop_" name] = "0"
    n_parts = split(line, parts, "; *")
    for (k = 1; k <= n_parts; k++) { what = parts[k]; sub(/ .*/, "", what); sub(/^[^ ]* /, "", parts[k]); term[what "_" name] = parts[k] }
    term["bytes_" name] = "load_" name " + store_" name
    next
}
# table K [row "LABEL"] [columns 2 3] [gaps A | B]     what follows are lines load = ..., store = ... of the sums
$1 == "table" {
    line = $0; label = columns = blanks = ""
    if (match(line, / gaps .*/)) { blanks = substr(line, RSTART + 6); line = substr(line, 1, RSTART - 1) }
    if (match(line, / columns [0-9 ]+/)) { columns = substr(line, RSTART + 9, RLENGTH - 9); gsub(/ +$/, "", columns) }
    if (match(line, / row "[^"]*"/)) label = substr(line, RSTART + 6, RLENGTH - 7)
    if ($2 > n_tables) { complain("it has no table " $2); next }
    if ($3 == "words") { used[$2] = 1; next }
    add_up($2, label, columns, blanks)
    next
}
$1 ~ /^(load|store|flop|bytes|WA)$/ && $2 == "=" {
    what = $1; line = $0; sub(/^[^=]*= */, "", line); v = evaluated(line)
    if (!(what in total) && v) complain("the table has no " what)
    else if (!near(total[what] + 0, v)) complain(what " of the table is " total[what] + 0 ", of the driver " v " (" line ")")
    next
}
# says WORDS WITH {FIGURES}, each of which is one of the lines = EXPRESSION below; [at name = ..., ...] sets quantities for it
$1 == "says" {
    line = $0; sub(/^says +/, "", line); plain = line; gsub(/[{}]/, "", plain)
    if (!index(text_of, plain)) complain("it does not say: " plain)
    n_said = 0
    while (match(line, /\{[^}]*\}/)) { said[++n_said] = substr(line, RSTART + 1, RLENGTH - 2); line = substr(line, RSTART + RLENGTH) }
    next_said = 0
    next
}
$1 == "=" {
    line = $0; sub(/^ *= */, "", line); at = ""
    if (match(line, / at /)) { at = substr(line, RSTART + 4); line = substr(line, 1, RSTART - 1) }
    n_at = split(at, ats, ", *")
    for (k = 1; k <= n_at; k++) { name = ats[k]; sub(/ *=.*/, "", name); sub(/^[^=]*= */, "", ats[k]); kept_value[k] = value[name]; names_at[k] = name; value[name] = evaluated(ats[k]) }
    n_costs = 0
    v = evaluated(line)
    if (++next_said > n_said) complain("more figures than in the words above: " line)
    shown = said[next_said]; gsub(/\\,/, " ", shown); gsub(/,/, "", shown)
    if (shown ~ /^[0-9 ]+(\.[0-9]+)?$/) {
        gsub(/ /, "", shown)
        digits = index(shown, ".") ? length(shown) - index(shown, ".") : 0
        if (v - shown > 0.5001 / 10 ^ digits || shown - v > 0.5001 / 10 ^ digits) complain("says " shown ", and it is " v " (" line ")")
    } else if (!near(evaluated(shown), v)) complain("says " shown ", which is not " line)
    for (k = 1; k <= n_at; k++) value[names_at[k]] = kept_value[k]
    next
}
{ complain("not understood: " $0) }
END { done_with_page(); exit bad }
