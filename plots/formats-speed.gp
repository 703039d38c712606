# gnuplot -c plots/formats-speed.gp FOLDER -- SpMV: the fastest kernel of each format and every peer, against
# the roof. Reads formats-speed.tsv, which `plot speeds` makes of what `make bench` kept.
folder = ARG1
load "plots/style.gp"
table = folder."/formats-speed.tsv"
set datafile separator tab
set datafile missing "-"
columns = int(system("sed -n 2p '".table."' | awk -F'\t' '{ print NF }'"))
name(c) = system(sprintf("sed -n 2p '%s' | cut -f %d", table, c))
facts = system("sed -n '1s/^# //p' '".table."'")
stats table using 2 nooutput
n = STATS_records

set title "SpMV, fastest kernel of each format: ".facts
set ylabel "Gflop/s"
set yrange [0 : *]
set xrange [-0.6 : n - 0.4]
set xtics noenhanced scale 0
set key outside right center reverse Left textcolor rgb ink samplen 1.2 noenhanced font ",11"
set rmargin 24
set style fill solid 0.9 border lc rgb ink
set errorbars 0
set grid noxtics ytics lc rgb faint lw 1
array shades = ["#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#f0e442", "#333333", "#777777", "#999999", "#b5b5b5", "#c8c8c8", "#dcdcdc", "#eeeeee", "#555555", "#ffffff"]
width = 0.8 / (columns - 2)

do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/formats-speed", 260 * n + 420 < 1100 ? 1100 : 260 * n + 420, 680)
    plot for [c = 3 : columns] table using ($0 - 0.4 + (c - 2.5) * width):c:(width) with boxes \
             lc rgb shades[(c - 3) % 16 + 1] title name(c), \
         table using 0:2:(0.42):xtic(1) with xerrorbars pt -1 lw 3.5 lc rgb ink title "roof"
    unset output
}
