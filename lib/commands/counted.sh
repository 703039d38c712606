# counted.sh: what traffic.sh and sectors.sh share. They read it where out, build, exercise (01-stream, or 01-stream.gpu for
# its GPU part) and source are set.
# shellcheck shell=sh disable=SC2034,SC2154
folder=${exercise%.gpu}
number=${folder%%-*}
number=${number#0}
[ "$folder" = "$exercise" ] || number=$number-gpu
# Not in /tmp: a folder that make can name has no blanks, so that a path may stand in a word list.
script=${0##*/}
script=${script%.sh}
work=$(mktemp -d "$build/$script.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
have() { command -v "$1" >/dev/null 2>&1; }

# judge JUDGES OUT OPTION...: a judge of that folder, of the answers in OUT, under the command in $under
judge()
{
    at=$1 answers=$2
    shift 2
    # shellcheck disable=SC2086
    $under "$at/$exercise" --folder "exercises/$folder" --answer "$answers/${source%%/*}/$exercise/answer.so" \
        --reference "$answers/solutions/$exercise/answer.so" --source "$source" "$@" </dev/null
}
under=''
# table WORD...: what the script's awk makes of what was counted
table() { awk -f lib/commands/counted.awk -f "lib/commands/$script.awk" "$@"; }
export SPW_ENVIRONMENT=1 # the judge would start itself anew to set OpenMP's variables: not under another program
