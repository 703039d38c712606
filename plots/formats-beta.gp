# gnuplot -c plots/formats-beta.gp FOLDER -- SELL-32-sigma: entries over stored entries, against the window in
# which rows are sorted. Reads formats-beta.tsv, which `plot beta` writes.
folder = ARG1
load "plots/style.gp"
table = folder."/formats-beta.tsv"
stats table using 1 nooutput
set datafile separator tab

set title "SELL-32-{/Symbol s}: what sorting saves" enhanced
set xlabel "{/Symbol s}, rows that are sorted together (1: none)" enhanced
set ylabel "{/Symbol b} = entries / stored entries" enhanced
set logscale x 2
set xrange [0.8 : 90000]
set yrange [0 : 1.05]
set key at graph 0.03, 0.62 left reverse Left textcolor rgb ink samplen 3 noenhanced

do for [kind in "svg png"] {
    eval picture(kind, folder."/formats-beta")
    plot for [b = 0 : STATS_blocks - 1] table index b using 1:2 with linespoints ls (b % 4 + 1) dt b + 1 \
         title columnheader(1)
    unset output
}
