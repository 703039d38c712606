/* spw.h -- the library for a program that uses it, and its map. What is internal to a layer is not included.
 *
 * lib/ is the include root. Layers point one way: a header includes only what stands above it here.
 *
 *   base/       status and the one message, memory, random numbers, numbers as text, threads, device
 *   formats/    matrices: coo, csr (the hub of conversions), ell, sell, sellp, sell_short, sbcsr, sdia; Matrix Market files,
 *               generators by name ("fem3:64"), and what there is to know of a matrix (info)
 *   perf/       what a call costs (cost), the least time it can take (roofline), and what this machine
 *               can do: bandwidth, peak, topology, timer, markers; joules where they are counted (energy)
 *   kernels/    vectors (blas1), dgemv, dgemm, blocks of vectors, SpMV, SpMM, triangular solves (trsv);
 *               reference/ is obvious and serial, omp/ plain loops for all cores, expert/ fast ones
 *               and what their ideas gained, cuda/ for the device, schedule/ who does which rows. Each operation
 *               has a table of its kernels (kernels.h); tests and bench take them from there
 *   simt/       the checker: runs CUDA source on the CPU, finds its mistakes, counts its traffic. It
 *               stands on base alone; judge uses it
 *   solvers/    operator (a matrix as a solver sees it), preconditioners, conjugate gradients, BiCGStab,
 *               refinement, matrix powers and a filter; orthogonalise and LOBPCG for eigenvalues; what
 *               they cost, why they stopped
 *   distributed/  a matrix whose rows lie on several ranks of MPI, for the solvers
 *   ranks/      MPI in one process, on the fibers of simt; an exercise's drivers and check-mpi use it
 *   judge/      the verdict on an exercise; a driver includes judge/exercise.h itself
 *   kit/        what drivers are written with: parts as declarations, cases, systems, what solvers share
 *   commands/   the programs behind make: machine, solve, bench, plot, matrix_info, traffic, and the scripts
 *
 *     spw_csr A;
 *     if (spw_csr_load("stencil27:100", &A)) return puts(spw_message()), 1;
 *     spw_spmv_csr_omp(&A, x, y);
 *     spw_csr_destroy(&A); */
#pragma once

#include "base/device.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "base/status.h"
#include "base/threads.h"

#include "formats/coo.h"
#include "formats/csr.h"
#include "formats/device_matrix.h"
#include "formats/ell.h"
#include "formats/generate.h"
#include "formats/info.h"
#include "formats/matrix_market.h"
#include "formats/permute.h"
#include "formats/sbcsr.h"
#include "formats/sdia.h"
#include "formats/sell.h"
#include "formats/sellp.h"
#include "formats/sell_short.h"

#include "perf/bandwidth.h"
#include "perf/bandwidth_device.h"
#include "perf/cost.h"
#include "perf/energy.h"
#include "perf/machine.h"
#include "perf/markers.h"
#include "perf/roofline.h"
#include "perf/timer.h"
#include "perf/topology.h"
#include "perf/working_set.h"

#include "kernels/blas1.h"
#include "kernels/block.h"
#include "kernels/cuda.h"
#include "kernels/cuda_block.h"
#include "kernels/cuda_solver.h"
#include "kernels/dense.h"
#include "kernels/fused.h"
#include "kernels/schedule/partition.h"
#include "kernels/float.h"
#include "kernels/spmm.h"
#include "kernels/spmv.h"
#include "kernels/spmv_with_dots.h"
#include "kernels/symgs.h"
#include "kernels/trsv.h"
#include "kernels/kernels.h"

#include "solvers/bicgstab.h"
#include "solvers/cg.h"
#include "solvers/lobpcg.h"
#include "solvers/lobpcg_cuda.h"
#include "solvers/multigrid.h"
#include "solvers/operator.h"
#include "solvers/operator_cuda.h"
#include "solvers/orthogonalise.h"
#include "solvers/powers.h"
#include "solvers/precond.h"
#include "solvers/refine.h"
#include "solvers/solver.h"
