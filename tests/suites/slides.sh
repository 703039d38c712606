#!/bin/sh
# The talk is built, its faults are told, and in a browser nothing is too large, too small or leads nowhere.
. tests/tap.sh
pages=$tap_work/out/pages
slides() { sh lib/commands/slides.sh "$tap_work/out"; }

if ! command -v pandoc >/dev/null 2>&1 || ! command -v gnuplot >/dev/null 2>&1; then
    skip 'the talk' 'pandoc or gnuplot is not installed: make setup'
    done_testing
    exit
fi
check 'the talk is built' slides

# The same again, with no network where that can be taken away, and in a locale without UTF-8.
the_same_again()
{
    cp -r "$pages" "$tap_work/first" || return 1
    alone=''
    unshare -rn true 2>/dev/null && alone='unshare -rn'
    LC_ALL=C $alone sh lib/commands/slides.sh "$tap_work/out" && diff -r "$tap_work/first" "$pages" && [ -z "$(find "$pages" -mindepth 1 -name '.*')" ]
}
check 'a second build, without network, makes the same pages' the_same_again

# What is missing or too old is said in one line, and the pages of before stay. said WORDS PATH: with programs of PATH
said()
{
    PATH=$2 sh lib/commands/slides.sh "$tap_work/out" >"$tap_work/said" 2>&1 && { echo 'it was built'; return 1; }
    cat "$tap_work/said"
    [ "$(wc -l <"$tap_work/said")" = 1 ] && grep -q "$1" "$tap_work/said" && diff -r "$tap_work/first" "$pages"
}
mkdir -p "$tap_work/bare" "$tap_work/old"
for program in sh awk sed grep mktemp mkdir rm mv cat sort ls; do ln -s "$(command -v $program)" "$tap_work/bare/$program"; done
printf '#!/bin/sh\necho "pandoc 2.9.2"\n' >"$tap_work/old/pandoc" && chmod +x "$tap_work/old/pandoc"
check 'a missing pandoc is one line' said 'pandoc is not installed' "$tap_work/bare"
check 'an old pandoc is one line' said 'pandoc 2.9 is older than 2.17' "$tap_work/old:$tap_work/bare"
ln -s "$(command -v pandoc)" "$tap_work/bare/pandoc"
check 'a missing gnuplot is one line' said 'gnuplot is not installed' "$tap_work/bare"

# This machine, where it was measured, with the kernels that were judged; left out, and said, where that is damaged.
this_machine()
{
    mine=$tap_work/mine
    mkdir -p "$mine/plots" "$mine/records"
    sed 1d slides/recorded/machine-facts.gp >"$mine/plots/machine-facts.gp"
    echo '{"spw_record": 1, "parts": [{"function": "spmv", "flop": 2e9, "load": 12e9, "store": 1e9, "seconds": 0.25}]}' >"$mine/records/77.json"
    sh lib/commands/slides.sh "$mine" >"$tap_work/said" && grep -q 'id="mine-roofline"' "$mine/pages/slides.html" || return 1
    sed -n '/id="mine-roofline"/,/<.section>/p' "$mine/pages/slides.html" | grep -q '77' || { echo 'the kernel is not there'; return 1; }
    echo 'cpu = "half' >"$mine/plots/machine-facts.gp"
    sh lib/commands/slides.sh "$mine" >"$tap_work/said" || return 1
    cat "$tap_work/said"
    grep -q 'not on the slides: its figures in .* are damaged' "$tap_work/said" && ! grep -q 'id="mine-roofline"' "$mine/pages/slides.html"
}
check 'this machine and its kernels are on a slide, unless they are damaged' this_machine

