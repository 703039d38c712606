# gnuplot -c plots/exercise-09-warp.gp FOLDER -- which sectors of x the lanes of a warp touch at once, in CSR by
# warp, SELL and SELL-P. Reads exercise-09-panels.tsv and exercise-09-warp.tsv.
folder = ARG1
load "plots/style.gp"
name = "exercise-09"
heading = "One request for x: which lane touches which sector (27-point stencil)"
load "plots/warp.gp"
