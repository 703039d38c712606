#!/bin/sh
# What the texts say that a program can look up: links, numbers of exercises, pictures, lengths, and the commands that a reader is
# to type. Theirs and the judge's sentences are compared by the layers suite.
. tests/tap.sh
# shellcheck disable=SC2086  # tables of a picture are a pattern, a command has words

texts() { find README.md lib/README.md matrices exercises solutions slides tests -name '*.md' | sort; }
numbers() { sh lib/commands/exercises.sh | cut -f 2 | grep -v gpu; }
readmes() { find exercises -name 'README*.md' | sort; }

# A link leads to a file, and an anchor to a heading. $@ other pages, for the test of this test.
links_lead_somewhere()
{
    # shellcheck disable=SC2046
    [ $# -gt 0 ] || set -- $(texts)
    awk '/^```/ { code = !code } !code { print FILENAME "\t" $0 }' "$@" |
        awk -F '\t' '{
            while (match($2, /\]\([^)]*\)/)) {
                link = substr($2, RSTART + 2, RLENGTH - 3); $2 = substr($2, RSTART + RLENGTH)
                if (link !~ /^(https?:|exercise:|slide:|file:|figure:|#)/) print $1 "\t" link } }' >"$tap_work/links"
    bad=0
    while IFS='	' read -r page link; do
        [ -e "$(dirname "$page")/${link%%#*}" ] || { echo "$page: nothing is at $link"; bad=1; }
    done <"$tap_work/links"
    return $bad
}

# README's tree has every room of lib. $1 another page, for the test of this test.
tree_has_every_room()
{
    bad=0
    for room in lib/*/; do
        room=${room#lib/}
        grep -q "^  $room " "${1:-README.md}" || { echo "the tree of README.md has no line for lib/$room"; bad=1; }
    done
    return $bad
}

# Exercise 12 is the one in exercises/12-*. Numbers that are kept for what is planned stand in the list of README.md alone.
numbers_are_exercises()
{
    # shellcheck disable=SC2046
    [ $# -gt 0 ] || set -- $(texts) $(find exercises solutions lib -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh')
    numbers >"$tap_work/there"
    awk -v q="'" 'NR == FNR { there[$1]; next }
        {
            line = $0
            while (match(line, /[Ee]xercises? +[0-9]+((, and |, or |, | and | or | to |-)[0-9]+)*/)) {
                list = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
                while (match(list, /[0-9]+/)) {
                    n = substr(list, RSTART, RLENGTH); list = substr(list, RSTART + RLENGTH)
                    if (!(n in there)) { print FILENAME ":" FNR ": there is no exercise " n; bad = 1 }
                }
            }
        }
        FNR == 1 && FILENAME ~ /exercises\/[0-9]+-[a-z-]*\/README/ {
            split(FILENAME, part, /[\/-]/); own = part[2] + 0
            if ($0 !~ "Exercise " own "( |$)") { print FILENAME ": its title is not that of exercise " own; bad = 1 }
        }
        END { exit bad }' "$tap_work/there" "$@"
}

# Pictures: drawn from the script and the tables that are there, seen in the text beside them, and described in words.
pictures_are_those_of_their_tables()
{
    bad=0
    while IFS='	' read -r picture script tables; do
        case $picture in '#'*) continue ;; esac
        folder=$(dirname "$picture")
        if [ ! -e "$picture" ]; then
            echo "$picture is not there: make figures"
            bad=1
            continue
        fi
        sum=$(sh lib/commands/figures.sh --sum "$script" "$tables")
        grep -q "make figures: $sum -->" "$picture" || { echo "$picture is older than what it is drawn from: make figures"; bad=1; }
        cat "$folder"/*.md | tr '\n' ' ' | grep -qE "!\[[^]]{30,}\]\(${picture##*/}\)" ||
            { echo "$picture: no page of $folder shows it, with words of what is to be seen"; bad=1; }
        case $script in *.gp) date=$(cat plots/recorded/$tables*facts.gp | sed -n "s/^date = '\([0-9-]*\).*/\1/p" | head -n 1)
            cat "$folder"/*.md | tr '\n' ' ' | grep -qE "\]\(${picture##*/}\) *[^!]*$date" ||
                { echo "$picture: its caption does not name the day of its table, $date"; bad=1; } ;;
        esac
    done <"${1:-plots/figures.tsv}"
    return $bad
}

every_exercise_has_a_picture()
{
    bad=0
    for folder in exercises/[0-9]*; do
        grep -q '^!\[' "$folder"/README.md || { echo "$folder/README.md shows no picture"; bad=1; }
    done
    return $bad
}

