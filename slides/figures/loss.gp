# Loss of orthogonality by condition number: plots/recorded/exercise-22.tsv.
load "slides/figures/common.gp"
table = "plots/recorded/exercise-22.tsv"
eval unit("‖I − QᵀQ‖")
set bmargin 4; set rmargin 17; set lmargin 9
set label "condition number κ of the block" at graph 1, screen 0.04 right textcolor rgb ink
set logscale xy 10
set format xy "10^{%L}"
set xrange [1:1e16]; set yrange [1e-16:1e3]
set xtics 1e4; set ytics 1e-16, 1e4
set label "CGS: ε κ²" at 1e16, 8 left offset 1,0.3 textcolor rgb orange
set label "MGS: ε κ" at 1e16, 0.12 left offset 1,-0.6 textcolor rgb blue
set label "Cholesky-QR twice: ε" at 1e9, 4e-13 left textcolor rgb green
height = 430
eval begin
plot table using 1:2 with lines lw 4 lc rgb orange, table using 1:4 with lines lw 4 lc rgb blue, table using 1:8 with lines lw 4 lc rgb green
