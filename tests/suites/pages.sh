#!/bin/sh
# The pages: what make report makes of an invented learner's records (tests/pages/learner.sh), and the book.
. tests/tap.sh
export HOME=/Users/somebody
have() { command -v "$1" >/dev/null 2>&1; }

# report STATE: the page of that folder, into $page; what was said into $tap_work/said
report()
{
    page=$tap_work/$1/build/pages/report.html
    sh lib/commands/report.sh "$tap_work/$1/progress.tsv" "$tap_work/$1/build" >"$tap_work/said" 2>&1
}

# One file that asks nobody for anything, of valid HTML, without a path or a name of this machine.
whole_page()
{
    grep -nE '<(link|script|iframe|img)|@import|url\(|src=|(href|action)="[^#"]|/Users/|somebody' "$page" && return 1
    grep -nE '[^a-z](nan|inf|NaN)[^a-z]' "$page" && return 1
    valid_page
}

# Links lead somewhere, figures have words, the HTML is valid.
valid_page()
{
    for id in $(grep -o 'href="#[^"]*"' "$page" | sed 's/.*#//; s/"//' | sort -u); do
        grep -q "id=\"$id\"" "$page" || { echo "a link to #$id leads nowhere"; return 1; }
    done
    [ "$(grep -c '<svg' "$page")" = "$(grep -c '<svg.*role="img" aria-label="[^"]' "$page")" ] || { echo 'a figure without words'; return 1; }
    if have tidy; then tidy -q -e "$page" || return 1; fi
}

none()
{
    mkdir -p "$tap_work/none"
    report none && whole_page && grep -q '<h1>0 of ' "$page" && grep -q 'make exercise-1<' "$page" && grep -q 'make machine' "$page"
}

one()
{
    sh tests/pages/learner.sh "$tap_work/one" 6 && report one && whole_page && grep -q '<h1>1 of ' "$page" &&
        [ "$(grep -c '<section class="one"' "$page")" = 1 ] && grep -q 'peak 239 Gflop/s' "$page" && grep -q 'got &lt;7718&gt;, expected 0 &amp; no more' "$page"
}

every()
{
    sh tests/pages/learner.sh "$tap_work/all" && begin=$(date +%s) && report all && [ $(($(date +%s) - begin)) -le 5 ] && whole_page || return 1
    exercises=$(sh lib/commands/exercises.sh | wc -l)
    [ "$(grep -c '<section class="one"' "$page")" = "$exercises" ] && grep -q 'All exercises have passed' "$page" &&
        [ "$(grep -c '<table class="traffic">' "$page")" -ge 9 ] && [ "$(grep -c '<circle class="dot' "$page")" -gt "$exercises" ] || return 1
    # the page says what the history says
    awk -F '\t' '$2 == "6" && NF > 13' "$tap_work/all/progress.tsv.history" | tail -n 1 | cut -f 24 >"$tap_work/share"
    sed -n '/ id="e6"/,/ id="e6-gpu"/p' "$page" | grep -q "<b>$(awk '{ printf "%.0f %%", 100 * $1 }' "$tap_work/share")</b>"
}

damaged()
{
    cp -r "$tap_work/all" "$tap_work/bad" && cd "$tap_work/bad" || return 1
    printf '6\tpas' >>progress.tsv
    sed -i '5s/.*/garbage\t<b>/; 9s/\t[a-z]*/\tx/' progress.tsv.history
    printf '2026-11-2' >>progress.tsv.history
    head -c 300 build/records/6.json >short && mv short build/records/6.json
    echo '{"spw_record": 9}' >build/records/7.json
    sed -i 's/^stair	16384.*/stair	16384	x/' build/machine.tsv
    cd - >/dev/null || return 1
    report bad && whole_page || return 1
    cat "$tap_work/said"
    [ "$(wc -l <"$tap_work/said")" = 6 ] || return 1
    for words in 'progress.tsv:[0-9]*: a damaged line, left out' 'records/6.json is damaged, left out' 'records/7.json is damaged, left out' \
        'progress.tsv.history:5: the first of 3 damaged lines, all left out' "the machine's figures are damaged and left out; to measure again: make machine"; do
        grep -q "$words\$" "$tap_work/said" && grep -q "$words<" "$page" || { echo "not said: $words"; return 1; }
    done
}

# Nothing half-written: where the page cannot be made, the one before is left.
kept()
{
    cp "$tap_work/one/build/pages/report.html" "$tap_work/before"
    mkdir "$tap_work/awk" && printf '#!/bin/sh\nprintf half\nexit 1\n' >"$tap_work/awk/awk" && chmod +x "$tap_work/awk/awk"
    if PATH=$tap_work/awk:$PATH report one; then echo 'no failure was told'; return 1; fi
    cmp "$tap_work/before" "$page" && [ -z "$(find "$tap_work/one/build/pages" -name '*.partial')" ] || return 1
    : >"$tap_work/file"
    if sh lib/commands/report.sh "$tap_work/none/progress.tsv" "$tap_work/file" >"$tap_work/said" 2>&1; then return 1; fi
    cat "$tap_work/said"
    [ "$(wc -l <"$tap_work/said")" = 1 ] && grep -q '^cannot write to .*/file/pages' "$tap_work/said"
}

# --- the book ---
book() { sh lib/commands/book.sh "$tap_work/book" >"$tap_work/said" 2>&1; }

book_is_built()
{
    page=$tap_work/book/pages/book.html
    begin=$(date +%s)
    book || { cat "$tap_work/said"; return 1; }
    echo "$(($(date +%s) - begin)) s"
    grep -nE '<(link|iframe)|@import|url\(|src="[^d]|src="d[^a]|href="[^#h]|href="h[^t]' "$page" && return 1
    valid_page
}

# Every text is in it: each title as a heading, each exercise, its hints and its answers, and the pages of theory.
book_is_whole()
{
    awk -F '\t' '$2 !~ /gpu/ { print $2, $3 }' <<END >"$tap_work/exercises"
$(sh lib/commands/exercises.sh)
END
    sed 's/<[^>]*>//g; s/\xc2\xa0/ /g' "$page" >"$tap_work/words"
    while read -r number folder; do
        for id in "exercise-$number" "hints-$number" "answers-$number" "hint-$number-3"; do
            grep -q "id=\"$id\"" "$page" || { echo "no #$id"; return 1; }
        done
        for text in "exercises/$folder"/*.md "solutions/$folder"/*.md; do
            case $text in */hints*) words=$(sed -n 's/^## //p' "$text" | sed -n 1p) ;; *) words=$(sed -n '1s/^# *//p' "$text") ;; esac
            grep -qF "$(printf %s "$words" | tr -d '`' | sed 's/&/\&amp;/g; s/</\&lt;/g')" "$tap_work/words" || { echo "$text is not in the book: $words"; return 1; }
        done
    done <"$tap_work/exercises"
    for text in exercises/*.md solutions/*.md; do grep -qF "$(sed -n '1s/^# *//p' "$text")</h" "$page" || { echo "$text is not in the book"; return 1; }; done
    pictures=$(cat README.md exercises/*.md exercises/*/*.md solutions/*.md solutions/*/*.md | grep -c '^!\[')
    [ "$(grep -c '<img' "$page")" = "$pictures" ] || { echo "not $pictures pictures"; return 1; }
    [ "$(grep -c '<math display="block"' "$page")" -ge 8 ] || { echo 'no formulas'; return 1; }
    pandoc -f epub -t plain "$tap_work/book/pages/book.epub" | grep -q '^Words and symbols$\|^WORDS AND SYMBOLS$' || { echo 'the EPUB is not whole'; return 1; }
}

