#!/bin/sh
# What can be seen without running anything: includes point one way, headers stand alone, and the code and the
# scripts are as the house style has them.
. tests/tap.sh

# base <- formats, base <- perf, both <- kernels <- solvers <- judge <- kit <- commands; base <- simt <- judge; simt <- ranks.
# lib/simt/include and lib/ranks/include stand for others' headers, and name their files as those do.
includes_point_down()
{
    find lib -name '*.[ch]' ! -path 'lib/*/include/*' | sort | xargs awk '
        BEGIN { n = split("base:0 simt:1 ranks:2 formats:1 perf:1 kernels:2 solvers:3 distributed:4 judge:4 kit:5 commands:6", f, /[: ]/)
                for (k = 1; k < n; k += 2) rank[f[k]] = f[k + 1] }
        { split(FILENAME, path, "/"); mine = path[2] }
        FILENAME ~ /^lib\/[^\/]*$/ { next }  # the umbrella
        !(mine in rank) { if (!(mine in said)) print FILENAME ": of no known layer"; said[mine] = bad = 1; next }
        /^[ \t]*#[ \t]*include[ \t]*"/ {
            split($0, quoted, "\""); split(quoted[2], p, "/"); theirs = p[1]
            if (!(theirs in rank)) { print FILENAME ":" FNR ": " quoted[2] ": an include names its layer"; bad = 1 }
            else if (theirs != mine && rank[theirs] >= rank[mine]) {
                print FILENAME ":" FNR ": " mine " may not include " quoted[2]; bad = 1 }
        }
        END { exit bad }'
}

# The test of the test: a layer that points up is found.
upward_is_found()
{
    mkdir -p "$tap_work/lib/base"
    echo '#include "formats/csr.h"' >"$tap_work/lib/base/up.h"
    (cd "$tap_work" && includes_point_down) && { echo 'an include that points up was not found'; return 1; }
    return 0
}

exercises_include_no_commands()
{
    grep -nE '#include "(judge/(judge|trial|report|child|speed|check|progress)|commands)/?[a-z_]*\.h"' \
        exercises/*/*.h solutions/*/*.c && return 1
    return 0
}

# alone COMPILER HEADER ENDING [FILE]: compiles FILE.ENDING, which includes nothing else
alone()
{
    only=${4:-$tap_work/alone}.$3
    printf '#include "%s"\n' "$2" >"$only"
    # shellcheck disable=SC2086
    $1 -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-unknown-pragmas -fsyntax-only -Ilib "$only"
}

# C++, OpenMP in the one header for it, the processor's vectors in the one header for them, and what
# the probe found (a library that is linked or not) only in the files of a pair.
conditionals()
{
    find lib exercises solutions -name '*.[ch]' ! -path 'lib/*/include/*' | not_the_learners | sort | xargs awk '
        !/^[ \t]*#[ \t]*(if|ifdef|ifndef|elif)/ { next }
        /__cplusplus/ { next }
        /_OPENMP/ && FILENAME == "lib/base/threads.h" { next }
        /__(GNUC|clang|has_attribute)/ && FILENAME ~ /^lib\/base\// { next }
        /__(x86_64|AVX|SSE|FMA|aarch64|ARM)/ { next }
        /__SANITIZE|__has_feature/ { next }
        /ifdef (__linux__|__APPLE__|MADV_HUGEPAGE)/ { next }  # what a system has not, it does without
        /__clang__/ && FILENAME == "lib/perf/machine.c" { next }  # its name in the report
        { print FILENAME ":" FNR ": " $0; bad = 1 }
        END { exit bad }'
}

# What stands in the learner's files is the learner's business.
not_the_learners() { awk '!/exercises\/.*\.c$/ || /\/driver[a-z_]*\.c$/'; }

tracked()
{
    if git rev-parse --git-dir >/dev/null 2>&1; then git ls-files
    else find . -type f ! -path './build/*' ! -path './.git/*'; fi | not_the_learners
}

# A path of one machine is of no use on another.
no_machine_paths()
{
    tracked | grep -v '\.gz$' | xargs grep -nE '(^|[^A-Za-z0-9_./])/(home|root|work|mnt|scratch)/[a-z]' >"$tap_work/paths" &&
        { cat "$tap_work/paths"; return 1; }
    return 0
}

