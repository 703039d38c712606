#!/bin/sh
# The exercises themselves: each is complete, fails usefully as shipped, is passed by its solution, and every
# wrong answer gets the verdict that its first line states. The learner's files are not looked at.
. tests/tap.sh
. tests/judge.sh
folder=$(out)

heads()
{
    name=$(folder_of "$1")
    number=${name%%-*}
    number=${number#0}
    LC_ALL=C awk -v number="$number" '
        NR == 1 && $0 !~ "^# Exercise " number " · [^ ]" { print "line 1 must be \"# Exercise " number " · title\", is: " $0; bad = 1 }
        NR == 2 && $0 != "" { print "line 2 must be empty, is: " $0; bad = 1 }
        NR == 3 && $0 !~ /^(★|★★|★★★|★★★★) · [1-9][0-9]* minutes · needs [^ ]/ {
            print "line 3 must be \"★★ · 35 minutes · needs OpenMP\", is: " $0; bad = 1 }
        END { exit NR < 3 || bad }' "$(of "$1" README.md)"
}

# of EXERCISE NAME: the file of that name, NAME_gpu for a GPU part
of()
{
    case $1 in
        *.gpu) echo "exercises/$(folder_of "$1")/${2%.*}_gpu.${2##*.}" ;;
        *) echo "exercises/$1/$2" ;;
    esac
}

# Each function that is to be written, models too, stands in the heading of one section, and each section has three hints.
three_hints()
{
    awk -f lib/commands/strip.awk "$(solution_file "$1")" | sed '/^ *#/d' | ${CC:-cc} -E -x c - |
        awk -f lib/judge/functions.awk | sed -n 's/ [0-9]* empty$//p' | sort >"$tap_work/functions"
    sed -n 's/^## //p' "$(of "$1" hints.md)" | tr -d ' ' | tr ',' '\n' | sort | diff "$tap_work/functions" - || return 1
    awk '/^## / { print; print "### Hint 1\n### Hint 2\n### Hint 3" }' "$(of "$1" hints.md)" >"$tap_work/wanted"
    grep '^###* ' "$(of "$1" hints.md)" | diff "$tap_work/wanted" -
}

has_files()
{
    in=$(folder_of "$1")
    for file in "$(of "$1" README.md)" "$(of "$1" hints.md)" "$(of "$1" driver.c)" "$(of "$1" "${2%.*}.h")" \
        "exercises/$in/$2" "solutions/$in/NOTES.md" "solutions/$in/$2"; do
        [ -s "$file" ] || { echo "$file is missing"; return 1; }
    done
}

# Every patch fits its solution, whether it is judged or not.
patches_fit()
{
    solution=$(solution_file "$1")
    bad=0
    for source in $(wrong_sources "$1" | grep '\.patch$'); do
        awk -f tests/apply_patch.awk "$source" "$solution" >/dev/null || bad=1
    done
    return $bad
}

# Of more mutants than lib/judge/mutants.c has room for it would ask the first ones, and say nothing.
room_for_mutants()
{
    most=$(sed -n 's/.* MOST = \([0-9]*\),.*/\1/p' lib/judge/mutants.c)
    case $(source_file "$1") in *.cu) ending=cu ;; *) ending=c ;; esac
    n=$(sh lib/judge/mutants.sh list "$tap_work" "tests/wrong/$(folder_of "$1")" $ending | wc -l)
    echo "$n wrong answers say something, room is for $most"
    [ "${most:-0}" -gt 0 ] && [ "$n" -le "$most" ]
}

# bad_patch WORDS SED_COMMAND: a patch so changed fails with these words
bad_patch()
{
    words=$1
    set -- "$2" tests/wrong/06-spmv-csr/serial.patch "$tap_work/serial.patch"
    sed "$1" "$2" >"$3"
    awk -f tests/apply_patch.awk "$3" solutions/06-spmv-csr/spmv_csr.c >"$tap_work/made" 2>"$tap_work/why" &&
        { echo 'it was applied'; return 1; }
    cat "$tap_work/why"
    grep -qF "serial.patch: $words" "$tap_work/why"
}

folds_again()
{
    for name in 06-spmv-csr 12-cg; do
        mkdir -p "$tap_work/folded/$name"
        BUILD=$tap_work sh tests/patches.sh unfold $name && BUILD=$tap_work sh tests/patches.sh fold $name "$tap_work/folded/$name" ||
            return 1
        for patch in tests/wrong/$name/*.patch; do diff "$patch" "$tap_work/folded/$name/${patch##*/}" || return 1; done
    done
}