# Words of a page: code, what is said of pictures, and the bars and rules of tables are not counted.
words() { awk '/^```/ { code = !code; next } /^!\[/ { picture = 1 } picture { if (/\]\([^)]*\)$/) picture = 0; next } !code && !/^    / { gsub(/\|/, " "); gsub(/ -+ /, " "); n += NF } END { print n + 0 }' "$1"; }
# An exercise's page has 1800 at the most, its GPU page 900, as have the pages of theory and the one on OpenMP. $@ other pages, for
# the test of this test.
pages_are_short()
{
    # shellcheck disable=SC2046
    [ $# -gt 0 ] || set -- $(readmes) exercises/part-*.md exercises/openmp.md
    bad=0
    for page in "$@"; do
        most=1800
        case $page in *_gpu.md | */part-*.md | */openmp.md) most=900 ;; esac
        n=$(words "$page")
        [ "$n" -le "$most" ] || { echo "$page: $n words, of $most at the most"; bad=1; }
    done
    return $bad
}

# One word too many on each kind of page, and none where the code, a picture and a formula have more.
a_long_page_is_found()
{
    mkdir -p "$tap_work/long" || return 1
    for most in README:1800 README_gpu:900 part-1-machine:900 openmp:900; do
        page=$tap_work/long/${most%:*}.md
        awk -v n="${most#*:}" 'BEGIN { while (n--) print "word"; print "```\ncode\n```\n![a picture](of.svg)\n    f = 1" }' >"$page"
        pages_are_short "$page" || return 1
        echo word >>"$page"
        ! pages_are_short "$page" || { echo "not found: $page"; return 1; }
    done
}

# The minutes of a page's tasks add up to those in its third line, and README.md and the pages before it say the same.
minutes_add_up()
{
    bad=0
    for page in ${1:-$(readmes)}; do
        awk -F '|' '
            FNR == 3 { split($0, part, " · "); total = part[2] + 0 }
            /^## Your task/ { task = 1; next }
            /^## / { task = 0 }
            task && NF == 5 && $4 ~ /^ *[0-9]+ *$/ { sum += $4; rows++ }
            END { if (rows && sum != total) { print FILENAME ": its tasks take " sum " minutes, its third line says " total; exit 1 } }' "$page" || bad=1
    done
    sh lib/commands/exercises.sh | while IFS='	' read -r name number folder file stars minutes more; do
        case $number in
            *gpu) grep -qF "exercise-$number\`, $minutes minutes" "exercises/$folder/README.md" ||
                { echo "exercises/$folder/README.md: the GPU part takes $minutes minutes"; false; } ;;
            *) grep -qE "^\| $number \| \[.*\| $minutes \|" README.md || { echo "README.md: exercise $number takes $minutes minutes"; false; } ;;
        esac || echo "$name$file$stars$more" >"$tap_work/minutes"
    done
    [ $bad = 0 ] && [ ! -e "$tap_work/minutes" ]
}

