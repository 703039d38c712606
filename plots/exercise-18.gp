# gnuplot -c plots/exercise-18.gp FOLDER -- where an iteration's time goes, and convergence. Reads what
# `plot bicgstab` writes.
folder = ARG1
name = "exercise-18"
load "plots/style.gp"
load folder."/exercise-18-facts.gp"
table = folder."/exercise-18.tsv"
history = folder."/exercise-18-history.tsv"
load "plots/solver.gp"
