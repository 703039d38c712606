cpu = "AMD EPYC"
date = '2026-11-22'
threads = 2
width = 255
array methods = ['CG', 'CG with IC(0)', 'V(2,1)', 'CG with V(1,1)']
