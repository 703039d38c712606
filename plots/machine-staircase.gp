# gnuplot -c plots/machine-staircase.gp FOLDER -- bandwidth against working set: the cache staircase.
folder = ARG1
load "plots/style.gp"
load folder."/machine-facts.gp"
table = folder."/machine-staircase.tsv"
set datafile separator tab

set title sprintf("Bandwidth by working set, %d thread%s\n%s, %s", threads, threads > 1 ? "s" : "", cpu, date)
set xlabel "working set of all threads"
set ylabel "GB/s"
set logscale x 2
set logscale y 10
set xrange [stair_first / 1.4 : stair_last * 1.4]
set yrange [0.6 * stair_least : 1.5 * stair_most]
set xtics ("4 KiB" 2**12, "16 KiB" 2**14, "64 KiB" 2**16, "256 KiB" 2**18, "1 MiB" 2**20, "4 MiB" 2**22, \
           "16 MiB" 2**24, "64 MiB" 2**26, "256 MiB" 2**28, "1 GiB" 2**30)
set ytics ("1" 1, "2" 2, "5" 5, "10" 10, "20" 20, "50" 50, "100" 100, "200" 200, "500" 500, "1000" 1000, \
           "2000" 2000, "5000" 5000, "10000" 10000)

# A dotted line where all caches of a level together are full.
do for [k = 1:3] {
    if (cache[k] > stair_first && cache[k] < stair_last) {
        set arrow from cache[k], graph 0 to cache[k], graph 1 nohead dt 3 lw 2 lc rgb "#888888" back
        # above its neighbour, where that is near
        low = k > 1 && cache[k] < 20 * cache[k-1] ? low + 0.05 : 0.04
        set label sprintf("all L%d ", k) at cache[k], graph low right textcolor rgb "#666666"
    }
}

# Names stand at the right ends of the curves; those that nearly touch are pushed apart.
gap = (2.5 * stair_most / stair_least)**0.045
array at[n_curves]
do for [k = 1:n_curves] { at[k] = stair_end[k] }
do for [round = 1:40] {
    do for [i = 1:n_curves] { do for [k = 1:n_curves] {
        if (i != k && (at[i] > at[k] || (at[i] == at[k] && i > k)) && at[i] < gap * at[k]) {
            at[i] = at[i] * gap**0.1; at[k] = at[k] / gap**0.1
        }
    } }
}
do for [k = 1:n_curves] {
    set label sprintf("%s %.0f", mix[k], stair_end[k]) at stair_last, at[k] left offset 1.2,0 \
        textcolor rgb mix_text[k]
}

heading = "Bandwidth in GB/s: load, copy, triad"
do for [kind in kinds] {
    eval picture(kind, folder."/machine-staircase")
    plot for [k = 1:n_curves] table using 1:3*k:3*k+1 with filledcurves ls k fs transparent solid 0.18 noborder, \
         for [k = 1:n_curves] table using 1:3*k-1 with linespoints ls k
    unset output
}
