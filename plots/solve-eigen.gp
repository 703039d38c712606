# gnuplot -c plots/solve-eigen.gp FOLDER -- the residuals of one `make solve SOLVER=lobpcg` against the
# iteration, a line for each pair. Reads solve-eigen.tsv and solve-eigen-facts.gp, which the command
# solve writes.
folder = ARG1
load "plots/style.gp"
load folder."/solve-eigen-facts.gp"
table = folder."/solve-eigen.tsv"
set datafile separator tab
positive(y) = y > 0 ? y : NaN
array colour = [blue, orange, green, purple, yellow, sky, ink]
set title sprintf("%s, %s: %s\n%s, %s", matrix, solver, text, cpu, date) font ",13"
set tmargin 5
set bmargin 6.5
set xlabel "iteration"
set ylabel "||A x - {/Symbol l} x|| / |{/Symbol l}|"
set logscale y 10
set format y "10^{%T}"
set xrange [0 : (iterations > 0 ? iterations : 1)]
set key below textcolor rgb ink samplen 3 maxrows 2
set rmargin 4

heading = "||A x - lambda x|| / |lambda|, each pair"
do for [kind in kinds] {
    eval picture(kind, folder."/solve-eigen")
    plot for [j = 1 : nv] table using 1:(positive(column(j + 1))) with lines lw 2 dt 1 + (j - 1) / 7 % 3 \
             lc rgb colour[(j - 1) % 7 + 1] title (nv <= 16 ? sprintf("pair %d", j) : ""), \
         tolerance with lines lw 2 dt 2 lc rgb ink title "tolerance"
    unset output
}