nothing_from_outside()
{
    for page in "$pages"/*.html; do
        grep -noE '(src=|url\(|@import|<link )[^>]{0,40}' "$page" && return 1
    done
    return 0
}
check 'a page of the talk takes nothing from outside' nothing_from_outside
# Half a day is 3.5 hours with its exercises.
minutes_of_the_talk()
{
    tr '\n' ' ' <"$pages/slides.html" | grep -o '<section [^>]*data-minutes="[0-9]*" data-day="[a-z]*"' | sed 's/.*minutes="\([0-9]*\)".*day="\([a-z]*\)"/\1 \2/' |
        awk '$2 == "half" { half += $1 } { all += $1 } END { print "half a day: " half " minutes; all: " all; exit half != 210 }' || return 1
    sed -n '/id="agenda"/,/<.section>/p' "$pages/slides.html" | grep -q '210 min' || { echo 'the agenda does not say 210 min'; return 1; }
}
check 'the half day takes 210 minutes, and the agenda says so' minutes_of_the_talk
a_page_for_each_chapter()
{
    for chapter in slides/[0-9]*.md; do
        name=$(basename "$chapter" .md)
        n=$(grep -c '^##* .*{#.*}$' "$chapter")
        mine=$(grep -c '^##* .*\.mine' "$chapter")
        there=$(grep -c '<section id=' "$pages/slides-$name.html") || return 1
        [ "$there" = $((n - mine)) ] || { echo "$name: $there slides, its text has $((n - mine))"; return 1; }
    done
}
check 'each chapter has its own page with all its slides' a_page_for_each_chapter

# A recorded table that names the notes of an exercise holds no number that is not in these notes; and what slides say of this
# machine is what the recorded facts say.
numbers_of_the_notes()
{
    for table in slides/recorded/*.tsv; do
        slug=$(sed -n '1s/.*notes of \([a-z-]*\).*/\1/p' "$table")
        case $slug in '') continue ;; esac
        notes=$(ls solutions/[0-9]*-"$slug"/NOTES.md) || return 1
        for number in $(grep -v '^#' "$table" | cut -f 2- | grep -o '[0-9][0-9.]*'); do
            grep -qE "(^|[^0-9.])$number([^0-9]|\$)" "$notes" || { echo "$table: $number is not in $notes"; return 1; }
        done
        tables="${tables-}x"
    done
    [ "${#tables}" -ge 5 ] || { echo 'hardly a table was compared: is this test right?'; return 1; }
}
check 'recorded tables have the numbers of the notes that they name' numbers_of_the_notes
# Figures in the tables of a slide whose source is the notes of an exercise stand in these notes or on the exercise's page.
tables_of_the_notes()
{
    awk '
        function told(    k, list, n) { n = split(numbers, list, " "); if (slug != "") for (k = 1; k <= n; k++) print slug "\t" list[k] "\t" slide; numbers = slug = "" }
        /^##* .*\{#/ { told(); slide = FILENAME ", " $0; sub(/ *\{#.*/, "", slide) }
        /^::: source/ { source = 1 }
        /^:::$/ { source = 0 }
        source && match($0, /otes of \[\]\(exercise:[a-z-]*\)/) { slug = substr($0, RSTART + 20, RLENGTH - 21) }
        /^\|/ && !/^\| ?-/ {
            line = $0; gsub(/[$][^$]*[$]|[*]|[A-Za-z]+[0-9]+|[0-9]+ ?x ?[0-9]+/, " ", line)
            while (match(line, /[0-9][0-9]*\.[0-9]+|[0-9][0-9]+/)) { numbers = numbers " " substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH) }
        }
        END { told() }' slides/[0-9]*.md >"$tap_work/on-slides"
    n=0
    while IFS='	' read -r slug number slide; do
        n=$((n + 1))
        cat solutions/[0-9]*-"$slug"/NOTES.md exercises/[0-9]*-"$slug"/README*.md | sed 's/\([0-9]\) \([0-9][0-9][0-9]\)/\1\2/g' |
            grep -qE "(^|[^0-9.])$(echo "$number" | sed 's/\.0*$//; s/\(\.[0-9]*[1-9]\)0*$/\1/; s/\./\\./')(\.?0*)([^0-9]|\$)" || { echo "$slide: the notes of $slug have no $number"; return 1; }
    done <"$tap_work/on-slides"
    [ "$n" -ge 40 ] || { echo "only $n numbers were compared: is this test right?"; return 1; }
}
check 'tables of slides have the numbers of the notes that they name' tables_of_the_notes
facts_on_slides()
{
    facts=slides/recorded/machine-facts.gp
    set -- "$(sed -n 's/^peak = //p' $facts)" "$(sed -n 's/^array roof\[.*, \([0-9.]*\)\]/\1/p' $facts)"
    for words in "$(printf '%.0f Gflop/s' "$1")" "$(printf '%.0f GB/s' "$2")" "$(awk -v p="$1" -v b="$2" 'BEGIN { printf "%.3f", b / p }')" \
        "$(awk -v p="$1" -v b="$2" 'BEGIN { printf "**%.1f**", p / b }')" "$(awk -v p="$1" -v b="$2" 'BEGIN { printf "%.0f ×", 6 * p / b }')"; do
        grep -qF "$words" slides/01-machine.md slides/03-predict.md || { echo "the recorded machine has $words, no slide says so"; return 1; }
    done
}
check 'slides say of the recorded machine what its facts say' facts_on_slides

