# Time to solution of three systems by preconditioner: three winners.
load "slides/figures/common.gp"
table = recorded."/pcg.tsv"
eval unit("ms")
set style fill solid 0.85 noborder
set boxwidth 0.17
set grid noxtics ytics
set yrange [0:1390]; set xrange [-0.6:2.6]
set xtics ("short time step" 0, "four coupled unknowns" 1, "thin layers" 2) scale 0
set datafile missing NaN
array c[4] = [sky, blue, orange, green]
array names[4] = ["none", "Jacobi", "block-Jacobi", "IC(0)"]
do for [k = 1:4] { set label names[k] at -0.3 + 0.36 * (k - 1) + (k > 3 ? 0.14 : 0), 1280 left textcolor rgb c[k] }
set label "> 900" at -0.3, 40 center textcolor rgb sky
height = 440
eval begin
plot for [s = 0:2] for [k = 1:4] table every ::(k - 1)::(k - 1) using (s + 0.2 * (k - 2.5)):(column(s + 2)) with boxes lc rgb c[k], \
     for [s = 0:2] for [k = 1:4] table every ::(k - 1)::(k - 1) using (s + 0.2 * (k - 2.5)):(column(s + 2)):(sprintf("%.0f", column(s + 2))) with labels offset 0,0.6 textcolor rgb ink font ',19'
