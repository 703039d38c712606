# gnuplot -c plots/exercise-11.gp FOLDER -- what a product moves in three orders of the rows, over the least. Reads exercise-11.tsv
# and exercise-11-facts.gp, which `plot orders` writes: counted, the same on every machine.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-11-facts.gp"
table = folder."/exercise-11.tsv"
set datafile separator tab
stats table using 3 nooutput
n = STATS_records
set title "Bytes of a product, counted in a cache of 1 MiB, over the least"
set ylabel "times the least"
set xrange [-0.6 : n - 0.4]
set yrange [0 : 1.3 * STATS_max]
set xtics rotate by 30 right noenhanced font ",13" scale 0
set bmargin 8
set lmargin 16
set rmargin 3
set key top right reverse Left textcolor rgb ink samplen 2
set boxwidth 0.26
set style fill solid 1 noborder
set grid noxtics ytics lc rgb faint lw 1
do for [kind in "svg png"] {
    eval picture(kind, folder."/exercise-11")
    plot table using 0:(NaN):xtic(1) notitle, \
         table using ($0 - 0.27):2 with boxes lc rgb blue title "as it is", \
         table using 0:3 with boxes lc rgb orange title "shuffled", \
         table using ($0 + 0.27):4 with boxes lc rgb green title "reverse Cuthill-McKee of the shuffled", \
         1 with lines lw 1.5 dt (8,4) lc rgb ink notitle
    unset output
}
