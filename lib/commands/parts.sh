#!/bin/sh
# parts.sh: what the workbook can use of a machine. Read by setup.sh and doctor.sh, so that what one installs
# is what the other looks for. Sets $parts and the functions below; CC is the compiler in question.
#
# name | need | packages for apt | for dnf | for brew | what its absence switches off
# need: needed (nothing works without it), useful (a feature), tests (make test skips a part)
# shellcheck disable=SC2034
parts='compiler|needed|gcc libc6-dev|gcc glibc-devel|gcc|nothing can be built
zlib|needed|zlib1g-dev|zlib-devel|zlib|nothing can be built: it reads the matrices
OpenMP|useful|libgomp1|libgomp|libomp|one thread only: most goals are out of reach
hwloc|useful|libhwloc-dev|hwloc-devel|hwloc|cores and caches are read from /sys, less exactly
likwid|useful|likwid|likwid||no counters: make traffic-N takes cachegrind
valgrind|useful|valgrind|valgrind||make traffic-N counts nothing without counters
OpenBLAS|useful|libopenblas-dev|openblas-devel|openblas|no peer to compare dgemv and dgemm with
SuiteSparse|useful|libsuitesparse-dev|suitesparse-devel|suite-sparse|no PRECOND=cholesky: stiff eigenproblems do not converge
MPI|useful|openmpi-bin libopenmpi-dev|openmpi-devel|open-mpi|no make solve RANKS=4; make check-mpi needs none
gnuplot|useful|gnuplot-nox|gnuplot|gnuplot|no pictures; tables and the roofline stay, as text
pandoc|useful|pandoc|pandoc|pandoc|no make slides, no make book
curl|useful|curl ca-certificates|curl|curl|make matrices takes them from MATRIX_MIRROR only
python3|useful|python3|python3|python3|no make grade: no class is judged
bubblewrap|useful|bubblewrap|bubblewrap||make grade keeps submissions apart by Landlock alone
inotifywait|useful|inotify-tools|inotify-tools||make watch-N looks once a second instead
cmocka|tests|libcmocka-dev|libcmocka-devel|cmocka|make test skips the unit tests
sanitizers|tests|gcc|libasan libubsan|gcc|no SANITIZE=1: bad addresses are found less surely
bats|tests|bats|bats|bats-core|make test skips the command line
shellcheck|tests|shellcheck|ShellCheck|shellcheck|make test does not read the shell scripts
g++|useful|g++|gcc-c++|gcc|no CUDA exercises: their checker is built with it
clang|tests|clang libomp-dev|clang libomp-devel|llvm|make test has one compiler less; no SANITIZE=thread
fuzzer|tests|clang libclang-rt-dev|clang compiler-rt|llvm|make test fuzzes with random edits only
chromium|tests|chromium|chromium||no PDF of slides and book; make test does not look at the pages
tidy|tests|tidy|tidy|tidy-html5|make test does not read the HTML of the pages
clang-format|tests|clang-format|clang-tools-extra|clang-format|make test does not look at the layout of code'

# gcc brings its own OpenMP, clang takes LLVM's
case ${CC:-gcc} in
    *clang*) parts=$(printf '%s\n' "$parts" | sed 's/^\(OpenMP|[^|]*\)|[^|]*|[^|]*|/\1|libomp-dev|libomp-devel|/') ;;
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

# The package manager of this machine, and the column of the table above that is its own.
manager=
for m in apt-get dnf brew; do
    if [ -z "$manager" ] && have $m; then manager=$m; fi
done
case $manager in
    apt-get) column=3 ;;
    dnf) column=4 ;;
    *) column=5 ;;
esac
