# answer.sh: what the builds of an answer have in common: judge/answer.h says what lies beside an answer. Read by
# compile.sh, compile_gpu.sh and ../simt/compile.sh, which set judge, the folder of this file, source and answer.
# shellcheck shell=sh disable=SC2034,SC2154,SC3045
base=${answer%.so}
mkdir -p "${answer%/*}" || exit 5
rm -f "$answer"
: >"$base.functions" || exit 5

# What the compiler says is for the terminal and for the record of the judgement.
colour=
if [ -t 2 ] && [ "${TERM-dumb}" != dumb ]; then colour=-fdiagnostics-color=always; fi
words=$base.compiler
: >"$words"
exec 3>&2 2>>"$words"

# finish [STATUS]: shows the compiler's words. With a status the answer is refused: it holds nothing else.
finish()
{
    exec 2>&3 3>&-
    rm -f "$base.ii"
    cat "$base.compiler" >&2
    if [ -n "${1-}" ]; then
        echo "$1" >"$answer"
        exit "$1"
    fi
    cp "$source" "$base.source" # so that make sees another file even where its date is older
    nm -u "$answer" | awk '{ sub(/@.*/, "", $NF); print $NF }' >"$base.undefined"
    nm -D --defined-only "$answer" | awk '{ sub(/@.*/, "", $NF); print $NF }' >"$base.defined"
    # crti.o calls __gmon_start__ if somebody defines it.
    nm "$answer" | awk '$2 == "i" { print "resolver", $3 } $2 !~ /[wU]/ && $3 == "__gmon_start__" { print $3 }' >"$base.startup"
    # One entry of .init_array is the compiler's own; sanitizers and the checker's headers have others.
    case "${CODE-} ${optimise-}" in
    *-fsanitize*) ;;
    *) size -A "$answer" | awk '$1 == ".init_array" && $2 > 8 { print "constructor" }' >>"$base.startup" ;;
    esac
}

# An answer is a page or two: what is longer, or never ends, is a mistake.
most_bytes=262144 most_words=65536 most_seconds=${COMPILE_SECONDS:-15} # of the preprocessor
if [ ! -f "$source" ]; then
    echo "$source: is no file" >&2
    finish 1
elif [ "$(wc -c <"$source")" -gt $most_bytes ]; then
    echo "$source: has $(wc -c <"$source") bytes, $most_bytes are the most" >&2
    finish 1
fi
if ! tr -d '\000' <"$source" | cmp -s - "$source"; then
    echo "$source: holds bytes that are zero: is it a text?" >&2
    finish 1
fi
sha256sum <"$source" >"$base.sha256" 2>/dev/null

# limited COMMAND...: within time, memory (4 GiB) and file size (64 MiB); leaves where it was stopped
limited()
{
    (ulimit -v 4194304; ulimit -f 131072; exec timeout "$most_seconds" "$@" 2>>"$words")
    limited_status=$?
    if [ "$(wc -c <"$words")" -gt $most_words ]; then
        head -c $most_words "$words" >"$words.cut" && cat "$words.cut" >"$words"
        rm -f "$words.cut"
        printf '\n(and so on: what the compiler says is cut here)\n' >>"$words"
    fi
    [ $limited_status = 124 ] || return $limited_status
    echo "$source: the compiler was stopped after $most_seconds s: is a file included that never ends?" >&2
    finish 1
}

# find_functions: in $base.ii, the preprocessed source. One that is not written yet returns nothing and uses nothing: no
# news to the learner.
empty=
find_functions()
{
    awk -f "$judge/functions.awk" "$base.ii" >"$base.functions" || finish 5
    # Where it is, and what of the system's, the preprocessor alone says.
    sed -n 's/^# [0-9]* "\([^"/<][^"]*\)" 1$/\1/p' "$base.ii" | sort -u | tr '\n' '\0' | xargs -0 awk '
        FNR == 1 { sub(/^\357\273\277/, "") }
        { at = held == "" ? FNR : at; held = held $0 }
        sub(/\\[ \t\r]*$/, "", held) { next }
        held ~ /(^|\*\/)[ \t\f\v]*(#|%:)[ \t\f\v]*([0-9]|line([^A-Za-z0-9_]|$)|\/\*)/ { print "marker", at, "refused" }
        { held = "" }' "$source" >>"$base.functions" || finish 5
    ! grep -q ' empty$' "$base.functions" || empty=1
    most_seconds=${COMPILE_SECONDS:-60} # of the compiler
}
