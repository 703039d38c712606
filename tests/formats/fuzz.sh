#!/bin/sh
# Fuzzes the Matrix Market reader for a bounded time:  sh tests/formats/fuzz.sh FOLDER [SECONDS]
# FOLDER is for what is built and found. With clang and its fuzzer: that, for SECONDS (20). Else with
# $CC and its address sanitizer a fixed sequence of mutations. With neither it is skipped, and says why.
set -u
folder=${1:?the folder for what is built}
seconds=${2:-20}
cc=${CC:-cc}
corpus=tests/formats/corpus
name='any bytes are refused or give the right matrix'
mkdir -p "$folder/found" || exit 1

sources='lib/base/memory.c lib/base/status.c lib/base/number.c lib/formats/coo.c lib/formats/csr.c
  lib/formats/csr_from_coo.c lib/formats/text_file.c lib/formats/matrix_market.c
  lib/formats/matrix_market_write.c
  tests/formats/fuzz_matrix_market.c'
flags='-std=gnu11 -O1 -g -Wno-unknown-pragmas -fno-omit-frame-pointer -fno-sanitize-recover=undefined -Ilib'

printf '1..1\n'
# shellcheck disable=SC2086  # lists of words
if clang $flags -fsanitize=fuzzer,address,undefined $sources -lz -lm -o "$folder/fuzz" \
        >"$folder/clang.log" 2>&1; then
    how="clang's fuzzer, $seconds s"
    "$folder/fuzz" -max_total_time="$seconds" -max_len=2048 -timeout=10 -rss_limit_mb=1024 -close_fd_mask=1 \
        -dict=tests/formats/fuzz.dict -artifact_prefix="$folder/" "$folder/found" $corpus \
        >"$folder/fuzz.log" 2>&1
elif $cc $flags -DSPW_FUZZ_STANDALONE -fsanitize=address,undefined $sources -lz -lm -o "$folder/fuzz" \
        >"$folder/cc.log" 2>&1; then
    how="mutations with $cc, because clang's fuzzer is not installed"
    "$folder/fuzz" -runs=100000 $corpus/* >"$folder/fuzz.log" 2>&1
else
    printf 'ok 1 - %s # SKIP neither clang has a fuzzer nor %s an address sanitizer here\n' "$name" "$cc"
    exit 0
fi
if [ $? -eq 0 ]; then
    printf 'ok 1 - %s (%s)\n' "$name" "$how"
else
    printf 'not ok 1 - %s (%s)\n' "$name" "$how"
    tail -n 40 "$folder/fuzz.log" | sed 's/^/# /'
    printf '# the bytes are in %s\n' "$folder"
    exit 1
fi
