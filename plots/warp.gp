# plots/warp.gp -- which lanes of a warp touch which sectors. Loaded by exercise-08-warp.gp and its like with
# folder, name and heading set. Reads NAME-panels.tsv and NAME-warp.tsv, which `plot formats`
# writes. A column of four words is a sector that is moved; a filled word is read by the lane at its left.
panels = folder."/".name."-panels.tsv"
lanes = folder."/".name."-warp.tsv"
set datafile separator tab
stats panels using ($2 + $3) nooutput
right = STATS_max

set title heading
set xlabel "sectors of 32 bytes, in order of address; faint: moved, filled: read by that lane"
set ylabel "lane of the warp"
set xrange [-0.4 : right + 2]
set yrange [31.7 : -6]
unset xtics
set ytics 0, 4, 31 scale 0
set border 0
set grid noxtics noytics
set lmargin 9
set rmargin 2
set tmargin 3
set style fill solid 1 noborder

do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/".name."-warp", 1100, 680)
    plot for [k = 0:31] panels using 2:(k):(column(2)):(column(2) + column(3) - 0.1):(k - 0.4):(k + 0.4) \
             with boxxyerror lc rgb faint, \
         for [k = 1:40] panels using (k < column(3) ? column(2) + k - 0.05 : NaN):(-0.5):(0):(32) \
             with vectors nohead lw 2 lc rgb "#ffffff", \
         lanes using ($1 + 0.11 + 0.225 * $3):2:(0.115):(0.4) with boxxyerror lc rgb blue, \
         panels using ($2 - 0.1):(-4.6):(sprintf("%s", strcol(1))) with labels left tc rgb ink, \
         panels using ($2 - 0.1):(-3.1):(sprintf("%d sectors", $3)) with labels left font ",13" tc rgb ink, \
         panels using ($2 - 0.1):(-1.7):(sprintf("within %d bytes", $4)) with labels left font ",13" tc rgb ink
    unset output
}
