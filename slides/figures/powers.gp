# Matrix powers: how many times as fast as p products, by p, model and measured.
load "slides/figures/common.gp"
table = recorded."/powers.tsv"
eval unit("times as fast as p products")
set bmargin 4; set rmargin 18
set label "p" at graph 1, screen 0.04 right textcolor rgb ink
set xrange [0.5:16.5]; set yrange [0:5.6]
set label "3D, model" at 16, 5.07 left offset 1,0 textcolor rgb blue
set label "2D, model" at 16, 4.29 left offset 1,0 textcolor rgb orange
set label "2D, measured" at 16, 2.19 left offset 1,0.4 textcolor rgb orange
set label "3D, measured" at 16, 1.95 left offset 1,-0.4 textcolor rgb blue
height = 440
eval begin
plot table using 1:4 with lines dt 2 lw 3 lc rgb blue, table using 1:2 with lines dt 2 lw 3 lc rgb orange, \
     table using 1:5 with linespoints lw 4 pt 7 ps 1.2 lc rgb blue, table using 1:3 with linespoints lw 4 pt 7 ps 1.2 lc rgb orange
