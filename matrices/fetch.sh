#!/bin/sh
# matrices/fetch.sh -- fetches matrices of the SuiteSparse Matrix Collection into matrices/collection/.
#
#     make matrices                              all of matrices/collection.tsv
#     make matrices NAMES="bone010 cage8"        these; "paper" and "small" stand for their sets
#     make matrices MATRIX_MIRROR=folder         copies NAME.mtx or NAME.mtx.gz from there instead
#
# A file gets its final name only when its rows, columns and entries are those of the list, so what has
# a final name is not fetched again. An interrupted run leaves *.partial files, and the next run goes on
# where it stopped.
#
# Exit status: 0 all that can be had is here; without a network, or with a mirror that lacks some, that
# holds too, unless NAMES asked for them. 1 a matrix asked for by name is not here, or a file is wrong.
# 2 an unknown name or an unusable list or folder.
#
# Also from the environment, for tests: MATRIX_LIST (a file), MATRIX_FOLDER, MATRIX_URL.
set -u
LC_ALL=C
export LC_ALL

here=$(dirname "$0")
list=${MATRIX_LIST:-$here/collection.tsv}
folder=${MATRIX_FOLDER:-$here/collection}
url=${MATRIX_URL:-https://sparse.tamu.edu/MM}
mirror=${MATRIX_MIRROR:-}
names=${NAMES:-}
tab=$(printf '\t')

report()
{
    printf '  %-12s %s\n' "$1" "$2"
}

fail()
{
    report "$name" "$1"
    n_bad=$((n_bad + 1))
}

stop()
{
    printf 'matrices: %s\n' "$1" >&2
    exit 2
}

# --- is a file the matrix of the list? Sets $why if not ---------------------------------------------

content()
{
    case $1 in
    *.gz | *.gz.partial) gzip -dc "$1" 2>/dev/null ;;
    *) cat "$1" ;;
    esac
}

# Banner and size line: quick, for a file that was verified before.
has_right_size()
{
    content "$1" | head -n 1 | grep -qi '^%%MatrixMarket' || {
        why='it has no Matrix Market banner'
        return 1
    }
    found=$(content "$1" | awk '!/^%/ && NF { print $1, $2, $3; exit }')
    [ "$found" = "$rows $cols $stored" ] || {
        why="its size line is '$found', not '$rows $cols $stored'"
        return 1
    }
}

# The same, and that many entry lines.
is_right()
{
    has_right_size "$1" || return 1
    case $1 in
    *.gz | *.gz.partial) gzip -t "$1" 2>/dev/null || {
        why='its gzip checksum is wrong'
        return 1
    } ;;
    esac
    lines=$(($(content "$1" | grep -c '^[[:space:]]*[0-9]') - 1))
    [ "$lines" -eq "$stored" ] || {
        why="it has $lines of $stored entries"
        return 1
    }
}

is_here()
{
    wrong=''
    for file in "$folder/$name.mtx" "$folder/$name.mtx.gz"; do
        [ -f "$file" ] || continue
        has_right_size "$file" && return 0
        wrong=$file
        report "$name" "$file is to be replaced: $why"
    done
    return 1
}

# keep PARTIAL FINAL: gives the file its name if it is right.
keep()
{
    is_right "$1" || {
        rm -f "$1"
        fail "REFUSED: $why"
        return 1
    }
    rm -f "$folder/$name.mtx" "$folder/$name.mtx.gz" && mv "$1" "$2"
}

# --- where a file comes from: each returns 0 if the matrix is here now ------------------------------

copy_from_mirror()
{
    for file in "$name.mtx" "$name.mtx.gz"; do
        [ -f "$mirror/$file" ] || continue
        cp "$mirror/$file" "$folder/$file.partial" || {
            fail "cannot be copied to $folder"
            return 1
        }
        keep "$folder/$file.partial" "$folder/$file"
        return
    done
    report "$name" 'missing in the mirror'
    return 1
}

# Goes on with the archive where it stopped. Returns 0, or
#   1  the server refuses
#   2  not reachable, or broken off
#   3  the folder cannot be written
#   4  what is there already is of no use
download()
{
    if command -v curl >/dev/null; then
        progress='--silent'
        [ -t 2 ] && progress='--progress-bar'
        answer=$(curl "$progress" --fail --location --connect-timeout 20 --speed-limit 1000 \
            --speed-time 60 --continue-at - --output "$archive" --write-out '%{http_code}' \
            "$url/$group/$name.tar.gz" </dev/null)
        case $?:$answer in
        0:*) return 0 ;;
        22:416 | 33:* | 36:*) return 4 ;;
        22:* | 37:* | 78:*) return 1 ;;
        23:*) return 3 ;;
        *) return 2 ;;
        esac
    fi
    progress='--quiet'
    [ -t 2 ] && progress='--quiet --show-progress'
    # shellcheck disable=SC2086
    wget $progress --continue --timeout=20 --tries=2 --output-document="$archive" \
        "$url/$group/$name.tar.gz" </dev/null
    case $? in
    0) return 0 ;;
    3) return 3 ;;
    4 | 5) return 2 ;;
    *) return 1 ;;
    esac
}

