cpu = "AMD EPYC"
date = '2026-11-22'
threads = 2
array systems = ['short time step', 'four coupled unknowns', 'columns of thin layers']
array kinds = ['none', 'Jacobi', 'block-Jacobi, 4', 'IC(0)', 'IC(0), Neumann 2', 'Chebyshev 4']
