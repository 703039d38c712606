# gnuplot -c plots/dense.gp FOLDER -- the two products of exercise 3 under the roofs of their own runs: the solution, plain
# loops, the library's best and OpenBLAS. Reads exercise-03.tsv and exercise-03-facts.gp, which `make figures KEEP=1` makes of
# the record of `make solution-3`.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-03-facts.gp"
table = folder."/exercise-03.tsv"
set datafile separator tab
# columns: function load store flop bandwidth peak seconds baseline stretch peer
stats table using ($5 * 1e-9) nooutput
b = STATS_min
stats table using ($6 * 1e-9) nooutput
peak = STATS_max
roof(x) = b * x < peak ? b * x : peak

set title sprintf("dgemv and dgemm: %s, %d thread%s, %s", cpu, threads, threads > 1 ? "s" : "", date)
set xlabel "arithmetic intensity by the model, flop/byte"
set ylabel "Gflop/s"
set logscale xy 10
set xrange [1.0 / 16 : 256]
set yrange [0.2 : 2.5 * peak]
set xtics ("1/16" 1.0/16, "1/4" 0.25, "1" 1, "4" 4, "16" 16, "64" 64, "256" 256)
set key at graph 0.72, graph 0.05 right bottom reverse Left samplen 2 textcolor rgb ink
set samples 500
set label sprintf("peak %.0f Gflop/s", peak) at 200, peak right offset 0, 0.7 textcolor rgb ink
set label sprintf("%.0f GB/s", b) at 0.5, roof(0.5) right offset -1, 0.6 textcolor rgb ink
do for [kind in "svg png"] {
    eval picture(kind, folder."/dense")
    plot roof(x) with lines lw 3 lc rgb ink notitle, \
         table using ($4 / ($2 + $3)):($8 > 0 ? $4 / $8 * 1e-9 : NaN) with points pt 6 ps 1.8 lw 2 lc rgb purple title "plain loops", \
         table using ($4 / ($2 + $3)):($4 / $7 * 1e-9) with points pt 7 ps 1.6 lc rgb blue title "the solution", \
         table using ($4 / ($2 + $3)):($10 > 0 ? $4 / $10 * 1e-9 : NaN) with points pt 5 ps 1.4 lc rgb green title "OpenBLAS", \
         table using ($4 / ($2 + $3)):($9 > 0 ? $4 / $9 * 1e-9 : NaN) with points pt 9 ps 1.6 lc rgb orange title "library's best", \
         table using ($4 / ($2 + $3)):($4 / $7 * 1e-9):1 with labels left offset 1.2, 0 textcolor rgb ink notitle
    unset output
}
