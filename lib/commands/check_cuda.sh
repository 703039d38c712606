#!/bin/sh
# check_cuda.sh OUT BUILD FILE ARGS: a whole CUDA program, with its main, on the checker of CUDA source: what it finds,
# and the memory traffic of each kernel and line. ARGS: the program's arguments, parted by blanks. Its input is empty.
# LIMIT: as checked.sh says. DETAIL: KiB of the perfect cache in the details, 1 for 1024; NVCC: asked
# for the registers of each kernel then, if it is there. REWRITE and CUFLAGS are those of lib/simt/compile.sh.
#
# It runs twice, the lanes of a warp upwards and downwards, and what it prints the first time is shown.
# Exit status: 0 nothing was found; 1 something was, or the program failed by itself; 2 it cannot be run.
out=$1 build=$2 file=$3 args=${4-} goal=check-cuda
. lib/commands/checked.sh
begin 'a CUDA program with its main, as in make check-cuda FILE=my.cu ARGS="1000 3"'
case $file in *.cu | *.cpp | *.cc | *.cxx) ;; *) refuse "$file: the name of CUDA source ends in .cu" ;; esac
detail=${DETAIL:-0}
case $detail in *[!0-9]* | ????????*) refuse "DETAIL is '$detail', must be KiB of a cache, or 1" ;; 1) detail=1024 ;; esac

# --- build --------------------------------------------------------------------------------------------
# Exceptions make basic blocks smaller, so they are compiled where they are used.
if grep -Eqw 'throw|try|catch' "$file"; then export SIMT_EXCEPTIONS=; fi
if ! sh lib/simt/compile.sh . "$file" "$work/program.so" --check; then
    # What has no words of its own: headers of libraries, and calls.
    LC_ALL=C sed 's/\x1b\[[0-9;]*[mK]//g' "$work/program.compiler" | LC_ALL=C awk '
        /fatal error: / { sub(/.*fatal error: /, ""); sub(/[\/:].*/, ""); none[$0] }
        /was not declared in this scope/ && match($0, /(cuda[A-Z]|__)[A-Za-z0-9_]*/) {
            none[substr($0, RSTART, RLENGTH)] }
        END {
            for (name in none) {
                if (name == "thrust") print "The checker has no Thrust: allocate with cudaMalloc and write the kernel."
                else if (name == "cub") print "The checker has no CUB: write the kernel."
                else if (name == "cuda") print "The checker has no C++ library of CUDA: use atomicAdd and the like."
                else if (name ~ /^cut(lass|e)$/) print "The checker has no tensor cores: write the loop."
                else if (name ~ /^(cuda[A-Z]|__)/) print "The checker has no " name "."
            }
        }' >&2
    refuse "$file does not compile"
fi
if ! grep -qx main "$work/program.defined"; then
    refuse "$file has no main, and so is no program. What is an exercise's is judged by make exercise-N"
fi

# Registers: "Compiling entry function 'NAME'", then "Used N registers". Its errors are not told: the checker may take
# what this nvcc does not, and this is besides.
if [ "$detail" != 0 ] && command -v "${NVCC:-nvcc}" >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    "${NVCC:-nvcc}" -std=c++17 -O3 -arch=sm_90 $CUFLAGS -cubin -Xptxas -v -o "$work/cubin" "$file" 2>&1 |
        awk -F "'" '/Compiling entry function/ { name = $2 }
            /Used [0-9]+ registers/ { sub(/.*Used /, ""); print $1 + 0, name }' | c++filt >"$work/program.so.registers"
fi

# --- run ----------------------------------------------------------------------------------------------
# ended STATUS: how a program ended that left no report
ended()
{
    case $1 in
        137) echo "was stopped: it did not end within $((10 * limit)) s" ;;
        153) echo 'was stopped: it printed more than 64 MB' ;;
        5) echo 'could not be loaded: it is one file, with all that it calls' ;;
        13[0-9] | 14[0-9]) echo "was killed by signal $(($1 - 128))" ;;
        *) echo "left at once, with status $1 (_exit?)" ;;
    esac
}

# judge WAY WORDS: says what that run, which ended with $status, found, if it did
judge()
{
    if ! n=$(found "$1"); then
        echo " RUN      FAIL   ${2:+$2 }the program $(ended "$status")"
    elif [ "$n" -gt 0 ]; then
        echo " RUN      FAIL   mistakes found${2:+ $2}: $n"
        sed '1d; s/^/   /' "$work/$1/findings"
    elif [ "$status" != 0 ]; then
        echo " RUN      FAIL   ${2:+$2 }the program ended with status $status; the checker found nothing before"
    else
        return 1
    fi
}

run up "$limit" "$detail" 2>/dev/null # the shell would tell of a signal
status=$?
printed
echo "Checked: $file${args:+ $args}"
verdict=1
if judge up ''; then
    found up >/dev/null || exit 1
else
    run down "$limit" "$detail" 2>/dev/null
    status=$?
    if ! judge down 'with the lanes of a warp running downwards'; then
        verdict=0
        echo ' RUN      ok     status 0; nothing outside an array, no race, barriers met'
        if ! cmp -s "$work/up/output" "$work/down/output"; then
            echo '   What it prints is different when the lanes of a warp run downwards. Unless that'
            echo '   is a time or an address, the result depends on an order that nothing enforces.'
        fi
    fi
fi
if [ -s "$work/up/hint" ]; then sed 's/^/   hint: /' "$work/up/hint"; echo; fi
if [ -s "$work/up/traffic" ]; then
    echo ' TRAFFIC  modelled by the checker'
    sed 's/^\(.\)/   \1/' "$work/up/traffic"
else
    echo ' TRAFFIC  no kernel touched memory'
fi
exit $verdict