# fault NAME WORDS TEXT: the deck of one chapter, TEXT, is refused with these words, and leaves no page behind.
tree=$tap_work/tree
mkdir -p "$tree"
cp -r lib exercises solutions plots matrices slides "$tree/"
fault()
{
    words=$2
    rm -rf "$tree/out" "$tree"/slides/[0-9]*.md
    printf '%s\n' "$3" >"$tree/slides/01-fault.md"
    (cd "$tree" && sh lib/commands/slides.sh out) >"$tap_work/said" 2>&1
    status=$?
    if [ $status = 0 ]; then echo 'it was built' >>"$tap_work/said"; not_ok "$1" "$tap_work/said"
    elif ! grep -qF "$words" "$tap_work/said"; then echo "not said: $words" >>"$tap_work/said"; not_ok "$1" "$tap_work/said"
    elif [ "$(wc -l <"$tap_work/said")" != 1 ]; then not_ok "$1: in one line" "$tap_work/said"
    elif [ -n "$(ls "$tree/out/pages")" ]; then not_ok "$1: nothing is left behind"
    else ok "$1"; fi
}
notes='::: notes
Ask: a?

Wrong: b.
:::'
# one NAME WORDS TEXT: a slide with this text
one() { fault "$1" "$2" "$(printf '## A slide {#a minutes=1 day=half}\n\n%s\n\n%s' "$3" "$notes")"; }
code() { one "$1" "$2" "$(printf '```{.c from="%s" name="%s" %s}\n```' "$3" "$4" "${5-}")"; }
spmv=lib/kernels/omp/spmv_csr.c
code 'an excerpt of a file that is not there' 'no file lib/none.c' lib/none.c f
code 'an excerpt of a function that is not there' "slides/01-fault.md, slide 'A slide': $spmv defines no spw_none" $spmv spw_none
code 'an excerpt whose first line is not there' "no 'while (never)' in spw_spmv_csr_omp" $spmv spw_spmv_csr_omp 'first="while (never)"'
code 'an excerpt whose first line stands there twice' 'stands twice' $spmv spw_spmv_csr_omp 'first="s"'
code 'a solution before its exercise' 'shows the solution of cg before' "$(ls -d solutions/*-cg)/cg.c" cg
one 'a figure without a script' 'there is no slides/figures/none.gp' '![words](figure:none)'
one 'a figure without words' 'has no words' '![](figure:roofline)'
one 'an image of another place' 'only figure:NAME' '![words](https://example.org/a.png)'
one 'a link to no exercise' 'no exercise nothing' '[](exercise:nothing)'
one 'a link to no slide' 'slide:nowhere leads nowhere' '[there](slide:nowhere)'
one 'a link by http' 'link http://example.org' '[there](http://example.org)'
one 'a link to a file that is not there' 'no file lib/none.h' '[](file:lib/none.h)'
one 'an exercise that is none, in braces' '{{nothing}} names no exercise' '{{nothing}}'
fault 'a slide without minutes' 'no minutes=' "$(printf '## A slide {#a day=half}\n\n%s\n' "$notes")"
fault 'a slide of no day' 'must be half or two' "$(printf '## A slide {#a minutes=1}\n\n%s\n' "$notes")"
fault 'a slide without notes' 'no speaker notes' "$(printf '## A slide {#a minutes=1 day=half}\n\ntext\n' )"
fault 'notes without the wrong answer' "'Wrong: ...'" "$(printf '## A slide {#a minutes=1 day=half}\n\n::: notes\nAsk: a?\n:::\n' )"
fault 'two slides of one id' 'two slides #a' "$(printf '## A {#a minutes=1 day=half}\n\n%s\n\n## B {#a minutes=1 day=half}\n\n%s\n' "$notes" "$notes")"
fault 'text before the first slide' 'text outside a slide' "$(printf 'text\n\n## A {#a minutes=1 day=half}\n\n%s\n' "$notes")"
fault 'an exercise of other minutes' 'the exercise has' "$(printf '## A {#your-turn-cg .exercise minutes=1 day=half}\n\n%s\n' "$notes")"

