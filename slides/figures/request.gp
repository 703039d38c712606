# One request of a warp for val: 32 lanes, side by side, and a row of 27 entries apart (eight sectors, then 32). A drawing.
load "slides/figures/common.gp"
unset border; unset tics; unset grid
set lmargin at screen 0; set rmargin at screen 1; set bmargin at screen 0; set tmargin at screen 1
set xrange [-1:33.5]; set yrange [-1:13]
used(x, y) = sprintf("set object rectangle from %g,%g to %g,%g fc rgb '%s' fs solid 0.85 noborder", x, y, x + 0.2, y + 1.6, blue)
sector(x, y) = sprintf("set object rectangle from %g,%g to %g,%g fc rgb '%s' fs transparent solid 0.2 border lc rgb '%s' lw 1.5", x, y, x + 0.92, y + 1.6, orange, orange)
set label "SELL, or a warp a row: lane k reads the double beside that of lane k - 1" at -0.5, 11.7 left textcolor rgb ink
do for [s = 0:7] {
    eval sector(s, 8.9)
    do for [k = 0:3] { eval used(s + 0.03 + 0.22 * k, 8.9) }
}
set label "8 sectors, 256 bytes moved, 256 used" at 9, 9.7 left textcolor rgb blue
set label "CSR, a thread a row: 27 entries, 216 bytes, from lane to lane" at -0.5, 5.5 left textcolor rgb ink
do for [s = 0:31] { eval sector(s * 1.03, 2.7); eval used(s * 1.03 + 0.03 + 0.22 * (s * 3 % 4), 2.7) }
set label "32 sectors, 1024 bytes moved, 256 used" at -0.5, 1.0 left textcolor rgb orange
height = 400
eval begin
plot NaN
