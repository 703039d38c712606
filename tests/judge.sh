# judge.sh: runs judges for the suites. Needs tap.sh and the shell variable $folder, of the build.
# shellcheck shell=sh disable=SC2154

# all_exercises: their names, 01-stream, and 01-stream.gpu for the GPU part in the same folder
all_exercises() { sh lib/commands/exercises.sh | cut -f 1; }

# folder_of EXERCISE: 01-stream, of 01-stream.gpu too
folder_of() { printf %s "${1%.gpu}"; }

# source_file EXERCISE: the file that learners edit, spmv_csr.c or gpu_first.cu
source_file() { sh lib/commands/exercises.sh "$1" | cut -f 4; }

# solution_file EXERCISE: where the solution is
solution_file() { echo "solutions/$(folder_of "$1")/$(source_file "$1")"; }

# judge EXERCISE ANSWER.so SOURCE OPTION...: the report on standard output, the record in ANSWER.so.json; a run without verdict, for noise, is
# repeated, up to $attempts. Returns the judge's status.
attempts=3
judge()
{
    exercise=$1 answer=$2 source=$3
    shift 3
    for attempt in 1 2 3; do
        timeout 300 "$folder/judge/$exercise" --folder "exercises/${exercise%.gpu}" --answer "$answer" --source "$source" \
            --build tests --reference "$folder/solutions/$exercise/answer.so" --record "$answer.json" ${SEED:+--seed "$SEED"} "$@" >"$answer.report" 2>&1
        verdict=$?
        if [ $verdict != 4 ] || [ "$attempt" = $attempts ]; then break; fi
        sleep "$attempt"
    done
    cat "$answer.report"
    return "$verdict"
}

# words_of RECORD CHECK STATUS: what the checks of that name and status say, in one line
words_of()
{
    awk -v rows=checks -v columns='name status message' -f lib/judge/record.awk "$1" |
        awk -F '\t' -v name="$2" -v status="$3" '$1 == name && $2 == status { print $3 }' |
        sed 's/\\n/ /g' | tr '\n' ' ' | tr -s ' '
}

# first_of RECORD: "first spmv_csr small", the part and the case that failed CORRECT or SAFE
first_of()
{
    awk -v rows=checks -v columns='name status function case' -f lib/judge/record.awk "$1" |
        awk -F '\t' '$1 ~ /^(CORRECT|SAFE)$/ && $2 == "fail" { print "first " $3 " " $4 }'
}

# check_speed NAME COMMAND...: the same as check, but three runs in which the machine was too busy to tell count as
# neither; they leave $verdict at 4.
check_speed()
{
    tap_name=$1
    shift
    verdict=0
    if "$@" >"$tap_work/check" 2>&1; then ok "$tap_name"
    elif [ "$verdict" = 4 ]; then skip "$tap_name" 'the machine was too busy to tell, three times'
    else not_ok "$tap_name" "$tap_work/check"; fi
}

# built VARIABLE...: makes all that the exercises need; a failure or a warning is a failed case. With variables, what
# does not depend on them is left out: CUDA as shipped, and clang's look at CUDA.
built()
{
    goal=answers${1:+-again}
    [ -z "${1-}" ] || export SIMT_LINT=no
    if ! "$MAKE" -s -k -j"$JOBS" "$goal" BUILD="$BUILD" "$@" >"$tap_work/build" 2>&1; then
        not_ok "make $goal $*" "$tap_work/build"
    elif [ -s "$tap_work/build" ]; then
        not_ok "make $goal $*: judges, solutions and files as shipped compile without a warning" "$tap_work/build"
    else
        ok "make $goal $*: judges, solutions and files as shipped compile without a warning"
    fi
}

# solutions_pass TEXT SUITE: all solutions, checked but not timed, side by side; without LONG=1 no GPU parts: of the checker that
# this compiler has built 4, 8 and 9 see enough
solutions_pass()
{
    parts=$(all_exercises)
    if [ "${LONG:-}" != 1 ]; then
        parts=$(all_exercises | grep -v '\.gpu$')
        skip "GPU parts: $1" "for the time they take: make test ONLY=$2 LONG=1"
    fi
    # shellcheck disable=SC2086
    side_by_side judge_solution $parts
    for f in $parts; do check "$f: $1" found_before "$tap_work/solution-$f"; done
}

judge_solution()
{
    find_out "$tap_work/solution-$1" judge "$1" "$folder/solutions/$1/answer.so" "$(solution_file "$1")" --check 1
}

# status_is WANTED COMMAND...: for check
status_is()
{
    wanted=$1
    shift
    "$@"
    got=$?
    [ $got = "$wanted" ] && return
    echo "status $got, expected $wanted"
    return 1
}

