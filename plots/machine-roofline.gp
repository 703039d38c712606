# gnuplot -c plots/machine-roofline.gp FOLDER [POINTS] -- the roofline, one roof for each level of the
# memory, and kernels in it. POINTS: name, flop/byte, Gflop/s, parted by tabs.
# A decade is as high as it is wide, so that every roof rises at 45 degrees.
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
if (points ne "") {
    stats points using 2 nooutput
    if (STATS_min / 1.5 < x_min) { x_min = STATS_min / 1.5 }
    if (STATS_max * 2.5 > x_max) { x_max = STATS_max * 2.5 }
    stats points using 3 nooutput
    if (STATS_min / 1.5 < y_min) { y_min = STATS_min / 1.5 }
}
if (x_min * slowest < y_min) { y_min = x_min * slowest }
y_min = y_min / 1.2
y_max = 2.2 * peak
wide = x_min * 10**(1.35 * log10(y_max / y_min)) # fills the picture
if (wide > x_max) { x_max = wide }

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

# A roof ends where it meets the peak. It is named along its line.
array level_name = ["L1", "L2", "L3", "memory"]
array level_colour = [purple, green, sky, blue]
do for [i = 1:n_roofs] {
    c = level_colour[roof_level[i]]
    knee = peak / roof[i]
    from = x_min * roof[i] < y_min ? y_min / roof[i] : x_min
    middle = from * (knee / from)**0.5
    set arrow from from, from * roof[i] to knee, peak nohead lw 3.5 lc rgb c front
    set label sprintf("%s %.0f GB/s", level_name[roof_level[i]], roof[i]) at middle, middle * roof[i] * (y_max / y_min)**0.04 \
        rotate by 45 center textcolor rgb c front
}
set arrow from peak / fastest, peak to x_max, peak nohead lw 3.5 lc rgb ink front
set label sprintf("peak %.0f Gflop/s", peak) at x_max, peak right offset -1,0.7 textcolor rgb ink front

do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/machine-roofline", 900, 680)
    if (points ne "") {
        plot points using 2:3 with points pt 7 ps 1.6 lc rgb orange, \
             points using 2:3:1 every 2 with labels left offset 1,-0.9 textcolor rgb orange noenhanced, \
             points using 2:3:1 every 2::1 with labels left offset 1,0 textcolor rgb orange noenhanced
    } else {
        plot NaN
    }
    unset output
}
