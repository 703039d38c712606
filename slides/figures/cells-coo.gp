# The 6 x 6 example in COO: three arrays of twelve.
load "slides/figures/common.gp"
format = "coo"
set label "row\\_idx" at 7.5,5.6 left textcolor rgb green
set label "col\\_idx" at 7.5,3.6 left textcolor rgb green
set label "val" at 7.5,1.6 left textcolor rgb blue
set label "12 × (4 + 4 + 8) bytes = 192 bytes" at 7.5,-0.6 left textcolor rgb ink
load "slides/figures/cells-common.gp"
