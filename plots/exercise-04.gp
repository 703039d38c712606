# gnuplot -c plots/exercise-04.gp FOLDER -- which sectors a warp touches, a row for each way of reading.
# Reads exercise-04.tsv and exercise-04-words.tsv, which `plot sectors` writes. A frame of four
# doubles is a sector that is moved; the filled ones are used. The figure at the right: sectors a request.
folder = ARG1
load "plots/style.gp"
table = folder."/exercise-04.tsv"
words = folder."/exercise-04-words.tsv"
set datafile separator tab
stats table using 4 nooutput
n = STATS_records

set title "Sectors of 32 bytes that one request of a warp for 32 doubles moves (modelled)"
set xlabel "sectors touched, in order of address; filled: doubles that a lane reads"
set xrange [-0.3 : 36]
set yrange [n - 0.4 : -0.6]
set xtics 0, 4, 32 scale 0
set ytics noenhanced scale 0
set border 0
set grid noxtics noytics
set lmargin 17
set rmargin 3
set style fill solid 1 noborder

do for [kind in "svg png"] {
    eval picture_sized(kind, folder."/exercise-04", 1100, 60 * n + 180)
    plot words using ($2 + 0.12 + 0.22 * $3):1:(0.09):(0.3) with boxxyerror lc rgb faint, \
         words using ($4 > 0 ? $2 + 0.12 + 0.22 * $3 : NaN):1:(0.09):(0.3) \
             with boxxyerror lc rgb blue, \
         table using (34.6):0:(sprintf("%.2f", $4)):ytic(1) with labels tc rgb ink
    unset output
}
