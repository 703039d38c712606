#!/bin/sh
# doctor.sh: what this machine has, what each absence switches off, and the command that mends it. Changes
# nothing. Its status is 0 where everything that is needed is there.
# shellcheck source=lib/commands/parts.sh
. lib/commands/parts.sh

good='' bad='' bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR-}" ] && [ "${TERM-dumb}" != dumb ]; then
    good=$(printf '\033[32m') bad=$(printf '\033[33m') bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi
title() { printf '\n %s%s%s\n' "$bold" "$1" "$plain"; }
line() { printf '   %-13s %s%-8s%s %s\n' "$1" "$2" "$3" "$plain" "$4"; }
fine() { line "$1" "$good" ok "$2"; }
gone() { line "$1" "$bad" "${3:-missing}" "$2"; }
mend() { printf '   %-13s %-8s mend: %s\n' '' '' "$1"; }
note() { line "$1" "" "$2" "$3"; }

install_line()
{
    case $manager in
        apt-get) echo "apt-get install $1" ;;
        dnf | brew) echo "$manager install $1" ;;
        *) echo "install $1 (or what your system calls it)" ;;
    esac
}

# section NEED: the parts of that need, one line each
section()
{
    printf '%s\n' "$parts" >"$work/parts"
    while IFS='|' read -r name need without packages; do
        [ "$need" = "$1" ] || continue
        if what=$(found "$name"); then
            fine "$name" "${what# }"
        elif is_probed "$name" && [ "${compiler-}" = missing ]; then
            gone "$name" 'not to be told without a compiler' '?'
        else
            gone "$name" "$without"
            packages=$(field "$packages" $column)
            [ -n "$packages" ] && mend "$(install_line "$packages")"
            [ "$name" = compiler ] && compiler=missing
            [ "$need" = needed ] && echo "$name" >>"$work/needed"
            echo "$name" >>"$work/missing"
        fi
        [ "$name" = likwid ] && counters
    done <"$work/parts"
}

# Can likwid read this processor's counters? Asked quickly: its daemon may wait ten seconds for nothing.
counters()
{
    have likwid-perfctr || return 0
    traffic='make traffic-N takes cachegrind'
    why=$(timeout 5 likwid-perfctr -e 2>&1 </dev/null | sed -n 's/^ERROR - \[[^]]*\] //p' | sed -n 1p)
    if [ -z "$why" ]; then
        timeout 5 likwid-perfctr -C 0 -g CLOCK true >"$work/counters" 2>&1 </dev/null ||
            why=$(sed -n 's/^ERROR - \[[^]]*\] //p; /^Cannot /p' "$work/counters"; echo 'it fails')
        why=$(echo "$why" | sed -n 1p)
    fi
    if [ -z "$why" ]; then
        fine counters 'likwid-perfctr reads them'
        return
    fi
    gone counters "$traffic" no
    printf '   %-13s %-8s likwid-perfctr: %s\n' '' '' "$(printf %.36s "$why")"
    if grep -q '^flags.* hypervisor' /proc/cpuinfo 2>/dev/null; then
        printf '   %-13s %-8s %s\n' '' '' 'no cure: a virtual machine rarely passes counters on'
    elif [ ! -e /dev/cpu/0/msr ]; then
        mend 'modprobe msr   (as root)'
    else
        mend 'likwid-perfctr -C 0 -g CLOCK true   (says more)'
    fi
}

# A peer of make bench that may lie in a Python environment.
onemkl()
{
    if where=$(sh lib/commands/peers/mkl.sh --where); then fine oneMKL "in $where"
    else
        gone oneMKL 'not a peer in make bench' no
        mend 'pip install mkl mkl-devel mkl-include'
    fi
}

# As lib/perf/energy.c looks for them.
energy()
{
    for count in /sys/class/powercap/intel-rapl:*/energy_uj; do
        if [ -r "$count" ]; then
            fine energy 'packages are counted (powercap): make energy'
            return
        elif [ -e "$count" ]; then
            gone energy 'there, not allowed: energy_uj is readable for root only' no
            mend 'chmod a+r /sys/class/powercap/*/energy_uj   (as root)'
            return
        fi
    done
    if [ -d /sys/bus/event_source/devices/power ]; then
        note energy perf 'counted by its power events, if they are allowed: make energy'
    elif have nvidia-smi; then note energy NVML 'of the GPU alone: make energy'
    else gone energy 'not here: no powercap, no power PMU, no NVML' no; fi
}

