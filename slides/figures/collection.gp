# SpMV in CSR and SELL-C-sigma of all matrices at hand, over their entries, below the limit of CSR: plots/recorded/collection.tsv.
load "slides/figures/common.gp"
load "plots/recorded/collection-facts.gp"
table = "plots/recorded/collection.tsv"
eval unit("Gflop/s")
set bmargin 4; set rmargin 18
set label "entries" at graph 1, screen 0.06 right textcolor rgb ink
set label sprintf("%s, %d thread%s, %s", cpu, threads, threads > 1 ? "s" : "", date).(exists("busy") ? ", busy" : "") at graph 0, screen 0.06 left textcolor rgb ink noenhanced
set logscale xy
unset mxtics; unset mytics
set format x "10^{%T}"; set format y "%g"
set xrange [5:1e8]; set yrange [0.02:400]
set label "limit of each" at graph 1.02, graph 0.72 left textcolor rgb ink
set label "limit in memory" at graph 1.02, first memory / 6 left textcolor rgb ink
set label "CSR" at graph 1.02, graph 0.47 left textcolor rgb blue
set label "SELL-C-σ" at graph 1.02, graph 0.36 left textcolor rgb orange
height = 440
eval begin
plot memory / 6 with lines lw 2 dt (8,4) lc rgb ink, table using (0.88 * $3):6:(0.24 * $3):(0) with vectors nohead lw 2 lc rgb ink, \
     table using 3:(abs($8)) with points pt 7 ps 0.6 lc rgb blue, table using 3:(abs($10)) with points pt 5 ps 0.5 lc rgb orange
