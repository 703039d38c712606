# gnuplot -c plots/exercise-11.gp FOLDER -- where an iteration's time goes, and convergence. Reads what
# `plot cg` writes.
folder = ARG1
name = "exercise-11"
load "plots/style.gp"
load folder."/exercise-11-facts.gp"
table = folder."/exercise-11.tsv"
history = folder."/exercise-11-history.tsv"
load "plots/solver.gp"