if command -v tidy >/dev/null 2>&1; then
    tidy_finds_nothing() { tidy -q -e "$pages/slides.html" 2>&1 | grep -v 'trimming empty\|<math>\|proprietary attribute' >"$tap_work/tidy"; ! [ -s "$tap_work/tidy" ] || { cat "$tap_work/tidy"; return 1; }; }
    check 'tidy finds nothing in the talk' tidy_finds_nothing
else
    skip 'tidy finds nothing in the talk' 'tidy is not installed'
fi
if command -v chromium >/dev/null 2>&1; then
    check 'in a browser every slide is whole, in light, dark and wide type' sh tests/pages/check.sh "$pages/slides.html"
    # The test of the test: what does not fit is found.
    bad_slides_are_found()
    {
        rm -rf "$tree/out" "$tree"/slides/[0-9]*.md
        {
            printf '## A {#a minutes=1 day=half}\n\n'
            for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do printf 'line %s\n\n' $k; done
            printf '`%0120d`\n\n<span style="font-size: 12px">small</span> <span style="color: #ccc">pale</span>\n\n%s\n' 0 "$notes"
        } >"$tree/slides/01-bad.md"
        (cd "$tree" && sh lib/commands/slides.sh out) >/dev/null || return 1
        sh tests/pages/check.sh "$tree/out/pages/slides.html" light >"$tap_work/bad" && { echo 'nothing was found'; return 1; }
        for words in 'outside the slide' 'small, 12px' 'contrast 1' 'higher than the slide'; do
            grep -q "light: .*$words" "$tap_work/bad" || { echo "not found: $words"; cat "$tap_work/bad"; return 1; }
        done
    }
    check 'a slide that does not fit is found' bad_slides_are_found
    printed()
    {
        sh lib/commands/slides.sh "$tap_work/out" 1 || return 1
        slides=$(grep -c '<section id=' "$pages/slides.html")
        for pdf in slides slides-notes; do
            [ "$(head -c 5 "$pages/$pdf.pdf")" = %PDF- ] || return 1
            command -v pdfinfo >/dev/null 2>&1 || continue
            [ "$(pdfinfo "$pages/$pdf.pdf" | sed -n 's/^Pages: *//p')" = "$slides" ] || { echo "$pdf.pdf has not $slides pages"; return 1; }
        done
    }
    check 'PDF=1 prints a page for each slide, and one with its notes' printed
    check "the speaker's window follows, the half day leaves out the slides of the two days" sh tests/pages/talk.sh "$pages/slides.html"
else
    skip 'in a browser every slide is whole, in light, dark and wide type' 'chromium is not installed: make setup'
fi
done_testing
