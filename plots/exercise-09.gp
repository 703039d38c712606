# gnuplot -c plots/exercise-09.gp FOLDER -- bytes that the sectors move for each entry of the matrix, for each
# kernel, on a stencil and on a matrix with uneven rows. Reads exercise-09.tsv, which `plot formats` writes.
folder = ARG1
load "plots/style.gp"
table = folder."/exercise-09.tsv"
set datafile separator tab
stats table index 0 using 2 nooutput
n = STATS_records

set xlabel "bytes moved an entry (modelled, no cache); value and column are 12"
set xrange [0 : 84]
set yrange [n - 0.4 : -0.6]
set xtics 0, 12, 84
set ytics noenhanced scale 0
set grid xtics noytics
set lmargin 23
set rmargin 3
set tmargin 4.5
set key at graph 0.97, 0.72 right vertical reverse Left
set style fill solid 1 border lc rgb ink

sum_to(k) = (k > 0 ? column(2) : 0) + (k > 1 ? column(3) : 0) + (k > 2 ? column(4) : 0) + (k > 3 ? column(5) : 0)
array shade = [blue, yellow, faint, ink]
array part = ["val", "col\\_idx", "x", "the rest"]
array matrix = ["27-point stencil on 10 x 25 x 40 points, 24.1 entries a row", \
                "finite elements, fem3:10, 24 to 81 entries a row"]
do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/exercise-09", 1100, 940)
    set multiplot layout 2, 1
    do for [m = 0:1] {
        set title matrix[m + 1]
        plot for [k = 1:4] table index m using ((sum_to(k) + sum_to(k - 1)) / 2):0:(column(1 + k) / 2):(0.3):ytic(1) \
                 with boxxyerror lc rgb shade[k] title part[k], \
             table index m using (sum_to(4)):0:(sprintf(" %.1f", sum_to(4))) \
                 with labels left font ",12" tc rgb ink notitle
    }
    unset multiplot
    unset output
}
