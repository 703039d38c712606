#!/usr/bin/env bats
# matrices/fetch.sh with a list, a mirror and archives of its own: nothing leaves this machine. curl
# reads file:// addresses; where a test needs a network that fails, a script of that name stands for it.

setup()
{
    fetch=$BATS_TEST_DIRNAME/../../matrices/fetch.sh
    work=$BATS_TEST_TMPDIR
    export MATRIX_LIST=$work/list.tsv MATRIX_FOLDER=$work/collection MATRIX_URL=file://$work/server
    unset MATRIX_MIRROR NAMES
    mkdir "$work/mirror"
    printf '# name\tgroup\tset\trows\tcols\tstored\tnnz\n' >"$MATRIX_LIST"
    printf 'Two_by_two\tOurs\tsmall\t2\t2\t3\t3\n' >>"$MATRIX_LIST"
    printf 'line\tTheirs\tsmall\t3\t3\t5\t7\n' >>"$MATRIX_LIST"
    printf 'vast\tTheirs\tpaper\t4\t5\t1\t1\n' >>"$MATRIX_LIST"
    printf '%%%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 5\n1 2 1\n2 1 7\n' \
        >"$work/mirror/Two_by_two.mtx"
    printf '%%%%MatrixMarket matrix coordinate real symmetric\n%% a\n3 3 5\n1 1 2\n2 1 -1\n2 2 2\n3 2 -1\n3 3 2\n' |
        gzip >"$work/mirror/line.mtx.gz"
}

# The collection's archives of two of the three matrices.
serve()
{
    local pack=$work/pack server=$work/server
    mkdir -p "$pack/Two_by_two" "$pack/line" "$server/Ours" "$server/Theirs"
    cp "$work/mirror/Two_by_two.mtx" "$pack/Two_by_two"
    gzip -dc "$work/mirror/line.mtx.gz" >"$pack/line/line.mtx"
    echo 'a right-hand side' >"$pack/line/line_b.mtx"
    tar -C "$pack" -czf "$server/Ours/Two_by_two.tar.gz" Two_by_two
    tar -C "$pack" -czf "$server/Theirs/line.tar.gz" line
}

# stand_in BODY: a curl of that body, first in the path. The file to write is in $output.
stand_in()
{
    mkdir -p "$work/bin"
    printf '%s\n' '#!/bin/sh' \
        'while [ $# -gt 0 ]; do [ "$1" = --output ] && output=$2; address=$1; shift; done' \
        'printf "%s\n" "$address" >>"$CALLS"' "$1" >"$work/bin/curl"
    chmod +x "$work/bin/curl"
    export CALLS=$work/calls PATH=$work/bin:$PATH
}

no_partial()
{
    [ -z "$(find "$MATRIX_FOLDER" -name '*.partial')" ]
}

@test "a mirror gives what it has, and what it lacks is listed" {
    MATRIX_MIRROR=$work/mirror run sh "$fetch"
    [ "$status" -eq 0 ]
    [[ $output == *"vast         missing in the mirror"* ]]
    [[ $output == *"line         ok: 3 x 3, 7 entries"* ]]
    [[ $output == *"2 here, 1 not"* ]]
    cmp "$work/mirror/line.mtx.gz" "$MATRIX_FOLDER/line.mtx.gz"
    cmp "$work/mirror/Two_by_two.mtx" "$MATRIX_FOLDER/Two_by_two.mtx"
    no_partial
}

@test "a matrix asked for by name that the mirror lacks is an error" {
    NAMES="vast line" MATRIX_MIRROR=$work/mirror run sh "$fetch"
    [ "$status" -eq 1 ]
    [ -f "$MATRIX_FOLDER/line.mtx.gz" ]
}

@test "a mirror that is not there is an error" {
    MATRIX_MIRROR=$work/nowhere run sh "$fetch"
    [ "$status" -eq 2 ]
    [[ $output == *"MATRIX_MIRROR: no folder $work/nowhere"* ]]
}

