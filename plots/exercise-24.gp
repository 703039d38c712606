# gnuplot -c plots/exercise-24.gp FOLDER -- a matrix that streams from a file, over the number of blocks, beside the model.
# Reads exercise-24.tsv and exercise-24-facts.gp, which `plot streaming` writes.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-24-facts.gp"
table = folder."/exercise-24.tsv"
set datafile separator tab
stats table using ($4 > $5 ? $4 : $5) nooutput

set title sprintf("%s, %d MB from a file, %d vectors: %s, products on %d thread%s, %s", matrix, megabytes, vectors, cpu, workers, workers > 1 ? "s" : "", date)
set xlabel "blocks"
set ylabel "seconds"
set logscale x 2
set xrange [1.8 : 72]
set xtics (2, 4, 8, 16, 32, 64)
set yrange [0 : 1.35 * STATS_max]
set rmargin 4
set key top right reverse Left textcolor rgb ink samplen 3

do for [kind in "svg png"] {
    eval picture(kind, folder."/exercise-24")
    plot table using 1:4 with linespoints ls 2 title "one after the other", \
         table using 1:5 with linespoints ls 1 title "two buffers", \
         table using 1:6 with lines lw 2.5 dt (12,5) lc rgb ink title "model: max + min / B", \
         table using 1:2 with lines lw 2 dt (3,4) lc rgb purple title "transfers alone"
    unset output
}
