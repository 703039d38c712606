#!/bin/sh
# check_mpi.sh OUT BUILD FILE RANKS ARGS: a whole MPI program in C, with its main, as ranks in one process: what is wrong with
# it, and what it sends. No MPI is needed. ARGS: the program's arguments, parted by blanks. Its input is empty.
# CC, CFLAGS; CLUSTERS: lib/ranks/ranks.h; LIMIT: as checked.sh says.
#
# It runs twice: the lowest rank first, then the highest. What it prints the first time is shown. A program that receives
# from MPI_ANY_SOURCE runs again, up to six times: with messages of several ranks to choose from, it takes each in turn.
# Exit status: 0 nothing was found; 1 something was, or the program failed by itself; 2 it cannot be run.
out=$1 build=$2 file=$3 ranks=${4:-4} args=${5-} goal=check-mpi
. lib/commands/checked.sh
begin 'a C program with its main, as in make check-mpi FILE=my.c RANKS=4 ARGS="1000"'
case $file in *.c) ;; *) refuse "$file: the name of a C program ends in .c" ;; esac
case $ranks in '' | *[!0-9]* | 0* | ?????*) refuse "RANKS is '$ranks', must be 1 to 4096" ;; esac
[ "$ranks" -le 4096 ] || refuse "RANKS is '$ranks', must be 1 to 4096"
"$out/bin/check_mpi" || exit 2 # CLUSTERS can be read

# What the workbook's mpi.h has not is an implicit function or an unknown type.
# shellcheck disable=SC2086
if ! ${CC:-gcc} -std=gnu11 -O1 -g -Wall -Wextra -Werror=implicit-function-declaration -fPIC -shared -Wl,-Bsymbolic \
    -Ilib/ranks/include $CFLAGS "$file" -o "$work/program.so" -lm 2>"$work/said"; then
    sed "/Werror=implicit-function-declaration/d" "$work/said" >&2
    missing=$(LC_ALL=C tr -c 'A-Za-z0-9_' '\n' <"$work/said" | grep '^MPI_' | sort -u |
        while read -r name; do grep -qw "$name" lib/ranks/include/mpi.h || printf '%s ' "$name"; done)
    [ -z "$missing" ] || echo "The workbook's MPI does not have: $missing
(what it has stands in lib/ranks/include/mpi.h)" >&2
    refuse "$file does not compile"
fi
cat "$work/said" >&2
nm -D --defined-only "$work/program.so" | grep -q ' T main$' || refuse "$file has no main, and so is no program"

# broken: long lines, broken with their indent
broken()
{
    awk '{
        match($0, /^ */); line = sprintf("%*s", RLENGTH + 3, ""); n = split($0, word, " ")
        for (k = 1; k <= n; k++) {
            if (k > 1 && length(line " " word[k]) > 79) { print line; line = sprintf("%*s", RLENGTH + 5, "") word[k] }
            else line = line (k > 1 ? " " : "") word[k]
        }
        print line }'
}

# judge WAY STATUS WORDS: says what that run found, if it did
judge()
{
    if ! n=$(found "$1"); then
        case $2 in
            137) echo " RUN      FAIL   $3it did not end within $((10 * limit)) s" ;;
            153) echo " RUN      FAIL   $3it printed more than 64 MB" ;;
            *) echo " RUN      FAIL   $3it left at once, with status $2 (_exit, or it could not be loaded)" ;;
        esac
    elif [ "$n" -gt 0 ]; then
        echo " RUN      FAIL   ${3}mistakes found: $n"
        sed 1d "$work/$1/findings" | broken
    else
        return 1
    fi
}

# same: nothing was found; is what it prints the same in all runs?
same()
{
    echo ' RUN      ok     no deadlock, all messages received and waited for, buffers kept'
    LC_ALL=C sort "$work/up/output" >"$work/sorted"
    for way in down $tried; do
        LC_ALL=C sort "$work/$way/output" | cmp -s - "$work/sorted" && continue
        [ "$way" = down ] && when='the highest rank runs first' || when='MPI_ANY_SOURCE takes another message'
        echo "It prints other lines when $when. Unless that is a time, the result depends on an order that nothing enforces." | broken
        return
    done
    [ -z "$tried" ] || sed '1d; /./!d' "$work/1/chance" | broken
}

run up "$ranks" "$limit" 2>/dev/null # the shell would tell of a signal
status=$?
printed
echo "Checked: $file${args:+ $args}, $ranks ranks"
verdict=0
if judge up $status ''; then
    verdict=1
else
    run down "$ranks" "$limit" 2>/dev/null
    if judge down $? 'with the highest rank first, '; then
        verdict=1
    else
        tried='' orders=$(sed -n 1p "$work/up/chance")
        for order in 1 2 3 4 5 6; do
            [ $order -le "$orders" ] || break
            run $order "$ranks" "$limit" 2>/dev/null
            if judge $order $? 'with MPI_ANY_SOURCE in another order, '; then verdict=1 && break; fi
            tried="$tried $order"
            [ $order != 1 ] || orders=$(sed -n 1p "$work/1/chance")
        done
        [ $verdict = 1 ] || same
    fi
fi
if [ -s "$work/up/network" ]; then
    echo ' NETWORK  counted; times are modelled, and a loop of the program takes none'
    sed 's/^/   /' "$work/up/network"
    [ ! -s "$work/down/network" ] || sed '1d; s/^/   /' "$work/down/network"
fi
exit $verdict
