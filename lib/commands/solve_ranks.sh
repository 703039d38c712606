#!/bin/sh
# solve_ranks.sh PROGRAM RANKS OPTIONS...: starts it as so many ranks of MPI; RANKS=1 needs none. MPIRUN: the launcher.
# A variable that the launcher's environment has stays as it is.
program=$1 ranks=$2
shift 2
case $ranks in '' | *[!0-9]* | 0* | ??????*) echo "solve: RANKS is '$ranks', must be a whole number from 1" >&2; exit 2 ;; esac
cores=$(nproc 2>/dev/null || echo 1)
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-$((cores > ranks ? cores / ranks : 1))}"
[ "$ranks" != 1 ] || exec "$program" "$@"
if ! command -v "${MPIRUN:-mpirun}" >/dev/null 2>&1 || ! ldd "$program" 2>/dev/null | grep -q libmpi; then
    echo 'solve: RANKS needs MPI, and there is none: make setup installs it. RANKS=1 works without, and so does make check-mpi (exercises/cluster.md)' >&2
    exit 5
fi
# Both Open MPI and MPICH may be here: what the program is linked with must be what starts it.
case $("${MPIRUN:-mpirun}" --version 2>&1):$(ldd "$program") in
    *"Open MPI"*:*libmpich* | *OpenRTE*:*libmpich*) other='Open MPI starts, and MPICH is linked' ;;
    *HYDRA*:*libmpi.so*) other='MPICH starts, and Open MPI is linked' ;;
esac
if [ -n "$other" ]; then
    echo "solve: two MPI are mixed: $other. MPIRUN= names the other launcher, as mpirun.openmpi or mpirun.mpich" >&2
    exit 5
fi
# More ranks than cores, no binding (each rank has threads), and ranks that wait give way. Open MPI 4 and 5.
export OMPI_MCA_rmaps_base_oversubscribe="${OMPI_MCA_rmaps_base_oversubscribe:-1}"
export PRTE_MCA_rmaps_default_mapping_policy="${PRTE_MCA_rmaps_default_mapping_policy:-:oversubscribe}"
export OMPI_MCA_hwloc_base_binding_policy="${OMPI_MCA_hwloc_base_binding_policy:-none}"
export PRTE_MCA_hwloc_default_binding_policy="${PRTE_MCA_hwloc_default_binding_policy:-none}"
export OMPI_MCA_mpi_yield_when_idle="${OMPI_MCA_mpi_yield_when_idle:-1}"
if [ "$(id -u)" = 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
told=$(mktemp) && page=$(mktemp) || exit 1
trap 'rm -f "$told" "$page"' EXIT
"${MPIRUN:-mpirun}" -n "$ranks" "$program" --cores "$cores" "$@" >"$told" 2>"$page"
status=$?
case $status in
    0) cat "$told"; cat "$page" >&2; exit 0 ;;
    3) cat "$told"; grep '^solve: ' "$page" >&2; exit 3 ;; # not converged; a launcher has a page of text on it
esac
cat "$page" >>"$told"
# Launchers end all ranks when one dies. Their page of text on that, or on an exit status, is not what is wanted.
died=$(tr '\n' ' ' <"$told" | sed -n 's/.*exited on *\(signal [0-9]* ([^)]*)\).*/\1/p
    s/.*EXIT STRING: \([A-Za-z ]*\) (\(signal [0-9]*\)).*/\2 (\1)/p')
if grep '^solve: ' "$told" >&2; then :
elif [ -n "$died" ]; then
    case $died in 'signal 9 '*) died="$died, as where memory ends" ;; esac
    echo "solve: a rank died of $died; the others were ended" >&2
    status=1
else cat "$told" >&2; fi
exit $status