nothing_unfinished()
{
    tracked | grep -E '\.(c|h|sh|awk|bats|gp|mk)$|Makefile' | xargs grep -nE '(TO''DO|FIX''ME|(^|[^X])XX''X([^X]|$))' && return 1
    return 0
}

no_fast_math()
{
    grep -nE 'ffast-math|Ofast' Makefile tests/*.mk lib/*/*.mk lib/*/*.sh && return 1
    return 0
}

# lib/README.md says what to touch: what it names is there. $1 another page, for the test of this test.
paths_of_the_page_exist()
{
    page=${1:-lib/README.md}
    # shellcheck disable=SC2016
    {
        grep -o '`[A-Za-z][A-Za-z0-9_./-]*`' "$page" | tr -d '`' | grep -E '/|^Makefile$'
        grep -o '](\([^)#]*\))' "$page" | sed 's|^](\(.*\))$|lib/\1|'
        grep -o 'make run-[A-Za-z]*/[A-Za-z_]*' "$page" | sed 's|make run-\(.*\)|tests/\1.c|'
    } | grep -vE 'NAME|LAYER|NN-slug|^build/' | sort -u >"$tap_work/named"
    [ "$(wc -l <"$tap_work/named")" -ge "${2:-40}" ] || { echo 'hardly a path was found: is this test right?'; return 1; }
    while read -r path; do [ -e "$path" ] || { echo "$page: $path is not there"; missing=1; }; done <"$tap_work/named"
    [ -z "${missing:-}" ]
}

a_missing_path_is_found()
{
    # shellcheck disable=SC2016
    echo '`lib/base/status.h` and `lib/nowhere/else.c`' >"$tap_work/page.md"
    (paths_of_the_page_exist "$tap_work/page.md" 1) && { echo 'a path that is not there was not found'; return 1; }
    return 0
}

# A kernel that a header declares has a row, but for the one that adds up a sum's parts (kernels/kernels.h).
kernels_have_rows()
{
    cat "${1:-/dev/null}" lib/kernels/*.h | grep -v '^ \*\|^/\*' | grep -vE 'typedef|static inline' |
        grep -oE 'spw_[a-z0-9_]*_(ref|omp|target|cuda)(_[a-z0-9_]+)?[(,;]' | tr -d '(,;' |
        grep -vx spw_partials_sum_cuda | sort -u >"$tap_work/kernels"
    [ "$(wc -l <"$tap_work/kernels")" -ge 100 ] || { echo 'hardly a kernel was found: is this test right?'; return 1; }
    while read -r kernel; do
        grep -q "ROW($kernel," lib/kernels/kernels.c || { echo "lib/kernels/kernels.c: no row of $kernel"; without=1; }
    done <"$tap_work/kernels"
    [ -z "${without:-}" ]
}

a_kernel_without_a_row_is_found()
{
    echo 'void spw_copy_omp_nowhere(int n);' >"$tap_work/kernel.h"
    (kernels_have_rows "$tap_work/kernel.h") | grep -q nowhere || { echo 'a kernel without a row was not found'; return 1; }
}

# The pages name the reference's share as the judge has it. $1, $2: other pages and how many say it, for the test of
# this test.
share_of_the_reference()
{
    percent=$(awk '$2 == "SPW_SHARE_OF_REFERENCE" { print 100 * $3 }' lib/judge/contest.h)
    for page in ${1:-README.md exercises/*/README.md}; do
        tr -s '\n ' '  ' <"$page" | grep -oE '[0-9]+ % of (what )?the (reference|speed of the solution)' | sed "s|^|$page: |"
    done >"$tap_work/shares"
    [ "$(wc -l <"$tap_work/shares")" -ge "${2:-11}" ] || { echo 'hardly a share was found: is this test right?'; return 1; }
    grep -v ": $percent % of " "$tap_work/shares" || return 0
    echo "lib/judge/contest.h: SPW_SHARE_OF_REFERENCE is $percent %"
    return 1
}

another_share_is_found()
{
    printf 'Either 80 %% of what\nthe reference solution reaches, or less\n' >"$tap_work/page.md"
    (share_of_the_reference "$tap_work/page.md" 1) | grep -q 'is [0-9]* %' || { echo 'another share was not found'; return 1; }
}

