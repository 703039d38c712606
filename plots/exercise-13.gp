# gnuplot -c plots/exercise-13.gp FOLDER -- the residual over the iterations without a preconditioner, with Jacobi and
# with block-Jacobi, on three systems. Reads the tables of exercise 15, which `plot precond` writes.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-15-facts.gp"
unset label 9999 # counts, no times
table = folder."/exercise-15.tsv"
set datafile separator tab
array colour = [ink, blue, orange]
array dash = [3, 1, 2]
set logscale xy 10
set format y "10^{%T}"
set yrange [5e-9 : 300]
set xlabel "iteration"
do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/exercise-13", 1300, 480)
    set multiplot layout 1,3 title "PCG to 10^{-8}"
    do for [s = 0 : 2] {
        set lmargin 9
        set rmargin 2
        set title systems[s + 1]
        set ylabel (s ? "" : "||r|| / ||b||")
        if (s == 0) { set key bottom left Left reverse samplen 3 textcolor rgb ink } else { set key off }
        plot for [k = 0 : 2] table using (int($1) == s && int($2) == k ? ($3 > 0 ? $3 : NaN) : NaN):5 \
             with lines lw 3 dt dash[k + 1] lc rgb colour[k + 1] title kinds[k + 1]
    }
    unset multiplot
    unset output
}
