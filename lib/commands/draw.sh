#!/bin/sh
# draw.sh FOLDER [NAME...]: draws plots/NAME.gp into FOLDER, as NAME.svg and NAME.png; without names all
# plots/exercise-NN*.gp and plots/formats-*.gp. A script whose tables are not there yet is named and left out. Without gnuplot it
# says so and that is all: the tables are there, and have been shown as text.
#     draw.sh --text FOLDER NAME
# draws one in the terminal instead, and nothing where gnuplot is not. POINTS: of machine-roofline, a file.
if [ "$1" = --text ]; then
    command -v gnuplot >/dev/null 2>&1 &&
        gnuplot -e "kinds = 'text'" -c "plots/$3.gp" "$2" | tr -d '\f' | sed 's/ *$//; /./,$!d'
    exit 0
fi
folder=$1
shift
if ! command -v gnuplot >/dev/null 2>&1; then
    echo "No pictures: gnuplot is not installed (make setup installs it). The tables: $folder/*.tsv"
    exit 0
fi
if [ $# -eq 0 ]; then
    for script in plots/exercise-*.gp plots/formats-*.gp; do
        name=${script#plots/}
        set -- "$@" "${name%.gp}"
    done
fi
status=0
for name in "$@"; do
    missing=
    # the script says which tables it reads:  folder."/exercise-06.tsv"
    for table in $(grep -o 'folder\."/[A-Za-z0-9-]*\.[a-z]*"' "plots/$name.gp" | sed 's/.*\///; s/"//'); do
        [ -e "$folder/$table" ] || missing=$table
    done
    if [ "$missing" ]; then
        echo "No picture yet: $name needs $folder/$missing, which is not measured yet"
    elif gnuplot -c "plots/$name.gp" "$folder" "${POINTS-}"; then
        echo "Picture: $folder/$name.svg and .png"
    else
        echo "No picture: gnuplot failed on plots/$name.gp" >&2
        status=1
    fi
done
exit $status
