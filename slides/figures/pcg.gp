# Bytes until the end, in products with A, of three systems by preconditioner: three winners.
load "slides/figures/common.gp"
table = recorded."/pcg.tsv"
eval unit("products")
set grid noxtics ytics
set logscale y 10
set yrange [9:1500]
set ytics (10, 20, 50, 100, 200, 500); set xrange [-0.6:2.6]
set xtics ("short time step" 0, "four coupled unknowns" 1, "thin layers" 2) scale 0
set datafile missing NaN
array c[4] = [sky, blue, orange, green]
array names[4] = ["none", "Jacobi", "block-Jacobi", "IC(0)"]
do for [k = 1:4] { set label k < 4 ? names[k] : "IC(0), and a factor" at -0.12 + 0.34 * (k - 1) + (k > 3 ? 0.16 : 0), 1000 left textcolor rgb c[k] }
set label "> 200 steps" at -0.55, 520 left textcolor rgb sky
height = 440
eval begin
plot for [s = 0:2] for [k = 1:4] table every ::(k - 1)::(k - 1) using (s + 0.2 * (k - 2.5)):(column(s + 2)) with points pt 7 ps 2.2 lc rgb c[k], \
     for [s = 0:2] for [k = 1:4] table every ::(k - 1)::(k - 1) using (s + 0.2 * (k - 2.5)):(column(s + 2)):(sprintf("%.0f", column(s + 2))) with labels offset 0,0.9 textcolor rgb ink font ',19'
