# collection.awk -v folder=FOLDER -v facts="PROCESSOR\tTHREADS" ROWS: what `make collection` has measured, a line a matrix:
# FOLDER/collection.tsv for plots/collection.gp, with collection-facts.gp; and what the formats and series came to, as text. In the
# table a speed in Gflop/s that was noisy is negative.
# The element of the list that a share of the others lie below.
function quantile(list, n, share,    k, m, t) {
    for (k = 2; k <= n; k++)
        for (m = k; m > 1 && list[m - 1] > list[m]; m--) { t = list[m]; list[m] = list[m - 1]; list[m - 1] = t }
    return list[1 + int(share * (n - 1) + 0.5)]
}
BEGIN {
    n_formats = split("coo csr ell sell sellp", formats, " ") # the columns that are drawn; the others as they come
    for (k = 1; k <= n_formats; k++) number[formats[k]] = k
    split(facts, fact, "\t")
}
# Of a matrix as a whole: processor time is told in steps of 10 ms, which are as long as a row takes.
$8 == "-" { runs++; busy += $16 > 0.05 }
$4 > date { date = $4 }
$8 == "roof" { roof[$1] = 1e-9 * $11 / $12; size[$1] = $11; if ($11 > largest) largest = $11 }
$8 == "-" || $8 == "roof" || $9 == "-" { next } # the last row of a matrix, or a format that was not made
{
    if (!($1 in name)) {
        order[++n] = $1
        name[$1] = $3; series[$1] = $2; entries[$1] = $7
        bytes[$1] = 12 * $7 + 4 * ($5 + 1) + 8 * $5 + 8 * $6
    }
    if (!($8 in number)) formats[number[$8] = ++n_formats] = $8
    speed = 2e-9 * $7 / $12
    if (speed > best[$1, number[$8]] + 0) { best[$1, number[$8]] = speed; noisy[$1, number[$8]] = $10 == "noisy" }
}
END {
    if (!n) { print "No matrix was measured: nothing to draw."; exit 1 }
    points = folder "/collection.tsv"
    printf "# %s, %d threads, %s\n# matrix\tseries\tentries\tbytes\tGB/s\tCSR limit Gflop/s", fact[1], fact[2], date >points
    for (k = 1; k <= n_formats; k++) printf "\t%s", formats[k] >points
    print "" >points
    for (m = 1; m <= n; m++) {
        id = order[m]
        kind = series[id]
        b = roof[id]
        if (size[id] > largest / 4 && b > memory) memory = b # of two speeds of a machine the higher
        limit = 2 * entries[id] / bytes[id] * b
        printf "%s\t%s\t%d\t%.0f\t%.4g\t%.4g", name[id], kind, entries[id], bytes[id], b, limit >points
        winner = 0
        for (k = 1; k <= n_formats; k++) {
            printf "\t%s", ((id, k) in best ? sprintf("%.4g", (noisy[id, k] ? -1 : 1) * best[id, k]) : "NaN") >points
            if (best[id, k] + 0 > best[id, winner] + 0) winner = k
        }
        print "" >points
        won[winner]++
        if (!(kind in held)) kinds[++n_kinds] = kind
        share[kind, ++held[kind]] = 100 * best[id, 2] / limit
    }
    printf "CSR against its own limit, 2 nz flop in the time that its bytes take at the bandwidth of its working set:\n\n"
    printf "  %-12s %8s   %s\n", "series", "matrices", "lowest  median  highest"
    for (s = 1; s <= n_kinds; s++) {
        kind = kinds[s]
        for (m = 1; m <= held[kind]; m++) list[m] = share[kind, m]
        printf "  %-12s %8d   %4.0f %%  %4.0f %%   %4.0f %%\n", kind, held[kind], quantile(list, held[kind], 0),
            quantile(list, held[kind], 0.5), quantile(list, held[kind], 1)
    }
    printf "\nFastest of a matrix:"
    for (k = 1; k <= n_formats; k++) if (won[k]) printf "  %s %d", formats[k], won[k]
    printf "   of %d\n", n
    gp = folder "/collection-facts.gp"
    printf "cpu = \"%s\"\ndate = '%s'\nthreads = %d\nmemory = %.4g\nmatrices = %d\n", fact[1], date, fact[2], memory, n >gp
    if (busy > 0.1 * runs) {
        printf "busy = 'BUSY: others had more than 5 %% of the processors'\n" >gp
        printf "BUSY: others had more than 5 %% of the processors beside %.0f %% of the matrices.\n", 100 * busy / runs
    }
}
