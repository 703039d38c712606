cpu = "AMD EPYC"
date = '2026-11-22'
threads = 1
memory = 38.56
matrices = 139
busy = 'BUSY: others had more than 5 % of the processors'
