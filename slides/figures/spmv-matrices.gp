# Products in CSR beside the best load kernel of the same minute, by matrix.
load "slides/figures/common.gp"
table = recorded."/spmv.tsv"
eval unit("GB/s")
set style fill solid 0.85 noborder
set boxwidth 0.26
set grid noxtics ytics
set rmargin 3
set yrange [0:85]; set xrange [-0.5:5.6]
set xtics scale 0
set label "one thread" at 3.0, 79 left textcolor rgb sky
set label "two threads" at 3.9, 79 left textcolor rgb blue
set label "roof in that minute" at 3.0, 70 left textcolor rgb orange
height = 440
eval begin
plot table using ($0 - 0.27):2 with boxes lc rgb sky, table using 0:3:xtic(1) with boxes lc rgb blue, table using ($0 + 0.27):8 with boxes lc rgb orange, \
     table using 0:3:(sprintf("%.0f", $3)) with labels offset 0,0.7 textcolor rgb ink
