# Sectors that a product moves on a GPU, by kernel: counted by the checker, so modelled. plots/recorded/exercise-08.tsv
load "slides/figures/common.gp"
table = "plots/recorded/exercise-08.tsv"
set style fill solid 0.85 noborder
unset grid; unset border
unset xtics; unset ytics
set lmargin 25; set rmargin 3; set bmargin 0.6; set tmargin 0.5
set yrange [4.6:-0.6]; set xrange [0:640]
height = 420
eval begin
plot table every ::0::4 using ($5 / 2000):0:(0):($5 / 1000):($0 - 0.32):($0 + 0.32) with boxxyerror lc rgb blue, \
     table every ::0::4 using (0):0:1 with labels right offset -1,0 textcolor rgb ink, \
     table every ::0::4 using ($5 / 1000):0:(sprintf("%.0f 000", $5 / 1000)) with labels left offset 1,0 textcolor rgb ink
