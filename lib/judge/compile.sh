#!/bin/sh
# compile.sh FOLDER SOURCE ANSWER.so: check BUILD. Compiles an answer and writes beside it what the
# judge wants to know: the list of its functions and of the symbols that it takes from elsewhere.
# The environment gives CC and CODE (flags). Prints the compiler's words as they are.
folder=$1 source=$2 answer=$3
base=${answer%.so}
mkdir -p "${answer%/*}" || exit 5

awk -f lib/judge/functions.awk "$source" >"$base.functions" || exit 5
quiet=
# A function that is not written yet returns nothing and uses nothing: no news to the learner.
grep -q ' empty$' "$base.functions" && quiet='-Wno-return-type -Wno-unused-parameter'

# -Bsymbolic: a learner's "copy" is the learner's, whatever else is called that.
# shellcheck disable=SC2086
if ! $CC $CODE $quiet "-Iexercises/$folder" -fPIC -shared -Wl,-Bsymbolic \
    -MMD -MP -MF "$base.d" -MT "$answer" "$source" -o "$answer" -lm; then
    title=$(sed -n '1s/^# *//p' "exercises/$folder/README.md" 2>/dev/null)
    printf '%s\n BUILD    FAIL   %s\n' "${title:-$folder}" "$source"
    echo ' NEXT     mend the first error above; later ones often follow from it'
    rm -f "$answer"
    exit 1
fi
cp "$source" "$base.source" # so that make sees another file even where its date is older
nm -u "$answer" | awk '{ sub(/@.*/, "", $NF); print $NF }' >"$base.undefined"
