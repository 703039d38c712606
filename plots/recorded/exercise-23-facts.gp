cpu = "AMD EPYC"
date = '2026-11-22'
threads = 2
converging = "laplace3d:20"
matrix = "fem3:12"
