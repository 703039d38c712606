#!/bin/sh
# Every exercise as committed is its solution, as committed, without the marked regions. Learners edit the
# files of the tree, so those are not looked at.
. tests/tap.sh
if ! git rev-parse HEAD >/dev/null 2>&1; then
    skip 'exercises are the stripped solutions' 'this tree is not a git repository'
    done_testing
    exit
fi

# same SOLUTION EXERCISE: paths in HEAD
same()
{
    git show "HEAD:$1" >"$tap_work/solution.c" && git show "HEAD:$2" >"$tap_work/exercise.c" || return 1
    compare "$1" "$2"
}

compare()
{
    awk -f lib/commands/strip.awk "$tap_work/solution.c" >"$tap_work/stripped.c" || return 1
    diff -u --label "$1, stripped" --label "$2" "$tap_work/stripped.c" "$tap_work/exercise.c"
}

one_word_is_found()
{
    sed '0,/[a-z]\{4,\}/s//changed/' "$tap_work/exercise.c" >"$tap_work/edited.c"
    mv "$tap_work/edited.c" "$tap_work/exercise.c"
    compare solution exercise >"$tap_work/diff"
    status=$?
    cat "$tap_work/diff"
    [ $status = 1 ] && grep -q '^+.*changed' "$tap_work/diff"
}

for solution in $(git ls-tree -r --name-only HEAD solutions | grep '\.cu\{0,1\}$'); do
    f=${solution#solutions/}
    check "exercises/$f is its stripped solution" same "$solution" "exercises/$f"
done
check 'one changed word is found, and shown as a difference' one_word_is_found
check 'no learner has committed an answer: every exercise is unwritten' sh -c '
    for e in $(git ls-tree -r --name-only HEAD solutions | grep "\.cu\{0,1\}$"); do
        e=exercises/${e#solutions/}
        git show "HEAD:$e" | sed "/^ *#/d" >"$1/e.c"
        ${CC:-cc} -E "$1/e.c" | awk -f lib/judge/functions.awk | grep -q " empty$" || { echo "$e has no empty function"; exit 1; }
    done' sh "$tap_work"
done_testing