# Each symbol of the glossary stands there once. A text that says "Let P be the ..." or "P is the ..." shares a word with what the
# glossary says of P (x and y are many things), and no text uses one of those that have had two meanings in the other one. Names of
# code (in code blocks, between backquotes) are not looked at.
symbols_have_one_meaning()
{
    # shellcheck disable=SC2046
    [ $# -gt 0 ] || set -- $(find exercises solutions slides -name '*.md')
    awk -F '|' '/^## Symbols/ { on = 1 } /^Names in code/ { on = 0 }
        on && /^\|/ { n = split($2, names, ","); for (k = 1; k <= n; k++) { gsub(/ /, "", names[k]); print names[k] } }' exercises/glossary.md |
        sort | uniq -d >"$tap_work/twice"
    [ ! -s "$tap_work/twice" ] || { echo "the glossary has two meanings of $(tr '\n' ' ' <"$tap_work/twice")"; return 1; }
    awk '
        NR == FNR {
            if (/^Names in code/) names = 1
            if (/^## Terms/) done = 1
            if (done || !/^\|/) next
            split($0, cell, "|"); gsub(/[` ]/, "", cell[2]); n = split(cell[2], name, ",")
            for (k = 1; k <= n; k++) if (!names || name[k] in means) means[name[k]] = means[name[k]] " " cell[3] " " cell[4]
            next
        }
        FNR == 1 { code = 0; before = "." }
        { begins = (before ? before : ".") " " $0; before = substr($0, length($0)) }
        /^```/ { code = !code }
        code || /^    / { next }
        {
            gsub(/`[^`]*`|[$*]/, "", begins)
            while (match(begins, /([.:;(] +|[Ll]et )[^ ]+ (is|be) the [^.:;,(]*/)) {
                n = split(substr(begins, RSTART, RLENGTH), word, " "); begins = substr(begins, RSTART + RLENGTH)
                same = !(word[2] in means) || word[2] ~ /^[xy]$/
                for (k = 5; k <= n && !same; k++) same = length(word[k]) > 3 && index(means[word[2]], substr(word[k], 1, 4))
                if (!same) said(word[2], means[word[2]])
            }
            text = $0; gsub(/`[^`]*`/, "", text)
            if (text ~ /(^|[^a-z_`])b (GB|byte)\/s|(V|bytes|P) ?\/ ?b([^a-zA-Z_]|$)|(^|[^a-z_])b = [0-9.]+ [GT]?B\/s/) said("b", "the bandwidth is bw")
            if (text ~ /(^|[^a-z_`])b rows|slices of b /) said("b", "rows a slice are the name `b`")
            if (text ~ /(^|[^a-z_`])t threads|multiple of t([^a-z]|$)|(^|[^a-z_`])[bt] = [0-9]+ and [bt] = /) said("t", "threads a row are the name `t`")
            if (text ~ /alpha (nz|bytes)|8 alpha|(least|best) (alpha|α)|(alpha|α)[$]? (says|counts|= 1 |= [0-9.]+ counted)/) said("alpha", "what is loaded of x is gamma")
            if (text ~ /degree k([.,;:]|$)|(^|[^a-z])k (rows|columns) a block|blocks of k /) said("k", "write degree, block")
            if (text ~ /rho(.)? = (half|1 \/)/) said("rho", "the coefficient of Chebyshev is tau")
            if (text ~ /(^|[^a-z])s (corrections|slices)|[^a-z]s \+ 1 residuals/) said("s", "write steps, slices")
            if (text ~ /(^|[^a-z])r = M [a-z]/) said("M", "M is near A, z = M^-1 r")
        }
        function said(symbol, words) { print FILENAME ":" FNR ": " symbol " has another meaning in the glossary: " words; bad = 1 }
        END { exit bad }' exercises/glossary.md "$@"
}

# Byte and flop tables and figures of a page are those of the costs that its driver judges by; no such table is left out.
models_are_the_judges()
{
    awk -f tests/models.awk "${1:-tests/models.txt}" || return 1
    for page in $(readmes); do
        ! grep -qE '^\|.*\| loads[ ,].*\|' "$page" || grep -qx "page $page" tests/models.txt ||
            { echo "$page has a table of loads, which tests/models.txt compares with no cost"; return 1; }
    done
}

# A page that counts row_ptr with 8 bytes, and one that rounds a quotient up.
a_wrong_table_is_found()
{
    mkdir -p "$tap_work/wrong" && cp exercises/12-cg/driver*.c exercises/12-cg/problem.h "$tap_work/wrong" || return 1
    for wrong in 's/12 nz + 4 n (row_ptr)/12 nz + 8 n (row_ptr)/' 's/| 1.18 | 1.15 |/| 1.18 | 1.16 |/' 's/nz + 20 n | 8 n/nz + 20 n | 16 n/'; do
        sed "$wrong" exercises/12-cg/README.md >"$tap_work/wrong/README.md"
        cmp -s exercises/12-cg/README.md "$tap_work/wrong/README.md" && { echo "nothing is changed: $wrong"; return 1; }
        sed -n '/^page.*12-cg\/README.md/,/^page.*gpu/p' tests/models.txt | sed "\$d; s,^page.*,page $tap_work/wrong/README.md," >"$tap_work/models.txt"
        ! awk -f tests/models.awk "$tap_work/models.txt" || { echo "not found: $wrong"; return 1; }
    done
}

# The plans of the page for instructors: minutes of slides are those of the chapters, to a slide, and of exercises those of the exercises.
plans_are_those_of_the_talk()
{
    sh lib/commands/exercises.sh >"$tap_work/exercises"
    awk -v table="$tap_work/exercises" '
        BEGIN { while ((getline line <table) > 0) { split(line, f, "\t"); minutes[f[2]] = f[6] } }
        FILENAME ~ /^slides/ && /^#.*minutes=[0-9]/ {
            day = /day=two/ ? "two" : /day=half/ ? "half" : chapter
            if (/^# /) chapter = day
            match($0, /minutes=[0-9]+/); m = substr($0, RSTART + 8, RLENGTH - 8)
            n = FILENAME; sub(/.*\//, "", n)
            talk["two", n] += m; if (day == "half") talk["half", n] += m
            next
        }
        /^### Half a day/ { plan = "half" } /^### Two days/ { plan = "two" } /^## / { if (rows) plan = "" }
        FILENAME ~ /^slides/ || !plan || !/\]\(\.\.\/slides/ { next }
        {
            rows++; split($0, cell, "|"); said = cell[3]; sum = 0
            while (match(said, /slides\/[^)]*/)) { sum += talk[plan, substr(said, RSTART + 7, RLENGTH - 7)]; said = substr(said, RSTART + RLENGTH) }
            if (sum != cell[4] + 0) { print FILENAME ":" FNR ": the slides take " sum " minutes"; bad = 1 }
            n = split(cell[5], list, ","); sum = 0
            for (k = 1; k <= n; k++) { gsub(/ /, "", list[k]); sum += minutes[list[k]] }
            if (sum != cell[6] + 0) { print FILENAME ":" FNR ": the exercises take " sum " minutes"; bad = 1 }
        }
        END { if (!rows) print "no plan was found"; exit bad || !rows }' slides/[0-9]*.md "${1:-solutions/README.md}"
}

# A command that a text has the reader type is one that make takes.
commands_are_taken()
{
    # shellcheck disable=SC2046
    [ $# -gt 0 ] || set -- README.md $(find exercises solutions -name '*.md')
    # shellcheck disable=SC2016
    grep -ohE '(^ *|`)make [a-z][a-zA-Z0-9 _=:.,/@-]*' "$@" | sed 's/^[ `]*//; s/ *[.,:]*$//' | grep -vE 'exercise-N|-N( |$)' | sort -u >"$tap_work/commands"
    [ "$(wc -l <"$tap_work/commands")" -ge 1 ] || { echo 'no command was found: is this test right?'; return 1; }
    numbers >"$tap_work/there"
    bad=0
    while read -r command; do
        # shellcheck disable=SC2086
        case $command in
            *MATRIX=path* | *FILE=my* | *SUBMISSIONS=*) continue ;;
        esac
        number=$(echo "$command" | sed -n 's/.*\(exercise\|solution\|hint\|diff\|reset\|watch\|traffic\)-\([0-9]*\).*/\2/p')
        if [ -n "$number" ] && ! grep -qx "$number" "$tap_work/there"; then
            echo "$command: there is no exercise $number"
            bad=1
        fi
        make -n ${command#make } >"$tap_work/said" 2>&1 || { echo "$command: $(tail -n 1 "$tap_work/said")"; bad=1; }
    done <"$tap_work/commands"
    return $bad
}

is_found() { # WORDS TEST: on a page with WORDS, the TEST must fail
    printf '%b' "$1" >"$tap_work/page.md"
    if "$2" "$tap_work/page.md" >"$tap_work/said" 2>&1; then echo "not found: $1"; return 1; fi
    cat "$tap_work/said"
}

check 'links lead to what is there' links_lead_somewhere
check 'a dead link is found' is_found '[words](nowhere.md)\n' links_lead_somewhere
check 'the tree in README.md is that of lib' tree_has_every_room
check 'a room that the tree leaves out is found' is_found '  base/         status\n' tree_has_every_room
check 'numbers of exercises are those of their folders' numbers_are_exercises
check 'a number without an exercise is found' is_found 'as in exercises 1 and 99\n' numbers_are_exercises
check 'pictures are those of their tables, in the text, and described' pictures_are_those_of_their_tables
check 'a picture that is not there is found' is_found 'exercises/01-stream/none.svg\tcells.awk\tcolours\n' pictures_are_those_of_their_tables
check 'every exercise has a picture' every_exercise_has_a_picture
check 'symbols have one meaning' symbols_have_one_meaning
check 'a second meaning is found' is_found 'Slices of b rows, and b = 40 GB/s\n' symbols_have_one_meaning
check 'a definition beside the glossary is found' is_found 'Let P be the pressure.\n' symbols_have_one_meaning
check 'byte and flop tables are those of the drivers' models_are_the_judges
check 'a wrong table is found' a_wrong_table_is_found
check 'minutes add up' minutes_add_up
check 'minutes that do not add up are found' is_found '# E\n\n★ · 5 minutes\n## Your task\n| | a | 3 |\n' minutes_add_up
check 'plans of a class are those of the talk' plans_are_those_of_the_talk
check 'a plan that is wrong is found' is_found '### Half a day\n| 9:00 | [a](../slides/02-roofline.md) | 20 | 2 | 26 |\n' plans_are_those_of_the_talk
check 'a plan with too few minutes of slides is found' is_found '### Half a day\n| 9:00 | [a](../slides/02-roofline.md) | 16 | 2 | 25 |\n' plans_are_those_of_the_talk
check 'no page is too long' pages_are_short
check 'a page that is too long is found' a_long_page_is_found
check 'commands in the texts are taken by make' commands_are_taken
check 'a command that make refuses is found' is_found 'type `make exercise-99`\n' commands_are_taken
done_testing
