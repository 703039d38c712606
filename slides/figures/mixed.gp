# Residual by bytes moved: CG in double, in float, and float inside double (plots/recorded/exercise-19.tsv).
load "slides/figures/common.gp"
table = "plots/recorded/exercise-19.tsv"
eval unit("‖b − A x‖ / ‖b‖")
set bmargin 4
set label "GB moved, by the model" at graph 1, screen 0.04 right textcolor rgb ink
set logscale y 10
set format y "10^{%L}"
set ytics 1e-12, 1000
set yrange [1e-13:10]
set rmargin 9
set label "float alone" at 0.555, 7.7e-7 left offset -1,1 textcolor rgb orange
set label "float, refined" at 0.36, 1e-10 right textcolor rgb green
set label "double" at 0.6587, 1e-12 left offset -1,2 textcolor rgb blue
eval begin
plot table index 0 using 3:4 with lines lw 4 lc rgb blue, table index 2 using 3:4 with lines lw 4 lc rgb orange, \
     table index 1 using 3:4 with lines lw 4 lc rgb green
