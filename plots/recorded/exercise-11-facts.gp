cpu = "AMD EPYC"
date = '2026-11-23'
threads = 2