# fold leaves the line above a change, and none below it: of all patches, for what was written by hand is folded once more.
no_line_below()
{
    LC_ALL=C awk '
        function ends() {
            if (n && first ~ /^ / && last ~ /^ /) { print name ": a hunk has a line below the change"; bad = 1 }
            n = 0
        }
        FNR == 1 { ends(); hunk = 0; name = FILENAME }
        /^@@ / { ends(); hunk = 1; next }
        hunk { if (!n++) first = $0; last = $0 }
        END { ends(); exit bad }' tests/wrong/*/*.patch
}

# An answer to exercise 6 with a mistake, written otherwise than the mutant that knows it; beside that are mutants that
# crash or never return.
knows_mistake()
{
    mkdir -p "$tap_work/known/06-spmv-csr"
    cp tests/wrong/06-spmv-csr/transposed.patch "$tap_work/known/06-spmv-csr/known_transposed.patch"
    sed '/^+/s/x\[i\]/x[1000000000L * (i + 1)]/; 1s/says .*/says it crashes/' tests/wrong/06-spmv-csr/x_of_row.patch \
        >"$tap_work/known/06-spmv-csr/known_crash.patch"
    sed '/^+/s/sum += .*/k--;/; 1s/says .*/says it hangs/' tests/wrong/06-spmv-csr/x_of_row.patch \
        >"$tap_work/known/06-spmv-csr/known_endless.patch"
    mkdir -p "$folder/wrong/known"
    cat >"$folder/wrong/known/mine.c" <<'END'
#include "spmv_csr.h"

spw_cost spmv_csr_cost(const spw_csr *A)
{
    return (spw_cost){.flop = 2.0 * A->nnz};
}

void spmv_csr(const spw_csr *A, const double *x, double *y)
{
    for (spw_idx j = 0; j < A->n_cols; j++) y[j] = 0;
    for (spw_idx i = A->n_rows; i-- > 0;)
        for (spw_idx k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k++) y[A->col_idx[k]] += x[i] * A->val[k];
}
END
    # shellcheck disable=SC1091
    (. "$folder/compiler.sh" && sh lib/judge/compile.sh 06-spmv-csr "$folder/wrong/known/mine.c" "$folder/wrong/known/mine.so") ||
        return 1
    judge 06-spmv-csr "$folder/wrong/known/mine.so" mine.c --check 1 --wrong "$tap_work/known" >"$tap_work/known/report"
    cat "$tap_work/known/report"
    [ $verdict = 1 ] && grep -q '^   this is A^T x: row and column have changed places$' "$tap_work/known/report" &&
        ! grep -q 'crashes\|hangs\|or:' "$tap_work/known/report"
}

# Of a case alone nobody knows whether an earlier one would have failed; and two mistakes that look alike are both told.
knows_two_mistakes()
{
    judge 06-spmv-csr "$folder/wrong/known/mine.so" mine.c --check 1 --case slides --wrong "$tap_work/known" >"$tap_work/known/report"
    cat "$tap_work/known/report"
    [ $verdict = 1 ] && grep -q '^   this is A^T x' "$tap_work/known/report" || return 1
    sed '1s/says .*/says it is upside down/' tests/wrong/06-spmv-csr/transposed.patch >"$tap_work/known/06-spmv-csr/known_other.patch"
    judge 06-spmv-csr "$folder/wrong/known/mine.so" mine.c --check 1 --wrong "$tap_work/known" >"$tap_work/known/report"
    cat "$tap_work/known/report"
    [ $verdict = 1 ] && grep -A 1 '^   it is upside down$\|^   this is A' "$tap_work/known/report" | grep -q '^   or: '
}

# Two mistakes in one answer: the first wrong output is enough to know one of them by.
knows_first_of_two()
{
    mine=$folder/wrong/known/two
    mkdir -p "$folder/wrong/known"
    awk -f tests/apply_patch.awk tests/wrong/07-ell-sell/perm_of_windows.patch solutions/07-ell-sell/ell_sell.c >"$mine.one" &&
        awk -f tests/apply_patch.awk tests/wrong/07-ell-sell/padding_repeats_value.patch "$mine.one" >"$mine.c" || return 1
    # shellcheck disable=SC1091
    (. "$folder/compiler.sh" && sh lib/judge/compile.sh 07-ell-sell "$mine.c" "$mine.so") || return 1
    judge 07-ell-sell "$mine.so" two.c --check 1 --wrong tests/wrong >"$mine.told"
    cat "$mine.told"
    [ $verdict = 1 ] && grep -q 'S->perm' "$mine.told" && grep -q 'these count from the first row of the window' "$mine.told"
}

told_when_right()
{
    judge 23-lobpcg "$folder/solutions/23-lobpcg/answer.so" lobpcg.c --check 1 --case two-values >"$tap_work/right"
    cat "$tap_work/right"
    grep -q '^   lobpcg two-values: [0-9]* iterations*, A times [0-9]* vectors; library: [0-9]*, [0-9]*$' "$tap_work/right"
}

