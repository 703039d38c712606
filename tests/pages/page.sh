#!/bin/sh
# page.sh PAGE.html [MODE...]: a line for each fault of a page that is no deck, and exit 1; by page.js in chromium, in light and dark, in
# a wide window and in a narrow one, or in those modes alone: light, dark, narrow. 2: chromium said nothing.
page=$1 here=$(dirname "$0")
shift
# shellcheck source=tests/pages/browser.sh
. "$here/browser.sh"
{
    cat "$page"
    echo '<script>'
    cat "$here/page.js"
    echo '</script>'
} >"$work/page.html"
[ $# -gt 0 ] || set -- light dark narrow
for mode in "$@"; do
    width=1300 scheme=1
    [ "$mode" = narrow ] && width=600
    [ "$mode" = dark ] && scheme=0
    faults "$mode" --window-size=$width,900 --blink-settings=preferredColorScheme=$scheme
done
exit $status
