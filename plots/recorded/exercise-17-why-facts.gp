cpu = "AMD EPYC"
date = '2026-11-22'
threads = 2
array solvers = ['Jacobi', \
'Gauss-Seidel', \
'CG', \
'CG with IC(0)', \
'V(2,1)', \
'sparse Cholesky']
