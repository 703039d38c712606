#!/bin/sh
# compile.sh FOLDER SOURCE ANSWER.so: compiles an answer. The environment gives CC and CODE (flags). The status is
# 0, or 1 if it does not compile: the compiler's words are printed as they are.
folder=$1 source=$2 answer=$3 judge=${0%/*}
# shellcheck source=lib/judge/answer.sh
. "$judge/answer.sh"

# What it warns of the compiler says again.
# shellcheck disable=SC2086
limited $CC $CODE $colour "-Iexercises/$folder" -E "$source" -o "$base.ii" || finish 1
: >"$words"
find_functions

# -Bsymbolic: a learner's "copy" is the learner's, whatever else is called that. -MD: a file that calls itself a system
# header is listed as well.
# shellcheck disable=SC2086
limited $CC $CODE $colour ${empty:+-Wno-return-type -Wno-unused-parameter} "-Iexercises/$folder" -fPIC -shared \
    -Wl,-Bsymbolic -MD -MP -MF "$base.d" -MT "$answer" "$source" -o "$answer" -lm || finish 1
finish
