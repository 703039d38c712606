# gnuplot -c plots/collection.gp FOLDER -- SpMV of all matrices at hand over their entries: a colour a format, the limit of CSR
# in memory as a line, each matrix' own limit as a tick; hollow: noisy. Reads collection.tsv and collection-facts.gp, which
# `make collection` writes, and published points where they are.
folder = ARG1
load "plots/style.gp"
load folder."/collection-facts.gp"
table = folder."/collection.tsv"
published = folder."/"."published-collection.tsv"
there = int(system("test -s '".published."' && echo 1 || echo 0"))
set datafile separator tab
set title sprintf("SpMV of %d matrices: %s, %d thread%s, %s", matrices, cpu, threads, threads > 1 ? "s" : "", date)
set xlabel "entries"
set ylabel "Gflop/s"
set logscale xy
set format x "10^{%T}"
set format y "%g"
set rmargin 34
set key at graph 1.03, 1 left top reverse Left textcolor rgb ink samplen 1.5 noenhanced spacing 1.25
set xrange [3 : 1e8]
set yrange [0.005 : 200]
behind = ""
if (there) {
    behind = 'published using 2:3 with points pt 7 ps 0.25 lc rgb "#bbbbbb" title device, '
    device = system("sed -n '1{s/^# //;s/\t/, /p;}' '".published."'")
    set xrange [3 : 1e9]
    set yrange [0.005 : 1000]
}
solid(c) = column(c) > 0 ? column(c) : NaN
hollow(c) = column(c) < 0 ? -column(c) : NaN
do for [kind in "svg png"] {
    eval picture(kind, folder."/collection")
    plot @behind memory / 6 with lines lw 2 dt (8,4) lc rgb ink title "limit of CSR in memory", \
         table using 3:6 with points pt "-" ps 1 lc rgb "#777777" title "its limit, each matrix", \
         table using 3:(solid(7)) with points pt 7 ps 0.5 lc rgb yellow title "COO", \
         table using 3:(solid(9)) with points pt 9 ps 0.6 lc rgb purple title "ELL", \
         table using 3:(solid(11)) with points pt 13 ps 0.7 lc rgb green title "SELL-P", \
         table using 3:(solid(8)) with points pt 7 ps 0.6 lc rgb blue title "CSR", \
         table using 3:(solid(10)) with points pt 5 ps 0.5 lc rgb orange title "SELL-C-σ", \
         table using 3:(hollow(8)) with points pt 6 ps 0.6 lc rgb blue title "CSR, noisy", \
         table using 3:(hollow(10)) with points pt 4 ps 0.6 lc rgb orange title "SELL-C-σ, noisy"
    unset output
}
