# A core, a chip, a node: boxes, no measurement. What is shared is drawn once.
load "slides/figures/common.gp"
unset border; unset tics; unset grid
set lmargin at screen 0; set rmargin at screen 1; set bmargin at screen 0; set tmargin at screen 1
set xrange [0:100]; set yrange [0:46]
set style fill transparent solid 0.16 border
n = 0
box(x, y, w, h, c) = sprintf("set object rectangle from %g,%g to %g,%g fc rgb '%s' fs transparent solid 0.16 border lc rgb '%s' lw 2", x, y, x + w, y + h, c, c)
do for [chip = 0:1] {
    left = chip * 51 + 1
    do for [core = 0:3] {
        x = left + core * 11.4
        eval box(x, 35, 10.4, 9, blue)
        set label "core" at x + 5.2, 41.6 center textcolor rgb blue
        set label "SIMD" at x + 5.2, 37.6 center textcolor rgb ink
        eval box(x, 29, 10.4, 5, purple)
        set label "L1" at x + 5.2, 31.5 center textcolor rgb purple
        eval box(x, 23, 10.4, 5, green)
        set label "L2" at x + 5.2, 25.5 center textcolor rgb green
    }
    eval box(left, 15, 44.6, 7, sky)
    set label "L3, shared by the cores of a chip" at left + 22.3, 18.5 center textcolor rgb sky
    eval box(left, 2, 44.6, 8, orange)
    set label sprintf("memory of chip %d", chip) at left + 22.3, 6 center textcolor rgb orange
    set arrow from left + 22.3, 10.2 to left + 22.3, 14.8 heads filled size screen 0.01,20 lw 4 lc rgb orange
}
set arrow from 45.8, 18.5 to 51.8, 18.5 heads filled size screen 0.01,20 lw 4 lc rgb ink
set label "shared bandwidth" at 24.5, 12.5 left textcolor rgb orange
set label "shared bandwidth" at 75.5, 12.5 left textcolor rgb orange
height = 440
eval begin
plot NaN
