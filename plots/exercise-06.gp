# gnuplot -c plots/exercise-06.gp FOLDER -- SpMV in CSR, measured against the roof, one bar a matrix.
# Reads exercise-06.tsv and exercise-06-facts.gp, which `plot spmv` writes.
# The bar is the plain loop, the point the loop that cuts rows by entries, the line above is the roof.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-06-facts.gp"
table = folder."/exercise-06.tsv"
set datafile separator tab
stats table using 4 nooutput
n = STATS_records
stats table using ($8 > $10 ? $8 : $10) nooutput

set title sprintf("SpMV in CSR: %s, %d thread%s, %s", cpu, threads, threads > 1 ? "s" : "", date)
set ylabel "Gflop/s"
set xrange [-0.7 : n - 0.3]
set yrange [0 : 1.35 * STATS_max] # room for the key
set xtics rotate by 50 right noenhanced font ",11" scale 0
set bmargin 11
set rmargin 3
set key top right reverse Left textcolor rgb ink samplen 2
set errorbars 0
set boxwidth 0.66
set style fill solid 1 noborder
set grid noxtics ytics lc rgb faint lw 1

do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/exercise-06", n > 24 ? 44 * n + 160 : 1100, 680)
    plot table using 0:9:xtic(1) with boxes lc rgb sky title "plain: rows cut evenly", \
         table using 0:10 with points pt 7 ps 1.1 lc rgb blue title "rows cut by entries", \
         table using 0:8:(0.42) with xerrorbars pt -1 lw 3.5 lc rgb orange title "roof"
    unset output
}