@test "names are taken in any case, and a set stands for its matrices" {
    NAMES=TWO_BY_TWO MATRIX_MIRROR=$work/mirror run sh "$fetch"
    [ "$status" -eq 0 ]
    [ "$(ls "$MATRIX_FOLDER")" = Two_by_two.mtx ]
    NAMES=small MATRIX_MIRROR=$work/mirror run sh "$fetch"
    [ "$status" -eq 0 ]
    [[ $output == *"Two_by_two   already here"* ]]
    [[ $output == *"2 here, 0 not"* ]]
}

@test "an unknown name is refused with the names there are, before anything is fetched" {
    NAMES="line lime" MATRIX_MIRROR=$work/mirror run sh "$fetch"
    [ "$status" -eq 2 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ $output == *"no matrix 'lime'"*"Two_by_two line vast, and the sets small paper"* ]]
    [ ! -e "$MATRIX_FOLDER" ]
}

@test "a list that is missing or empty is an error" {
    MATRIX_LIST=$work/none run sh "$fetch"
    [ "$status" -eq 2 ]
    [[ $output == *"cannot read the list"* ]]
    MATRIX_LIST=/dev/null run sh "$fetch"
    [ "$status" -eq 2 ]
    [[ $output == *"has no matrices"* ]]
}

@test "a folder that cannot be made is an error" {
    touch "$work/file"
    MATRIX_FOLDER=$work/file/collection run sh "$fetch"
    [ "$status" -eq 2 ]
    [[ $output == *"cannot make the folder"* ]]
}

@test "a file without a banner, of another size, or with entries missing is refused" {
    cd "$work/mirror"
    good=$(cat Two_by_two.mtx)
    for edit in 1d s/2.2.3/2.2.4/ s/2.2.3/2.3.3/ '$d'; do
        echo "$good" | sed "$edit" >Two_by_two.mtx
        NAMES=Two_by_two MATRIX_MIRROR=$work/mirror run sh "$fetch"
        [ "$status" -eq 1 ]
        [[ $output == *"REFUSED: it"* ]]
        [ -z "$(ls "$MATRIX_FOLDER")" ]
    done
}

@test "a gzip file that is cut off or whose checksum is wrong is refused" {
    cd "$work/mirror"
    cp line.mtx.gz good
    head -c 60 good >line.mtx.gz
    NAMES=line MATRIX_MIRROR=$work/mirror run sh "$fetch"
    [ "$status" -eq 1 ]
    [[ $output == *REFUSED* ]]
    size=$(wc -c <good)
    { head -c $((size - 8)) good; printf 'abcd'; tail -c 4 good; } >line.mtx.gz
    NAMES=line MATRIX_MIRROR=$work/mirror run sh "$fetch"
    [ "$status" -eq 1 ]
    [[ $output == *"checksum is wrong"* ]]
    [ -z "$(ls "$MATRIX_FOLDER")" ]
}

@test "a wrong file fails the run even if nothing was asked for by name" {
    sed -i '$d' "$work/mirror/Two_by_two.mtx"
    MATRIX_MIRROR=$work/mirror run sh "$fetch"
    [ "$status" -eq 1 ]
    [ -f "$MATRIX_FOLDER/line.mtx.gz" ]
}

@test "a file that is here but is not the one of the list is replaced" {
    mkdir "$MATRIX_FOLDER"
    echo nonsense >"$MATRIX_FOLDER/line.mtx"
    NAMES=line MATRIX_MIRROR=$work/mirror run sh "$fetch"
    [ "$status" -eq 0 ]
    [[ $output == *"line.mtx is to be replaced: it has no Matrix Market banner"* ]]
    [ "$(ls "$MATRIX_FOLDER")" = line.mtx.gz ]
}

@test "a wrong file stays an error where nothing can replace it" {
    mkdir "$MATRIX_FOLDER"
    echo nonsense >"$MATRIX_FOLDER/line.mtx"
    MATRIX_MIRROR=$work run sh "$fetch"
    [ "$status" -eq 1 ]
    [[ $output == *"line.mtx is to be replaced"* ]]
}

