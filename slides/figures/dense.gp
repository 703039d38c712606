# Intensity of a blocked matrix product, edge / 8 flop/byte, and the knee of the recorded machine. A model, no measurement.
load "slides/figures/common.gp"
load recorded."/machine-facts.gp"
eval unit("flop/byte")
set bmargin 4
set label "edge of a block" at graph 1, screen 0.04 right textcolor rgb ink
set logscale xy 2
set xrange [1:256]; set yrange [0.08:64]
set xtics ("1" 1, "2" 2, "4" 4, "8" 8, "16" 16, "32" 32, "64" 64, "128" 128, "256" 256)
set ytics ("1/8" 0.125, "1/4" 0.25, "1/2" 0.5, "1" 1, "2" 2, "4" 4, "8" 8, "16" 16, "32" 32)
knee = peak / roof[n_roofs]
set label sprintf("knee of this memory: %.1f", knee) at 1.15, knee * 1.45 left textcolor rgb ink
set label sprintf("from edge %.0f on, the flops decide", ceil(8 * knee)) at 8 * knee * 1.15, knee / 1.6 left textcolor rgb orange
set label "three plain loops: 1/8" at 1.2, 0.125 left offset 1,0 textcolor rgb orange
set label "gemv: at most 1/4" at 250, 0.19 right textcolor rgb green
set label "" at 1, 0.125 point pt 7 ps 1.6 lc rgb orange
set label "" at 8 * knee, knee point pt 7 ps 1.6 lc rgb orange
eval begin
plot x / 8 lw 5 lc rgb blue, knee lw 2.5 lc rgb ink dt 3, 0.25 lw 4 lc rgb green
