# gnuplot -c plots/machine-roofline.gp FOLDER [POINTS] -- the roofline, one roof for each level of the
# memory, and kernels in it. POINTS, parted by tabs: name, flop/byte, Gflop/s, and, where they are known, Gflop/s that
# the roof of its own run allowed, % of the processors that others took then. That roof is the short line above a dot:
# in another minute a machine has another one.
# A decade is as high as it is wide, so that every roof rises at 45 degrees. Two levels may have nearly the same
# bandwidth, and two kernels nearly the same place: so names stand in the key.
folder = ARG1
points = ARG2
load "plots/style.gp"
load folder."/machine-facts.gp"
set datafile separator tab

slowest = roof[n_roofs]; fastest = roof[1]
do for [i = 1:n_roofs] {
    if (roof[i] < slowest) { slowest = roof[i] }
    if (roof[i] > fastest) { fastest = roof[i] }
}
x_min = 1.0 / 16
x_max = 4 * peak / slowest > 16 ? 4 * peak / slowest : 16
y_min = x_min * slowest
y_max = 2.2 * peak
n_points = 0
letters = "a b c d e f g h i j k l m n o p q r s t u v w x y z"
# column K of point number `at`; or what awk makes of it
cell(at, what) = system(sprintf("awk -F'\\t' '!/^#/ && NF > 2 && ++n == %d { print (%s) }' '%s'", at, what, points))
if (points ne "") {
    stats points using 2 nooutput
    n_points = STATS_records
    if (STATS_min / 1.5 < x_min) { x_min = STATS_min / 1.5 }
    if (STATS_max * 2.5 > x_max) { x_max = STATS_max * 2.5 }
    stats points using 3 nooutput
    if (STATS_min / 1.5 < y_min) { y_min = STATS_min / 1.5 }
    array name[n_points]
    array share[n_points]
    others = 0
    do for [k = 1:n_points] {
        name[k] = cell(k, "$1")
        share[k] = cell(k, '$4 > 0 ? sprintf(": %.0f %% of its roof", 100 * $3 / $4) : ""')
        if (cell(k, "$5 + 0") > others) { others = cell(k, "$5 + 0") + 0 }
    }
    if (others > 5) { busy = sprintf("BUSY: others took up to %.0f %% of the processors meanwhile", others) }
}
if (x_min * slowest < y_min) { y_min = x_min * slowest }
y_min = y_min / 1.2
wide = x_min * 10**(1.35 * log10(y_max / y_min)) # fills the picture
if (wide > x_max) { x_max = wide }
slanted(x, b) = b * x <= peak ? b * x : NaN
level_part(x) = x * fastest >= peak ? peak : NaN

set title sprintf("Roofline, %d thread%s\n%s, %s", threads, threads > 1 ? "s" : "", cpu, date)
set xlabel "arithmetic intensity in flop/byte"
set ylabel "Gflop/s"
set logscale xy 10
set size ratio log10(y_max / y_min) / log10(x_max / x_min)
set rmargin 4
set xrange [x_min : x_max]
set yrange [y_min : y_max]
every_other = x_max / x_min > 3000 # so that the names of the ticks do not touch
if (every_other) {
    set xtics ("1/64" 1.0/64, "1/16" 1.0/16, "1/4" 1.0/4, "1" 1, "4" 4, "16" 16, "64" 64, "256" 256, "1024" 1024)
} else {
    set xtics ("1/64" 1.0/64, "1/32" 1.0/32, "1/16" 1.0/16, "1/8" 1.0/8, "1/4" 1.0/4, "1/2" 0.5, "1" 1, "2" 2, "4" 4, \
               "8" 8, "16" 16, "32" 32, "64" 64, "128" 128, "256" 256)
}
set ytics ("0.1" 0.1, "0.2" 0.2, "0.5" 0.5, "1" 1, "2" 2, "5" 5, "10" 10, "20" 20, "50" 50, "100" 100, "200" 200, \
           "500" 500, "1000" 1000, "2000" 2000, "5000" 5000, "10000" 10000)
set key at graph 0.99, graph 0.02 right bottom reverse Left samplen 2.5 textcolor rgb ink noenhanced
set samples 800
set errorbars 0

array level_name = ["L1", "L2", "L3", "memory"]
array level_colour = [purple, green, sky, blue]
array level_dash = [4, 3, 2, 1]
set label sprintf("peak %.0f Gflop/s", peak) at x_max, peak right offset -1,0.7 textcolor rgb ink

draw_roofs = "for [i = 1:n_roofs] slanted(x, roof[i]) with lines lw 3.5 dt level_dash[roof_level[i]] \
lc rgb level_colour[roof_level[i]] title sprintf('%s %.3g GB/s', level_name[roof_level[i]], roof[i]), \
level_part(x) with lines lw 3.5 lc rgb ink notitle"
do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/machine-roofline", 900, 680)
    if (points ne "") {
        plot @draw_roofs, \
             points using 2:4:($2 / 1.15):($2 * 1.15) with xerrorbars pt -1 lw 3 lc rgb orange notitle, \
             points using 2:3:(0):($4 - $3) with vectors nohead lw 1 lc rgb orange notitle, \
             points using 2:3 with points pt 7 ps 1.4 lc rgb orange notitle, \
             points using 2:3:(word(letters, int($0) + 1)) with labels center offset 0,-0.85 textcolor rgb orange_text notitle, \
             for [k = 1:n_points] NaN with points pt 7 ps 1.1 lc rgb orange \
                 title word(letters, k)."  ".name[k].share[k]
    } else {
        plot @draw_roofs
    }
    unset output
}
