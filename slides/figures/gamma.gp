# Intensity by gamma, how often x comes from memory for an entry: 2 / (12 + 8 gamma + 12 / nnzr). A model, and two counts.
load "slides/figures/common.gp"
eval unit("flop/byte")
set bmargin 4
set label "γ: elements of x that memory moves for an entry" at graph 1, screen 0.04 right textcolor rgb ink
set logscale x 2
set xrange [0.03:8]; set yrange [0:0.185]
set xtics ("1/32" 1.0/32, "1/16" 1.0/16, "1/8" 0.125, "1/4" 0.25, "1/2" 0.5, "1" 1, "2" 2, "4" 4, "8" 8)
set ytics ("0" 0, "0.05" 0.05, "0.10" 0.1, "0.15" 0.15)
f(x, n) = 2 / (12 + 8 * x + 12.0 / n)
set label "bound of CSR: 1/6" at 8, 0.1755 right textcolor rgb ink
set label "27-point stencil: γ = 0.038 counted" at 0.034, 0.119 left textcolor rgb blue
set label "" at 0.038, f(0.038, 26.1) point pt 7 ps 1.8 lc rgb blue
set label "random, 8 a row: γ = 1.97 counted" at 1.8, 0.058 right textcolor rgb orange
set label "the least for it is 1/8" at 0.15, 0.097 left textcolor rgb orange
set label "" at 1.97, f(1.97, 8) point pt 7 ps 1.8 lc rgb orange
set label "" at 0.125, f(0.125, 8) point pt 6 ps 1.8 lc rgb orange
eval begin
plot [0.03:8] 1.0/6 lw 2.5 dt 3 lc rgb ink, (x >= 0.038 ? f(x, 26.1) : NaN) lw 4 lc rgb blue, (x >= 0.125 ? f(x, 8) : NaN) lw 4 lc rgb orange
