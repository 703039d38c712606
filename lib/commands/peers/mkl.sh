#!/bin/sh
# mkl.sh [--where]: the compiler's flags for oneMKL, or where it lies; status 1 if it is nowhere. MKLROOT is asked
# first, then Python environments (pip install mkl mkl-devel mkl-include), conda's, and the system's own.
prefixes() {
    printf '%s\n' "${MKLROOT-}" "${VIRTUAL_ENV-}" "${CONDA_PREFIX-}"
    python3 -c 'import site, sys; print(sys.prefix); print(site.USER_BASE)' 2>/dev/null
}
found=$(prefixes | while IFS= read -r at; do
    if [ -z "$at" ] || [ ! -f "$at/include/mkl.h" ]; then continue; fi
    for rt in "$at"/lib/libmkl_rt.so "$at"/lib/libmkl_rt.so.* "$at"/lib/intel64/libmkl_rt.so*; do
        [ -f "$rt" ] && printf '%s\n%s\n' "$at" "$rt" && exit
    done
done)
root=${found%%
*} rt=${found#*
}
if [ -n "$found" ]; then
    where=$root flags="-I$root/include $rt -Wl,-rpath,${rt%/*}"
elif flags=$(pkg-config --cflags --libs mkl-dynamic-lp64-iomp 2>/dev/null); then where=pkg-config
elif [ -f /usr/include/mkl/mkl.h ]; then where=/usr flags='-I/usr/include/mkl -lmkl_rt'
else exit 1; fi
if [ "${1-}" = --where ]; then echo "$where"; else echo "$flags"; fi
