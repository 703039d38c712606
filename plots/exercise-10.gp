# gnuplot -c plots/exercise-10.gp FOLDER -- the five kernels of exercise 10 under the roof of their run, twice each: at the intensity
# of the model, and at that of the bytes that moved. exercise-10.tsv holds the flops of an item and what `make solution-10` printed.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-10-facts.gp"
table = folder."/exercise-10.tsv"
set datafile separator tab
# columns: kernel, flop a byte of the model, ratio, model in MB, roof in GB/s, ms of all threads
stats table using 5 nooutput
bw = STATS_mean
roof(x) = bw * x
speed(intensity, megabytes, ms) = intensity * megabytes / ms # Gflop/s

set title sprintf("Five kernels: %s, %d threads, %s", cpu, threads, date)
set xlabel "flop/byte"
set ylabel "Gflop/s"
set logscale xy 10
set xrange [1.0 / 50 : 1]
set yrange [0.05 : 80]
set xtics ("1/32" 1.0/32, "1/16" 1.0/16, "1/8" 1.0/8, "1/4" 0.25, "1/2" 0.5, "1" 1)
set key at graph 0.98, graph 0.06 right bottom reverse Left samplen 2 textcolor rgb ink
set label sprintf("%.0f GB/s", bw) at 0.4, roof(0.4) right offset -1, 0.6 textcolor rgb ink
do for [kind in "svg png"] {
    eval picture(kind, folder."/exercise-10")
    plot roof(x) with lines lw 3 lc rgb ink notitle, \
         table using 2:(speed($2, $4, $6)):($2 / $3 - $2):(0) with vectors head filled size 0.02,20,60 fixed lw 2 lc rgb faint notitle, \
         table using 2:(speed($2, $4, $6)) with points pt 6 ps 2 lw 2 lc rgb blue title "by the model's bytes", \
         table using ($2 / $3):(speed($2, $4, $6)) with points pt 7 ps 1.5 lc rgb orange title "by the bytes that moved", \
         table using ($2 / $3):(speed($2, $4, $6)):1 with labels right offset -1.2, -0.9 textcolor rgb orange_text notitle
    unset output
}
