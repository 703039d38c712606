cpu = "AMD EPYC"
date = '2026-11-22'
threads = 2
matrix = 'fem3:48'
megabytes = 311
vectors = 16
workers = 1
direct = 1
