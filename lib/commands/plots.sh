#!/bin/sh
# plots.sh PLOT BUILD NAME OPTION...: `make plots`. Measures what has not been measured yet, by the program PLOT with these
# OPTIONs, and draws it into BUILD/plots: all figures, or the pictures of NAME alone, 16 for exercise-16. MACHINE is the
# command that measures this machine.
plot=$1 build=$2 name=$3 folder=$2/plots
shift 3
figures=$("$plot" | awk '{ print $1, $2 }')
case $name in
    '')
        echo "$(echo "$figures" | wc -l) figures, drawn into $folder. What was measured before is shown again, the rest is"
        echo "measured now: minutes on a quiet machine. One alone: make plots NAME=16, of exercise 16;"
        echo "QUICK=1: small matrices, a look at everything in a minute or two."
        pictures=''
        ;;
    *)
        case $name in [1-9]) name=exercise-0$name ;; [1-9][0-9]) name=exercise-$name ;; esac
        pictures=$(cd plots && ls "$name".gp "$name"-*.gp 2>/dev/null | sed 's/\.gp$//')
        case $name in
            exercise-02) echo "make exercise-2 measures it." ;;
            exercise-09) file=exercise-08 ;; # one figure counts both
            exercise-*[0-9] | formats-*) file=$name ;;
            *) pictures='' ;;
        esac
        if [ -z "$pictures" ]; then
            echo "There is no picture '$name'. There are, as NAME=16 or NAME=formats-beta:" \
                "$(cd plots && echo exercise-[0-9][0-9].gp formats-*.gp | sed 's/exercise-0*//g; s/\.gp//g')" | fold -s -w 79 >&2
            exit 2
        fi
        figures=$(echo "$figures" | awk -v file="${file-}" '$2 == file || index($2, file "-") == 1')
        ;;
esac
# Exercise 1 draws the tables of the machine.
if [ -z "$name" ] || [ "$name" = exercise-01 ]; then
    if [ -e "$build/machine.tsv" ]; then
        sh -c "$MACHINE --show" || exit 1
    else
        quick=
        case " $* " in *' --quick '*) quick=--quick ;; esac
        sh -c "$MACHINE $quick" || exit 1
    fi
fi
# Exercise 25 draws what was published.
case $name in '' | exercise-25) mkdir -p "$folder" && cp plots/recorded/exercise-25-* "$folder" || exit 1 ;; esac
for figure in $(echo "$figures" | cut -d ' ' -f 1); do
    "$plot" "$figure" --show "$@" --out "$folder" || exit 1
done
echo
# shellcheck disable=SC2086
sh lib/commands/draw.sh "$folder" $pictures
