#!/bin/sh
# check.sh PAGE.html [MODE...]: a line for each fault of a deck, and exit 1; by check.js in chromium, in light, in dark, and in the
# widest of the fonts that a reader may have, or in those modes alone: light, dark, wide. 2: chromium said nothing.
page=$1 here=$(dirname "$0")
shift
# shellcheck source=tests/pages/browser.sh
. "$here/browser.sh"
[ $# -gt 0 ] || set -- light dark wide
for mode in "$@"; do
    wide=
    [ "$mode" = wide ] && wide='s/"Inter", /"DejaVu Sans", /; s/"Latin Modern Math", .*, math;/"DejaVu Sans";/'
    {
        sed "s/<html lang=\"en\">/<html lang=\"en\" class=\"$mode\">/; $wide" "$page"
        echo '<script>'
        cat "$here/check.js"
        echo '</script>'
    } >"$work/page.html"
    faults "$mode" --window-size=1280,720
done
exit $status
