# gnuplot -c plots/exercise-25.gp FOLDER -- published runs, joules over time and watts over efficiency; and the model of
# exercise 25, joules over clock, for the server of its page. Reads exercise-25-published.tsv and exercise-25-facts.gp.
folder = ARG1
load "plots/style.gp"
load folder."/exercise-25-facts.gp"
table = folder."/exercise-25-published.tsv"
set datafile separator tab
# vectors, efficiency, watts of a node: of Table 6, in units of Table 5
watts = "< awk -F '\t' -v OFS='\t' '$1 == 5 { s[$2, $3] = $5; J[$2, $3] = $6 + $7 } $1 == 6 && $4 == 1 { one[$2, $3] = $9 } $1 == 6 { print $3, one[$2, $3] / ($4 * $9), $10 * J[$2, $3] / ($9 * s[$2, $3] * $4) }' ".table
stats watts using ($1 == 16 ? $2 : NaN):3 name "line" nooutput

array matrix = ["AUDI", "BONE010", "F1"]
array colour = [blue, orange, green]
array colour_text = [blue_text, orange_text, green_text]
of(k) = sprintf("awk -F '\t' '$1 == 6 && $3 == 16 && $2 == \"%s\" { print $9 \"\t\" $10 \"\t\" $4 }' %s", matrix[k], table)

# GHz and flop a byte to joules a gigabyte
P0 = 100.; p = 64.; b = 100.; c = 0.4 / 9; e_mem = 0.5
joules(f, I) = P0 * (I / (p * f) > 1 / b ? I / (p * f) : 1 / b) + c * f**2 * I + e_mem
best(I) = (f = (P0 / (2 * c * p))**(1 / 3.), m = I * b / p, g = m < f ? m : f, g < 1 ? 1 : g)

do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/exercise-25", 1350, 520)
    set multiplot layout 1,3 title "LOBPCG on 1 to 128 nodes, published ".date.", and the model's server"
    set lmargin 9; set rmargin 2; set tmargin 5; set bmargin 4.5
    set title "16 vectors: joules over time"
    set logscale xy 2
    set xlabel "time / that of one node with a GPU"
    set ylabel "joules / those of that node"
    set xrange [0.25 : 16]; set yrange [4 : 1024]
    set xtics ("1/4" 0.25, "1/2" 0.5, "1" 1, "2" 2, "4" 4, "8" 8, "16" 16)
    set key top right textcolor rgb ink samplen 2
    plot for [k = 1 : 3] "< ".of(k) using 1:2 with linespoints lw 2.5 pt 7 ps 0.7 lc rgb colour[k] title matrix[k], \
         "< ".of(1)." | tail -n 1" using 1:2:(sprintf("%d nodes", $3)) with labels offset 0,1 textcolor rgb blue_text font ",13" notitle, \
         "< ".of(2)." | head -n 1" using 1:2:(sprintf("%d node", $3)) with labels offset -1,-1.1 textcolor rgb orange_text font ",13" notitle
    unset logscale
    set xtics autofreq
    set title "Watts of a node over efficiency"
    set xlabel "efficiency, t_1 / (N t_N)"
    set ylabel "W"
    set xrange [0 : 1.4]; set yrange [0 : 180]
    set key bottom right
    plot watts using ($1 == 16 ? $2 : NaN):3 with points pt 7 ps 0.7 lc rgb blue title "16 vectors", \
         watts using ($1 == 32 ? $2 : NaN):3 with points pt 6 ps 0.8 lc rgb orange title "32 vectors", \
         line_intercept + line_slope * x with lines lw 2.5 lc rgb blue title sprintf("%.0f + %.0f efficiency", line_intercept, line_slope)
    set title "The model: joules over clock"
    set xlabel "f, GHz"
    set ylabel "joules / the least of that run"
    set xrange [1 : 3.5]; set yrange [0.95 : 1.85]
    set key top right
    plot \
         joules(x, 1 / 6.) / joules(best(1 / 6.), 1 / 6.) with lines lw 3 lc rgb blue title "1/6 flop a byte", \
         joules(x, 1.) / joules(best(1.), 1.) with lines lw 3 lc rgb orange title "1 flop a byte", \
         joules(x, 64.) / joules(best(64.), 64.) with lines lw 3 lc rgb green title "64 flop a byte"
    unset multiplot
    unset output
}
