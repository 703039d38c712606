# gnuplot -c plots/machine-threads.gp FOLDER -- bandwidth from memory against threads: saturation.
folder = ARG1
load "plots/style.gp"
load folder."/machine-facts.gp"
table = folder."/machine-threads.tsv"
set datafile separator tab

top = one_thread
do for [k = 1:n_curves] { if (threads_end[k] > top) { top = threads_end[k] } }

set title sprintf("Bandwidth from memory by threads, working set %.0f MB\n%s, %s", memory_set * 1e-6, cpu, date)
set xlabel "threads"
set ylabel "GB/s"
set xrange [0 : threads * 1.03]
set yrange [0 : 1.2 * top]
if (threads <= 16) { set xtics 1 } else { set xtics autofreq }
set ytics autofreq

array at[n_curves]
do for [k = 1:n_curves] { at[k] = threads_end[k] }
do for [round = 1:30] {
    do for [i = 1:n_curves] { do for [k = 1:n_curves] {
        if (i != k && (at[i] > at[k] || (at[i] == at[k] && i > k)) && at[i] - at[k] < 0.055 * top) {
            at[i] = at[i] + 0.005 * top; at[k] = at[k] - 0.005 * top
        }
    } }
}
do for [k = 1:n_curves] {
    set label sprintf("%s %.0f", mix[k], threads_end[k]) at threads, at[k] left offset 1.6,0 \
        textcolor rgb mix_text[k]
}

# What it would be if every thread brought as much as the first.
reach = 1.1 * top / one_thread < threads ? 1.1 * top / one_thread : threads
set label "threads x load of one" at reach, reach * one_thread right offset -1.5,0.6 textcolor rgb "#666666"

do for [kind in "svg png"] {
    eval picture(kind, folder."/machine-threads")
    plot one_thread * x with lines dt 3 lw 2 lc rgb "#999999", \
         for [k = 1:n_curves] table using 1:3*k:3*k+1 with filledcurves ls k fs transparent solid 0.18 noborder, \
         for [k = 1:n_curves] table using 1:3*k-1 with linespoints ls k ps 1.3
    unset output
}
