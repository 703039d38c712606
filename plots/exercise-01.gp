# gnuplot -c plots/exercise-01.gp FOLDER -- the two pictures of exercise 1 in one: bandwidth against the
# working set (the staircase of the caches) and against threads (saturation). `make machine` wrote the
# tables; machine-staircase.gp and machine-threads.gp draw each alone and larger.
folder = ARG1
load "plots/style.gp"
load folder."/machine-facts.gp"
set datafile separator tab
set ylabel "GB/s"
set key at graph 0.97, graph 0.97 right top vertical samplen 2 textcolor rgb ink
set rmargin 3

draw_staircase = "set title 'by working set'; set xlabel 'working set of all threads'; \
set logscale x 2; set logscale y 10; set xrange [stair_first / 1.4 : stair_last * 1.4]; \
set yrange [0.6 * stair_least : 2.5 * stair_most]; \
set xtics ('16 KiB' 2**14, '256 KiB' 2**18, '4 MiB' 2**22, '64 MiB' 2**26, '1 GiB' 2**30); \
set ytics ('1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100, '200' 200, '500' 500, '1000' 1000, '2000' 2000, '5000' 5000); \
plot for [k = 1:n_curves] folder.'/machine-staircase.tsv' using 1:3*k-1 with linespoints ls k title mix[k]"

draw_threads = "set title sprintf('by threads, %.0f MB', memory_set * 1e-6); set xlabel 'threads'; \
unset logscale; set xrange [0 : threads * 1.03]; set yrange [0 : *]; \
set ytics autofreq; set key right bottom at graph 0.97, graph 0.03; \
plot one_thread * x with lines dt 3 lw 2 lc rgb '#999999' title 'threads x load of one', \
for [k = 1:n_curves] folder.'/machine-threads.tsv' using 1:3*k-1 with linespoints ls k ps 1.3 title mix[k]"

do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/exercise-01", 1400, 640)
    set multiplot layout 1,2 title sprintf("Bandwidth of %s, %d thread%s, %s", cpu, threads, threads > 1 ? "s" : "", date)
    do for [k = 1:3] {
        if (cache[k] > stair_first && cache[k] < stair_last) {
            set arrow k from cache[k], graph 0 to cache[k], graph 1 nohead dt 3 lw 2 lc rgb "#888888" back
            low = k > 1 && cache[k] < 60 * cache[k-1] ? low + 0.05 : 0.04
            set label k sprintf("all L%d ", k) at cache[k], graph low right textcolor rgb "#666666" # above its neighbour
        }
    }
    eval draw_staircase
    unset arrow
    unset label
    if (threads <= 16) { set xtics 1 } else { set xtics autofreq }
    eval draw_threads
    unset multiplot
    unset output
    set key at graph 0.97, graph 0.97 right top vertical
}
