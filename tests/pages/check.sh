#!/bin/sh
# check.sh PAGE.html: a line for each fault of a deck, and exit 1; by check.js in chromium, in light, in dark, and in the
# widest of the fonts that a reader may have. 2: chromium said nothing.
page=$1 here=$(dirname "$0") work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
root=
[ "$(id -u)" = 0 ] && root=--no-sandbox
status=0
for mode in light dark wide; do
    wide=
    [ $mode = wide ] && wide='s/"Inter", /"DejaVu Sans", /; s/"Latin Modern Math", .*, math;/"DejaVu Sans";/'
    {
        sed "s/<html lang=\"en\">/<html lang=\"en\" class=\"$mode\">/; $wide" "$page"
        echo '<script>'
        cat "$here/check.js"
        echo '</script>'
    } >"$work/page.html"
    # shellcheck disable=SC2086
    timeout 300 chromium --headless $root --disable-gpu --disable-dev-shm-usage --no-first-run --user-data-dir="$work/profile" \
        --window-size=1280,720 --virtual-time-budget=5000 --dump-dom "file://$work/page.html" 2>"$work/said" |
        sed -n '/<pre id="faults">/,/<\/pre>/p' | sed '1d; $d; /^$/d' >"$work/faults"
    grep -q '^faults' "$work/faults" || { echo "$mode: chromium said nothing: $(tail -n 1 "$work/said")"; exit 2; }
    sed "s/^/$mode: /" "$work/faults"
    grep -q '^faults 0,' "$work/faults" || status=1
done
exit $status
