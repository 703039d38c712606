# gnuplot -c plots/exercise-08.gp FOLDER -- sectors a request of val, col_idx and x, for each kernel. Reads
# exercise-08.tsv, which `plot formats` writes.
folder = ARG1
load "plots/style.gp"
table = folder."/exercise-08.tsv"
set datafile separator tab
stats table using 2 nooutput
n = STATS_records

set title "Sectors of 32 bytes a request, 27-point stencil on 10 x 25 x 40 points (modelled)"
set xlabel "sectors a request of a warp; 32 is a sector for each lane"
set xrange [0 : 34]
set yrange [n - 0.4 : -0.6]
set xtics 0, 4, 32
set ytics noenhanced scale 0
set grid xtics noytics
set lmargin 23
set rmargin 3
set tmargin 3
set key at graph 0.97, 0.62 right vertical reverse Left
set style fill solid 1 border lc rgb ink

bar(k) = 0.25 * (k - 1)
do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/exercise-08", 1100, 70 * n + 150)
    plot table using ($2 / 2):($0 + bar(0)):($2 / 2):(0.115):ytic(1) with boxxyerror lc rgb blue title "val (8 at best)", \
         table using ($3 / 2):($0 + bar(1)):($3 / 2):(0.115) with boxxyerror lc rgb yellow title "col\\_idx (4 at best)", \
         table using ($4 / 2):($0 + bar(2)):($4 / 2):(0.115) with boxxyerror lc rgb faint title "x", \
         for [k = 0:2] table using (column(2 + k)):($0 + bar(k)):(sprintf(" %.2f", column(2 + k))) \
             with labels left font ",11" tc rgb ink notitle
    unset output
}
