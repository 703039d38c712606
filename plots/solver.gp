# Loaded by exercise-12.gp and exercise-18.gp, with name set: left the time of each kernel, stacked, beside its
# model, plain and merged; right the residual against the iteration. The tables are those of `plot cg`
# and `plot bicgstab`.
set datafile separator tab
short(s) = strlen(s) > 25 ? s[1:24]."…" : s
set style line 9 lc rgb ink lw 1

do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/".name, 1250, 720)
    set multiplot title sprintf("%s: %s, %d thread%s, %s", method, cpu, threads, threads > 1 ? "s" : "", date)
    set origin 0, 0
    set size 0.62, 0.95
    set lmargin 9
    set rmargin 2
    set bmargin 5
    set tmargin 3.5
    set title sprintf("an iteration on %s; model: bytes / %.1f GB/s", matrix, bandwidth)
    set xrange [-0.6 : 3.6]
    set xtics ("plain,\nmeasured" 0, "plain,\nmodel" 1, "merged,\nmeasured" 2, "merged,\nmodel" 3)
    set ytics auto
    set format y "%g"
    unset logscale y
    set yrange [0 : 1.08 * most]
    unset xlabel
    set ylabel "ms"
    set style fill solid 0.35 border rgb ink
    plot for [k = 0 : 15] table using 1:(int($4) == k ? ($2 + $3) / 2 : NaN):(0.48):(($3 - $2) / 2) \
             with boxxyerror fc rgb (k % 2 ? orange : blue) fs solid (k % 2 ? 0.15 : 0.4) border lc rgb ink notitle, \
         table using 1:($3 - $2 > 0.03 * most ? ($2 + $3) / 2 : NaN):(short(strcol(5))) \
             with labels font ",10" textcolor rgb ink noenhanced notitle
    set origin 0.62, 0
    set size 0.38, 0.95
    set title sprintf("%s, %d iterations", convergence, iterations)
    set xrange [0 : (iterations > 0 ? iterations : 1)]
    set xtics auto
    set logscale y 10
    set format y "10^{%T}"
    set yrange [*:*]
    set xlabel "iteration"
    set ylabel "||r|| / ||b||"
    plot history using 1:2 with lines ls 1 notitle
    unset multiplot
    unset output
}
