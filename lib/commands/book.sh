#!/bin/sh
# book.sh BUILD [PDF]: `make book`. All texts of the workbook as BUILD/pages/book.html, one page that needs no other file
# and no network, and as book.epub; where PDF is not empty, as book.pdf too, by chromium. What is in it and where:
# slides/book/book.lua. A fault stops it with a line; then what was there before is left.
pdf=$2 pages=$1/pages
fail()
{
    echo "book: $1" >&2
    exit 1
}
# shellcheck source=lib/commands/pages.sh
. lib/commands/pages.sh
needs_pandoc || fail "$why"
[ -e slides/book/book.lua ] || fail 'there is no slides/book: run make where the workbook is'
mkdir -p "$pages" 2>/dev/null && work=$(mktemp -d "$pages/.book.XXXXXX" 2>/dev/null) ||
    fail "cannot write to $pages. Name another folder for everything built: make BUILD=/some/folder book"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

sh lib/commands/exercises.sh >"$work/exercises"
# book KIND OPTION...: the book of that kind
book()
{
    kind=$1
    shift
    printf '' | pandoc -f markdown --standalone --wrap=none --mathml --toc --toc-depth=2 --lua-filter slides/book/book.lua -M exercises="$work/exercises" \
        "$@" -o "$work/book.$kind" >"$work/said" 2>&1 || {
        cat "$work/said" >&2
        exit 1
    }
}
title='Sparse Performance Workbook'
book html -t html5 --template slides/book/book.html -M pagetitle="$title" -V style="$(cat slides/book/book.css)" -V script="$(cat slides/book/book.js)"
book epub -t epub3 --epub-chapter-level=2 -M title="$title"
if [ "$pdf" ]; then print_pdf "$work/book.html" "$work/book.pdf" || echo "no PDF: $why" >&2; fi
for file in html epub pdf; do
    [ ! -s "$work/book.$file" ] || { mv "$work/book.$file" "$pages/" && echo "The book: $pages/book.$file"; } || fail "cannot write $pages/book.$file"
done