# Its chapters are XML, and its links lead somewhere.
epub_is_valid()
{
    unzip -q "$tap_work/book/pages/book.epub" -d "$tap_work/epub" && xmllint --noout --nonet "$tap_work"/epub/EPUB/text/*.xhtml || return 1
    grep -ho 'href="[^"]*#[^"]*"' "$tap_work"/epub/EPUB/text/*.xhtml "$tap_work/epub/EPUB/nav.xhtml" | grep -v http | sed 's/.*#//; s/"//' | sort -u >"$tap_work/hrefs"
    cat "$tap_work"/epub/EPUB/text/*.xhtml "$tap_work/epub/EPUB/nav.xhtml" | grep -o ' id="[^"]*"' | sed 's/ id="//; s/"//' | sort -u | comm -23 "$tap_work/hrefs" - | sed 's/^/a link of the EPUB leads nowhere: /' >"$tap_work/dead"
    cat "$tap_work/dead"
    [ ! -s "$tap_work/dead" ]
}

# fault WORDS COMMAND...: a copy of the tree in which COMMAND was done has no book, says why in one line, and keeps the old one.
fault()
{
    words=$1
    shift
    rm -rf "$tree/exercises" "$tree/README.md"
    cp -r exercises README.md "$tree"
    (cd "$tree" && "$@") || return 1
    if (cd "$tree" && sh lib/commands/book.sh out) >"$tap_work/said" 2>&1; then echo 'the book was made'; return 1; fi
    cat "$tap_work/said"
    grep -qF "$words" "$tap_work/said" && [ "$(wc -l <"$tap_work/said")" = 1 ] && [ "$(ls -A "$tree/out/pages")" = book.html ]
}
append() { printf '\n%s\n' "$1" >>exercises/06-spmv-csr/README.md; }
parts_without_the_first() { sed '/^1	/d' exercises/parts.tsv >other && mv other exercises/parts.tsv; }
# program NAME WORDS: a folder with a program of that name that says these words
program() { mkdir -p "$tap_work/$1" && printf '#!/bin/sh\necho "%s"\n' "$2" >"$tap_work/$1/$1" && chmod +x "$tap_work/$1/$1"; }

faults_of_the_book()
{
    tree=$tap_work/tree
    mkdir -p "$tree/out/pages" && echo old >"$tree/out/pages/book.html"
    for shared in lib solutions slides matrices plots tests LICENSE Makefile; do ln -s "$PWD/$shared" "$tree/$shared"; done
    fault 'the link none.md leads nowhere' append '[a](none.md)' &&
        fault 'a link leads to #e7-none, which is not in the book' append '[a](../07-ell-sell/README.md#none)' &&
        fault 'has no words for those who cannot see it' append '![](../part-1-machine.svg)' &&
        fault 'no file exercises/06-spmv-csr/none.svg' append '![a](none.svg)' &&
        fault 'exercise 1 is in no part' parts_without_the_first || return 1
    # without pandoc, or with an old one
    program pandoc 'pandoc 2.9.2.1'
    PATH=$tap_work/pandoc:$PATH fault 'pandoc 2.9 is older than 2.17' true || return 1
    [ "$(cat "$tree/out/pages/book.html")" = old ]
}
no_programs()
{
    mkdir -p "$tap_work/few"
    for name in sh sed awk mktemp rm mkdir cat grep mv ls; do ln -sf "$(command -v $name)" "$tap_work/few/$name"; done
    if PATH=$tap_work/few book; then return 1; fi
    cat "$tap_work/said"
    [ "$(cat "$tap_work/said")" = 'book: pandoc is not installed, which makes pages of the texts. Type make setup, which installs it' ]
}

# in_browser NAME PAGE [MODE...]: no fault by tests/pages/page.js
in_browser()
{
    browsed=$1
    shift
    if have chromium; then check "$browsed" sh tests/pages/page.sh "$@"; else skip "$browsed" 'chromium is not installed'; fi
}
# The test of this test: every fault is found.
browser_finds_faults()
{
    cat >"$tap_work/bad.html" <<'END'
<!DOCTYPE html><html lang="en"><head><title>bad</title></head><body><p style="color:#999">pale</p><p><a href="#none">a</a><img src="none.png" alt="">
<svg viewBox="0 0 100 50" width="100" height="50"><text x="10" y="20">one</text><text x="12" y="22">two</text><text x="90" y="40">outside</text></svg></p>
<pre style="width:2000px">wide</pre></body></html>
END
    sh tests/pages/page.sh "$tap_work/bad.html" light >"$tap_work/found" && { echo 'no fault was found'; return 1; }
    for words in 'contrast' 'dead link #none' 'a picture without words' 'an empty picture' 'a figure without words' 'words over words: one and two' \
        'outside the figure: outside' 'the page is wider'; do
        grep -qF "light: $words" "$tap_work/found" || { echo "not found: $words"; cat "$tap_work/found"; return 1; }
    done
}

check 'the report before any exercise' none
check 'the report after one exercise, with what is special in HTML' one
check 'the report after all exercises, in 5 s' every
check 'what is damaged is left out, and said in a line each' damaged
check 'a report that fails leaves the one before' kept
if have chromium; then check 'faults of a page are found in the browser' browser_finds_faults
else skip 'faults of a page are found in the browser' 'chromium is not installed'; fi
# The one that has all pictures in all modes.
for state in none one all bad; do
    modes=light
    [ $state = all ] && modes='light dark narrow'
    # shellcheck disable=SC2086
    in_browser "the report in the browser: $state" "$tap_work/$state/build/pages/report.html" $modes
done

check 'without pandoc there is one line and no book' no_programs
if have pandoc && PATH=$PATH sh -c '. lib/commands/pages.sh; needs_pandoc'; then
    check 'the book is built, of valid HTML, and asks nobody for anything' book_is_built
    check 'the book is whole' book_is_whole
    if have unzip && have xmllint; then check 'the EPUB is XML, and its links lead somewhere' epub_is_valid
    else skip 'the EPUB is XML, and its links lead somewhere' 'unzip or xmllint is not installed'; fi
    check 'a fault of a text stops the book with a line and leaves the one before' faults_of_the_book
    in_browser 'the book in the browser' "$tap_work/book/pages/book.html"
else
    for name in 'the book is built' 'the book is whole' 'the EPUB is XML, and its links lead somewhere' 'a fault of a text stops the book' 'the book in the browser'; do
        skip "$name" 'pandoc is not installed, or older than 2.17: make setup'
    done
fi
done_testing
