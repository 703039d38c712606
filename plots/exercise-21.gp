# gnuplot -c plots/exercise-21.gp FOLDER -- SpMM against the number of vectors, beside single SpMVs.
# Reads exercise-21.tsv and exercise-21-facts.gp, which `plot spmm` writes.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-21-facts.gp"
table = folder."/exercise-21.tsv"
set datafile separator tab
stats table using ($5 > $6 ? $5 : $6) nooutput

set title sprintf("SpMM, %s: %s, %d thread%s, %s", matrix, cpu, threads, threads > 1 ? "s" : "", date)
set xlabel "vectors"
set ylabel "Gflop/s"
set xrange [0 : 49]
set yrange [0 : 1.05 * STATS_max]
set xtics 8
set mxtics 8
set rmargin 3
set key top left reverse Left textcolor rgb ink samplen 3

do for [kind in "svg png"] {
    eval picture(kind, folder."/exercise-21")
    plot table using 1:5 with lines lw 3.5 dt (12,5) lc rgb orange title "roof", \
         table using 1:6 with linespoints ls 1 title "CSR, row-major blocks", \
         table using 1:7 with linespoints ls 3 title "SELL-P (b = 8, t = 4)", \
         table using 1:8 with linespoints lw 2 lc rgb purple pt 6 ps 0.8 title "CSR, column-major blocks: turned and turned back", \
         table using 1:9 with lines lw 3 dt (3,4) lc rgb ink title "as many single SpMVs"
    unset output
}
