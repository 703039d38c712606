# gnuplot -c plots/solve.gp FOLDER -- the residual of one `make solve` against the iteration. Reads solve.tsv
# and solve-facts.gp, which the command solve writes. The cross is b - A x, computed at the end.
folder = ARG1
load "plots/style.gp"
load folder."/solve-facts.gp"
table = folder."/solve.tsv"
set datafile separator tab
positive(y) = y > 0 ? y : NaN

set title sprintf("%s, %s: %s\n%s, %s", matrix, solver, text, cpu, date) font ",13"
set tmargin 5
set bmargin 6.5
set xlabel "iteration"
set ylabel "||r|| / ||b||"
set logscale y 10
set format y "10^{%T}"
set xrange [0 : (iterations > 0 ? iterations : 1)]
set key below textcolor rgb ink samplen 3
set rmargin 4

heading = "||r|| / ||b||"
do for [kind in kinds] {
    eval picture(kind, folder."/solve")
    plot table using 1:(positive($2)) with lines ls 1 title "residual carried along", \
         tolerance with lines lw 2 dt 2 lc rgb ink title "tolerance", \
         "+" using (iterations):(positive(true_residual)) every ::0::0 with points pt 2 ps 2 lw 3 lc rgb orange title "b - A x at the end"
    unset output
}
