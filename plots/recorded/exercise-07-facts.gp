cpu = "AMD EPYC"
date = '2026-11-22'
threads = 2
matrices = "uneven:1000000 powerlaw:30000 laplace2d:1000"
