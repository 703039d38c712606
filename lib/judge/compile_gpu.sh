#!/bin/sh
# compile_gpu.sh FOLDER SOURCE.cu ANSWER.so: the answer once more, by nvcc, for the GPU that is here. The checker's
# build (lib/simt/compile.sh) judges first; what this one adds is values and time on real hardware.
#
# The environment gives NVCC, CUDA_CODE (the architectures) and CUDA_SHARED (the folder of libcudart.so). The status
# is 0, or 1 if nvcc does not take it: its words are printed, on the learner's line.
folder=$1 source=$2 answer=$3 judge=${0%/*}
# shellcheck source=lib/judge/answer.sh
. "$judge/answer.sh"
# What the checker's build has refused has been told: that answer holds a status alone.
if [ "$(wc -c <"${answer%.gpu.so}.so" 2>/dev/null || echo 9)" -lt 9 ]; then finish 1; fi
cp "${answer%.gpu.so}.functions" "$base.functions" || finish 5

# One CUDA runtime for judge and answers, the shared one: an error that an answer leaves behind must be seen by
# the judge. -Bsymbolic: two answers may have a kernel of one name.
host="-fPIC,-fno-gnu-unique,-Wall,-Wextra,-Wshadow${empty:+,-Wno-return-type,-Wno-unused-parameter}"
# shellcheck disable=SC2086
${NVCC:-nvcc} -std=c++17 -O3 -lineinfo $CUDA_CODE ${empty:+-diag-suppress 940} -Ilib "-Iexercises/$folder" \
    -Xcompiler "$host" -shared -cudart shared -Xlinker -Bsymbolic -Xlinker "-rpath=$CUDA_SHARED" \
    -MMD -MP -MF "$base.d" -MT "$answer" "$source" -o "$answer" || finish 1
finish
