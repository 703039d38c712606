# gnuplot -c plots/exercise-02.gp FOLDER -- the roofline of exercise 2: one roof for each level of the
# memory, the four loops as they were measured (dots) and as they were predicted (rings). Two levels may
# have nearly the same bandwidth, so the roofs are named in the key, and told apart by their dashes. The check
# PREDICT of exercise-2 and of solution-2 writes the two tables.
folder = ARG1
load "plots/style.gp"
roofs = folder."/exercise-02-roofs.tsv"
loops = folder."/exercise-02-loops.tsv"
set datafile separator tab

stats roofs using 2 name "roof" nooutput
stats roofs using 3 name "peak" nooutput
stats loops using 3 name "loop" nooutput
n = roof_records
array b[n]
array level[n]
do for [k = 1:n] {
    stats roofs every ::(k - 1)::(k - 1) using 2 name "one" nooutput
    b[k] = one_max
    level[k] = system(sprintf("awk -F'\\t' '!/^#/ && ++n == %d { print $1 }' '%s'", k, roofs))
}
peak = peak_max
x_min = 1.0 / 32
x_max = 4 * peak / roof_min
y_min = (loop_min < x_min * roof_min ? loop_min : x_min * roof_min) / 2 # room for the lowest name
y_max = 2.2 * peak
wide = x_min * 10**(1.35 * log10(y_max / y_min)) # fills the picture
if (wide > x_max) { x_max = wide }
slanted(x, b) = b * x <= peak ? b * x : NaN
level_part(x) = x * roof_max >= peak ? peak : NaN

set title "Roofline: four loops, predicted and measured"
set xlabel "arithmetic intensity in flop/byte"
set ylabel "Gflop/s"
set logscale xy 10
set size ratio log10(y_max / y_min) / log10(x_max / x_min) # so that every roof rises at 45 degrees
set xrange [x_min : x_max]
set yrange [y_min : y_max]
set xtics ("1/32" 1.0/32, "1/16" 1.0/16 1, "1/8" 1.0/8, "1/4" 0.25 1, "1/2" 0.5, "1" 1 1, "2" 2, "4" 4 1, "8" 8, \
           "16" 16 1, "32" 32, "64" 64 1, "128" 128)
set ytics ("0.1" 0.1, "0.2" 0.2, "0.5" 0.5, "1" 1, "2" 2, "5" 5, "10" 10, "20" 20, "50" 50, "100" 100, "200" 200, \
           "500" 500, "1000" 1000, "2000" 2000, "5000" 5000, "10000" 10000)
set key at graph 0.98, graph 0.05 right bottom reverse Left samplen 3.5 textcolor rgb ink
set samples 600
set rmargin 4

array colour[5] = [purple, green, sky, blue, ink]
array dash[5] = [1, 2, 4, 3, 5]
set label sprintf("peak %.0f Gflop/s", peak) at x_max, peak right offset -1,0.7 textcolor rgb ink

do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/exercise-02", 900, 680)
    plot for [k = 1:n] slanted(x, b[k]) with lines lw 3 dt dash[k] lc rgb colour[k] \
             title sprintf("%s %.3g GB/s", level[k], b[k]), \
         level_part(x) with lines lw 3 lc rgb ink notitle, \
         loops using 2:4 with points pt 6 ps 2.2 lw 2 lc rgb ink title "predicted", \
         loops using 2:3 with points pt 7 ps 1.5 lc rgb orange title "measured", \
         loops every ::0::0 using 2:3:1 with labels center offset 0,-1.2 textcolor rgb orange_text notitle, \
         loops every ::1::1 using 2:3:1 with labels left offset 1.2,-0.6 textcolor rgb orange_text notitle, \
         loops every ::2::2 using 2:3:1 with labels left offset 1.2,0.3 textcolor rgb orange_text notitle, \
         loops every ::3::3 using 2:3:1 with labels left offset 1.2,0.2 textcolor rgb orange_text notitle
    unset output
}
