#!/bin/sh
# The pages: what make report makes of an invented learner's records (tests/pages/learner.sh).
. tests/tap.sh
export HOME=/Users/somebody

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
    for id in $(grep -o 'href="#[^"]*"' "$page" | sed 's/.*#//; s/"//' | sort -u); do
        grep -q "id=\"$id\"" "$page" || { echo "a link to #$id leads nowhere"; return 1; }
    done
    [ "$(grep -c '<svg' "$page")" = "$(grep -c '<svg.*role="img" aria-label="[^"]' "$page")" ] || { echo 'a figure without words'; return 1; }
    grep -nE '[^a-z](nan|inf|NaN)[^a-z]' "$page" && return 1
    if command -v tidy >/dev/null 2>&1; then tidy -q -e "$page" || return 1; fi
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

check 'the report before any exercise' none
check 'the report after one exercise, with what is special in HTML' one
check 'the report after all exercises, in 5 s' every
check 'what is damaged is left out, and said in a line each' damaged
check 'a report that fails leaves the one before' kept
done_testing
