# gnuplot -c plots/exercise-23.gp FOLDER -- LOBPCG: above the residuals of ten pairs over the iterations, and
# the time of 100 iterations against the number of vectors; below the share of each phase beside its model.
# Reads exercise-23.tsv, exercise-23-time.tsv, exercise-23-phases.tsv and exercise-23-facts.gp, which
# `plot lobpcg` writes.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-23-facts.gp"
pairs = folder."/exercise-23.tsv"
times = folder."/exercise-23-time.tsv"
phases = folder."/exercise-23-phases.tsv"
set datafile separator tab
positive(y) = y > 0 ? y : NaN
array colour = [blue, orange, green, purple, yellow, sky, ink]

do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/exercise-23", 1200, 900)
    set multiplot title sprintf("LOBPCG: %s, %d thread%s, %s", cpu, threads, threads > 1 ? "s" : "", date)
    set size 0.5, 0.48
    set lmargin 10
    set rmargin 2
    set tmargin 2.5
    set bmargin 3.5
    set xtics norotate nomirror font ",13"

    set origin 0, 0.47
    set title "10 smallest pairs of ".converging
    set logscale y
    set format y "10^{%T}"
    set xlabel "iteration"
    set ylabel "||A x - {/Symbol l} x|| / |{/Symbol l}|" offset 0.5
    set key bottom left reverse Left samplen 2 font ",11" textcolor rgb ink maxrows 5
    plot for [j = 1 : 10] pairs using 1:(positive(column(j + 1))) with lines lw 2 dt 1 + (j - 1) / 7 * 1 \
         lc rgb colour[(j - 1) % 7 + 1] title sprintf("%d", j)

    set origin 0.5, 0.47
    set title "100 iterations on ".matrix
    set logscale xy
    set format y "%g"
    set xtics (4, 8, 16, 32, 48)
    set xlabel "nv, vectors"
    set ylabel "seconds"
    set key top left reverse Left samplen 2 font ",12" textcolor rgb ink maxrows 2
    plot [3.5 : 56] times using 1:3 with linespoints ls 2 title "A W as nv products", \
         times using 1:2 with linespoints ls 1 title "A W as one product"
    unset logscale
    unset xtics
    set xtics auto nomirror

    set style data histograms
    set style histogram clustered gap 1
    set style fill solid 0.85 border rgb ink
    set yrange [0 : 70]
    set xtics rotate by 20 right font ",11"
    set xlabel " "
    set key top left reverse Left samplen 1.5 font ",12" textcolor rgb ink maxrows 3
    do for [c = 2 : 3] {
        set origin 0.5 * (c - 2), 0
        set title sprintf("share of each phase, nv = %d", 2 ** (c + 2))
        if (c == 2) { set ylabel "%" } else { unset ylabel }
        first = 3 * c + 2
        plot phases using (column(first)):xtic(1) lc rgb blue title "time, measured", \
             "" using (column(first + 1)) lc rgb yellow title "by the model, max(bytes / bw, flop / P)", \
             "" using (column(first + 2)) fs pattern 2 lc rgb ink title "flops"
    }
    set style data points
    set yrange [*:*]
    set autoscale
    unset multiplot
    unset output
}
