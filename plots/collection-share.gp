# gnuplot -c plots/collection-share.gp FOLDER -- CSR and the fastest format of each matrix as shares of the limit of CSR, over the
# bytes of a product: files from the collection, and generators, which lie in memory. Reads collection.tsv and
# collection-facts.gp, which `make collection` writes.
folder = ARG1
load "plots/style.gp"
load folder."/collection-facts.gp"
table = folder."/collection.tsv"
set datafile separator tab
set title sprintf("Share of the limit of CSR: %s, %d thread%s, %s", cpu, threads, threads > 1 ? "s" : "", date)
set xlabel "bytes of a product"
set ylabel "% of the limit"
set logscale x
set format x "10^{%T}"
set rmargin 4
set yrange [0 : *]
set key top left reverse Left textcolor rgb ink samplen 2 noenhanced
file(c) = strcol(2) eq "files" ? abs(column(c)) : NaN
made(c) = strcol(2) eq "files" ? NaN : abs(column(c))
do for [kind in "svg png"] {
    eval picture(kind, folder."/collection-share")
    plot 100 with lines lw 1.5 dt (8,4) lc rgb ink notitle, \
         table using 4:(100 * file(8) / column(6)) with points pt 7 ps 0.7 lc rgb blue title "CSR, a file", \
         table using 4:(100 * made(8) / column(6)) with points pt 6 ps 1 lw 1.5 lc rgb blue title "CSR, a generator", \
         table using 4:(100 * file(10) / column(6)) with points pt 5 ps 0.6 lc rgb orange title "SELL-C-σ, a file", \
         table using 4:(100 * made(10) / column(6)) with points pt 4 ps 0.9 lw 1.5 lc rgb orange title "SELL-C-σ, a generator"
    unset output
}
