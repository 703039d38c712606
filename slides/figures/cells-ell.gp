# The 6 x 6 example in ELL: every row has five places.
load "slides/figures/common.gp"
format = "ell"
set label "val" at 7.5,6.1 left textcolor rgb blue
set label "col\\_idx" at 14.1,6.1 left textcolor rgb green
set label "β = 12 entries / 30 places = 0.40" at 7.5,-1.0 left textcolor rgb orange
load "slides/figures/cells-common.gp"
