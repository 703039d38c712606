# awk -f plots/cells.awk TABLE -- arrays and matrices as cells, as SVG. TABLE, parted by tabs, lengths in cells, y downwards:
#     title  what is seen        size  width  height        text  x  y  words  [bold]     arrow  x1 y1 x2 y2
#     cells  x  y  kind  word word ...                      one cell after the other; kind: a letter for all of them
#     each   x  y  kinds word word ...                      a letter for each cell, as in abba
# Kinds: . border only, 0 nothing, a to f colours, p padding. A word - leaves a cell empty.
function say(x, y, words, more) {
    gsub(/&/, "\\&amp;", words); gsub(/</, "\\&lt;", words)
    printf "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>\n", x, y, more, words
}
function cell(x, y, kind, word) {
    if (kind == "0") return
    if (!(kind in fill)) { print FILENAME ":" FNR ": no kind " kind > "/dev/stderr"; exit 1 }
    printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" stroke=\"#777777\"%s/>\n", x * u + 1, y * v + 1, u - 2, v - 2,
        fill[kind], kind == "p" ? " stroke-dasharray=\"3 3\"" : ""
    if (word != "-" && word != "") say((x + 0.5) * u, (y + 0.5) * v + 5, word, "text-anchor=\"middle\"")
}
BEGIN {
    FS = "\t"; u = 44; v = 30
    fill["."] = "#ffffff"; fill["p"] = "#eeeeee"; fill["a"] = "#cfe6f5"; fill["b"] = "#fbdcc4"; fill["c"] = "#c9ecdf"
    fill["d"] = "#f3dceb"; fill["e"] = "#fbe9c3"; fill["f"] = "#dfe3e8"
}
/^#/ { next }
$1 == "title" { title = $2; next }
$1 == "size" {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"14\" fill=\"#333333\">\n<title>%s</title>\n", $2 * u, $3 * v, $2 * u, $3 * v, title
    print "<defs><marker id=\"head\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#005f96\"/></marker></defs>"
    printf "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", $2 * u, $3 * v
    next
}
$1 == "cells" { for (k = 5; k <= NF; k++) cell($2 + k - 5, $3, $4, $k); next }
$1 == "each" { for (k = 5; k <= NF; k++) cell($2 + k - 5, $3, substr($4, k - 4, 1), $k); next }
$1 == "text" { say($2 * u, $3 * v, $4, $5 == "bold" ? "font-weight=\"bold\"" : ""); next }
$1 == "arrow" { printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#005f96\" stroke-width=\"2\" marker-end=\"url(#head)\"/>\n", $2 * u, $3 * v, $4 * u, $5 * v; next }
{ print FILENAME ":" FNR ": " $1 " is none of title, size, cells, each, text, arrow" > "/dev/stderr"; exit 1 }
END { print "</svg>" }