@test "archives are fetched, unpacked and checked; a second run fetches nothing" {
    command -v curl >/dev/null || skip "no curl"
    serve
    NAMES=small run sh "$fetch"
    [ "$status" -eq 0 ]
    cmp "$work/mirror/Two_by_two.mtx" "$MATRIX_FOLDER/Two_by_two.mtx"
    gzip -dc "$work/mirror/line.mtx.gz" | cmp - "$MATRIX_FOLDER/line.mtx"
    [ "$(ls "$MATRIX_FOLDER" | wc -l)" -eq 2 ]
    stand_in 'exit 6'
    NAMES=small run sh "$fetch"
    [ "$status" -eq 0 ]
    [ ! -e "$CALLS" ]
}

@test "an interrupted download goes on where it stopped" {
    serve
    # Gives 50 bytes a call and then breaks off, as a network does.
    stand_in 'file=${address#file://}
        at=$(cat "$output" 2>/dev/null | wc -c)
        tail -c +$((at + 1)) "$file" | head -c 50 >>"$output"
        [ $((at + 50)) -ge "$(wc -c <"$file")" ] || exit 18'
    for try in 1 2 3 4 5 6 7 8 9; do
        NAMES=line run sh "$fetch"
        [ "$status" -eq 0 ] && break
        [[ $output == *"run it again to go on"* ]]
        [ "$(ls "$MATRIX_FOLDER")" = line.tar.gz.partial ]
        [ "$(wc -c <"$MATRIX_FOLDER/line.tar.gz.partial")" -eq $((50 * try)) ]
    done
    [ "$status" -eq 0 ]
    [ "$try" -gt 2 ]
    [ "$(ls "$MATRIX_FOLDER")" = line.mtx ]
    [ "$(wc -l <"$CALLS")" -eq "$try" ]
}

@test "an archive that came whole before an interruption is not fetched again" {
    serve
    mkdir "$MATRIX_FOLDER"
    cp "$work/server/Theirs/line.tar.gz" "$MATRIX_FOLDER/line.tar.gz.partial"
    echo half >"$MATRIX_FOLDER/line.mtx.partial"
    stand_in 'exit 6'
    NAMES=line run sh "$fetch"
    [ "$status" -eq 0 ]
    [ ! -e "$CALLS" ]
    [ "$(ls "$MATRIX_FOLDER")" = line.mtx ]
}

@test "what an earlier run left is replaced if it is of no use" {
    command -v curl >/dev/null || skip "no curl"
    serve
    mkdir "$MATRIX_FOLDER"
    for bytes in 40 40000; do
        head -c $bytes /dev/zero >"$MATRIX_FOLDER/line.tar.gz.partial"
        NAMES=line run sh "$fetch"
        [ "$status" -eq 0 ]
        [ "$(ls "$MATRIX_FOLDER")" = line.mtx ]
        rm "$MATRIX_FOLDER/line.mtx"
    done
}

@test "Ctrl-C leaves only partial files and says how to go on" {
    serve
    stand_in 'head -c 50 "${address#file://}" >"$output"; kill -INT $PPID; exit 18'
    NAMES=line run sh "$fetch"
    [ "$status" -eq 130 ]
    [[ $output == *"interrupted; run it again"* ]]
    [ "$(ls "$MATRIX_FOLDER")" = line.tar.gz.partial ]
}

@test "without a network it says so in one line, once, and nothing breaks" {
    stand_in 'echo "curl: (6) Could not resolve host" >&2; exit 6'
    run sh "$fetch"
    [ "$status" -eq 0 ]
    [ "$(printf '%s\n' "${lines[@]}" | grep -c 'no network')" -eq 1 ]
    [ "$(wc -l <"$CALLS")" -eq 1 ]
    NAMES=line run sh "$fetch"
    [ "$status" -eq 1 ]
    [[ $output == *"no network"* ]]
}

