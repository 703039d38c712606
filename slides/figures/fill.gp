# Fill-in: the lower triangle of the 5-point Laplacian on 8 x 8 points and its Cholesky factor. Computed by fill.awk.
load "slides/figures/common.gp"
counts = system("awk -v n=8 -f slides/figures/fill.awk | tail -n 1 | tr -d '#'")
unset border; unset tics; unset grid
set lmargin at screen 0; set rmargin at screen 1; set bmargin at screen 0; set tmargin at screen 1
set xrange [-2:150]; set yrange [66:-2]
table = "< awk -v n=8 -f slides/figures/fill.awk"
set label "A, below and on the diagonal" at 22, 4 left textcolor rgb blue
set label sprintf("%d entries", int(word(counts, 1))) at 22, 9 left textcolor rgb blue
set label "its factor L" at 102, 4 left textcolor rgb orange
set label sprintf("%d entries", int(word(counts, 2))) at 102, 9 left textcolor rgb orange
height = 450
eval begin
plot table using ($3 == 1 ? $1 : NaN):2 with points pt 5 ps 0.75 lc rgb blue, \
     table using ($3 == 1 ? $1 + 80 : NaN):2 with points pt 5 ps 0.75 lc rgb blue, \
     table using ($3 == 2 ? $1 + 80 : NaN):2 with points pt 5 ps 0.75 lc rgb orange
