# collection_reference.awk -v device=NAME -v points=FILE ROWS [README] SPMV-DEVICE.tsv...: published times beside what was measured
# here. Of one device (the one named, else the one with most matrices) the points for plots/collection.gp; of all a line each: how
# our fastest product of a matrix compares, by name where only one matrix has it. README: a table whose rows have the file's name,
# the device and the date.
FNR == 1 {
    kind = FILENAME ~ /README\.md$/ ? "readme" : FILENAME ~ /spmv-[^\/]*\.tsv$/ ? "device" : "rows"
    usable = 0
}
kind == "rows" {
    if ($8 == "-" || $8 == "roof" || $9 == "-") next
    if (($3 in id) && id[$3] != $1) twice[$3] = 1
    id[$3] = $1
    if (!($3 in ours) || $12 < ours[$3]) ours[$3] = $12
    next
}
kind == "readme" {
    if (split($0, cell, / *\| */) > 5 && cell[2] ~ /^spmv-/) {
        what[cell[2]] = cell[3]
        if (match(cell[5], /[0-9]+-[0-9]+-[0-9]+/)) when[cell[2]] = substr(cell[5], RSTART, RLENGTH)
    }
    next
}
FNR == 1 {
    file = FILENAME
    sub(/.*\//, "", file)
    split("", column)
    for (k = 1; k <= NF; k++) column[$k] = k
    usable = ("matrix" in column) && ("nnz" in column) && ("csr" in column)
    if (!usable) { printf "  %s is left out: it has no columns matrix, nnz and csr\n", file; next }
    files[++n_files] = file
    first = 1 + ("row_max" in column ? column["row_max"] : column["nnz"])
    width = NF
    next
}
usable {
    best = 0
    if (NF != width) { bad[file]++; next }
    for (k = first; k <= NF; k++)
        if ($k + 0 > 0 && (!best || $k + 0 < best)) best = $k + 0
    if (!best || $column["nnz"] + 0 <= 0) next
    name = $column["matrix"]
    line[file, ++held[file]] = sprintf("%s\t%d\t%.4g", name, $column["nnz"], 2 * $column["nnz"] / best)
    times[file, name]++
    theirs[file, name] = best * 1e-9
}
END {
    if (!n_files) { print "REFERENCE: no file that can be used" >"/dev/stderr"; exit 1 }
    print "Published, on other machines: the fastest product there over the fastest here, of matrices with the same name"
    for (f = 1; f <= n_files; f++) {
        file = files[f]
        if (!(file in what)) { what[file] = file; gsub(/^spmv-|\.tsv$/, "", what[file]) }
        if (!(file in when)) when[file] = "no date"
        n = 0
        for (name in ours)
            if (!(name in twice) && times[file, name] == 1) ratio[++n] = ours[name] / theirs[file, name]
        for (k = 2; k <= n; k++)
            for (m = k; m > 1 && ratio[m - 1] > ratio[m]; m--) { t = ratio[m]; ratio[m] = ratio[m - 1]; ratio[m - 1] = t }
        printf "  %-22s %-16s %-11s %5d matrices, %3d of them here%s\n", file, what[file], when[file], held[file], n,
            n ? sprintf(": %.3g times as fast (%.3g to %.3g)", ratio[int((n + 1) / 2)], ratio[1], ratio[n]) : ""
        if (bad[file]) printf "  %s: %d lines have another number of columns; they are left out\n", file, bad[file]
        if (device ? file == "spmv-" device ".tsv" : held[file] > held[chosen] + 0) chosen = file
    }
    if (!chosen) {
        if (device) printf "DEVICE: there is no spmv-%s.tsv that can be used\n", device >"/dev/stderr"
        else print "REFERENCE: no file has a time" >"/dev/stderr"
        exit 1
    }
    printf "# %s\t%s\n# matrix\tentries\tGflop/s\n", what[chosen], when[chosen] >points
    for (m = 1; m <= held[chosen]; m++) print line[chosen, m] >points
    printf "Drawn behind: %s, %s; no bandwidth is published with it.\n", what[chosen], when[chosen]
}
