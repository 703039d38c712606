# pages.sh: what the scripts that make pages share. Read by them.
# shellcheck shell=sh disable=SC2034

# False: pandoc is not there or too old, and $why says so.
needs_pandoc()
{
    why='pandoc is not installed, which makes pages of the texts. Type make setup, which installs it'
    command -v pandoc >/dev/null 2>&1 || return 1
    version=$(pandoc --version 2>/dev/null | sed -n '1s/[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
    why="pandoc ${version% *}.${version#* } is older than 2.17, which this needs"
    [ "${version% *}" -gt 2 ] 2>/dev/null || { [ "${version% *}" = 2 ] && [ "${version#* }" -ge 17 ]; } 2>/dev/null
}

# print_pdf PAGE.html OUT.pdf [?QUERY]: by chromium. False: there is none or it failed, and $why says so.
print_pdf()
{
    for browser in chromium chromium-browser google-chrome none; do command -v $browser >/dev/null 2>&1 && break; done
    why='chromium is not installed. Open the page in your browser and print it'
    [ $browser != none ] || return 1
    profile=$(mktemp -d) root=''
    [ "$(id -u)" != 0 ] || root=--no-sandbox
    why='chromium could not print the page. Open it in your browser and print it'
    # shellcheck disable=SC2086
    timeout 300 $browser --headless $root --disable-gpu --disable-dev-shm-usage --no-first-run --user-data-dir="$profile" --no-pdf-header-footer \
        --print-to-pdf="$2" "file://$(cd "$(dirname "$1")" && pwd)/$(basename "$1")${3-}" >/dev/null 2>&1
    rm -rf "$profile"
    [ -s "$2" ]
}
