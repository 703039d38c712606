# gnuplot -c plots/exercise-16.gp FOLDER -- time of a product against the part of one of two sides, and what
# two bandwidths say. Reads exercise-16.tsv and exercise-16-facts.gp, which `plot split` writes.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-16-facts.gp"
table = folder."/exercise-16.tsv"
set datafile separator tab

sides = device ? "device and host" : \
    threads > 1 ? sprintf("no device: host threads in two groups, %d and %d", threads / 2, threads - threads / 2) : \
    "no device, one thread"
set title sprintf("A product divided: %s, %s\n%s, %s", name, sides, cpu, date)
set xlabel device ? "part of the device" : "part of side one"
set ylabel "time of a product, ms"
set xrange [0 : 1]
set xtics 0.1
set yrange [0 : *]
set rmargin 4
set key bottom right reverse Left textcolor rgb ink samplen 3
stats table using 2 nooutput
set arrow 1 from best, graph 0.13 to best, graph 1 nohead lw 2 lc rgb ink dt 3
set label 1 sprintf("best\\_part = %.2f", best) at best, graph 0.97 offset 1, 0 textcolor rgb ink

do for [kind in "svg png"] {
    eval picture(kind, folder."/exercise-16")
    plot table using 1:2 with linespoints ls 1 title "measured", \
         table using 1:3 with lines lw 3 lc rgb orange dt 2 title "model: the slower side, each at its speed alone"
    unset output
}
