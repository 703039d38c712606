# tree.bash: a copy of this tree to type in, so that the learner's files stay as they are. Read by
#     load tree
# BUILD is the folder of what is built; `make test` sets it.
# shellcheck shell=bash

setup_file()
{
    local here=$BATS_TEST_DIRNAME/../.. build=${BUILD:-$BATS_TEST_DIRNAME/../../build}
    export tree=$BATS_FILE_TMPDIR/tree
    mkdir -p "$tree/build"
    (cd "$here" && cp -rp Makefile lib exercises solutions plots matrices "$tree")
    rm -rf "$tree/matrices/collection" "$tree"/exercises/*/*.backup*
    # the objects too, but nothing of the learner's
    if [ -d "$build/gcc" ]; then
        mkdir "$tree/build/gcc"
        cp -rp "$build/gcc"/[!tw]* "$tree/build/gcc" # not tests and wrong
        rm -f "$tree"/build/gcc/exercises/*/answer.*
    fi
    cd "$tree"
    unset BUILD # that of this tree stays as it is
    make -s exercise-files
    make -s -j2 all
    cp -rp exercises pristine
    unset MAKEFLAGS MAKELEVEL NO_COLOR CHECK THREADS MATRIX CASE PROGRESS
}

setup()
{
    cd "$tree"
    rm -rf exercises progress.tsv* build/hints-*
    cp -rp pristine exercises
    edit=exercises/06-spmv-csr/spmv_csr.c
}

# Whatever a test left running, a failed one too.
teardown()
{
    if [ -n "${group-}" ]; then kill -KILL -- "-$group" 2>/dev/null || true; fi
}

# Waits for $group, which was interrupted: 30 s, for a make that did not hear it goes on for ever.
has_ended()
{
    for k in $(seq 150); do
        [ -z "$(running_in $group)" ] && break
        sleep 0.2
    done
    [ -z "$(running_in $group)" ] || { echo 'it did not end at Ctrl-C'; kill -KILL -- -$group; false; }
    wait $group || true
}

# The processes of a group that run; those that have ended and wait for their parent do not count.
running_in()
{
    cat /proc/[0-9]*/stat 2>/dev/null | sed 's/ (.*) / /' | awk -v group="$1" '$4 == group && $2 != "Z" { print $1 }'
}

# make, its own words about statuses left out
make_()
{
    run make "$@"
    output=$(printf '%s\n' "$output" | grep -v '^make.*\*\*\* \[.*Error [0-9]')
}

one_line() { [ "$(printf '%s\n' "$output" | wc -l)" -eq 1 ]; }

within_80_columns()
{
    printf '%s\n' "$1" | LC_ALL=C awk '{ gsub(/[\200-\277]/, "") } length($0) > 80 { print "too wide: " $0; bad = 1 } END { exit bad }'
}

# A folder with all programs of this machine but those named.
path_without()
{
    local bin=$BATS_TEST_TMPDIR/bin d f
    mkdir -p "$bin"
    # what is there already stays
    for d in /usr/local/bin /usr/bin /bin /usr/sbin /sbin; do ln -s "$d"/* "$bin" 2>/dev/null || true; done
    for f in "$@"; do rm -f "$bin/$f"; done
    printf %s "$bin"
}
