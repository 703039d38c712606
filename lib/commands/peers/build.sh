#!/bin/sh
# build.sh SOURCES OUT WHICH...: builds the workers of other libraries for `make bench`, those that can be
# built, and writes OUT/list. A plug-in is a file of the folder SOURCES; its first lines say what it needs and
# how it is built (peer.h). WHICH: some names; none: all.
#     ok NAME RANKS RUN       RANKS: 1 or threads; RUN: what is put in front of the program
#     no NAME REASON
# CC, CXX, NVCC, MPICC, OPT, OPENMP may be set. Exit status: 0, or 2 for a name that is no plug-in.
set -u
here=$(dirname "$0")
sources=$1 out=$2
shift 2
CC=${CC:-gcc} CXX=${CXX:-g++} NVCC=${NVCC:-nvcc} MPICC=${MPICC:-mpicc}
OPT=${OPT:--O3 -march=native} OPENMP=${OPENMP--fopenmp}
mkdir -p "$out" || exit 1

plugins()
{
    for f in "$sources"/*.c "$sources"/*.cpp "$sources"/*.cu; do
        [ -f "$f" ] && [ "${f##*/}" != peer.c ] && echo "$f"
    done
}
name_of() { basename "${1%.*}"; }
# field NAME FILE: the rest of the line " * NAME: ..." of the first comment
field() { sed -n "1,20s/^ \* *$1: *//p" "$2" | head -n 1; }

known=' '
for f in $(plugins); do known="$known$(name_of "$f") "; done
for which in "$@"; do
    case $known in
        *" $which "*) ;;
        *)
            echo "PEERS: there is no '$which'; there are:${known% }, and no for none" >&2
            exit 2
            ;;
    esac
done

# built NAME FILE: up to date?
built()
{
    [ -x "$out/$1" ] && [ -z "$(find "$2" "$here"/peer.c "$here"/*.h "$here"/*.cuh -newer "$out/$1")" ]
}

# The line of a log that says why.
why()
{
    sed -n 's/.*fatal error: //p; s/.*: not found$/&/p; s/.*cannot find -l\([a-zA-Z0-9_]*\).*/library \1 is not there/p
            s/.*error: //p; s/.*No package .\(.*\). found.*/\1 is not there/p' "$1" | head -n 1
}

compile()
{
    command=$(field build "$2")
    # the compiler, then sources, then flags, because libraries stand behind what uses them
    # shellcheck disable=SC2086
    eval "set -- $command"
    compiler=$1
    shift
    $compiler -Ilib -I"$here/../.." -o "$out/$name.partial" "$source" "$out/peer.o" "$@"
}

: >"$out/list.partial"
for source in $(plugins); do
    name=$(name_of "$source")
    if [ $# -gt 0 ]; then
        case " $* " in *" $name "*) ;; *) continue ;; esac
    fi
    log=$out/$name.build
    if ! built "$name" "$source"; then
        rm -f "$out/$name"
        # shellcheck disable=SC2086
        if $CC -std=gnu11 -O2 -Wall -Wextra -Ilib -I"$here/../.." -c "$here/peer.c" -o "$out/peer.o" >"$log" 2>&1 &&
            (compile "$name" "$source") >>"$log" 2>&1; then
            mv "$out/$name.partial" "$out/$name"
        fi
    fi
    if [ -x "$out/$name" ]; then
        ranks=$(field ranks "$source")
        echo "ok $name ${ranks:-1} $(field run "$source")" >>"$out/list.partial"
    else
        reason=$(why "$log")
        needs=$(field needs "$source")
        echo "no $name ${reason:-it could not be built, see $log}; install: $needs" >>"$out/list.partial"
    fi
done
mv "$out/list.partial" "$out/list"
