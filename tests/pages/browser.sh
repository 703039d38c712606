# browser.sh: what check.sh and page.sh share. Read by them.
# shellcheck shell=sh disable=SC2034
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0
root=
[ "$(id -u)" = 0 ] && root=--no-sandbox

# faults MODE OPTION...: what the script at the end of $work/page.html found, a line each. $status is 1 where it found something;
# ends with 2 where chromium said nothing.
faults()
{
    mode=$1
    shift
    # shellcheck disable=SC2086
    timeout 300 chromium --headless $root --disable-gpu --disable-dev-shm-usage --no-first-run --user-data-dir="$work/profile" \
        "$@" --virtual-time-budget=5000 --dump-dom "file://$work/page.html" 2>"$work/said" |
        sed -n '/<pre id="faults">/,/<\/pre>/p' | sed '1d; $d; /^$/d' >"$work/faults"
    grep -q '^faults' "$work/faults" || { echo "$mode: chromium said nothing: $(tail -n 1 "$work/said")"; exit 2; }
    sed "s/^/$mode: /" "$work/faults"
    grep -q '^faults 0,' "$work/faults" || status=1
}