machine()
{
    model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | sed -n 1p)
    note processor "" "${model:-$(uname -m)}"
    cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null)
    usable=$(nproc 2>/dev/null || echo "$cores")
    note cores "$usable" "$([ "$usable" = "$cores" ] || echo "of $cores: this shell may use no more (affinity)")"
    if [ -r /sys/fs/cgroup/cpu.max ] && read -r quota period </sys/fs/cgroup/cpu.max && [ "$quota" != max ]; then
        gone quota "$(awk -v q="$quota" -v p="$period" 'BEGIN { printf "%.1f", q / p }') cores' worth of time, then all threads stop" limited
    fi
    [ -d /sys/devices/system/node/node1 ] &&
        note NUMA "$(find /sys/devices/system/node -maxdepth 1 -name 'node[0-9]*' | wc -l)" 'memory nodes: first touch matters here'
    memory=$(awk '/^MemTotal/ { printf "%.1f GB", $2 * 1024 / 1e9 }' /proc/meminfo 2>/dev/null)
    note memory "" "${memory:-unknown}"
    pages=$(sed 's/.*\[\(.*\)\].*/\1/' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null)
    case $pages in
        always | madvise) fine 'huge pages' "transparent, $pages" ;;
        *) gone 'huge pages' 'the roof is measured on small pages, a bit lower' "${pages:-no}"
           [ -n "$pages" ] && mend 'echo madvise >/sys/kernel/mm/transparent_hugepage/enabled   (as root)' ;;
    esac
    if grep -q '^flags.* hypervisor' /proc/cpuinfo 2>/dev/null; then
        note virtual yes 'a virtual machine: its neighbours make timings scatter'
    fi
}

# Where do OpenMP target regions of this compiler run?
offload()
{
    cat >"$work/offload.c" <<'END'
#include <omp.h>
#include <stdio.h>
int main(void)
{
    int host = 1;
#pragma omp target map(from : host)
    host = omp_is_initial_device();
    return printf("%d %d\n", omp_get_num_devices(), host) < 0;
}
END
    set -- 0 none
    if "${CC:-gcc}" -fopenmp "$work/offload.c" -o "$work/offload" 2>/dev/null; then
        # shellcheck disable=SC2046
        set -- $(timeout 20 "$work/offload" 2>/dev/null || echo 0 1)
    fi
    case "$1 $2" in
        *none) note offload none 'no OpenMP: no target regions' ;;
        *\ 0) note offload device "of $1, target regions run there: PRECOND=sgs_colour:75" ;;
        *) note offload host "target regions run on the host: PRECOND=sgs_colour" ;;
    esac
}

later()
{
    if [ "${NVCC-}" = no ]; then note nvcc 'not used' 'NVCC=no'
    elif have nvcc; then note nvcc found "$(nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/CUDA \1/p')"
    else note nvcc none ''; fi
    if ! gpu=$(probed GPU_NAME); then note GPU none 'CUDA exercises run on the checker and are not timed'
    elif probed CUDA_SHARED >/dev/null; then note GPU found "${gpu# }: CUDA exercises are timed there"
    else note GPU found "${gpu# }, not used: no nvcc with libcudart.so"; fi
    if have ncu; then note ncu found 'make traffic-N sets its counts beside the checker'"'"'s'
    elif [ -n "$gpu" ]; then note ncu none 'make traffic-N has the checker'"'"'s counts alone'; fi
    offload
    note MPI "$(have mpicc && echo found || echo none)" ''
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
: >"$work/missing"
: >"$work/needed"

echo "${bold}What this machine has${plain}"
title 'Needed'
section needed
title 'Useful'
section useful
title 'For make test'
section tests
title 'The machine'
machine
energy
onemkl
title "For later exercises, and to compile the CUDA ones"
later
echo
if [ -s "$work/needed" ]; then
    echo " Nothing can be built without: $(paste -sd' ' "$work/needed"). Type make setup, or make CC=yours."
    exit 1
elif [ -s "$work/missing" ]; then
    echo " Missing: $(paste -sd' ' "$work/missing"). Each only switches off what is said beside it," \
        'and make setup installs what this system offers.' | fold -s -w 79 | sed '2,$s/^/ /'
else
    echo ' Nothing is missing.'
fi