# gzip and zlib sum up what they packed, so that a whole archive can be told from a part.
is_whole()
{
    [ -s "$archive" ] && gzip -t "$archive" 2>/dev/null
}

fetch_archive()
{
    is_whole && return 0
    resumed=0
    [ -s "$archive" ] && resumed=1
    while :; do
        download
        came=$?
        [ "$came" -eq 0 ] && is_whole && return 0
        case $came in
        1) fail "REFUSED: the server does not give $url/$group/$name.tar.gz" ;;
        2) offline="no network, or $url broke off; run it again to go on where it stopped" ;;
        3) fail "cannot be written to $folder: is the disk full?" ;;
        *) rm -f "$archive" ;;
        esac
        case $came in [123]) return 1 ;; esac
        # What an earlier run left was of no use: once more, from the start.
        [ "$resumed" -eq 1 ] || break
        resumed=0
    done
    fail 'REFUSED: the archive is damaged'
    return 1
}

unpack()
{
    tar -xzOf "$archive" "$name/$name.mtx" >"$folder/$name.mtx.partial" 2>/dev/null && return 0
    rm -f "$folder/$name.mtx.partial"
    if tar -tzf "$archive" | grep -qx "$name/$name.mtx"; then
        fail "cannot be unpacked to $folder: is the disk full?"
    else
        rm -f "$archive"
        fail "REFUSED: no $name.mtx in the archive"
    fi
    return 1
}

fetch_from_collection()
{
    archive=$folder/$name.tar.gz.partial
    report "$name" "fetching $group/$name, $stored entries stored"
    fetch_archive && unpack || return 1
    keep "$folder/$name.mtx.partial" "$folder/$name.mtx"
    kept=$?
    rm -f "$archive"
    return $kept
}

obtain()
{
    if [ -n "$mirror" ]; then
        copy_from_mirror
    elif [ -n "$offline" ]; then
        return 1
    else
        fetch_from_collection
    fi
}

# --- which ones: rows of the list -------------------------------------------------------------------

rows_of_list()
{
    awk -F "$tab" -v want="$1" '
        /^#/ || NF < 7 { next }
        want == "" || want == $3 || tolower(want) == tolower($1)' "$list"
}

[ -r "$list" ] || stop "cannot read the list $list"
[ -n "$(rows_of_list '')" ] || stop "the list $list has no matrices"
if [ -n "$mirror" ]; then
    [ -d "$mirror" ] || stop "MATRIX_MIRROR: no folder $mirror"
fi

selected=
for word in $names; do
    row=$(rows_of_list "$word")
    [ -n "$row" ] || stop "no matrix '$word' in $list; there are$(rows_of_list '' | awk '
        !seen[$3]++ { sets = sets " " $3 } { printf " %s", $1 } END { print ", and the sets" sets }')"
    selected="$selected$row
"
done
[ -n "$names" ] || selected=$(rows_of_list '')

mkdir -p "$folder" 2>/dev/null || stop "cannot make the folder $folder"
[ -w "$folder" ] || stop "cannot write to the folder $folder"

trap 'echo; echo "matrices: interrupted; run it again to go on where it stopped" >&2; exit 130' INT TERM

n_here=0 n_absent=0 n_bad=0
offline= # why no more is tried
command -v curl >/dev/null || command -v wget >/dev/null ||
    offline='neither curl nor wget is installed; make setup does that'
while IFS=$tab read -r name group _ rows cols stored nnz; do
    [ -n "$name" ] || continue
    if is_here; then
        report "$name" "already here"
        n_here=$((n_here + 1))
        continue
    fi
    if obtain; then
        report "$name" "ok: $rows x $cols, $nnz entries"
        n_here=$((n_here + 1))
    else
        n_absent=$((n_absent + 1))
        [ -z "$wrong" ] || n_bad=$((n_bad + 1))
    fi
done <<END
$selected
END

[ -z "$offline" ] || [ -n "$mirror" ] || echo "matrices: $offline"
echo "matrices: $n_here here, $n_absent not, in $folder"
[ $n_bad -eq 0 ] || exit 1
[ -z "$names" ] || [ $n_absent -eq 0 ] || exit 1
