#!/bin/sh
# patches.sh unfold NN-slug: writes each patch of tests/wrong/NN-slug as the file that it makes of the solution, its
#     head as lines of "// ", into build/patches/NN-slug.
# patches.sh fold NN-slug [FOLDER]: writes the patches anew, from these files and the solution as it is by then, into
#     tests/wrong/NN-slug or FOLDER.
# To change a solution: unfold, make the same change in the solution and in these files (a renaming, a formatter),
# fold. To add a wrong answer: a copy of the solution among the files, with its head above, then fold.
# The environment may name another BUILD.
files=${BUILD:-build}/patches/$2
wrong=tests/wrong/$2
[ -d "$wrong" ] || { echo "there is no $wrong; usage: patches.sh unfold|fold NN-slug" >&2; exit 2; }

# solution FILE: of that ending
solution() { ls "solutions/${wrong##*/}"/*."${1##*.}"; }

unfold()
{
    rm -rf "$files"
    mkdir -p "$files" || return 1
    for patch in "$wrong"/*.patch; do
        name=${patch##*/}
        name=${name%.patch}
        case $name in *.cu) ;; *) name=$name.c ;; esac
        sed '/^--- /,$d; s/^/\/\/ /' "$patch" >"$files/$name"
        awk -f tests/apply_patch.awk "$patch" "$(solution "$name")" >>"$files/$name" || failed=1
    done
}

fold()
{
    into=${1:-$wrong}
    for file in "$files"/*; do
        name=${file##*/}
        from=$(solution "$name")
        patch=$into/${name%.c}.patch
        {
            sed '/^\/\/ /!q' "$file" | sed -n 's/^\/\/ //p'
            sed '1,/^[^/]/{/^\/\/ /d;}' "$file" | diff -U1 "$from" - |
                sed "1s/.*/--- ${from##*/}/; 2s/.*/+++ ${from##*/}/; s/^\(@@ .* @@\).*/\1/"
        } >"$patch.new"
        mv "$patch.new" "$patch"
        awk -f tests/apply_patch.awk "$patch" "$from" >/dev/null || failed=1
    done
}

failed=0
case $1 in
    unfold) unfold ;;
    fold) fold "$3" ;;
    *) failed=2 ;;
esac
exit $failed
