/* What the library asks of MPI, counted: these are called in the place of MPI's own, which have a second name. */
#include "distributed/comm.h"

#include <mpi.h>

static spw_traffic so_far;

spw_traffic spw_comm_traffic(void) { return so_far; }

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
    int size;
    PMPI_Type_size(type, &size);
    so_far.messages++;
    so_far.bytes += (double)count * size;
    so_far.message_seconds -= PMPI_Wtime();
    const int status = PMPI_Isend(data, count, type, to, tag, comm, request);
    so_far.message_seconds += PMPI_Wtime();
    return status;
}

int MPI_Wait(MPI_Request *request, MPI_Status *end) {
    so_far.message_seconds -= PMPI_Wtime();
    const int status = PMPI_Wait(request, end);
    so_far.message_seconds += PMPI_Wtime();
    return status;
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
    so_far.sums++;
    so_far.sum_seconds -= PMPI_Wtime();
    const int status = PMPI_Allreduce(in, out, count, type, op, comm);
    so_far.sum_seconds += PMPI_Wtime();
    return status;
}
