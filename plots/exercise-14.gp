# gnuplot -c plots/exercise-14.gp FOLDER -- where an iteration's time goes, and convergence. Reads what
# `plot bicgstab` writes.
folder = ARG1
name = "exercise-14"
load "plots/style.gp"
load folder."/exercise-14-facts.gp"
table = folder."/exercise-14.tsv"
history = folder."/exercise-14-history.tsv"
load "plots/solver.gp"
