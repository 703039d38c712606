# tap.sh: how a suite reports, in TAP (testanything.org). Read by the suites:  . tests/tap.sh
#     ok NAME   not_ok NAME [FILE]   skip NAME REASON   check NAME COMMAND...   done_testing
#     side_by_side COMMAND ITEM...
# FILE holds what is to be shown of a failure. check passes where COMMAND succeeds, and shows its output
# where it does not. A suite that does not reach done_testing has failed.
# shellcheck shell=sh
tap_count=0
tap_work=$(mktemp -d) || exit 1
trap 'rm -rf "$tap_work"' EXIT
trap 'exit 130' INT TERM

ok()
{
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1"
}

not_ok()
{
    tap_count=$((tap_count + 1))
    echo "not ok $tap_count - $1"
    if [ -n "${2-}" ]; then sed 's/^/# /' "$2"; fi
}

skip()
{
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

check()
{
    tap_name=$1
    shift
    if "$@" >"$tap_work/check" 2>&1; then ok "$tap_name"; else not_ok "$tap_name" "$tap_work/check"; fi
}

# Makes the results of another program part of this list. Its numbers are left out: lines "ok - NAME".
tap_join()
{
    while IFS= read -r tap_line; do
        case $tap_line in
            'ok '* | 'not ok '*)
                tap_count=$((tap_count + 1))
                printf '%s %s - %s\n' "${tap_line%% - *}" "$tap_count" "${tap_line#* - }"
                ;;
            *) printf '%s\n' "$tap_line" ;;
        esac
    done
}

# side_by_side COMMAND ITEM...: runs COMMAND ITEM for each, $JOBS at a time, by as many shells, each of which takes
# the next item that nobody has taken. So COMMAND must leave what it finds in files.
side_by_side()
{
    tap_command=$1
    shift
    tap_taken=$(mktemp -d "$tap_work/taken.XXXXXX")
    tap_lanes=''
    for _ in $(seq 1 "$JOBS"); do
        (
            tap_item=0
            for item in "$@"; do
                tap_item=$((tap_item + 1))
                if mkdir "$tap_taken/$tap_item" 2>/dev/null; then $tap_command "$item"; fi
            done
        ) &
        tap_lanes="$tap_lanes $!"
    done
    # shellcheck disable=SC2086
    wait $tap_lanes
}

# find_out FILE COMMAND...: what it says goes to FILE.report and its status to FILE.status, for later
find_out()
{
    found=$1
    shift
    "$@" >"$found.report" 2>&1
    echo $? >"$found.status"
}

# found_before FILE: shows FILE.report, and returns what FILE.status holds
found_before()
{
    cat "$1.report"
    return "$(cat "$1.status")"
}

# The folder that a make with these variables builds in: out CC=clang SANITIZE=1
out()
{
    "$MAKE" -s print-out BUILD="$BUILD" "$@"
}

done_testing() { echo "1..$tap_count"; }
