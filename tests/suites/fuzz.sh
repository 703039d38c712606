#!/bin/sh
# A bounded run of the fuzzer over the Matrix Market reader.
export CC="${CC:-gcc}"
exec sh tests/formats/fuzz.sh "$BUILD/fuzz" "${FUZZ_SECONDS:-$([ "${LONG:-}" = 1 ] && echo 60 || echo 5)}"
