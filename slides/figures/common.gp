# common.gp -- what the pictures on slides share. A script slides/figures/NAME.gp loads it first, sets labels and plots;
# `out` is the file, `mine` the folder of this machine's own tables. Sizes are those of a slide: nothing below 18 px.
load "plots/style.gp"
recorded = "slides/recorded"
set datafile separator tab
set border 3 lw 1.5
unset title
set lmargin 8
set rmargin 3
set tmargin 1.2
set bmargin 3.2
width = 1128; height = 480
# The terminal is set last, when a script has chosen its height.
begin = "set terminal svg size width,height enhanced font ',21' linewidth 1 dynamic; set output out"
# The unit of y stands on top of the axis, as words.
unit(text) = sprintf("set label '%s' at graph 0, graph 1 left offset 0.8,-0.6 textcolor rgb ink", text)
