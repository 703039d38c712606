# This machine's roofline (make machine), and in it the kernels that were judged here, with the numbers of their exercises.
facts = mine."/machine-facts.gp"
points = mine_points
load "slides/figures/roofline.gp"
