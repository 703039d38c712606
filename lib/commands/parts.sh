#!/bin/sh
# parts.sh: what the workbook can use of a machine. Read by setup.sh and doctor.sh, so that what one installs
# is what the other looks for. Sets $parts and the functions below; CC is the compiler in question.
#
# name | need | what its absence switches off | packages for apt | for dnf | for brew
# need: needed (nothing works without it), useful (a feature), tests (make test skips a part)
# shellcheck disable=SC2034
parts='compiler|needed|nothing can be built|gcc libc6-dev|gcc glibc-devel|gcc
zlib|needed|nothing can be built: it reads the matrices|zlib1g-dev|zlib-devel|zlib
OpenMP|useful|one thread only: most goals are out of reach|libgomp1|libgomp|libomp
hwloc|useful|cores and caches are read from /sys, less exactly|libhwloc-dev|hwloc-devel|hwloc
likwid|useful|no counters: make traffic-N takes cachegrind|likwid|likwid|
valgrind|useful|make traffic-N counts nothing without counters|valgrind|valgrind|
OpenBLAS|useful|no peer to compare dgemv and dgemm with|libopenblas-dev|openblas-devel|openblas
SuiteSparse|useful|no PRECOND=cholesky: stiff eigenproblems do not converge|libsuitesparse-dev|suitesparse-devel|suite-sparse
MPI|useful|no make solve RANKS=4; make check-mpi needs none|openmpi-bin libopenmpi-dev|openmpi-devel|open-mpi
gnuplot|useful|no pictures; tables and the roofline stay, as text|gnuplot-nox|gnuplot|gnuplot
pandoc|useful|no make slides, no make book|pandoc|pandoc|pandoc
curl|useful|make matrices takes them from MATRIX_MIRROR only|curl ca-certificates|curl|curl
python3|useful|no make grade: no class is judged|python3|python3|python3
bubblewrap|useful|make grade keeps submissions apart by Landlock alone|bubblewrap|bubblewrap|
inotifywait|useful|make watch-N looks once a second instead|inotify-tools|inotify-tools|
cmocka|tests|make test skips the unit tests|libcmocka-dev|libcmocka-devel|cmocka
sanitizers|tests|no SANITIZE=1: bad addresses are found less surely|gcc|libasan libubsan|gcc
bats|tests|make test skips the command line|bats|bats|bats-core
shellcheck|tests|make test does not read the shell scripts|shellcheck|ShellCheck|shellcheck
g++|useful|no CUDA exercises: their checker is built with it|g++|gcc-c++|gcc
clang|tests|make test has one compiler less; no SANITIZE=thread|clang libomp-dev|clang libomp-devel|llvm
fuzzer|tests|make test fuzzes with random edits only|clang libclang-rt-dev|clang compiler-rt|llvm
chromium|tests|no PDF of slides and book; make test does not look at the pages|chromium|chromium|
tidy|tests|make test does not read the HTML of the pages|tidy|tidy|tidy-html5
clang-format|tests|make test does not look at the layout of code|clang-format|clang-tools-extra|clang-format'

# gcc brings its own OpenMP, clang takes LLVM's
case ${CC:-gcc} in
    *clang*) parts=$(printf '%s\n' "$parts" | sed 's/^\(OpenMP|.*|\)libgomp1|libgomp|/\1libomp-dev|libomp-devel|/') ;;
esac

field() { printf '%s\n' "$1" | cut -d'|' -f"$2"; }
have() { command -v "$1" >/dev/null 2>&1; }

# Asks probe.sh once; found() reads its answers.
probe=$(CC=${CC:-gcc} sh lib/commands/probe.sh 2>/dev/null)
probed() { printf '%s\n' "$probe" | sed -n "s/^$1 :=//p" | grep .; }

# is_probed NAME: is it looked for by compiling something?
is_probed() { case $1 in zlib | OpenMP | hwloc | OpenBLAS | SuiteSparse | MPI | cmocka | sanitizers) ;; *) false ;; esac; }

# found NAME: true where the part is there, with its version or kind on standard output.
found()
{
    case $1 in
        compiler) v=$(probed CC_VERSION) && echo "${CC:-gcc}$v" ;;
        zlib) probed ZLIB_LIBS >/dev/null && version zlib ;;
        OpenMP) probed OPENMP ;;
        hwloc) probed HWLOC_LIBS >/dev/null && version hwloc ;;
        likwid) have likwid-perfctr && likwid-perfctr --version 2>/dev/null | sed -n '1s/.*Version \([0-9.]*\).*/\1/p' ;;
        valgrind) have valgrind && valgrind --version | sed 's/valgrind-//' ;;
        OpenBLAS) probed BLAS_LIBS >/dev/null && version openblas ;;
        SuiteSparse) probed CHOLMOD_LIBS >/dev/null && version cholmod ;;
        MPI) probed MPI_FLAGS >/dev/null && have mpirun && mpirun --version 2>&1 |
            awk '/Open MPI|OpenRTE/ { print "Open MPI " $NF; exit } /Version:/ { print "MPICH " $2; exit } /Version/ { print $0; exit }' ;;
        gnuplot) have gnuplot && gnuplot --version | sed 's/gnuplot \([0-9.]*\).*/\1/' ;;
        pandoc) have pandoc && pandoc --version | sed -n '1s/pandoc //p' ;;
        chromium) have chromium || have chromium-browser || have google-chrome ;;
        tidy) have tidy && tidy --version | sed 's/.*version //' ;;
        python3) have python3 && python3 --version | sed 's/.* //' ;;
        bubblewrap) have bwrap && bwrap --version | sed 's/.* //' ;;
        curl) have curl && curl --version | sed -n '1s/curl \([0-9.]*\).*/\1/p' ;;
        cmocka) probed CMOCKA_LIBS >/dev/null && version cmocka ;;
        sanitizers) links "${CC:-gcc}" -fsanitize=address,undefined ;;
        clang) have clang && links clang -fopenmp && clang -dumpversion ;;
        fuzzer) have clang && links clang -fsanitize=fuzzer,address -Dmain=LLVMFuzzerTestOneInput ;;
        shellcheck) have shellcheck && shellcheck --version | sed -n 's/^version: //p' ;;
        bats) have bats && bats --version | sed 's/[^0-9]*//' ;;
        g++ | clang-format) have "$1" && "$1" --version | sed -n '1s/.* \([0-9][0-9.]*\).*/\1/p' ;;
        *) have "$1" ;;
    esac
}

version() { pkg-config --modversion "$1" 2>/dev/null || true; }

# links COMPILER FLAGS...: does a program that does nothing compile and link?
links()
{
    compiler=$1 program=$(mktemp) || return 1
    shift
    echo 'int main(void) { return 0; }' |
        "$compiler" -w "$@" -x c - -o "$program" 2>/dev/null
    result=$?
    rm -f "$program"
    return $result
}

# The package manager of this machine, and which of the table's columns of packages is its own.
manager=
for m in apt-get dnf brew; do
    if [ -z "$manager" ] && have $m; then manager=$m; fi
done
case $manager in
    apt-get) column=1 ;;
    dnf) column=2 ;;
    *) column=3 ;;
esac
