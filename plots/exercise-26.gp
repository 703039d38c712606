# gnuplot -c plots/exercise-26.gp FOLDER -- an iteration of CG over ranks, weak and strong: lines are predicted, points are run
# on the modelled clock. Reads exercise-26.tsv and exercise-26-facts.gp, which `plot scaling` writes.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-26-facts.gp"
table = folder."/exercise-26.tsv"
set datafile separator tab
set logscale x 2
set xrange [0.8 : 1300]
set xtics (1, 4, 16, 64, 256, 1024)
set xlabel "ranks"
stats table using ($1 == 1 && $2 == 1 ? $4 : NaN) name "one" nooutput

do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/exercise-26", 1250, 520)
    set multiplot layout 1,2 title "An iteration of CG, 27 points: lines predicted, points run on the modelled clock; nothing is measured"
    set lmargin 10; set rmargin 4; set tmargin 4; set bmargin 4.5
    set title "weak: 16 x 16 x 16 points a rank"
    set ylabel "µs"
    set yrange [0 : 1000]
    set key top left Left reverse textcolor rgb ink samplen 2
    plot table using 2:($1 == 0 ? 1e6 * $6 : NaN) with lines ls 2 title "slow: 25 µs, 1.25 GB/s", \
         table using 2:($1 == 0 ? 1e6 * $7 : NaN) with points ls 2 ps 0.9 notitle, \
         table using 2:($1 == 0 ? 1e6 * $4 : NaN) with lines ls 1 title "fast: 1 µs, 12.5 GB/s", \
         table using 2:($1 == 0 ? 1e6 * $5 : NaN) with points ls 1 notitle
    set title "strong: 256 x 128 x 128 points in all"
    unset ylabel
    set logscale y
    set yrange [70 : 200000]
    set key bottom left Left reverse
    plot one_max * 1e6 / x with lines lw 2 dt (12,5) lc rgb ink title "time of one rank / ranks", \
         table using 2:($1 == 1 ? 1e6 * $6 : NaN) with lines ls 2 notitle, \
         table using 2:($1 == 1 ? 1e6 * $7 : NaN) with points ls 2 ps 0.9 notitle, \
         table using 2:($1 == 1 ? 1e6 * $4 : NaN) with lines ls 1 notitle, \
         table using 2:($1 == 1 ? 1e6 * $5 : NaN) with points ls 1 notitle
    unset multiplot
    unset output
    unset logscale y
}
