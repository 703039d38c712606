# gnuplot -c plots/exercise-07.gp FOLDER -- SELL-C-sigma: above the share of entries among the stored
# elements, beta, below the speed against the plain CSR loop, both over sigma, a line for each C.
# Reads exercise-07.tsv and exercise-07-facts.gp, which `plot sell` writes. Dotted: what the
# speed would be if both kernels were at the roof, for the largest C.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-07-facts.gp"
table = folder."/exercise-07.tsv"
set datafile separator tab
n = words(matrices)
array height = [4, 8, 32, 64]
array mark = [9, 7, 5, 13]
array colour = [sky, blue, orange, purple]

stats table using 10 nooutput
fastest = STATS_max > 1.2 ? STATS_max : 1.2
place(sigma) = sigma == 1 ? 0 : log(sigma) / log(4) - 2 # 1, 64, 256, ... side by side
set xrange [-0.3 : 5.3]
set xtics ("1" 0, "64" 1, "256" 2, "1024" 3, "4096" 4, "16384" 5) font ",12" nomirror
set style line 9 lc rgb ink lw 2.5 dt 3

do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/exercise-07", n > 1 ? 400 * n + 60 : 620, 800)
    set multiplot layout 2,n columnsfirst \
        title sprintf("SELL-C-{/Symbol s}: %s, %d thread%s, %s\nbelow, dotted: what the bytes alone would give for C = 64", \
                      cpu, threads, threads > 1 ? "s" : "", date)
    do for [m = 1 : n] {
        name = word(matrices, m)
        set lmargin 9
        set rmargin 3
        set tmargin 2.5
        set bmargin 3.5
        set title name
        set yrange [0 : 1.05]
        unset xlabel
        if (m == 1) { set ylabel "{/Symbol b} = entries / stored elements" } else { unset ylabel }
        if (m == 1) { set key bottom right reverse Left textcolor rgb ink samplen 2 } else { set key off }
        plot for [h = 1 : 4] table using (strcol(1) eq name && $4 == height[h] ? place($5) : NaN):7 \
             with linespoints lw 2.5 pt mark[h] ps 1.1 lc rgb colour[h] title sprintf("C = %d", height[h])
        unset title
        set tmargin 1
        set bmargin 4.5
        set yrange [0 : 1.1 * fastest]
        set xlabel "{/Symbol s}, rows of a window"
        if (m == 1) { set ylabel "times as fast as CSR" } else { unset ylabel }
        set key off
        plot for [h = 1 : 4] table using (strcol(1) eq name && $4 == height[h] ? place($5) : NaN):10 \
             with linespoints lw 2.5 pt mark[h] ps 1.1 lc rgb colour[h] notitle, \
             table using (strcol(1) eq name && $4 == 64 ? place($5) : NaN):11 with lines ls 9
    }
    unset multiplot
    unset output
}
