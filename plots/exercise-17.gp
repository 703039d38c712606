# gnuplot -c plots/exercise-17.gp FOLDER -- left the residual over products with the matrix, right the steps over the
# width of the grid. Reads what `plot multigrid` writes.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-17-facts.gp"
undefine busy # counts, no times
table = folder."/exercise-17.tsv"
steps = folder."/exercise-17-steps.tsv"
set datafile separator tab
array colour = [ink, green, orange, blue]
array dash = [1, 4, 1, 2]
array mark = [1, 9, 5, 7]
do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/exercise-17", 1200, 520)
    set multiplot layout 1,2
    set lmargin 10
    set rmargin 3
    set title sprintf("%d × %d points", width, width)
    set logscale xy 10
    set xlabel "products with the matrix"
    set ylabel "||b - A x|| / ||b||"
    set format y "10^{%T}"
    set yrange [1e-9 : 10]
    set xrange [3 : *]
    set key off
    plot for [k = 0 : 3] table using (int($1) == k && $2 > 0 ? $3 : NaN):4 with lines lw 3 dt dash[k + 1] \
         lc rgb colour[k + 1] title methods[k + 1]
    set title "steps to 1e-8"
    set xlabel "points an edge"
    set ylabel "steps"
    set format y "%g"
    set yrange [5 : 3000]
    set xrange [12 : 640]
    set xtics (15, 31, 63, 127, 255, 511)
    set key top left Left reverse samplen 3 textcolor rgb ink noenhanced
    plot for [k = 0 : 3] steps using 1:(column(k + 2)) with linespoints lw 3 dt dash[k + 1] pt mark[k + 1] ps 1 \
         lc rgb colour[k + 1] title methods[k + 1]
    unset multiplot
    unset output
    set xtics autofreq
}
