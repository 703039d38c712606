# gnuplot -c plots/exercise-22.gp FOLDER -- loss of orthogonality over the condition number, a line for each
# method. Reads exercise-22.tsv, which `plot ortho` writes. Hollow marks: vectors were dropped,
# and the loss is that of those left. Dotted: the rules eps kappa and eps kappa^2.
folder = ARG1
load "plots/style.gp"
table = folder."/exercise-22.tsv"
set datafile separator tab
eps = 1.1e-16
vectors = 16
array name = ["CGS", "MGS", "Cholesky-QR", "Cholesky-QR twice", "SVQB", "Cholesky-QR, products in double-double"]
array full = [9, 7, 5, 13, 11, 15]
array hollow = [8, 6, 4, 12, 10, 14]
array colour = [sky, blue, orange, green, purple, ink]

set logscale xy
set xrange [1 : 1e16]
set yrange [1e-16 : 20]
set format x "10^{%T}"
set format y "10^{%T}"
set xlabel "{/Symbol k}(X), largest to smallest singular value"
set ylabel "||I - Q^TQ||"
set lmargin 11
set rmargin 4
set key top left reverse Left textcolor rgb ink samplen 2 width -4 font ",12"
set label 1 "dotted: {/Symbol e k} and {/Symbol e k}^2" at 1e11, 1e-10 textcolor rgb ink

do for [kind in "svg png"] {
    eval picture(kind, folder."/exercise-22")
    set title "What rounding leaves of orthogonality: 16 vectors of 10000 (hollow: vectors were dropped)"
    plot [1 : 1e16] eps * x with lines lw 2 dt 3 lc rgb ink notitle, \
         eps * x**2 with lines lw 2 dt 3 lc rgb ink notitle, \
         for [m = 1 : 6] table using 1:2*m with lines lw 2 lc rgb colour[m] notitle, \
         for [m = 1 : 6] table using 1:(column(2*m + 1) == vectors ? column(2*m) : NaN) \
             with points pt full[m] ps 1.2 lc rgb colour[m] title name[m], \
         for [m = 1 : 6] table using 1:(column(2*m + 1) < vectors ? column(2*m) : NaN) \
             with points pt hollow[m] ps 1.2 lw 1.5 lc rgb colour[m] notitle
    unset output
}
