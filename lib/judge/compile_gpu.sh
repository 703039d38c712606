#!/bin/sh
# compile_gpu.sh FOLDER SOURCE.cu ANSWER.so: the answer once more, by nvcc, for the GPU that is here. The checker's
# build (lib/simt/compile.sh) judges first; what this one adds is values and time on real hardware.
#
# Leaves the list of the answer's functions beside it, as compile.sh does. The environment gives NVCC, CUDA_CODE
# (the architectures) and CUDA_SHARED (the folder of libcudart.so). Errors are nvcc's, on the learner's line.
folder=$1 source=$2 answer=$3
base=${answer%.so}
mkdir -p "${answer%/*}" || exit 5

awk -f lib/judge/functions.awk "$source" >"$base.functions" || exit 5
host='-fPIC,-fno-gnu-unique,-Wall,-Wextra,-Wshadow' quiet=
# A function that is not written yet returns nothing and uses nothing: no news to the learner.
if grep -q ' empty$' "$base.functions"; then
    host="$host,-Wno-return-type,-Wno-unused-parameter"
    quiet='-diag-suppress 940'
fi

# One CUDA runtime for judge and answers, the shared one: an error that an answer leaves behind must be seen by
# the judge. -Bsymbolic: two answers may have a kernel of one name.
# shellcheck disable=SC2086
if ! ${NVCC:-nvcc} -std=c++17 -O3 -lineinfo $CUDA_CODE $quiet -Ilib "-Iexercises/$folder" -Xcompiler "$host" \
    -shared -cudart shared -Xlinker -Bsymbolic -Xlinker "-rpath=$CUDA_SHARED" \
    -MMD -MP -MF "$base.d" -MT "$answer" "$source" -o "$answer"; then
    title=$(sed -n '1s/^# *//p' "exercises/$folder/README.md" 2>/dev/null)
    printf '%s\n BUILD    FAIL   %s: g++ takes it, nvcc does not\n' "${title:-$folder}" "$source"
    echo ' NEXT     mend the first error above; later ones often follow from it'
    rm -f "$answer"
    exit 1
fi
nm -u "$answer" | awk '{ sub(/@.*/, "", $NF); print $NF }' >"$base.undefined"
