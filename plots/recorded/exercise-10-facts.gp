date = '2026-11-22'
cpu = "AMD EPYC"
threads = 2
