cpu = "AMD EPYC"
date = '2026-11-22'
threads = 2
