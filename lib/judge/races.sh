#!/bin/sh
# races.sh OUT FOLDER ANSWER.so: compiles an answer once more, for lib/judge/races.c, from the copy of its source,
# to ANSWER.races.so, unless that is there and newer. OUT is the folder of this build, whose compiler.sh says how. The
# status is 0; 2 where there is nothing to look for; or 1, and the reason is printed, why it cannot be looked for.
out=$1 folder=$2 base=${3%.so}
made=$base.races.so
grep -qE '^(GOMP_parallel|__kmpc_fork_call|pthread_create)' "$base.undefined" || exit 2
[ -e "$made" ] && [ -z "$(find "$3" "$0" "$out/lib/judge/races" -newer "$made")" ] && exit 0

no() { echo "$1"; exit 1; }

# shellcheck disable=SC1091
. "$out/compiler.sh" || exit 1
case $CODE in *-fsanitize=*) no 'this build has a sanitizer, which looks for others' ;; esac
[ "$($CC -dM -E - </dev/null 2>/dev/null | grep -cE '__clang__|__GNUC__')" = 1 ] || CC=gcc
command -v "${CC%% *}" >/dev/null 2>&1 || no 'gcc is not here: make setup'
grep -q '^pthread_' "$base.undefined" && no 'only those of threads that OpenMP starts can be found'

# The functions of which lib/judge/races/accesses.c has its own.
names=
for name in memcpy memmove memset malloc calloc realloc aligned_alloc posix_memalign spw_alloc spw_alloc_zero; do
    names="$names --redefine-sym $name=spw_races_$name"
done
trap 'rm -f "$base.races.ii" "$base.races.o" "$base.races.$$"' EXIT
# Preprocessed as the answer was: no #if tells it that it is looked at.
# -fno-builtin: so that calls of these are calls. No stubs (plt): they have no line.
# The answer is linked last: what it writes behind its variables is not what its threads are run by.
# shellcheck disable=SC2086
$CC $CODE "-Iexercises/$folder" -E -x c "$base.source" -o "$base.races.ii" 2>/dev/null &&
    $CC $CODE -w -O0 -g -fopenmp -fPIC -fno-plt -fno-builtin -fsanitize=thread,bounds -x cpp-output \
        -c "$base.races.ii" -o "$base.races.o" 2>/dev/null &&
    objcopy $names "$base.races.o" &&
    $CC -shared -Wl,-Bsymbolic "$out/lib/judge/races/gomp.o" "$out/lib/judge/races/accesses.o" "$base.races.o" \
        -o "$base.races.$$" -lm 2>/dev/null || no "$CC cannot compile it with its -fsanitize=thread"
# Variables of a thread would be those of all fibers. What is asked of places and devices is libgomp's to answer.
readelf -lW "$base.races.$$" | grep -q ' TLS ' && no 'variables of a thread (threadprivate) are too hard'
lacking=$(nm -u "$base.races.$$" | awk '{ sub(/@.*/, "", $NF); print $NF }' | grep -E '^(GOMP|omp|GOACC)_' |
    grep -vE '^(GOMP_t(arget|eams)|omp_(target|is_initial|get_([b-z]|affinity)))' |
    head -n 1)
[ -z "$lacking" ] || no "$lacking is too hard"
cp "$base.functions" "$base.races.functions" && mv "$base.races.$$" "$made"
