# awk -f plots/passes.awk TABLE -- loops as columns, vectors as lines: which loop reads (r), writes (w), or reads and writes (b)
# which vector, as SVG. TABLE, parted by tabs:
#     title   what is seen            rows    p  q  x  r ...        the vectors, from above
#     loop    name  p=r  q=w ...      bar     p.q -> alpha          a sum that later loops wait for
#     row     heading  width          begins another row of loops, each that wide in pixels
# `?` in the place of the marks leaves a column to the reader.
function text(x, y, words, more) {
    gsub(/&/, "\\&amp;", words); gsub(/</, "\\&lt;", words)
    return sprintf("<text x=\"%.0f\" y=\"%.0f\" %s>%s</text>\n", x, y, more, words)
}
function mark(x, y, kind) {
    return sprintf("<circle cx=\"%.0f\" cy=\"%.0f\" r=\"8\" fill=\"%s\" stroke=\"%s\" stroke-width=\"3\"/>\n", x, y,
        kind == "r" ? "#ffffff" : kind == "w" ? "#b04a00" : "#005f96", kind == "w" ? "#b04a00" : "#005f96")
}
function begin_row(heading) {
    if (rows_drawn++) top += 34 * vectors + 100
    if (heading != "") body = body text(12, top + 16, heading, "font-weight=\"bold\"")
    x = 76
}
BEGIN { FS = "\t"; top = 0 }
/^#/ { next }
$1 == "title" { title = $2; next }
$1 == "rows" { vectors = NF - 1; for (k = 2; k <= NF; k++) at[name[k - 1] = $k] = k - 1; next }
$1 == "row" { begin_row($2); lines[rows_drawn] = top; step = $3; next }
$1 == "loop" {
    x += step / 2
    body = body text(x, top + 46, $2, "text-anchor=\"middle\"")
    for (k = 3; k <= NF; k++) {
        if ($k == "?") { body = body text(x, top + 62 + 17 * vectors, "?", "text-anchor=\"middle\" font-size=\"26\""); continue }
        split($k, part, "=")
        if (!(part[1] in at)) { print FILENAME ":" FNR ": no vector " part[1] > "/dev/stderr"; exit 1 }
        body = body mark(x, top + 38 + 34 * at[part[1]], part[2])
    }
    end[rows_drawn] = x += step / 2
    if (x > right) right = x
    next
}
$1 == "bar" {
    body = body sprintf("<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%d\" y2=\"%d\" stroke=\"#333333\" stroke-width=\"4\"/>\n", x, x, top + 54, top + 54 + 34 * vectors)
    body = body text(x, top + 72 + 34 * vectors, $2, "text-anchor=\"middle\"")
    next
}
{ print FILENAME ":" FNR ": " $1 " is none of title, rows, row, loop, bar" > "/dev/stderr"; exit 1 }
END {
    height = top + 34 * vectors + 130; width = right + 30 > 520 ? right + 30 : 520
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"15\" fill=\"#333333\">\n", width, height, width, height
    printf "<title>%s</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", title, width, height
    for (r = 1; r <= rows_drawn; r++)
        for (k = 1; k <= vectors; k++) {
            y = lines[r] + 38 + 34 * k
            printf "%s<line x1=\"70\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#cccccc\"/>\n", text(50, y + 5, name[k], "text-anchor=\"end\""), end[r], y, y
        }
    y = height - 22
    printf "%s%s%s%s%s%s%s</svg>\n", body, mark(80, y, "r"), text(96, y + 5, "read", ""), mark(180, y, "w"),
        text(196, y + 5, "written, not read", ""), mark(370, y, "b"), text(386, y + 5, "read and written", "")
}