# --- wrong answers: tests/wrong/README.md ------------------------------------------------------------
# wrong_sources EXERCISE: patches of its solution, and files; those of a folder's GPU part are its .cu
wrong_sources()
{
    case $(source_file "$1") in *.cu) ending=.cu ;; *) ending='' ;; esac
    for source in tests/wrong/"$(folder_of "$1")"/*"$ending".patch tests/wrong/"$(folder_of "$1")"/*"${ending:-.c}"; do
        case $ending$source in
            *'*'*) ;;        # there is none
            tests*.cu.patch) ;; # of the GPU part
            *) echo "${source#.cu}" ;;
        esac
    done
}

# wrong_source EXERCISE NAME
wrong_source() { wrong_sources "$1" | grep "/$2\(\.cu\)\{0,1\}\(\.c\|\.cu\|\.patch\)\$"; }

wrong_name() { basename "$1" | sed 's/\..*//'; }

# What the first line of a wrong answer states: the check that fails, and words of the report.
stated_check() { sed -n '1s/^\(\/\/ \)\{0,1\}\([A-Z]*\) \(says\|words\) .*/\2/p' "$1"; }
stated_words() { sed -n '1s/^\(\/\/ \)\{0,1\}[A-Z]* \(says\|words\) //p' "$1"; }

# Line 2 of a patch that says something: the part and the case that fail first; and those of another part, if any.
stated_first() { sed -n '1{/^\(CORRECT\|SAFE\) says /!{s/.*/none/p;q;};}; 2s/ also .*//; 2s/ where .*//; 2p' "$1"; }
stated_also() { sed -n '2s/^first .* also /first /p' "$1"; }

# Those that wait for no clock are judged side by side, before all others.
is_timed()
{
    case $(stated_check "$1") in BUILD | CORRECT | SAFE | MODEL | TRAFFIC) return 1 ;; esac
}

SEED_OF_WRONG=3

# gets_verdict EXERCISE SOURCE: what the first line states
gets_verdict()
{
    f=$1 source=$2 stated=$2
    answer=$folder/wrong/$f/$(wrong_name "$source").so
    made=${answer%.so}.$(source_file "$f" | sed 's/.*\.//')
    mkdir -p "${answer%/*}"
    report=$answer.judged
    check_name=$(stated_check "$source")
    text=$(stated_words "$source")
    # Compiled before. A patch that does not fit says here why; one that does not compile is the judge's to tell.
    if ! "$MAKE" -s "$answer" BUILD="$BUILD" >"$report" 2>&1; then
        cat "$report"
        return 1
    fi
    set --
    is_timed "$source" || set -- --check 1 --limit 5
    # what a mistake looks like is a guess that random values may spoil: the same ones every time
    set -- --seed "$SEED_OF_WRONG" "$@"
    judge "$f" "$answer" "$made" "$@" >"$report"
    verdict=$?
    # A known mistake has a second to show that it is the same, and a rate is compared with one of another moment: on a busy
    # machine neither may do, so once more.
    if { [ $verdict = 1 ] || [ $verdict = 3 ]; } && ! words_of "$answer.json" "$check_name" fail | grep -qF "$text"; then
        judge "$f" "$answer" "$made" "$@" >"$report"
        verdict=$?
    fi
    # some mistakes show at the size of the timed case only, before it is timed
    if [ $verdict = 0 ] && [ $# -gt 2 ]; then
        judge "$f" "$answer" "$made" --seed "$SEED_OF_WRONG" >"$report"
        verdict=$?
    fi
    cat "$report"
    echo "status $verdict; expected: $check_name FAIL, with the words: $text"
    case $check_name in
        BUILD | CORRECT | SAFE | MODEL) [ $verdict = 1 ] || return 1 ;;
        TRAFFIC) [ $verdict = 3 ] || return 1 ;;
        *) [ $verdict = 1 ] || [ $verdict = 3 ] || return 1 ;;
    esac
    seen_first=$(first_of "$answer.json")
    if [ "$(stated_first "$stated")" != none ] && [ "$(stated_first "$stated")" != "$seen_first" ]; then
        echo "its second line must be: $seen_first"
        return 1
    fi
    words_of "$answer.json" "$check_name" fail | grep -qF "$text" || return 1
    also=$(stated_also "$stated")
    [ -n "$also" ] || return 0
    judge "$f" "$answer" "$made" "$@" --case "${also##* }" >"$report"
    cat "$report"
    echo "expected: $also, with the same words"
    [ "$also" = "$(first_of "$answer.json")" ] && words_of "$answer.json" "$check_name" fail | grep -qF "$text"
}
