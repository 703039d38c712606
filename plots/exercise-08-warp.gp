# gnuplot -c plots/exercise-08-warp.gp FOLDER -- which sectors of val the lanes of a warp touch at once, in CSR
# by thread, CSR by warp, and SELL. Reads exercise-08-panels.tsv and exercise-08-warp.tsv.
folder = ARG1
load "plots/style.gp"
name = "exercise-08"
heading = "One request for val: which lane touches which sector (27-point stencil)"
load "plots/warp.gp"
