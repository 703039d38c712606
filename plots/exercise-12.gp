# gnuplot -c plots/exercise-12.gp FOLDER -- where an iteration's time goes, and convergence. Reads what
# `plot cg` writes.
folder = ARG1
name = "exercise-12"
load "plots/style.gp"
load folder."/exercise-12-facts.gp"
table = folder."/exercise-12.tsv"
history = folder."/exercise-12-history.tsv"
load "plots/solver.gp"
