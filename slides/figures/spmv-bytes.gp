# The bytes of one entry in CSR, square matrix: 12 + 20 / (entries a row). A model, no measurement.
load "slides/figures/common.gp"
set style fill solid 0.85 noborder
unset ytics; set border 1
set lmargin 16; set bmargin 4
set label "bytes for an entry, 2 flop" at graph 1, screen 0.045 right textcolor rgb ink
set xrange [0:20.5]; set yrange [0.4:4.2]
set xtics 4
array rows[3] = [5, 7, 27]
part(y, from, to, c) = sprintf("set object rectangle from %g,%g to %g,%g fc rgb '%s' fs transparent solid 0.3 border lc rgb '%s'", from, y - 0.28, to, y + 0.28, c, c)
do for [k = 1:3] {
    y = 4 - k; n = rows[k] + 0.0
    eval part(y, 0, 8, blue)
    eval part(y, 8, 12, green)
    eval part(y, 12, 12 + 4 / n, purple)
    eval part(y, 12 + 4 / n, 12 + 12 / n, orange)
    eval part(y, 12 + 12 / n, 12 + 20 / n, sky)
    set label sprintf("%d a row", rows[k]) at 0, y right offset -1,0 textcolor rgb ink
    set label sprintf("%.1f: I = %.3f", 12 + 20 / n, 2 / (12 + 20 / n)) at 12 + 20 / n, y left offset 1,0 textcolor rgb ink
}
set label "val 8" at 4, 3.65 center textcolor rgb blue
set label "col\\_idx 4" at 10, 3.65 center textcolor rgb green
set label "row\\_ptr" at 12.35, 3.95 center textcolor rgb purple
set label "x" at 13.6, 3.65 center textcolor rgb orange
set label "y" at 15.2, 3.65 center textcolor rgb sky
height = 420
eval begin
plot NaN
