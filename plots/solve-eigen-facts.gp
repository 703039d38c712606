cpu = "AMD EPYC"
date = '2026-11-23'
matrix = "laplace3d:9x8x7"
solver = "lobpcg, smallest, jacobi"
text = "4 pairs converged in 49 iterations"
tolerance = 1e-09
nv = 4
iterations = 49
