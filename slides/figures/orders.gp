# Two ways to do rows at the same time on a grid of 8 x 5 points: levels of the natural order, and two colours. A drawing.
load "slides/figures/common.gp"
unset border; unset tics; unset grid
set lmargin at screen 0; set rmargin at screen 1; set bmargin at screen 0; set tmargin at screen 1
set xrange [-1:20]; set yrange [-1.2:6]
array shade[6] = [blue, sky, green, yellow, orange, purple]
cell(x, y, c) = sprintf("set object rectangle from %g,%g to %g,%g fc rgb '%s' fs transparent solid 0.25 border lc rgb '%s' lw 2", x, y, x + 0.9, y + 0.9, c, c)
do for [i = 0:7] { do for [j = 0:4] {
    eval cell(i, 4 - j, shade[(i + j) % 6 + 1])
    set label sprintf("%d", i + j) at i + 0.45, 4.45 - j center textcolor rgb ink
    eval cell(i + 11, 4 - j, (i + j) % 2 ? orange : blue)
    set label sprintf("%d", (i + j) % 2) at i + 11.45, 4.45 - j center textcolor rgb ink
} }
set label "levels: 12 steps, of 1 to 5 rows" at 0, 5.5 left textcolor rgb ink
set label "colours: 2 steps, of 20 rows" at 11, 5.5 left textcolor rgb ink
set label "same result as row after row" at 0, -0.6 left textcolor rgb blue
set label "another order, another preconditioner" at 11, -0.6 left textcolor rgb orange
height = 400
eval begin
plot NaN
