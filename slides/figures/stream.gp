# A matrix that streams through the device: copies of the next part beside products with this one. A drawing.
load "slides/figures/common.gp"
unset border; unset tics; unset grid
set lmargin at screen 0; set rmargin at screen 1; set bmargin at screen 0; set tmargin at screen 1
set xrange [-12:62]; set yrange [-1:14]
bar(x, y, w, c) = sprintf("set object rectangle from %g,%g to %g,%g fc rgb '%s' fs transparent solid 0.25 border lc rgb '%s' lw 2", x, y, x + w - 0.3, y + 1.8, c, c)
do for [k = 0:3] {
    eval bar(k * 14, 10, 7, orange); set label sprintf("copy %d", k + 1) at k * 14 + 3.35, 10.9 center textcolor rgb orange
    eval bar(k * 14 + 7, 7.8, 7, blue); set label sprintf("A_%d X", k + 1) at k * 14 + 10.35, 8.7 center textcolor rgb blue
    eval bar(k * 7, 3, 7, orange); set label sprintf("copy %d", k + 1) at k * 7 + 3.35, 3.9 center textcolor rgb orange
    eval bar(k * 7 + 7, 0.8, 7, blue); set label sprintf("A_%d X", k + 1) at k * 7 + 10.35, 1.7 center textcolor rgb blue
}
set label "one after" at -11.5, 10.9 left textcolor rgb ink
set label "the other" at -11.5, 9.2 left textcolor rgb ink
set label "overlapped" at -11.5, 3 left textcolor rgb ink
set label "time saved: up to a half" at 37, 2.8 left textcolor rgb green
set arrow from 35, 0.8 to 35, 4.8 nohead lw 3 lc rgb green
set arrow from 55.7, 7.8 to 55.7, 11.8 nohead lw 3 lc rgb green
height = 400
eval begin
plot NaN
