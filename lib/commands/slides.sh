#!/bin/sh
# slides.sh BUILD [PDF]: `make slides`. The chapters slides/NN-*.md become BUILD/pages/slides.html and, each alone,
# slides-NN-*.html beside it: pages that need no network and no other file. PDF: slides.pdf and slides-notes.pdf, too.
# How a chapter is written: slides/README.md. A fault stops it with file, slide and reason; then nothing is written.
build=$1 pdf=$2 pages=$1/pages
# pandoc calls awk with UTF-8 only where the locale knows it.
case ${LC_ALL:-${LC_CTYPE:-${LANG-}}} in *[Uu][Tt][Ff]*) ;; *) LC_ALL=C.UTF-8 && export LC_ALL ;; esac
die() { echo "slides: $*" >&2; exit 1; }

. lib/commands/pages.sh
needs_pandoc || die "$why."
command -v gnuplot >/dev/null 2>&1 || die 'gnuplot is not installed, which draws the figures. Type make setup, or install it.'
[ -e slides/deck.html ] || die "there is no slides/deck.html: is this the tree of the workbook?"
mkdir -p "$pages" 2>/dev/null && work=$(mktemp -d "$pages/.slides.XXXXXX" 2>/dev/null) ||
    die "cannot write to $pages. Name another folder: make slides BUILD=/some/folder"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# {{cg}} is the number of the exercise cg, {{cg/}} its folder, {{cg minutes}} its minutes: so no number can be wrong.
sh lib/commands/exercises.sh >"$work/exercises.tsv"
for chapter in slides/[0-9][0-9]-*.md; do
    printf '\n\n<!-- chapter %s -->\n\n' "$chapter"
    awk -F '\t' -v file="$chapter" '
        NR == FNR { slug = $1; sub(/^[0-9]+-/, "", slug); is[slug] = $2; is[slug "/"] = $3; is[slug " minutes"] = $6; next }
        {
            line = $0; out = ""
            while ((at = index(line, "{{")) && (end = index(line, "}}")) > at) {
                what = substr(line, at + 2, end - at - 2)
                if (!(what in is)) {
                    printf "slides: %s, line %d: {{%s}} names no exercise\n", file, FNR, what >"/dev/stderr"
                    exit 83
                }
                out = out substr(line, 1, at - 1) is[what]
                line = substr(line, end + 2)
            }
            print out line
        }' "$work/exercises.tsv" "$chapter" || exit 83
done >"$work/deck.md" || exit 1

# Figures that a chapter asks for, each from its script. This machine's own where it was measured.
mine='' without='it was not measured yet (make machine)'
[ -e "$build/plots/machine-facts.gp" ] && mine=$build/plots
for record in "$build"/records/[0-9]*.json; do
    [ -e "$record" ] || continue
    awk -f lib/judge/record.awk -v rows=parts -v columns='flop load store seconds' "$record" 2>/dev/null |
        awk -F '\t' -v OFS='\t' -v n="$(basename "$record" .json)" '$4 > 0 && $1 > 0 { print n, $1 / ($2 + $3), $1 / $4 / 1e9 }'
done >"$work/points.tsv"
for name in $(sed -n 's/.*(figure:\([A-Za-z0-9-]*\)).*/\1/p' "$work/deck.md" | sort -u); do
    [ -e "slides/figures/$name.gp" ] || die "there is no slides/figures/$name.gp, which a chapter asks for"
    case $name in mine-*) [ "$mine" ] || continue ;; esac
    gnuplot -e "name = '$name'; out = '$work/$name.svg'; mine = '$mine'; mine_points = '$work/points.tsv'" "slides/figures/$name.gp" >"$work/said" 2>&1
    drawn=$?
    [ -s "$work/$name.svg" ] || drawn=1
    case "$name $drawn" in
        *' 0') ;;
        mine-*) mine='' && without="its figures in $build/plots are damaged; to measure again: make machine" ;;
        *) die "slides/figures/$name.gp: $(grep -v '^ *^*$' "$work/said" | tail -n 1)" ;;
    esac
done

# shellcheck disable=SC2086
pandoc --quiet -f markdown-auto_identifiers-implicit_figures -t html5 --standalone --mathml --template slides/deck.html \
    --lua-filter slides/deck.lua -M title='Performance of sparse solvers' -M figures="$work" \
    -M exercises="$work/exercises.tsv" ${mine:+-M mine=yes} \
    -V style="$(cat slides/deck.css)" -V script="$(cat slides/deck.js)" "$work/deck.md" -o "$work/slides.html" || exit

# A page for each chapter: what stands between its mark and the next. A link to a slide of another leads to slides.html.
awk -v folder="$work" '
    NR == FNR {
        if (/^<!-- chapter /) { n++; name = $3; sub(/.*\//, "", name); sub(/\.md$/, "", name); file[n] = folder "/slides-" name ".html" }
        else if (!n) head = head $0 "\n"
        else if (/^<\/main>/) tail = "-"
        if (tail != "") foot = foot $0 "\n"
        else if (n && match($0, /<section id="[^"]*"/)) home[substr($0, RSTART + 13, RLENGTH - 14)] = n
        next
    }
    /^<!-- chapter / { k++; printf "%s", head >file[k] }
    /^<\/main>/ { exit }
    k {
        line = $0; out = ""
        while (match(line, /href="#[^"]*"/)) {
            id = substr(line, RSTART + 7, RLENGTH - 8)
            out = out substr(line, 1, RSTART - 1) "href=\"" (id in home && home[id] != k ? "slides.html" : "") "#" id "\""
            line = substr(line, RSTART + RLENGTH)
        }
        print out line >file[k]
    }
    END { for (k = 1; k <= n; k++) printf "%s", foot >file[k] }' "$work/slides.html" "$work/slides.html" || exit 1

if [ "$pdf" ]; then
    print_pdf "$work/slides.html" "$work/slides.pdf" && print_pdf "$work/slides.html" "$work/slides-notes.pdf" '?notes' ||
        die "no PDF: $why (key p). make slides, without PDF=1, makes the page."
    mv "$work"/*.pdf "$pages/"
fi
rm -f "$pages"/slides-[0-9]*.html
mv "$work"/slides*.html "$pages/"
slides=$(grep -c '<section id=' "$pages/slides.html")
echo "$pages/slides.html: $slides slides; each chapter alone: slides-NN-*.html beside it. Open it in a browser; ? shows the keys."
[ "$mine" ] || echo "This machine is not on the slides: $without."
