# The roofline of a machine, from the facts that `make machine` keeps, and daxpy's way up to its roof.
if (!exists("facts")) { facts = "slides/recorded/machine-facts.gp" }
load "slides/figures/common.gp"
load facts
left = 0.068; right = 0.985; bottom = 0.185; top = 0.985; W = 1128.0; H = 480.0
set lmargin at screen left; set rmargin at screen right; set bmargin at screen bottom; set tmargin at screen top
x_min = 1.0 / 32; x_max = 32; y_min = x_min * roof[n_roofs] / 1.3; y_max = 2.4 * peak
angle = atan(((top - bottom) * H / log10(y_max / y_min)) / ((right - left) * W / log10(x_max / x_min))) * 180 / pi
# margins in parts of the picture make the slope exact, but gnuplot 5.4 then leaves out xlabel and ylabel
set label "intensity I in flop/byte" at graph 1, screen 0.035 right textcolor rgb ink
eval unit("Gflop/s")
set xtics offset 0,0.3
set logscale xy 10
set xrange [x_min : x_max]
set yrange [y_min : y_max]
set xtics ("1/32" 1.0/32, "1/16" 1.0/16, "1/8" 1.0/8, "1/4" 0.25, "1/2" 0.5, "1" 1, "2" 2, "4" 4, "8" 8, "16" 16, "32" 32)
set ytics ("2" 2, "5" 5, "10" 10, "20" 20, "50" 50, "100" 100, "200" 200, "500" 500, "1000" 1000)
array level_name = ["L1", "L2", "L3", "memory"]
array level_colour = [purple, green, sky, blue]
names = ""
do for [i = 1:n_roofs] {
    c = level_colour[roof_level[i]]
    knee = peak / roof[i]
    from = x_min * roof[i] < y_min ? y_min / roof[i] : x_min
    set arrow from from, from * roof[i] to knee, peak nohead lw (i == n_roofs ? 5 : 2.5) lc rgb c front
    names = names.sprintf("%s%s %.0f", names eq "" ? "" : ", ", level_name[roof_level[i]], roof[i])
    together = i < n_roofs ? roof[i] < 1.25 * roof[i + 1] : 0   # names of roofs this near would collide
    if (!together) {
        at = i == n_roofs ? knee / 6 : from * 1.6
        set label names." GB/s" at at, at * roof[i] * (y_max / y_min)**0.055 rotate by angle left textcolor rgb c front
        names = ""
    }
}
knee = peak / roof[n_roofs]
set arrow from peak / roof[1], peak to x_max, peak nohead lw 5 lc rgb ink front
set label sprintf("peak P = %.0f Gflop/s", peak) at x_max, peak right offset -0.5,0.9 textcolor rgb ink front
set arrow from knee, y_min to knee, peak nohead lw 1.5 dt 3 lc rgb ink
set label sprintf("knee P/bw = %.1f", knee) at knee, y_min left offset 0.8,0.9 textcolor rgb ink front
if (!exists("points")) {
    I = 1.0 / 12
    set arrow from I, y_min to I, I * roof[n_roofs] / 1.07 head filled size screen 0.012,22 lw 2.5 lc rgb orange front
    set label sprintf("daxpy: I = 1/12, %.1f Gflop/s at this bw", I * roof[n_roofs]) at I, I * roof[n_roofs] left offset 1.6,-0.5 textcolor rgb orange front
    set label "" at I, I * roof[n_roofs] point pt 7 ps 1.6 lc rgb orange front
}
eval begin
if (exists("points")) {
    plot points using 2:3 with points pt 7 ps 1.6 lc rgb orange, \
         points using 2:3:1 with labels left offset 0.9,-0.5 textcolor rgb orange, NaN
} else { plot NaN }
