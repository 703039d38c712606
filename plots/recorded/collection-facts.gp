cpu = "AMD EPYC"
date = '2026-11-23'
threads = 2
memory = 56.19
matrices = 139
