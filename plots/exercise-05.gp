# gnuplot -c plots/exercise-05.gp FOLDER -- COO to CSR: nanoseconds an entry against the number of
# entries, for entries in three orders. Reads exercise-05.tsv and exercise-05-facts.gp, which
# `plot convert` writes. Solid: the counting sort of exercise 5, one thread. Dashed: the library's.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-05-facts.gp"
table = folder."/exercise-05.tsv"
set datafile separator tab
positive(y) = y > 0 ? y : NaN
# By row duplicates are summed: of 64 (k - 1)^3 entries, as the table has them, (3 k - 2)^3 are left.
summed(x) = (3 * floor((x / 64.0) ** (1 / 3.0) + 1.5) - 2) ** 3

set title sprintf("COO to CSR: %s, %s", cpu, date)
set xlabel "entries of the COO matrix"
set ylabel "ns an entry"
set logscale xy 10
set format x "10^{%T}"
set yrange [0.6 : *] # room for the key
set ytics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
set rmargin 4
set key bottom right reverse Left textcolor rgb ink samplen 3

do for [kind in "svg png"] {
    eval picture(kind, folder."/exercise-05")
    plot table using 1:(positive($6)) with linespoints ls 2 title "counting sort, 1 thread: random order", \
         table using 1:(positive($2)) with linespoints ls 1 title "as assembled", \
         table using (summed($1)):(positive($4)) with linespoints ls 3 title "by row", \
         table using 1:(positive($7)) with linespoints ls 2 dt 2 title \
             sprintf("library, %d thread%s: random order", threads, threads > 1 ? "s" : ""), \
         table using 1:(positive($3)) with linespoints ls 1 dt 2 title "as assembled", \
         table using (summed($1)):(positive($5)) with linespoints ls 3 dt 2 title "by row"
    unset output
}
