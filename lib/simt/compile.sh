#!/bin/sh
# compile.sh FOLDER SOURCE.cu ANSWER.so [--fast|--check]: builds CUDA source for the checker, see simt.h.
#
#   --fast    -O2: values, barriers, page faults
#   --check   -O1 with a callback at every access and basic block: bounds, races, traffic
#
# What it leaves beside the answer, and its status, are those of lib/judge/compile.sh. The environment gives CXX (g++), CUFLAGS, and
# REWRITE, the rewriter's program. Where clang is, it looks for calls between host and device that nvcc
# would refuse and g++ cannot see; SIMT_LINT=no leaves that out. SIMT_EXCEPTIONS, empty: --check compiles throw and catch.
folder=$1 source=$2 answer=$3 how=${4:---fast} simt=${0%/*}
judge=$simt/../judge
CXX=${CXX:-g++}
REWRITE=${REWRITE:-build/bin/simt-rewrite}

case $how in
--fast) optimise='-O2' exceptions= ;;
# Two barriers of the source stay two, and a double2 that is loaded whole stays whole. No exceptions: each call would end a basic block. gcc, because clang leaves out reads of y[i] += ...
--check) optimise='-O1 -fno-crossjumping -fno-tree-sra -fsanitize=thread -fsanitize=bounds --param tsan-distinguish-volatile=1 -fsanitize-coverage=trace-pc' exceptions=${SIMT_EXCEPTIONS--fno-exceptions} ;;
*) echo "compile.sh: $how is neither --fast nor --check" >&2; exit 5 ;;
esac
# shellcheck source=lib/judge/answer.sh
. "$judge/answer.sh"
if ! command -v "${CXX%% *}" >/dev/null 2>&1; then
    echo "CUDA source needs a C++ compiler, and $CXX is not here: make setup" >&2
    finish 5
fi
trap 'rm -f "$base.ii" "$base.rewritten.ii" "$base.o" "$base.lint"' EXIT

# Also for the preprocessor: headers of the C++ library ask it whether there are exceptions. `#pragma unroll` is nvcc's.
language="-std=c++17 -Wall -Wextra -Wshadow -Wno-unknown-pragmas $exceptions $colour"
# nvcc includes cuda_runtime.h by itself.
include="-isystem $simt/include -include cuda_runtime.h -I$simt/.. -Iexercises/$folder"
# shellcheck disable=SC2086
limited $CXX $language -x c++ -E -MD -MP -MF "$base.d" -MT "$answer" $include $CUFLAGS "$source" -o "$base.ii" || finish 1
find_functions
"$REWRITE" <"$base.ii" >"$base.rewritten.ii" || finish 1
# No stubs (plt): they have no line. No unique symbols: two answers may have a template kernel, and its
# __shared__ array, of one name.
# shellcheck disable=SC2086
limited $CXX $language -x c++ -fpreprocessed ${empty:+-Wno-return-type -Wno-unused-parameter} -g $optimise -fPIC -fno-plt \
    -fno-gnu-unique -c "$base.rewritten.ii" -o "$base.o" || finish 1
# Linked without -fsanitize: the callbacks are the runtime's, in the program that loads this.
$CXX -shared -Wl,-Bsymbolic "$base.o" -o "$answer" -lm || finish 1

if [ "$SIMT_LINT" != no ] && command -v clang++ >/dev/null 2>&1; then
    # Its other complaints are about our headers, not about the learner's code.
    # shellcheck disable=SC2086
    clang++ -std=c++17 -x cuda --cuda-host-only -fsyntax-only -nocudainc -nocudalib -w \
        -ferror-limit=0 -fno-caret-diagnostics -Wno-unknown-cuda-version $include $CUFLAGS "$source" 2>&1 |
    awk '/ error: / { last = $0 }
        # assert: ours tells the line
        / error: (reference to __host__ function|call to global function)/ && !/__assert_fail/ { print }
        / note: .*call to __host__ function from __(global|device)__ function/ && last != "" && last !~ /__assert_fail/ {
            sub(/no matching function for call to/, "a kernel calls, without __device__, the host function", last)
            print last
            last = ""
        }' >"$base.lint"
    if [ -s "$base.lint" ]; then
        cat "$base.lint" >&2
        finish 1
    fi
fi
finish
