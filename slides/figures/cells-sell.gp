# The 6 x 6 example in SELL with chunks of two rows.
load "slides/figures/common.gp"
format = "sell"
set label "val" at 7.5,6.1 left textcolor rgb blue
set label "col\\_idx" at 14.1,6.1 left textcolor rgb green
do for [k = 0:2] { set arrow from 7.25,2*k - 0.4 to 7.25,2*k + 1.4 nohead lw 5 lc rgb orange }
set label "chunks begin at 0, 10, 14; end: 16" at 7.5,-1.0 left textcolor rgb ink
set label "β = 12 / 16 = 0.75" at 15,-1.0 left textcolor rgb orange
load "slides/figures/cells-common.gp"
