# Bytes of an iteration of CG by loop, a row of a 5-point Laplacian: plain 184, fused 160. A model, no measurement.
load "slides/figures/common.gp"
unset ytics; set border 1
set lmargin 9; set bmargin 4; set rmargin 9
set label "bytes a row, 5 entries a row" at graph 1, screen 0.045 right textcolor rgb ink
set xrange [0:185]; set yrange [0.3:3.1]
set xtics 40
part(y, from, to, c) = sprintf("set object rectangle from %g,%g to %g,%g fc rgb '%s' fs transparent solid 0.3 border lc rgb '%s' lw 2", from, y - 0.3, to, y + 0.3, c, c)
name(y, from, to, t, c) = sprintf("set label '%s' at %g,%g center textcolor rgb '%s'", t, (from + to) / 2, y, c)
array plain[6] = [88, 16, 24, 24, 8, 24]
array colours[6] = [blue, orange, green, green, orange, purple]
array names[6] = ["q = A p", "p·q", "x", "r", "", "p"]
at = 0
do for [k = 1:6] {
    eval part(2.4, at, at + plain[k], colours[k])
    eval name(2.4, at, at + plain[k], names[k], colours[k])
    at = at + plain[k]
}
set label "r·r" at 156, 2.9 center textcolor rgb orange
eval part(1.2, 0, 88, blue); eval name(1.2, 0, 88, "q = A p, p·q", blue)
eval part(1.2, 88, 136, green); eval name(1.2, 88, 136, "x, r, r·r", green)
eval part(1.2, 136, 160, purple); eval name(1.2, 136, 160, "p", purple)
set label "plain" at 0, 2.4 right offset -1,0 textcolor rgb ink
set label "fused" at 0, 1.2 right offset -1,0 textcolor rgb ink
set label "184" at 184, 2.4 left offset 1,0 textcolor rgb ink
set label "160" at 160, 1.2 left offset 1,0 textcolor rgb ink
height = 330
eval begin
plot NaN
