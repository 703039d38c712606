# gnuplot -c plots/exercise-19.gp FOLDER -- residual against bytes moved, for conjugate gradients in double, in
# float, and in float with refinement. Reads exercise-19.tsv, which `plot mixed` writes.
folder = ARG1
load "plots/style.gp"
table = folder."/exercise-19.tsv"
set datafile separator tab

set title "Conjugate gradients on fem1:24: float alone stagnates, refinement goes on"
set xlabel "bytes moved by the model, GB"
set ylabel "||r|| / ||b||" noenhanced
set logscale y
set format y "10^{%L}"
set yrange [1e-13 : 10]
set xrange [0 : *]
set rmargin 4
set key top right reverse Left textcolor rgb ink samplen 3

do for [kind in "svg png"] {
    eval picture(kind, folder."/exercise-19")
    plot table index 0 using 3:4 with linespoints ls 1 pointinterval 10 title "all double", \
         table index 2 using 3:4 with linespoints ls 2 pointinterval 10 title "all float", \
         table index 1 using 3:4 with linespoints ls 3 pointinterval 10 title "float, refined in double"
    unset output
}