# The published runs of exercise 25, by its solution: what comes out as printed, and the four that do not.
finds_misprints()
{
    judge 25-energy "$folder/solutions/25-energy/answer.so" energy.c >"$tap_work/energy"
    cat "$tap_work/energy"
    for words in '36 of 36 as printed' '24 of 24 as Table 6' '20 of 24, but' '24 of 24 as Table 4' ' 113 + 34 eff' ' 124 + 28 eff' \
        ' 16 vectors, 64 nodes: yours 27.00, printed 27.42' ' 16 vectors, 8 nodes: yours 10.08, printed 10.24' \
        ' 32 vectors, 32 nodes: yours 38.76, printed 39.31' ' 32 vectors, 2 nodes: yours 24.53, printed 24.87'; do
        grep -qF "$words" "$tap_work/energy" || { echo "not told: $words"; return 1; }
    done
    [ "$(grep -c '^     AUDI' "$tap_work/energy")" -eq 4 ] && grep -qE '^ ENERGY   ok     (measured: |there, not allowed: |not here: )' "$tap_work/energy"
}

nothing_is_known()
{
    judge 06-spmv-csr "$folder/wrong/known/mine.so" mine.c --check 1 --wrong "$tap_work/nothing" >"$tap_work/known/report"
    cat "$tap_work/known/report"
    [ $verdict = 1 ] && grep -q 'row 0: got' "$tap_work/known/report" && ! grep -q 'A^T\|looking' "$tap_work/known/report"
}

wrong_answers()
{
    # shellcheck disable=SC2046
    set -- $(wrong_sources "$1")
    echo "$# wrong answers, 8 are the least"
    [ $# -ge 8 ] || return 1
    for source in "$@"; do [ -n "$(stated_words "$source")" ] || echo "$source"; done >"$tap_work/odd"
    [ -s "$tap_work/odd" ] && { echo 'no first line that says what is expected:'; cat "$tap_work/odd"; return 1; }
    grep -Elq '^(// )?BUILD words calls spw_' "$@" ||
        { echo 'none of them calls the library instead of writing the kernel'; return 1; }
}

# As shipped: not written yet, and every empty function is named with its file and line.
not_written()
{
    f=$1
    learners=exercises/$(folder_of "$f")/$(source_file "$f")
    judge "$f" "$folder/shipped/$f/answer.so" "$learners" --check 1 >"$tap_work/$f.shipped"
    verdict=$?
    cat "$tap_work/$f.shipped"
    echo "status $verdict"
    [ $verdict = 2 ] || return 1
    awk '$3 == "empty" { print $1, $2 }' "$folder/shipped/$f/answer.functions" >"$tap_work/$f.empty"
    [ -s "$tap_work/$f.empty" ] || { echo 'no function of it is empty'; return 1; }
    while read -r function line; do
        # the judge calls launchers; what they launch is their affair
        sed -n "${line}p" "$folder/shipped/$f/$(source_file "$f")" | grep -Eq '^__(global|device)__' && continue
        for name in CORRECT MODEL; do words_of "$folder/shipped/$f/answer.so.json" $name skipped; done |
            grep -q "NOT WRITTEN YET: $function, $learners:$line " && continue
        echo "$function, line $line, is not named"
        return 1
    done <"$tap_work/$f.empty"
}

solution_before()
{
    case $(source_file "$1") in
        *.cu) find_out "$tap_work/solution-$1" judge "$1" "$folder/solutions/$1/answer.so" "$(solution_file "$1")" ;;
        *) judge_solution "$1" ;;
    esac
}

shipped_before()
{
    find_out "$tap_work/shipped-$1" not_written "$1"
    find_out "$tap_work/declared-$1" "$folder/judge/$1" --declaration
}

# All of them take half an hour and more. Without LONG=1 one of each exercise is judged, another one with each commit until
# it was every one's turn, and none that waits for the clock.
turn=$(git rev-list --count HEAD 2>/dev/null || echo 0)
wrong_of()
{
    if [ "${LONG:-}" = 1 ]; then
        wrong_sources "$1"
        return
    fi
    wrong_sources "$1" | while read -r source; do is_timed "$source" || echo "$source"; done |
        awk -v turn="$turn" '{ name[++n] = $0 } END { if (n) print name[1 + turn % n] }'
}

# with_clock EXERCISE ANSWER.so SOURCE STATUS...: judged once with the clock, beside others; the status is one of these
with_clock()
{
    attempts=1
    judge "$1" "$2" "$3"
    attempts=3
    shift 3
    echo "status $verdict, expected: $*"
    case " $* " in *" $verdict "*) ;; *) return 1 ;; esac
}

# found_in EXERCISE SOURCE: where judge_before leaves what it finds, and judged_before takes it from
found_in() { echo "$tap_work/$1-$(wrong_name "$2")"; }

