# What sorting saves: the share of the stored elements that are entries, by the window of the sort.
load "slides/figures/common.gp"
table = recorded."/sigma.tsv"
set label "β" at graph 0, graph 1 left offset 0.8,-0.6 textcolor rgb ink
set bmargin 4; set rmargin 12
set label "window σ, rows" at graph 1, screen 0.04 right textcolor rgb ink
set xrange [-0.2:4.2]; set yrange [0.45:1.05]
set ytics 0.1
set xtics ("1 (none)" 0, "64" 1, "256" 2, "1024" 3, "16384" 4)
set label "C = 8" at 1, 0.912 left offset -4.5,0.9 textcolor rgb blue
set label "C = 32" at 1, 0.70 left offset -5.5,0.8 textcolor rgb orange
set label "C = 64" at 1, 0.534 left offset 1,-0.3 textcolor rgb green
eval begin
plot table using 0:2 with linespoints lw 4 pt 7 ps 1.3 lc rgb blue, table using 0:3 with linespoints lw 4 pt 7 ps 1.3 lc rgb orange, \
     table using 0:4 with linespoints lw 4 pt 7 ps 1.3 lc rgb green
