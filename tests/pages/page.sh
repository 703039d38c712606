#!/bin/sh
# page.sh PAGE.html: a line for each fault of a page that is no deck, and exit 1; by page.js in chromium, in light and dark, in
# a wide window and in a narrow one. 2: chromium said nothing.
page=$1 here=$(dirname "$0")
# shellcheck source=tests/pages/browser.sh
. "$here/browser.sh"
{
    cat "$page"
    echo '<script>'
    cat "$here/page.js"
    echo '</script>'
} >"$work/page.html"
for mode in 'light 1300 1' 'dark 1300 0' 'narrow 600 1'; do
    # shellcheck disable=SC2086
    set -- $mode
    faults "$1" --window-size="$2",900 --blink-settings=preferredColorScheme="$3"
done
exit $status
