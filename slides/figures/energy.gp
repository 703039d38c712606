# Time and energy of LOBPCG, BONE010, 16 vectors, by nodes of a CPU code, in multiples of a node with a GPU.
load "slides/figures/common.gp"
table = "< awk -F '\t' -v OFS='\t' '$1 == 6 && $2 == \"BONE010\" && $3 == 16 && $4 <= 64 { print $4, $9, $10 }' plots/recorded/exercise-25-published.tsv"
eval unit("times the node with a GPU")
set bmargin 4; set rmargin 12
set label "CPU nodes" at graph 1, screen 0.04 right textcolor rgb ink
set logscale xy 2
set xrange [0.8:80]; set yrange [0.25:32]
set xtics ("1" 1, "2" 2, "4" 4, "8" 8, "16" 16, "32" 32, "64" 64)
set ytics ("1/4" 0.25, "1/2" 0.5, "1" 1, "2" 2, "4" 4, "8" 8, "16" 16, "32" 32)
set label "energy" at 64, 14.6 left offset 1,0 textcolor rgb orange
set label "time" at 64, 0.42 left offset 1,0 textcolor rgb blue
eval begin
plot 1 lw 2 dt 3 lc rgb ink, table using 1:2 with linespoints lw 4 pt 7 ps 1.4 lc rgb blue, table using 1:3 with linespoints lw 4 pt 7 ps 1.4 lc rgb orange
