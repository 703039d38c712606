# plots/style.gp -- what all pictures share. Load it first; then, in the script:
#     do for [kind in "svg png"] { eval picture(kind, folder."/name"); plot ...; unset output }
# A script that says `kinds` instead of "svg png", and has a heading, can be drawn in the terminal, too: draw.sh --text.
# The colours are those of M. Okabe and K. Ito (2008), which can be told apart with any colour vision.
ink    = "#333333"
faint  = "#d9d9d9"
blue   = "#0072b2"
orange = "#d55e00"
green  = "#009e73"
purple = "#cc79a7"
yellow = "#e69f00"
sky    = "#56b4e9"
# Words need more contrast than lines: at least 4.5 on white.
blue_text   = "#005f96"
orange_text = "#b04a00"
green_text  = "#00714f"
purple_text = "#97406f"
yellow_text = "#855a00"
sky_text    = "#1b74a8"

terminal_for(kind, w, h) = kind eq "svg" ? \
    sprintf("set terminal svg size %d,%d dynamic enhanced font 'DejaVu Sans,15' background '#ffffff'", w, h) : \
    sprintf("set terminal %s size %d,%d enhanced font 'DejaVu Sans,15' background '#ffffff'", \
            strstrt(GPVAL_TERMINALS, "pngcairo") ? "pngcairo" : "png", w, h)
as_text = "set terminal dumb 79,22 mono noenhanced; set title heading; unset grid; set key off; set format y '1e%T'; set lmargin 9; set rmargin 12; set tmargin 2; set bmargin 3"
# Facts that have a text `busy` were measured on a busy machine: every picture of them says so.
busy_note(x) = exists("busy") ? "; set label 9999 busy at screen 0.988, screen 0.5 center rotate by 90 front noenhanced font ',13' textcolor rgb '#b04a00'" : ""
picture_sized(kind, name, w, h) = kind eq "text" ? as_text : terminal_for(kind, w, h)."; set output '".name.".".kind."'".busy_note(0)
picture(kind, name) = picture_sized(kind, name, 1100, 680)

if (!exists("kinds")) { kinds = "svg png" }
set encoding utf8
set border 3 lw 1.2 lc rgb ink
set tics nomirror out textcolor rgb ink
set grid lc rgb faint lw 1, lc rgb faint lw 0
set key off
set title offset 0,0.3 textcolor rgb ink noenhanced
set xlabel textcolor rgb ink
set ylabel textcolor rgb ink
set lmargin 11
set rmargin 12
set tmargin 4
set bmargin 4.5

set style line 1 lw 3 lc rgb blue   pt 7  ps 0.9
set style line 2 lw 3 lc rgb orange pt 5  ps 0.8
set style line 3 lw 3 lc rgb green  pt 9  ps 0.9
set style line 4 lw 3 lc rgb purple pt 13 ps 1.0

# The curves of the bandwidth pictures, in the order of the tables' columns.
array mix = ["load", "copy", "triad"]
array mix_text = [blue_text, orange_text, green_text]
