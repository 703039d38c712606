# gnuplot -c plots/exercise-20.gp FOLDER -- powers by levels against as many products, over the power p, beside
# the model. Reads exercise-20.tsv and exercise-20-facts.gp, which `plot powers` writes.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-20-facts.gp"
table = folder."/exercise-20.tsv"
set datafile separator tab
stats table using ($7 > $8 ? $7 : $8) nooutput

set title sprintf("Matrix powers by levels: %s, %d thread%s, %s", cpu, threads, threads > 1 ? "s" : "", date)
set xlabel "power p"
set ylabel "times as fast as p products"
set xrange [0 : 17]
set yrange [0 : 1.25 * STATS_max]
set xtics (1, 2, 3, 4, 6, 8, 12, 16)
set rmargin 4
set key top left reverse Left textcolor rgb ink samplen 3 noenhanced

# up to where the window of levels has room in a core's L2
array fits = [fits0, fits1]
array fits_colour = [blue_text, orange_text]
do for [m = 1 : matrices] {
    if (fits[m] >= 1 && fits[m] <= 16) {
        set arrow m from fits[m] + 0.06 * m, graph 0 to fits[m] + 0.06 * m, graph 0.68 nohead lw 1.5 dt (2,4) lc rgb fits_colour[m]
        set label m sprintf(" L2 holds p = %d", fits[m]) at fits[m], graph 0.045 * m - 0.015 textcolor rgb fits_colour[m]
    }
}

do for [kind in "svg png"] {
    eval picture(kind, folder."/exercise-20")
    if (matrices > 1) {
        plot table index 0 using 3:8 with lines lw 2 dt (12,5) lc rgb blue title name0.", model", \
             table index 0 using 3:7 with linespoints ls 1 title name0.", measured", \
             table index 1 using 3:8 with lines lw 2 dt (3,4) lc rgb orange title name1.", model", \
             table index 1 using 3:7 with linespoints ls 2 title name1.", measured"
    } else {
        plot table index 0 using 3:8 with lines lw 2 dt (12,5) lc rgb blue title name0.", model", \
             table index 0 using 3:7 with linespoints ls 1 title name0.", measured"
    }
    unset output
}