# judge_before EXERCISE:SOURCE
judge_before()
{
    f=${1%%:*} source=${1#*:}
    verdict=0
    find_out "$(found_in "$f" "$source")" gets_verdict "$f" "$source"
    echo "$verdict" >"$found.verdict"
}

judged_before()
{
    found=$(found_in "$1" "$2")
    verdict=$(cat "$found.verdict")
    found_before "$found"
}

exercises=$(all_exercises)

for f in $exercises; do
    check "$f: README begins with title, stars, minutes and needs" heads "$f"
    check "$f: three hints" three_hints "$f"
    check "$f: all files are there" has_files "$f" "$(source_file "$f")"
    check "$f: at least eight wrong answers, one that calls the library" wrong_answers "$f"
    check "$f: every patch fits the solution" patches_fit "$f"
    check "$f: there is room for all mutants" room_for_mutants "$f"
done
check 'a patch that fits no more is named, and its hunk' bad_patch 'hunk 1, of line 21, does not fit' 's/omp parallel/omp barallel/'
check 'a patch that changes nothing is named' bad_patch 'changes nothing' '/^[-+]#/d'
check 'patches are the same again when unfolded and folded' folds_again
check 'no patch has a line below its change, which fold would take away' no_line_below

built
check 'a known mistake is told, also of an answer written otherwise, and mutants that crash or hang do no harm' knows_mistake
check 'of two mistakes the one that is told has its sentence' knows_first_of_two
check 'two mistakes that leave the same are both told; of a case alone those of other cases are asked, too' knows_two_mistakes
check 'where no mistake is known none is told' nothing_is_known
check 'what a right solver did is told below CORRECT' told_when_right
check 'published runs are evaluated, and those that do not fit are named' finds_misprints
# shellcheck disable=SC2086
side_by_side shipped_before $exercises
# Without LONG=1 the clock is asked in these alone, and nothing depends on what it says: others run beside them.
CLOCKED='06-spmv-csr 15-polynomials 06-spmv-csr:serial'
clocked_before()
{
    case $1 in
        *:serial) find_out "$tap_work/clocked-$1" with_clock "${1%:*}" "$folder/wrong/${1%:*}/serial.so" serial.c 3 4 ;;
        *) find_out "$tap_work/clocked-$1" with_clock "$1" "$folder/solutions/$1/answer.so" "$(solution_file "$1")" 0 3 4 ;;
    esac
}
timed() { [ "${LONG:-}" = 1 ] && case $(source_file "$1") in *.c) ;; *) false ;; esac; }
untimed=''
for f in $exercises; do timed "$f" || untimed="$untimed $f"; done
# shellcheck disable=SC2086
side_by_side solution_before $untimed
for f in $exercises; do
    check "$f: as shipped it is not written yet, and says where" found_before "$tap_work/shipped-$f"
    check "$f: its costs and slips count in quantities that its cases have; without memory it says so" found_before "$tap_work/declared-$f"
    # before it is timed it is checked: without a verdict of the clock it is right all the same
    if timed "$f"; then
        check_speed "$f: the solution passes" judge "$f" "$folder/solutions/$f/answer.so" "$(solution_file "$f")"
    else
        check "$f: the solution passes" found_before "$tap_work/solution-$f"
    fi
done
if [ "${LONG:-}" != 1 ]; then
    "$MAKE" -s "$folder/wrong/06-spmv-csr/serial.so" BUILD="$BUILD" >/dev/null 2>&1
    # shellcheck disable=SC2086
    side_by_side clocked_before $CLOCKED
    for f in $CLOCKED; do
        passes='is not wrong, whatever the clock says'
        case $f in *:serial) passes='does not pass with the clock' ;; esac
        check "$f $passes" found_before "$tap_work/clocked-$f"
    done
    skip 'the speed of the solutions' 'for the time it takes: make test ONLY=exercises LONG=1'
fi

wrong='' untimed=''
for f in $exercises; do
    for source in $(wrong_of "$f"); do
        wrong="$wrong $folder/wrong/$f/$(wrong_name "$source").so"
        is_timed "$source" || untimed="$untimed $f:$source"
    done
done
# A patch that does not fit is told below: hence -k, and no look at the status.
# shellcheck disable=SC2086
"$MAKE" -s -k -j"$JOBS" $wrong BUILD="$BUILD" >/dev/null 2>&1
# shellcheck disable=SC2086
side_by_side judge_before $untimed
for f in $exercises; do
    [ "${LONG:-}" = 1 ] || skip "$f: the other wrong answers" 'for the time they take: make test ONLY=exercises LONG=1'
    for source in $(wrong_of "$f"); do
        how=judged_before
        is_timed "$source" && how=gets_verdict
        check_speed "$f: $(wrong_name "$source"): $(stated_check "$source"): $(stated_words "$source")" \
            $how "$f" "$source"
    done
done
done_testing
