#!/bin/sh
# mutants.sh list INTO WRONG ENDING: the wrong answers of the folder WRONG (tests/wrong/06-spmv-csr; ENDING c or cu) that
#     say what a learner is told, a line each: name, function and case that fail first, those of another part that
#     the same mistake breaks ("-": none), check, words of what the checker finds ("-": any), sentence, parted by tabs.
# mutants.sh build INTO WRONG ENDING NAME...: compiles them, side by side, to INTO/NAME.so, unless they are there
#     and nothing has changed since. INTO lies in the folder of a build, whose compiler.sh says how. Says that mistakes
#     are being looked for, and the status is 10, if there is something to compile.
# mutants.sh more ...: the same, but says nothing.
# For lib/judge/mutants.c. What cannot be compiled is left out.
verb=$1 into=$2 wrong=$3 ending=$4
shift 4
folder=${wrong##*/}
case $ending in cu) end=.cu.patch ;; *) end=.patch ;; esac

list()
{
    [ -d "$wrong" ] || return
    LC_ALL=C awk -v end="$end" '
        FNR == 1 {
            name = FILENAME
            sub(/.*\//, "", name)
            sub(/\.patch$/, "", name)
            mine = sub(/\.cu$/, "", name) == (end == ".cu.patch") && / says /
            check = $1
            mine = mine && $2 == "says"
            sentence = substr($0, length(check) + 7)
        }
        mine && FNR == 2 {
            # first FUNCTION CASE [where WORDS] [also FUNCTION CASE]: a case may have blanks
            place = $1 == "first" ? substr($0, 7) : "? ?"
            also = "- -"
            where = "-"
            if (split(place, both, / also /) == 2) { place = both[1]; also = both[2] }
            if (split(place, both, / where /) == 2) { place = both[1]; where = both[2] }
            sub(/ /, "\t", place)
            sub(/ /, "\t", also)
            print name "\t" place "\t" also "\t" check "\t" where "\t" sentence
        }' "$wrong"/*.patch
}

# is_built NAME SOLUTION: is it there, and newer than all it is made of?
is_built()
{
    [ -e "$into/$1.so" ] || return 1
    # shellcheck disable=SC2086
    [ -z "$(find "$wrong/$1$end" "$2" "${into%/mutants/*}/compiler.sh" $headers -newer "$into/$1.so")" ]
}

# compile_c SOURCE ANSWER.so: what judge/answer.sh asks of a stranger's file takes half the time, and is not asked of one
# of ours. Its functions are the solution's.
compile_c()
{
    # shellcheck disable=SC2086
    $CC $CODE "-Iexercises/$folder" -fPIC -shared -Wl,-Bsymbolic "$1" -o "$2" -lm &&
        nm -u "$2" | awk '{ sub(/@.*/, "", $NF); print $NF }' >"${2%.so}.undefined" &&
        cp "${into%/mutants/*}/solutions/$folder/answer.functions" "${2%.so}.functions"
}

# compile NAME SOLUTION: elsewhere first, for others may be looking for the same one. The source stays: the checker reads
# names of arrays in it.
compile()
{
    scratch=$into/$1.$$
    mkdir -p "$scratch" || return
    if awk -f tests/apply_patch.awk "$wrong/$1$end" "$2" >"$scratch/$1.$ending" &&
        mv "$scratch/$1.$ending" "$into/$1.$ending" &&
        case $ending in
            cu) SIMT_LINT=no sh lib/simt/compile.sh "$folder" "$into/$1.cu" "$scratch/$1.so" --check ;;
            *) compile_c "$into/$1.c" "$scratch/$1.so" ;;
        esac; then
        mv "$scratch/$1.functions" "$scratch/$1.undefined" "$into" && mv "$scratch/$1.so" "$into"
    fi
    rm -r "$scratch"
}

build()
{
    [ -r "${into%/mutants/*}/compiler.sh" ] || return
    # shellcheck disable=SC1091
    . "${into%/mutants/*}/compiler.sh"
    solution=$(ls "solutions/$folder"/*."$ending")
    headers=$(find lib "exercises/$folder" -name '*.h')
    stale=
    for name in "$@"; do is_built "$name" "$solution" || stale="$stale $name"; done
    [ -n "$stale" ] || return 0
    case $verb$# in
        more*) ;;
        build1) echo '   looking whether it is a known mistake ...' ;;
        *) echo "   looking for your mistake among $# known ones ..." ;;
    esac
    mkdir -p "$into" || return
    for name in $stale; do compile "$name" "$solution" >/dev/null 2>&1 & done
    wait
    return 10
}

case $verb in
    list) list ;;
    build | more) build "$@" ;;
esac
