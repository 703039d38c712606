cpu = "AMD EPYC"
date = '2026-11-23'
matrix = "stencil27:12"
solver = "cg"
text = "converged in 18 iterations"
tolerance = 1e-08
true_residual = 3.60937e-09
iterations = 18
