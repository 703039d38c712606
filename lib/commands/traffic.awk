# awk -f counted.awk -f traffic.awk likwid MODEL FUNCTION CALLS CSV...
# awk -f counted.awk -f traffic.awk cachegrind MODEL FUNCTION FEW FILE MANY FILE
# prints counted traffic beside the model's: the last step of lib/commands/traffic.sh. MODEL is what a judge printed under
# --traffic: lines of a name and a value, "function" first. Exit status: 0, 1 with one line of what went wrong, or 3 where
# likwid cannot count on this machine.
#
# likwid-perfctr (group MEM) reads the counters of the memory controllers: all that was read and written, write-allocate and
# write-back included. CSV are outputs of `likwid-perfctr -m -O`, several where a CPU needs several groups to see all its
# channels. cachegrind simulates caches; DLmr and DLmw in its FILE are reads and writes that missed the last level. Each
# fetches a line; the write-back of changed lines is not counted. FEW and MANY are numbers of calls: the difference is what
# the calls cost, without start-up and set-up.
# Sources: J. Treibig, G. Hager, G. Wellein, ICPPW 2010, doi:10.1109/ICPPW.2010.38; N. Nethercote, J. Seward, PLDI 2007,
# doi:10.1145/1250734.1250746.
function is_number(s) { return s ~ /^[0-9]+\.?[0-9]*([eE][-+]?[0-9]+)?$/ }

function read_model(path, name,    ours) {
    while (next_line(path)) {
        if (w[1] == "function") ours = w[2] == name
        if (ours && sub(/^case /, "", line)) title = line
        else if (ours) value[w[1]] = w[2]
    }
    model_load = value["model_load_bytes"]; model_store = value["model_store_bytes"]
    if (model_load == "" || model_store == "" || value["working_set_bytes"] == "") die(1, "the judge told no model of " name)
}

function head(name, how) {
    printf " %s, case %s, working set %.1f MB\n   %s\n", name, title, value["working_set_bytes"] / 1e6, how
    printf "   %-28s %13s %13s %8s\n", "a call", "measured", "model", "ratio"
}
function row(what, measured, expected) {
    printf "   %-28s %10.3f MB %10.3f MB%s\n", what, measured / 1e6, expected / 1e6, (expected > 0) ? sprintf(" %8.2f", measured / expected) : ""
}
function is_near(x, expected) { return x - expected <= 0.05 * expected && expected - x <= 0.05 * expected }
function explain(measured, expected) {
    if (is_near(measured, expected)) print "   What the model says is what moves."
    else if (measured > expected)
        printf "   More than the model by %.1f %%: data that is fetched again after the cache has lost\n   it, or lines of which only a part is used.\n", \
            100 * (measured / expected - 1)
    else printf "   Less than the model by %.1f %%: some of the data was still in the cache.\n", 100 * (1 - measured / expected)
}

# --- likwid ---
# Adds what one output says to read, written and total; -1: the CPU's group does not tell. The counts of all hardware
# threads are added up (one of each socket has all of them); a dash stands for a counter that was not there.
function add_likwid(path, calls,    ours, found, complaint, r, s, t, k, f, m, volume) {
    r = s = t = -1
    while (next_line(path)) {
        if (complaint == "" && line ~ /^ERROR|Unsupported Processor|not supported|No permission|Cannot access|cannot be accessed/)
            complaint = substr(line, 1, 200)
        # the metrics, one column a hardware thread, of our region
        if (line ~ /^(TABLE|STRUCT),/) found += ours = line ~ /^TABLE,Region kernel,Group / && line ~ / Metric,/
        if (!ours || line !~ /data volume/) continue
        m = split(line, f, ",")
        volume = -1
        for (k = 2; k <= m; k++) if (is_number(f[k])) volume = ((volume < 0) ? 0 : volume) + 1e9 * f[k]
        if (volume < 0) continue
        # The names differ from CPU to CPU: write, writeback and evict are the same thing.
        if (line ~ /^Memory (read|load) /) r = volume
        else if (line ~ /^Memory (write|evict )/) s = volume
        else if (line ~ /^Memory data volume/) t = volume
    }
    if (t < 0 && r >= 0 && s >= 0) t = r + s
    if (t < 0 && complaint != "") die(3, "likwid-perfctr cannot count here: " complaint)
    if (t < 0) die(1, found ? "likwid-perfctr's metrics have no memory data volume" : "likwid-perfctr printed no metrics of region kernel")
    total += t / calls
    read = (r < 0 || read < 0) ? -1 : read + r / calls
    written = (s < 0 || written < 0) ? -1 : written + s / calls
}
function show_likwid(name, calls,    k) {
    if (!(calls >= 1)) die(1, "'" calls "' is no number of calls")
    for (k = 5; k < ARGC; k++) add_likwid(ARGV[k], calls)
    head(name, sprintf("counted by the memory controllers (likwid-perfctr) over %.0f calls", calls))
    if (read >= 0) row("read", read, model_load)
    if (written >= 0) row("written", written, model_store)
    row("together", total, model_load + model_store)
    if (model_store > 0 && is_near(total, model_load + 2 * model_store))
        print "   The surplus is the write-allocate: each line is read before it is overwritten."
    else explain(total, model_load + model_store)
}

# --- cachegrind ---
# Bytes that were fetched because of reads, and because of writes, as misses["r"] and misses["w"]; and the cache's.
function read_cachegrind(path, misses,    k, column, bytes, summed, lacks) {
    while (next_line(path)) {
        if (line ~ /^desc: LL cache:/ && is_number(w[4]) && is_number(w[6])) { misses["cache"] = w[4]; bytes = w[6] }
        if (w[1] == "events:") for (k = 2; k <= n; k++) column[w[k]] = k
        if (w[1] != "summary:" || !(column["DLmr"] && column["DLmw"])) continue
        misses["r"] = bytes * w[column["DLmr"]]
        misses["w"] = bytes * w[column["DLmw"]]
        summed = is_number(w[column["DLmr"]]) && is_number(w[column["DLmw"]])
    }
    lacks = !(bytes > 0) ? "the size of the last-level cache" \
        : !(column["DLmr"] && column["DLmw"]) ? "the misses of the last level (--cache-sim=yes)" \
        : !summed ? "the summary, its last line: was it interrupted?" : ""
    if (lacks != "") die(1, "cachegrind's file lacks " lacks)
}
function show_cachegrind(name, few, few_path, many, many_path,    a, b, r, s) {
    if (!(few >= 0 && many > few)) die(1, "'" many "' is no larger number of calls")
    read_cachegrind(few_path, a)
    read_cachegrind(many_path, b)
    r = (b["r"] - a["r"]) / (many - few)
    s = (b["w"] - a["w"]) / (many - few)
    head(name, sprintf("simulated by cachegrind: one thread, last-level cache of %.3g MiB", a["cache"] / 1048576))
    row("lines fetched by reads", r, model_load)
    row("lines fetched by writes", s, model_store)
    row("together", r + s, model_load + model_store)
    if (model_store > 0)
        printf "   A line that is written is fetched first: the write-allocate. What is written back later\n   (%.3f MB by the model) cachegrind does not count.\n", model_store / 1e6
    explain(r + s, model_load + model_store)
}

BEGIN {
    command = "traffic"
    read_model(ARGV[2], ARGV[3])
    if (ARGV[1] == "likwid") show_likwid(ARGV[3], ARGV[4] + 0)
    else show_cachegrind(ARGV[3], ARGV[4] + 0, ARGV[5], ARGV[6] + 0, ARGV[7])
}
