# gnuplot -c plots/exercise-17-why.gp FOLDER -- six solvers on grids: above the time, below the memory, over the rows, in
# two and three dimensions. Reads what `plot why` writes.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-17-why-facts.gp"
table = folder."/exercise-17-why.tsv"
set datafile separator tab
set datafile missing NaN
array colour = [purple, yellow, ink, green, orange, blue]
array dash = [1, 2, 1, 4, 1, 1]
array mark = [1, 2, 13, 9, 5, 7]
set logscale xy 10
set xrange [100 : 1e6]
set format xy "10^{%T}"
do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/exercise-17-why", 1200, 860)
    set multiplot layout 2,2 title sprintf("Six solvers to 10^{-8}: %s, %d thread%s, %s", cpu, threads, threads > 1 ? "s" : "", date)
    do for [row = 0 : 1] {
        do for [dim = 2 : 3] {
            set lmargin 10
            set rmargin 3
            set tmargin 3
            set bmargin 3.5
            set title (row ? "" : dim == 2 ? "two dimensions" : "three dimensions")
            set xlabel (row ? "rows" : "")
            set ylabel (row ? "memory, MB" : "time, s")
            if (row == 1 && dim == 2) { set key top left Left reverse samplen 2 spacing 0.9 font ',12' textcolor rgb ink noenhanced } else { set key off }
            plot for [k = 0 : 5] table using (int($1) == dim && int($2) == k ? $3 : NaN):(row ? $6 : $5) \
                 with linespoints lw 3 dt dash[k + 1] pt mark[k + 1] ps 1 lc rgb colour[k + 1] title solvers[k + 1]
        }
    }
    unset multiplot
    unset output
}
