# Bandwidth by working set, all threads of the machine: the table that `make machine` leaves.
load "slides/figures/common.gp"
load recorded."/machine-facts.gp"
table = recorded."/machine-staircase.tsv"
eval unit("GB/s")
set bmargin 3.4; set lmargin 7; set rmargin 8
set logscale x 2; set logscale y 10
set xrange [stair_first / 1.4 : stair_last * 1.6]
set yrange [0.6 * stair_least : 1.6 * stair_most]
set xtics ("16 KiB" 2**14, "64 KiB" 2**16, "256 KiB" 2**18, "1 MiB" 2**20, "4 MiB" 2**22, "16 MiB" 2**24, "64 MiB" 2**26, "256 MiB" 2**28)
set ytics ("50" 50, "100" 100, "200" 200, "500" 500, "1000" 1000)
do for [k = 1:3] {
    if (cache[k] > stair_first && cache[k] < stair_last) {
        set arrow from cache[k], graph 0 to cache[k], graph 1 nohead dt 3 lw 2 lc rgb ink back
        set label sprintf("all L%d ", k) at cache[k], graph 0.06 right textcolor rgb ink
    }
}
set label "load" at 2**20, 620 left textcolor rgb blue
set label "copy" at 2**21, 620 left textcolor rgb orange
set label "triad" at 2**22.1, 620 left textcolor rgb green
set style fill transparent solid 0.18 noborder
array colour[3] = [blue, orange, green]
eval begin
plot for [k = 1:n_curves] table using 1:3*k:3*k+1 with filledcurves fs transparent solid 0.18 noborder lc rgb colour[k], \
     for [k = 1:n_curves] table using 1:3*k-1 with lines lw 3.5 lc rgb colour[k]
