# Bandwidth by threads, from memory, on a nearly idle machine.
load "slides/figures/common.gp"
table = recorded."/stream.tsv"
eval unit("GB/s")
set style fill solid 0.85 noborder
set boxwidth 0.36
set grid noxtics ytics
set yrange [0:92]; set xrange [-0.6:3.6]
set xtics ("copy" 0, "triad" 1, "sum, simd" 2, "sum, one addition after the other" 3) scale 0
set label "1 thread" at 2.75, 82 left textcolor rgb sky
set label "2 threads" at 2.75, 74 left textcolor rgb blue
height = 430
eval begin
plot table using ($0 - 0.2):2 with boxes lc rgb sky, table using ($0 + 0.2):3 with boxes lc rgb blue, \
     table using ($0 - 0.2):2:(sprintf("%.1f", $2)) with labels offset 0,0.7 textcolor rgb ink, \
     table using ($0 + 0.2):3:(sprintf("%.1f", $3)) with labels offset 0,0.7 textcolor rgb ink
