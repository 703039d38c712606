# awk -F '\t' -v mixes="load copy ..." -v curves=3 -v folder=PLOTS -v shown=1 -f machine.awk FILE: of a machine file
# (perf/machine_file.c) the tables that plots/machine-*.gp draw, with their facts; and, where shown is not 0, the text of
# `make machine`. Of the mixes the first ones have curves.
function rates(key, at,    m) {
    for (m = 1; m <= n_mixes; m++) {
        median[key, m] = 1e-9 * $(at + 3 * m)
        low[key, m] = 1e-9 * $(at + 3 * m + 1)
        high[key, m] = 1e-9 * $(at + 3 * m + 2)
    }
}
BEGIN { n_mixes = split(mixes, mix, " "); split("L1 L2 L3 memory", level, " ") }
$1 == "level" { set[$2] = $3; rates($2, 1); next }
$1 == "stair" { stair[++stairs] = $2; rates("stair" stairs, 0); next }
$1 == "saturation" { threads[++widths] = $2; rates("width" widths, 0); next }
{ fact[$1] = $2 }

# --- tables ---
function heading(first, table,    m) {
    printf "# %s, then GB/s of ", first >table
    for (m = 1; m <= curves; m++) printf "%s%s", mix[m], (m < curves) ? ", " : ": median, low, high\n" >table
}
function row(first, key, table,    m) {
    printf "%s", first >table
    for (m = 1; m <= curves; m++)
        printf "%s", (median[key, m] > 0) ? sprintf("\t%.4g\t%.4g\t%.4g", median[key, m], low[key, m], high[key, m]) : "\tnan\tnan\tnan" >table
    print "" >table
}
function write_tables(    k, table) {
    table = folder "/machine-staircase.tsv"
    heading("working set in bytes", table)
    for (k = 1; k <= stairs; k++) row(stair[k], "stair" k, table)
    table = folder "/machine-threads.tsv"
    heading("threads", table)
    for (k = 1; k <= widths; k++) row(threads[k], "width" k, table)
    table = folder "/machine-roofline.tsv"
    print "# level, load bandwidth in GB/s, peak in Gflop/s, knee in flop/byte" >table
    for (k = 1; k <= 4; k++) if (level[k] in set)
        printf "%s\t%.4g\t%.4g\t%.4g\n", level[k], median[level[k], 1], peak, peak / median[level[k], 1] >table
}
# With a decimal point: gnuplot divides whole numbers as C does.
function value(x) { return sprintf("%#.7g", x) }
function array(name, list,    n) {
    n = split(list, unused, ", ")
    return "array " name "[" n "] = [" list "]\n"
}
function append(list, x) { return list ((list == "") ? "" : ", ") x }
function write_facts(    k, m, facts, cores, roofs, levels, stair_ends, thread_ends, curve, least, most, x) {
    facts = folder "/machine-facts.gp"
    x = fact["cpu"]
    gsub(/'/, "''", x)
    printf "cpu = '%s'\ndate = '%s'\nthreads = %d\n", x, fact["date"], fact["threads"] >facts
    if (busy != "") print "busy = '" busy "'" >facts
    printf "memory_set = %.0f\npeak = %s\n", set["memory"], value(peak) >facts
    cores = (fact["threads"] + 0 < fact["cores"] + 0) ? fact["threads"] : fact["cores"]
    printf "%s", array("cache", value(fact["l1"] * cores) ", " value(fact["l2"] * cores) ", " value(fact["l3"] * fact["l3_count"])) >facts
    for (k = 1; k <= 4; k++) if (level[k] in set) {
        roofs = append(roofs, value(median[level[k], 1]))
        levels = append(levels, k) # 1, 2, 3 are caches, 4 is memory
    }
    printf "%s%s", array("roof", roofs), array("roof_level", levels) >facts
    for (k = 1; k <= stairs; k++) for (m = 1; m <= curves; m++) {
        x = median["stair" k, m]
        if (x > 0 && (least == "" || x < least)) least = x
        if (x > most) most = x
    }
    for (m = 1; m <= curves; m++) if (widths && median["stair" stairs, m] > 0) {
        curve++
        stair_ends = append(stair_ends, value(median["stair" stairs, m]))
        thread_ends = append(thread_ends, value(median["width" widths, m]))
    }
    printf "n_roofs = %d\nn_curves = %d\n", split(levels, unused, ", "), curve >facts
    if (!curve) return
    printf "%s%sstair_least = %s\nstair_most = %s\n", array("stair_end", stair_ends), array("threads_end", thread_ends), value(least), value(most) >facts
    printf "stair_first = %.0f\nstair_last = %.0f\none_thread = %s\n", stair[1], stair[stairs], value(median["width1", 1]) >facts
}

# --- text ---
# 49152 as "48 KiB".
function size(bytes,    k, unit) {
    split("B KiB MiB GiB TiB", unit, " ")
    for (k = 1; bytes >= 1024 && k < 5; k++) bytes /= 1024
    return sprintf((bytes < 10 && bytes != int(bytes)) ? "%.1f %s" : "%.0f %s", bytes, unit[k])
}
function known(bytes) { return (bytes > 0) ? size(bytes) : "unknown" }
function count(n, one, many) { return n " " ((n == 1) ? one : many) }
function show_topology() {
    printf "This machine, %s, %s%s\n  %s\n", fact["date"], fact["compiler"], (fact["quick"] > 0) ? ", a quick look" : "", fact["cpu"]
    printf "  %s, %s, %s, %s\n", count(fact["cores"], "core", "cores"), count(fact["hardware_threads"], "hardware thread", "hardware threads"), \
        count(fact["sockets"], "socket", "sockets"), count(fact["numa_nodes"], "NUMA node", "NUMA nodes")
    printf "  a core has L1 %s, L2 %s; %smemory %s\n", known(fact["l1"]), known(fact["l2"]), \
        (fact["l3"] > 0) ? fact["l3_count"] " x L3 " size(fact["l3"]) "; " : "no L3 known; ", size(fact["memory"])
    if (fact["virtual"] > 0) print "  A virtual machine: its caches are what it is told, neighbours share L3 and\n" \
        "  memory, and figures may change from minute to minute."
    if (busy != "") print "  " busy ". Other programs\n  run here; measure again when they are done."
}
function show_levels(    k, m, format) {
    printf "\nBandwidth in GB/s (1e9 byte/s), %s; memory with its 95 %% interval\n           working set", count(fact["threads"], "thread", "threads")
    for (m = 1; m <= n_mixes; m++) printf " %12s", mix[m]
    print ""
    for (k = 1; k <= 4; k++) {
        printf "  %-8s ", level[k]
        if (!(level[k] in set)) { print "no such level, or its size is not known"; continue }
        printf "%11s", size(set[level[k]])
        for (m = 1; m <= n_mixes; m++) printf " %12.1f", median[level[k], m]
        print ""
    }
    printf "%22s", ""
    for (m = 1; m <= n_mixes; m++) {
        format = (low["memory", m] < 100) ? "%.1f..%.1f" : "%.0f..%.0f"
        printf " %12s", sprintf(format, low["memory", m], high["memory", m])
    }
    print "\n  Counted are the bytes that the loop asks for; a write-allocate read is not."
}
function show_peak() {
    printf "\nArithmetic, double precision, fused multiply-adds\n  1 thread %.1f Gflop/s", 1e-9 * fact["peak_one"]
    if (fact["threads"] > 1) printf ", %d threads %.1f Gflop/s", fact["threads"], peak
    printf "\n  Knee: loads from memory limit whatever has less than %.2g flop/byte.\n", peak / median["memory", 1]
}
function show_threads(    k, j, most, bar) {
    for (k = 1; k <= widths; k++) if (median["width" k, 1] > most) most = median["width" k, 1]
    printf "\nLoads from memory, %s, against threads\n", size(set["memory"])
    for (k = 1; k <= widths; k++) {
        bar = ""
        for (j = 0; j < 50; j++) bar = bar ((most > 0 && j + 0.5 < median["width" k, 1] / most * 50) ? "#" : ".")
        printf "  %4d %8.1f GB/s  |%s|\n", threads[k], median["width" k, 1], bar
    }
}

END {
    peak = 1e-9 * fact["peak_all"]
    if (fact["waited_percent"] > 20) busy = sprintf("BUSY: in %d %% of the samples a thread had to wait for a core", fact["waited_percent"])
    write_tables()
    write_facts()
    if (!shown) exit
    show_topology()
    show_levels()
    show_peak()
    show_threads()
}
