# answer.sh: what the builds of an answer have in common: judge/answer.h says what lies beside an answer. Read by
# compile.sh, compile_gpu.sh and ../simt/compile.sh, which set judge, the folder of this file, source and answer.
# shellcheck shell=sh disable=SC2034,SC2154
base=${answer%.so}
mkdir -p "${answer%/*}" || exit 5
rm -f "$answer"
awk -f "$judge/functions.awk" "$source" >"$base.functions" || exit 5
sha256sum <"$source" >"$base.sha256" 2>/dev/null

# A function that is not written yet returns nothing and uses nothing: no news to the learner.
empty=
grep -q ' empty$' "$base.functions" && empty=1

# What the compiler says is for the terminal and for the record of the judgement.
colour=
if [ -t 2 ] && [ "${TERM-dumb}" != dumb ]; then colour=-fdiagnostics-color=always; fi
exec 3>&2 2>"$base.compiler"

# finish [STATUS]: shows the compiler's words. With a status the answer is refused: it holds nothing else.
finish()
{
    exec 2>&3 3>&-
    cat "$base.compiler" >&2
    if [ -n "${1-}" ]; then
        echo "$1" >"$answer"
        exit "$1"
    fi
    cp "$source" "$base.source" # so that make sees another file even where its date is older
    nm -u "$answer" | awk '{ sub(/@.*/, "", $NF); print $NF }' >"$base.undefined"
    nm -D --defined-only "$answer" | awk '{ sub(/@.*/, "", $NF); print $NF }' >"$base.defined"
}
