#!/bin/sh
# progress.sh RECORD PROGRESS: takes the result of a judgement, if it is one to keep, into the learner's progress, and
# every judgement that was made into the history beside it, PROGRESS.history. What stands in both: progress.awk.
# Any number may do so at a time: one after the other, under a lock. The new progress is written beside the old one, under
# a name of its own, and renamed over it, so that an interrupted run or a full disk leaves the old one whole.
# Status 0, or 5: the file is damaged, of another version, or cannot be written, and is left as it is.
record=$1 progress=$2 new=$2.$$.partial history=$2.history
fail()
{
    printf 'This result was not saved: %s\nThe file is left as it is.\n' "$1" >&2
    exit 5
}

rows() { awk -v rows="$1" -v columns="$2" -f lib/judge/record.awk "$record"; }

# A line of the history; of a fault, as an interrupted judgement, there is none.
judgement=$(rows . 'started exercise verdict whole percent stretch seconds options.check options.matrix options.case' |
    awk -F '\t' '$3 != "fault"')
failed=$(rows checks 'status name code function' | awk -F '\t' -v OFS='\t' '
    $1 ~ /^(fail|no-verdict)$/ { print $2, $3, $4; found = 1; exit }
    END { if (!found) print "", "", "" }')
parts=$(rows parts 'function case on timed load store flop bandwidth peak seconds share low high target verdict traffic')

# All that needs no clock was right, of all cases: that is kept, too.
result=$(rows . 'whole verdict exercise percent stretch options.matrix options.case' |
    awk -F '\t' '$1 == "true" { sub(/not-written/, "unwritten", $2); print $3, $2, $4 + 0, $5 == "true" }
        $1 != "true" && $2 ~ /^(pass|no-verdict)$/ && $6 $7 == "" { print $3, "correct", 0, 0 }')
[ -n "$judgement" ] || exit 0

trap 'rm -f "$new"' EXIT
trap 'exit 130' INT TERM
if ! (: >>"$progress.lock") 2>/dev/null; then fail "cannot write $progress"; fi
exec 9>>"$progress.lock"
flock 9 2>/dev/null # a file system that knows no locks, or a system without flock: then without
{
    if [ ! -s "$history" ]; then echo '# spw-history 1'; elif [ "$(tail -c 1 "$history")" ]; then echo; fi
    printf '%s\n' "$judgement" "$failed" "$parts" | sed '/^$/d' | paste -s -
} 2>/dev/null >>"$history" || echo "This result is not in the history: cannot write $history" >&2
[ -n "$result" ] || exit 0
if [ -e "$progress" ] && { [ ! -f "$progress" ] || [ ! -r "$progress" ]; }; then fail "cannot read $progress"; fi
old=$progress
[ -e "$old" ] || old=/dev/null
why=$({
    LC_ALL=C awk -v path="$progress" -v result="$result" -v today="$(date +%Y-%m-%d)" "$(cat lib/judge/progress.awk)"'
        !take_progress($0, NR) {
            printf "%s:%d: \"%.30s\" is damaged, or of another version\n", path, NR, $0 >"/dev/stderr"
            exit failed = 1
        }
        END {
            if (failed) exit 1
            split(result, r, " ")
            merge_progress(r[1], r[2], r[3], r[4], today)
            print_progress()
        }' "$old" >"$new"
} 2>&1) && why=$(mv "$new" "$progress" 2>&1) ||
    case $why in
        *"$progress"*) fail "$why" ;;
        *) fail "cannot write $progress: $why" ;;
    esac
