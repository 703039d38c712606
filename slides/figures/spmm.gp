# Intensity of a product with a block by its vectors: 2 nv / (12 + (4 + 16 nv) / r). A model, no measurement.
load "slides/figures/common.gp"
eval unit("flop/byte")
set bmargin 4; set rmargin 15
set label "vectors" at graph 1, screen 0.04 right textcolor rgb ink
set logscale xy 2
set xrange [1:64]; set yrange [0.1:4]
set xtics ("1" 1, "2" 2, "4" 4, "8" 8, "16" 16, "32" 32, "64" 64)
set ytics ("1/8" 0.125, "1/4" 0.25, "1/2" 0.5, "1" 1, "2" 2, "4" 4)
f(v, r) = 2 * v / (12 + (4 + 16 * v) / r)
set label "26.3 a row" at 64, f(64, 26.3) left offset 1,0 textcolor rgb blue
set label "7 a row" at 64, f(64, 7.0) left offset 1,0 textcolor rgb orange
set label "as many single products" at 64, 0.157 left offset -16,0.8 textcolor rgb ink
set samples 200
eval begin
plot f(x, 26.3) lw 5 lc rgb blue, f(x, 7.0) lw 5 lc rgb orange, 0.157 lw 2.5 dt 3 lc rgb ink
