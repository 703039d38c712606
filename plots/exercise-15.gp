# gnuplot -c plots/exercise-15.gp FOLDER -- six preconditioners on three systems: above the residual against
# iterations, below against time, which begins with the set-up. Reads what `plot precond` writes.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-15-facts.gp"
table = folder."/exercise-15.tsv"
set datafile separator tab
array colour = [ink, blue, orange, green, purple, sky]
array dash = [3, 1, 1, 1, 4, 5]
array mark = [1, 7, 5, 9, 13, 4]
set logscale y 10
set format y "10^{%T}"
set yrange [5e-9 : 300]
set border 3

do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/exercise-15", 1350, 860)
    set multiplot title sprintf("PCG to 10^{-8}, iterations × time a step: %s, %d thread%s, %s", cpu, threads, threads > 1 ? "s" : "", date)
    do for [row = 0 : 1] {
        do for [s = 0 : 2] {
            set origin s / 3.0, row ? 0.08 : 0.51
            set size 0.333, 0.43
            set lmargin 9
            set rmargin 3.5
            set format x (row ? "10^{%T}" : "%g")
            set tmargin 2.5
            set bmargin 3.5
            set title (row ? "" : systems[s + 1])
            set xlabel (row ? "ms, set-up included" : "iteration")
            set ylabel (s ? "" : "||r|| / ||b||")
            set logscale x 10
            set xrange [*:*]
            set key off
            plot for [k = 0 : 5] table using (int($1) == s && int($2) == k ? (row ? $4 : ($3 > 0 ? $3 : NaN)) : NaN):5 \
                 with linespoints lw 2 dt dash[k + 1] pt mark[k + 1] ps 0.7 pi -8 lc rgb colour[k + 1] notitle
        }
    }
    set origin 0, 0
    set size 1, 0.08
    set lmargin 0
    set rmargin 0
    set tmargin 0
    set bmargin 0
    unset border
    unset tics
    unset xlabel
    unset ylabel
    unset title
    unset logscale
    set xrange [0 : 1]
    set yrange [0 : 1]
    set key center center maxrows 2 samplen 4 textcolor rgb ink noenhanced
    plot for [k = 0 : 5] 2 with linespoints lw 2 dt dash[k + 1] pt mark[k + 1] ps 0.9 lc rgb colour[k + 1] title kinds[k + 1]
    unset multiplot
    unset output
    set border 3
    set tics nomirror out textcolor rgb ink
    set logscale y 10
    set yrange [5e-9 : 300]
}
