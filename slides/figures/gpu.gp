# A GPU: multiprocessors, L2, memory, and the bus to the host. Boxes, no measurement.
load "slides/figures/common.gp"
unset border; unset tics; unset grid
set lmargin at screen 0; set rmargin at screen 1; set bmargin at screen 0; set tmargin at screen 1
set xrange [0:100]; set yrange [0:46]
box(x, y, w, h, c) = sprintf("set object rectangle from %g,%g to %g,%g fc rgb '%s' fs transparent solid 0.16 border lc rgb '%s' lw 2", x, y, x + w, y + h, c, c)
do for [sm = 0:3] {
    x = 25 + sm * 18.7
    eval box(x, 22, 17.5, 22, blue)
    set label (sm < 3 ? "multiprocessor" : "… and more") at x + 8.75, 41.8 center textcolor rgb blue
    do for [w = 0:3] {
        do for [l = 0:7] { eval box(x + 1.4 + l * 1.86, 37 - w * 2.2, 1.5, 1.4, ink) }
    }
    set label "warps of 32" at x + 8.75, 28 center textcolor rgb ink
    set label "shared memory" at x + 8.75, 24.2 center textcolor rgb purple
}
eval box(25, 14, 73.6, 6, sky)
set label "L2: 50 MB" at 61.8, 17 center textcolor rgb sky
eval box(25, 2, 73.6, 8, orange)
set label "memory: 80 GB, 3.35 TB/s, of which 3.0 were measured" at 61.8, 6 center textcolor rgb orange
set arrow from 61.8, 10.2 to 61.8, 13.8 heads filled size screen 0.01,20 lw 6 lc rgb orange
eval box(1, 14, 15, 30, green)
set label "CPU" at 8.5, 31 center textcolor rgb green
eval box(1, 2, 15, 8, orange)
set label "memory" at 8.5, 6 center textcolor rgb orange
set arrow from 8.5, 10.2 to 8.5, 13.8 heads filled size screen 0.01,20 lw 3 lc rgb orange
set arrow from 16.3, 17 to 24.7, 17 heads filled size screen 0.01,20 lw 2 lc rgb ink
set label "bus" at 20.5, 19.3 center textcolor rgb ink
height = 440
eval begin
plot NaN
