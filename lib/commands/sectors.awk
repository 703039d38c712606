# awk -f counted.awk -f sectors.awk counted ROWS FUNCTION              what the checker counted, array by array
# awk -f counted.awk -f sectors.awk profiled ROWS FUNCTION CSV [TSV]   the same kernels by the profiler
# awk -f counted.awk -f sectors.awk metrics                            what the profiler is asked for
# prints what a CUDA function moves: the last step of lib/commands/sectors.sh. ROWS is what a judge printed under --sectors,
# CSV what `ncu --csv --metrics ...` printed for one call on the same case: a row for each metric of each launch,
#     "ID",...,"Kernel Name",...,"Section Name","Metric Name","Metric Unit","Metric Value"
#     "0",...,"axpby_kernel",...,"lts__t_sectors.sum","sector","7,612"
# Columns come and go with ncu's versions, so they are looked up by name. TSV: a file that a row is appended to for each figure.
# Exit status: 0, 1 with one line of what went wrong, or 3 where the profiler cannot count on this machine.
# The profiler's metric that a figure is made of, or a part of it.
function metric(name, of) { metrics = metrics (metrics == "" ? "" : ",") name; figure[name] = of }
function metrics_of(op, of) {
    metric("l1tex__t_requests_pipe_lsu_mem_global_op_" op ".sum", of " requests")
    metric("l1tex__t_sectors_pipe_lsu_mem_global_op_" op ".sum", of " sectors")
}

# --- what the judge printed: its rows, and sums of each kernel and figure ---
function read_rows(path, name,    ours, f) {
    while (next_line(path)) {
        split(line, f, "\t")
        if (f[1] == "function") ours = f[2] == name
        if (!ours) continue
        if (f[1] == "case") title = f[2]
        if (f[1] == "model") model = f[2] + f[3]
        if (f[1] != "row") continue
        sub(/[<(].*/, "", f[2]) # as the profiler names them
        rows[++n_rows] = sprintf("   %-22.22s %4d %-12.12s %-6s %9.0f %9.0f %7.2f", f[2], f[3], f[4], f[5], f[6], f[7], (f[6] > 0) ? f[7] / f[6] : 0)
        modelled[f[2], f[5] " requests"] += f[6]
        modelled[f[2], f[5] " sectors"] += f[7]
        moved += 32 * f[7]
    }
    if (!n_rows) die(1, "the judge told no traffic of " name)
}
function show_counted(name,    k) {
    printf "\n %s, case %s: modelled, counted by the checker\n", name, title
    printf "   %-22s %4s %-12s %-6s %9s %9s %7s\n", "kernel", "line", "array", "access", "requests", "sectors", "each"
    for (k = 1; k <= n_rows; k++) print rows[k]
    printf "   together %.3f MB moved, %.3f MB by the model%s\n", moved / 1e6, model / 1e6, (model > 0) ? sprintf(": %.2f times", moved / model) : ""
}

# --- what the profiler printed: kernels in the order of their first launch ---
# The fields of a line of CSV, in quotes or not, into f; "" in quotes is a quote.
function split_csv(s, f,    k, one) {
    split("", f)
    while (s != "") {
        if (match(s, /^"([^"]|"")*"/)) {
            one = substr(s, 2, RLENGTH - 2)
            gsub(/""/, "\"", one)
        } else {
            match(s, /^[^,]*/)
            one = substr(s, 1, RLENGTH)
        }
        f[++k] = one
        s = substr(s, RLENGTH + 1)
        sub(/^,/, "", s)
    }
    return k
}
# "1,234.5" with the unit "Kbyte" is 1234500; -1: no number.
function number(s, unit) {
    gsub(/,/, "", s)
    if (s !~ /^[0-9]+\.?[0-9]*([eE][-+]?[0-9]+)?$/) return -1
    return s * (unit ~ /^Kbyte/ ? 1e3 : unit ~ /^Mbyte/ ? 1e6 : unit ~ /^Gbyte/ ? 1e9 : 1)
}
function read_ncu(path,    at, f, k, m, kernel, of, x, complaint) {
    while (next_line(path)) {
        if (complaint == "" && line ~ /^==ERROR==|No kernels were profiled/) complaint = substr(line, 1, 200)
        if (line !~ /^"/) continue
        m = split_csv(line, f)
        if (f[1] == "ID") for (k = 1; k <= m; k++) at[f[k]] = k
        kernel = f[at["Kernel Name"]]
        if (f[1] == "ID" || kernel == "" || f[at["Metric Name"]] == "" || !at["Metric Value"]) continue
        sub(/[<(].*/, "", kernel)
        if (!(kernel in seen)) kernels[++n_kernels] = kernel
        seen[kernel] = 1
        of = figure[f[at["Metric Name"]]]
        x = number(f[at["Metric Value"]], f[at["Metric Unit"]])
        if (of != "" && x >= 0) measured[kernel, of] += x
    }
    if (!n_kernels && complaint != "") die(3, "ncu cannot count here: " complaint)
    if (!n_kernels) die(1, "ncu printed no table of metrics")
}
# One line of the table; "-": the checker has no such figure.
function show_pair(name, kernel, of, tsv,    left, right, ratio) {
    left = of ~ /^(L2|DRAM)/ ? "-" : sprintf("%.0f", modelled[kernel, of])
    right = (kernel, of) in measured ? sprintf("%.0f", measured[kernel, of]) : "not told"
    if (left == "0" && !(measured[kernel, of] > 0)) return
    if (left + 0 > 0 && right != "not told") ratio = sprintf("%.3f", right / left)
    printf "   %-22.22s %-18s %12s %12s %7s\n", kernel, of, left, right, ratio
    if (tsv != "") printf "%s\t%s\t%s\t%s\t%s\t%s\n", name, title, kernel, of, left, right >>tsv
}
function show_profiled(name, csv, tsv,    k, i, m, of) {
    read_ncu(csv)
    if (tsv != "" && (getline line <tsv) <= 0) print "function\tcase\tkernel\tfigure\tmodelled\tmeasured" >>tsv
    print " the same call on the GPU: measured, by its counters (ncu)"
    printf "   %-22s %-18s %12s %12s %7s\n", "kernel", "", "modelled", "measured", "ratio"
    m = split("load requests,load sectors,store requests,store sectors,atomic requests,atomic sectors,L2 sectors,DRAM bytes read,DRAM bytes written", of, ",")
    for (k = 1; k <= n_kernels; k++) for (i = 1; i <= m; i++) show_pair(name, kernels[k], of[i], tsv)
}

BEGIN {
    command = "sectors"
    metrics_of("ld", "load")
    metrics_of("st", "store")
    metrics_of("atom", "atomic") # with a result, and without one
    metrics_of("red", "atomic")
    metric("lts__t_sectors.sum", "L2 sectors")
    metric("dram__bytes_read.sum", "DRAM bytes read")
    metric("dram__bytes_write.sum", "DRAM bytes written")
    if (ARGV[1] == "metrics") print metrics
    else read_rows(ARGV[2], ARGV[3])
    if (ARGV[1] == "counted") show_counted(ARGV[3])
    if (ARGV[1] == "profiled") show_profiled(ARGV[3], ARGV[4], ARGV[5])
}
