#!/bin/sh
# wrong.sh EXERCISE NAME: for maintainers, make wrong-6 NAME=serial. Judges a wrong answer as the tests do, prints the
# report, and says whether it got the verdict and the words that its first line states. The environment gives MAKE,
# BUILD and folder, where this build lies.
. tests/judge.sh
source=$(wrong_source "$1" "$2")
if [ -z "$2" ] || [ ! -e "$source" ]; then
    echo "NAME=${2:-...} is none of tests/wrong/$(folder_of "$1"):" >&2
    for source in $(wrong_sources "$1"); do wrong_name "$source"; done | sort | xargs | fold -s -w 80 >&2
    exit 2
fi
stated=$source
if gets_verdict "$1" "$source"; then echo "as $stated states"; else echo "NOT as $stated states"; exit 1; fi
