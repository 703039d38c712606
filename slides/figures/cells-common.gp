# The cells of a matrix and of its storage, by storage.awk; a script sets format and sort, and its labels, and loads this.
if (!exists("sort")) { sort = 0 }
unset border; unset tics; unset grid
set lmargin at screen 0; set rmargin at screen 1; set bmargin at screen 0; set tmargin at screen 1
set xrange [-0.7:20.1]; set yrange [-1.3:6.9]
set style fill transparent solid 0.18 border
set label "A, 6 × 6" at -0.5,6.1 left textcolor rgb ink
table = sprintf("< awk -v format=%s -v sort=%d -f slides/figures/storage.awk matrices/slides6.mtx", format, sort)
height = 450
eval begin
plot table using 1:($4 == 0 ? $2 : NaN):(0.46):(0.46) with boxxyerror lc rgb faint fs empty, \
     table using 1:($4 == 1 ? $2 : NaN):(0.46):(0.46) with boxxyerror lc rgb blue, \
     table using 1:($4 == 2 ? $2 : NaN):(0.46):(0.46) with boxxyerror lc rgb orange, \
     table using 1:($4 == 3 ? $2 : NaN):(0.46):(0.46) with boxxyerror lc rgb green, \
     table using 1:2:3 with labels center textcolor rgb ink
