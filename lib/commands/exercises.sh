#!/bin/sh
# exercises.sh [NAME...]: the table of all exercises, or of these: what everybody reads who asks which there are. A
# line each, in order, parted by tabs:
#
#     name  number  folder  file  stars  minutes  needs  title
#     06-spmv-csr  6  06-spmv-csr  spmv_csr.c  ★★  35  OpenMP  SpMV in CSR
#
# An exercise is a folder exercises/NN-slug with a driver.c; its title, stars, minutes and needs are lines 1 and 3 of
# its README.md. One with a driver_gpu.c has a second row, its GPU part: 01-stream.gpu, 1-gpu, stream.cu; stars,
# minutes and needs are line 3 of its README_gpu.md. `file` is the learner's, and the solution's name too.
# LC_ALL=C: awk counts bytes, whichever awk it is, and README.md comes before README_gpu.md.
LC_ALL=C
export LC_ALL
set -- "$*" exercises/[0-9][0-9]-*/README*.md
wanted=$1
shift
[ -e "$1" ] || exit 0
awk -F ' · ' -v OFS='\t' -v wanted="$wanted" '
function is_there(path,    line, found) {
    found = (getline line <path) >= 0
    close(path)
    return found
}
function row(part, file, title,    needs) {
    needs = NF > 2 ? $3 : ""
    sub(/^needs /, "", needs)
    if (wanted == "" || index(" " wanted " ", " " folder part " "))
        print folder part, folder + 0 (part == "" ? "" : "-gpu"), folder, file, $1, $2 + 0, needs, title
}
{ sub(/\r$/, "") }
FNR == 1 {
    split(FILENAME, path, "/")
    folder = slug = path[2]
    sub(/^[0-9]+-/, "", slug)
    gsub(/-/, "_", slug)
    title = $0
    sub(/^# *(Exercise +[0-9]+ *· *)?/, "", title)
    in_c = is_there("solutions/" folder "/" slug ".c") || is_there("exercises/" folder "/" slug ".c")
}
FNR == 3 && FILENAME ~ /_gpu/ {
    if (is_there("exercises/" folder "/driver_gpu.c")) row(".gpu", slug ".cu", "GPU part: exercise-" folder + 0 "-gpu")
    next
}
FNR == 3 && is_there("exercises/" folder "/driver.c") { row("", slug (in_c ? ".c" : ".cu"), title) }' "$@"
