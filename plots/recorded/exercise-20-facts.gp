cpu = "AMD EPYC"
date = '2026-11-22'
threads = 2
name0 = "laplace2d:1000x1600"
fits0 = 15
name1 = "laplace3d:100"
fits1 = 1
matrices = 2
