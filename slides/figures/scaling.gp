# An iteration of CG over ranks, weak and strong, on two networks: modelled. The table is that of exercise 26.
load "slides/figures/common.gp"
table = "plots/recorded/exercise-26.tsv"
set logscale x 2
set xrange [0.8 : 1300]
set xtics (1, 4, 16, 64, 256, 1024)
height = 420
eval begin
set multiplot layout 1,2
set lmargin 8; set rmargin 3; set bmargin 3.2; set tmargin 1.4
set xlabel "ranks, 16^3 points each" offset 0,0.4
set yrange [0 : 1000]
eval unit("µs")
set label 2 "slow network" at 20, 620 right textcolor rgb orange
set label 3 "fast" at 900, 240 right textcolor rgb blue
plot table using 2:($1 == 0 ? 1e6 * $7 : NaN) with linespoints lw 3 pt 7 ps 0.7 lc rgb orange, \
     table using 2:($1 == 0 ? 1e6 * $5 : NaN) with linespoints lw 3 pt 7 ps 0.7 lc rgb blue
unset label
set xlabel "ranks, 2^{22} points in all"
set logscale y
set yrange [70 : 200000]
set ytics ("0.1" 100, "1" 1000, "10" 10000, "100" 100000)
set label "ms" at graph 0.08, graph 0.97 textcolor rgb ink
set label 2 "slow network" at 1200, 2700 right textcolor rgb orange
set label 3 "fast" at 150, 420 right textcolor rgb blue
set label 4 "time of one rank / ranks" at 1.2, 130 left textcolor rgb ink
set arrow from 95, 130 to 560, 155 nohead lw 1.5 lc rgb ink
plot 96426.8 / x with lines lw 2 dt (8,5) lc rgb ink, \
     table using 2:($1 == 1 ? 1e6 * $7 : NaN) with linespoints lw 3 pt 7 ps 0.7 lc rgb orange, \
     table using 2:($1 == 1 ? 1e6 * $5 : NaN) with linespoints lw 3 pt 7 ps 0.7 lc rgb blue
unset multiplot
