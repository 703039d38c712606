#!/bin/sh
# page.sh PAGE.html: a line for each fault of a page that is no deck, and exit 1; by page.js in chromium, in light and dark, in
# a wide window and in a narrow one. 2: chromium said nothing.
page=$1 here=$(dirname "$0") work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
root=
[ "$(id -u)" = 0 ] && root=--no-sandbox
{
    cat "$page"
    echo '<script>'
    cat "$here/page.js"
    echo '</script>'
} >"$work/page.html"
status=0
for mode in 'light 1300 1' 'dark 1300 0' 'narrow 600 1'; do
    # shellcheck disable=SC2086
    set -- $mode
    # shellcheck disable=SC2086
    timeout 300 chromium --headless $root --disable-gpu --disable-dev-shm-usage --no-first-run --user-data-dir="$work/profile" \
        --window-size="$2",900 --blink-settings=preferredColorScheme="$3" --virtual-time-budget=5000 --dump-dom "file://$work/page.html" 2>"$work/said" |
        sed -n '/<pre id="faults">/,/<\/pre>/p' | sed '1d; $d; /^$/d' >"$work/faults"
    grep -q '^faults' "$work/faults" || { echo "$1: chromium said nothing: $(tail -n 1 "$work/said")"; exit 2; }
    sed "s/^/$1: /" "$work/faults"
    grep -q '^faults 0,' "$work/faults" || status=1
done
exit $status