@test "without curl wget fetches, and goes on as well" {
    command -v wget >/dev/null || skip "no wget"
    serve
    # A path with every tool but curl.
    mkdir "$work/tools"
    for tool in sh cat head grep awk gzip tar rm cp mv mkdir dirname tail wc; do
        ln -s "$(command -v $tool)" "$work/tools/$tool"
    done
    printf '%s\n' '#!/bin/sh' 'for a; do case $a in --output-document=*) to=${a#*=} ;; esac; done' \
        'cp "${a#file://}" "$to"' >"$work/tools/wget"
    chmod +x "$work/tools/wget"
    NAMES=line PATH=$work/tools run "$(command -v sh)" "$fetch"
    [ "$status" -eq 0 ]
    [ "$(ls "$MATRIX_FOLDER")" = line.mtx ]
    rm "$work/tools/wget" "$MATRIX_FOLDER/line.mtx"
    PATH=$work/tools run "$(command -v sh)" "$fetch"
    [ "$status" -eq 0 ]
    [[ $output == *"neither curl nor wget"* ]]
}

@test "what the server refuses is named, and the others are still fetched" {
    command -v curl >/dev/null || skip "no curl"
    serve
    stand_in 'case $address in *vast*) printf 404; exit 22 ;; esac; cp "${address#file://}" "$output"; printf 200'
    run sh "$fetch"
    [ "$status" -eq 1 ]
    [[ $output == *"vast         REFUSED: the server does not give"*"Theirs/vast.tar.gz"* ]]
    [[ $output == *"2 here, 1 not"* ]]
}

@test "a server that is busy does not cost what was fetched already" {
    stand_in 'printf 503; exit 22'
    mkdir "$MATRIX_FOLDER"
    head -c 50 /dev/zero >"$MATRIX_FOLDER/line.tar.gz.partial"
    NAMES=line run sh "$fetch"
    [ "$status" -eq 1 ]
    [ "$(wc -c <"$MATRIX_FOLDER/line.tar.gz.partial")" -eq 50 ]
}

@test "an archive of another content is refused" {
    serve
    tar -C "$work/pack" -czf "$work/server/Theirs/line.tar.gz" Two_by_two
    stand_in 'cp "${address#file://}" "$output"'
    NAMES=line run sh "$fetch"
    [ "$status" -eq 1 ]
    [[ $output == *"REFUSED: no line.mtx in the archive"* ]]
    [ -z "$(ls "$MATRIX_FOLDER")" ]
    echo 'a page that says hello' >"$work/server/Theirs/line.tar.gz"
    NAMES=line run sh "$fetch"
    [ "$status" -eq 1 ]
    [[ $output == *"REFUSED: the archive is damaged"* ]]
    [ -z "$(ls "$MATRIX_FOLDER")" ]
}

@test "a full disk is called one, and what was fetched stays" {
    stand_in 'head -c 50 /dev/zero >"$output"; exit 23'
    NAMES=line run sh "$fetch"
    [ "$status" -eq 1 ]
    [[ $output == *"is the disk full?"* ]]
    [ "$(ls "$MATRIX_FOLDER")" = line.tar.gz.partial ]
}

@test "the list of the workbook has the matrices of the papers, each row complete" {
    list=$BATS_TEST_DIRNAME/../../matrices/collection.tsv
    for name in audikw_1 bmwcra_1 bone010 F1 inline_1 ldoor crankseg_2; do
        grep -q "^$name	[A-Za-z_]*	paper	" "$list"
    done
    run awk -F '\t' '/^#/ { next } NF != 7 || $4 < 1 || $5 < 1 || $6 < 1 || $7 < $6 || $7 > 2 * $6' "$list"
    [ -z "$output" ]
}

@test "the real mirror, where it is present, has all small matrices as listed" {
    mirror=${SHARED_MATRICES:-$BATS_TEST_DIRNAME/../../../shared/matrices}
    [ -d "$mirror" ] || skip "no folder $mirror"
    unset MATRIX_LIST
    NAMES=small MATRIX_MIRROR=$mirror run sh "$fetch"
    [ "$status" -eq 0 ]
    [[ $output == *" here, 0 not"* ]]
}