# Functions of 60 lines at most between their braces, files of 700 at most.
sizes()
{
    find lib exercises solutions \( -name '*.c' -o -name '*.cu' -o -name '*.h' -o -name '*.cuh' -o -name '*.cpp' \) |
        not_the_learners | sort >"$tap_work/sources"
    xargs awk 'FNR == 1 { head = ""; start = 0 }
        /^[A-Za-z_].*\(/ { head = /[;}]$/ ? "" : $0 }
        head != "" && !start && /\{$/ { start = FNR }
        head != "" && !start && /\)$/ { head = "" } # SPW_CALL(...)
        /^\}/ { if (start && FNR - start - 1 > 60) { print FILENAME ":" start ": " FNR - start - 1 " lines: " head; bad = 1 }
                start = 0; head = "" }
        FNR == 701 { print FILENAME ": more than 700 lines"; bad = 1 }
        END { exit bad }' <"$tap_work/sources"
}

makefile_is_narrow()
{
    awk 'length > 100 { print FILENAME ":" FNR ": " length " columns"; bad = 1 } END { exit bad }' \
        Makefile lib/judge/judge.mk lib/commands/commands.mk tests/tests.mk
}

check 'includes point one way' includes_point_down
check 'an include that points up is found' upward_is_found
check 'headers and solutions of exercises do not reach into the judge' exercises_include_no_commands
check "the checker's cuda_runtime.h stands alone as C++17" alone 'g++ -std=c++17 -isystem lib/simt/include' cuda_runtime.h cpp
# alone_before HEADER: as C11 and as C++17, for later
alone_before()
{
    flat=$tap_work/$(printf %s "$1" | tr / -)
    find_out "$flat.c11" alone "$CC -std=c11" "$1" c "$flat"
    if command -v g++ >/dev/null 2>&1; then find_out "$flat.cpp17" alone 'g++ -std=c++17' "$1" cpp "$flat"; fi
}
headers=$(cd lib && find . -name '*.h' ! -path './simt/include/*' | sed 's|^\./||' | sort)
# shellcheck disable=SC2086
side_by_side alone_before $headers
for header in $headers; do
    flat=$tap_work/$(printf %s "$header" | tr / -)
    check "$header stands alone as C11" found_before "$flat.c11"
    if command -v g++ >/dev/null 2>&1; then
        check "$header stands alone as C++17" found_before "$flat.cpp17"
    else
        skip "$header stands alone as C++17" 'g++ is not installed'
    fi
done
check 'conditional compilation only where it is allowed' conditionals
check 'no path of one machine' no_machine_paths
check 'nothing is marked as unfinished' nothing_unfinished
check 'no -ffast-math' no_fast_math
check 'what lib/README.md names is there' paths_of_the_page_exist
check 'a path that is not there is found' a_missing_path_is_found
check 'every kernel of the headers has a row' kernels_have_rows
check 'a kernel without a row is found' a_kernel_without_a_row_is_found
check "the pages name the reference's share as the judge has it" share_of_the_reference
check 'another share is found' another_share_is_found
check 'no function above 60 lines, no file above 700' sizes
check 'the Makefile has 100 columns at most' makefile_is_narrow

if command -v clang-format >/dev/null 2>&1; then
    version=$(clang-format --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
    if [ "${version:-0}" -ge 14 ]; then
        for source in $(find lib exercises/*/driver*.c exercises/*/*.h solutions tests -name '*.[ch]' ! -path '*/wrong/*' | sort); do
            clang-format "$source" 2>/dev/null | cmp -s - "$source" || echo "$source"
        done >"$tap_work/unformatted"
        if [ -s "$tap_work/unformatted" ]; then not_ok 'clang-format changes nothing' "$tap_work/unformatted"
        else ok 'clang-format changes nothing'; fi
    else
        skip 'clang-format changes nothing' "clang-format $version is older than 14"
    fi
else
    skip 'clang-format changes nothing' 'clang-format is not installed'
fi
if command -v shellcheck >/dev/null 2>&1; then
    # shellcheck disable=SC2046
    check 'shellcheck finds nothing' shellcheck -x -S warning $(tracked | grep '\.sh$') .ci/run
else
    skip 'shellcheck finds nothing' 'shellcheck is not installed'
fi
for script in $(tracked | grep '\.sh$'); do
    sh -n "$script" 2>>"$tap_work/syntax" || echo "$script" >>"$tap_work/syntax"
done
if [ -s "$tap_work/syntax" ]; then not_ok 'the shell can read every script' "$tap_work/syntax"
else ok 'the shell can read every script'; fi
done_testing
