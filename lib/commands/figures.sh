#!/bin/sh
# shellcheck disable=SC2086,SC2231,SC2013  # the tables of a picture are a pattern
# figures.sh [--keep FOLDER]: `make figures`. Draws the pictures that lie beside the texts, those of plots/figures.tsv, from
# plots/schematic and from the tables in plots/recorded, which name their machine and date. --keep takes the tables of FOLDER
# first, where it has them: what `make plots` measured on a machine that was not busy.
#     figures.sh --sum SCRIPT TABLES
# prints the checksum of what such a picture is drawn from; it stands in the picture, so that a test sees one that is old.
sources() { # of SCRIPT and TABLES, a prefix
    case $1 in
        *.awk) echo "plots/$1 plots/schematic/$2.tsv" ;;
        *) echo plots/style.gp plots/solver.gp plots/warp.gp "plots/$1" plots/recorded/$2* ;;
    esac
}
# shellcheck disable=SC2046,SC2002
sum() { cat $(sources "$1" "$2") | cksum | cut -d " " -f 1; }
if [ "$1" = --sum ]; then
    sum "$2" "$3"
    exit
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# Of the record of `make solution-3`, where that was not disturbed: its products and its roofs.
take_record() { # RECORD TABLE
    awk -f lib/judge/record.awk "$1" | awk -F '\t' '$1 ~ /others$/ && $2 > 0.1 || $2 == "no-verdict" { bad = 1 } END { exit bad }' ||
        { echo "Not kept: $1 was disturbed. Judge again when it is quiet: make solution-3"; return; }
    awk -f lib/judge/record.awk -v rows=parts -v columns='function load store flop bandwidth peak seconds baseline stretch peer' "$1" >"$2.tsv"
    take_facts "$1" "$2"
}
take_facts() { # RECORD TABLE
    awk -f lib/judge/record.awk "$1" | awk -F '\t' '
        $1 == "machine.cpu" { printf "cpu = \"%s\"\n", $2 } $1 == "machine.threads" { print "threads = " $2 }
        $1 == "started" { printf "date = '"'%s'"'\n", substr($2, 1, 10) }' >"$2-facts.gp"
}
if [ "$1" = --keep ]; then
    mkdir -p plots/recorded
    records=${2%plots}records
    [ ! -e "$records/solution-3.json" ] || take_record "$records/solution-3.json" plots/recorded/exercise-03
    [ ! -e "$records/solution-2.json" ] || take_facts "$records/solution-2.json" plots/recorded/exercise-02
    for prefix in $(awk -F '\t' '!/^#/ && $2 ~ /gp$/ { print $3 }' plots/figures.tsv | sort -u); do
        if grep -qs '^busy' "$2"/$prefix*facts.gp; then
            echo "Not kept: $2/$prefix* was measured on a busy machine. Measure again when it is quiet: make plots"
            continue
        fi
        for table in "$2"/$prefix*.tsv "$2"/$prefix*facts.gp; do
            [ ! -e "$table" ] || cp "$table" plots/recorded/ || exit 1
        done
    done
fi
if ! command -v gnuplot >/dev/null 2>&1; then
    echo "No pictures: gnuplot is not installed (make setup installs it)."
    exit 1
fi
status=0
while IFS='	' read -r picture script tables; do
    case $picture in '#'*) continue ;; esac
    case $script in
        *.awk) awk -f "plots/$script" "plots/schematic/$tables.tsv" >"$work/picture" ;;
        *)
            if ! ls plots/recorded/$tables* >/dev/null 2>&1; then
                echo "No picture yet: $picture needs plots/recorded/$tables*: make plots figures KEEP=1"
                status=1
                continue
            fi
            cp plots/recorded/$tables* "$work" &&
                gnuplot -e 'kinds = "svg"' -c "plots/$script" "$work" &&
                sed '/^<desc>/d; s/<title>Gnuplot<\/title>//' "$work/${script%.gp}.svg" >"$work/picture"
            ;;
    esac || { echo "No picture: plots/$script failed on $tables" >&2 && status=1 && continue; }
    echo "<!-- make figures: $(sum "$script" "$tables") -->" >>"$work/picture"
    if cmp -s "$work/picture" "$picture"; then continue; fi
    cp "$work/picture" "$picture" && echo "Picture: $picture"
done <plots/figures.tsv
exit $status
