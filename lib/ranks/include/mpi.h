/* mpi.h -- the part of MPI (MPI 3.1, https://www.mpi-forum.org) that the workbook has, for ranks that are fibers of one
 * process (lib/ranks/ranks.h). A program of it compiles with every real mpicc, too. Each call is a macro that
 * first notes where it stands, so that what is found has a file and a line.
 *
 * Handles are integers. No constant has a value that a learner would take by accident: -1 is not "any". */
#pragma once

#include <stddef.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Op;
typedef int MPI_Request;
typedef int MPI_Info;
typedef int MPI_Errhandler;
typedef ptrdiff_t MPI_Aint;

typedef struct MPI_Status {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR;
    long long spw_bytes; /* ask MPI_Get_count */
} MPI_Status;

enum { MPI_VERSION = 3, MPI_SUBVERSION = 1, MPI_SUCCESS = 0, MPI_UNDEFINED = -32103 };
enum { MPI_COMM_NULL = 20010, MPI_COMM_WORLD, MPI_COMM_SELF };
enum { MPI_ANY_SOURCE = -1001, MPI_ANY_TAG = -1002, MPI_PROC_NULL = -1003 };
enum {
    MPI_REQUEST_NULL = 30010,
    MPI_INFO_NULL = 30020,
    MPI_ERRORS_ARE_FATAL = 30030,
    MPI_ERRORS_RETURN
};
enum { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };
enum { MPI_MAX_PROCESSOR_NAME = 64, MPI_MAX_ERROR_STRING = 64 };
enum {
    MPI_DATATYPE_NULL = 40010,
    MPI_CHAR,
    MPI_SIGNED_CHAR,
    MPI_UNSIGNED_CHAR,
    MPI_BYTE,
    MPI_SHORT,
    MPI_UNSIGNED_SHORT,
    MPI_INT,
    MPI_UNSIGNED,
    MPI_LONG,
    MPI_UNSIGNED_LONG,
    MPI_LONG_LONG,
    MPI_UNSIGNED_LONG_LONG,
    MPI_FLOAT,
    MPI_DOUBLE,
    MPI_C_BOOL,
    MPI_INT8_T,
    MPI_UINT8_T,
    MPI_INT16_T,
    MPI_UINT16_T,
    MPI_INT32_T,
    MPI_UINT32_T,
    MPI_INT64_T,
    MPI_UINT64_T,
    MPI_2INT,
    MPI_DOUBLE_INT,
    MPI_LONG_LONG_INT = MPI_LONG_LONG
};
enum {
    MPI_OP_NULL = 50010,
    MPI_SUM,
    MPI_PROD,
    MPI_MAX,
    MPI_MIN,
    MPI_LAND,
    MPI_LOR,
    MPI_LXOR,
    MPI_BAND,
    MPI_BOR,
    MPI_BXOR,
    MPI_MAXLOC,
    MPI_MINLOC
};
#define MPI_IN_PLACE        ((void *)50101)
#define MPI_BOTTOM          ((void *)50103)
#define MPI_STATUS_IGNORE   ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_UNWEIGHTED      ((int *)50105)

void spw_ranks_at(const char *file, int line, const char *call);
#define SPW_AT(call, ...) (spw_ranks_at(__FILE__, __LINE__, #call), spw_##call(__VA_ARGS__))

/* exit ends the rank, not all of them. */
void spw_ranks_exit(int status) __attribute__((noreturn));
#define exit(status) (spw_ranks_at(__FILE__, __LINE__, "exit"), spw_ranks_exit(status))

int spw_MPI_Init(int *argc, char ***argv);
int spw_MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int spw_MPI_Initialized(int *flag);
int spw_MPI_Finalize(void);
int spw_MPI_Finalized(int *flag);
int spw_MPI_Abort(MPI_Comm comm, int code);
double spw_MPI_Wtime(void);
double spw_MPI_Wtick(void);
int spw_MPI_Get_processor_name(char *name, int *length);
#define MPI_Init(...)               SPW_AT(MPI_Init, __VA_ARGS__)
#define MPI_Init_thread(...)        SPW_AT(MPI_Init_thread, __VA_ARGS__)
#define MPI_Initialized(...)        SPW_AT(MPI_Initialized, __VA_ARGS__)
#define MPI_Finalize()              SPW_AT(MPI_Finalize, )
#define MPI_Finalized(...)          SPW_AT(MPI_Finalized, __VA_ARGS__)
#define MPI_Abort(...)              SPW_AT(MPI_Abort, __VA_ARGS__)
#define MPI_Wtime()                 SPW_AT(MPI_Wtime, )
#define MPI_Wtick()                 SPW_AT(MPI_Wtick, )
#define MPI_Get_processor_name(...) SPW_AT(MPI_Get_processor_name, __VA_ARGS__)

int spw_MPI_Comm_rank(MPI_Comm comm, int *rank);
int spw_MPI_Comm_size(MPI_Comm comm, int *size);
int spw_MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy);
int spw_MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *part);
int spw_MPI_Comm_free(MPI_Comm *comm);
int spw_MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int spw_MPI_Dist_graph_create_adjacent(MPI_Comm comm, int n_from, const int *from,
                                       const int *from_weights, int n_to, const int *to,
                                       const int *to_weights, MPI_Info info, int reorder,
                                       MPI_Comm *graph);
int spw_MPI_Type_size(MPI_Datatype type, int *size);
int spw_MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count);
#define MPI_Comm_rank(...)                  SPW_AT(MPI_Comm_rank, __VA_ARGS__)
#define MPI_Comm_size(...)                  SPW_AT(MPI_Comm_size, __VA_ARGS__)
#define MPI_Comm_dup(...)                   SPW_AT(MPI_Comm_dup, __VA_ARGS__)
#define MPI_Comm_split(...)                 SPW_AT(MPI_Comm_split, __VA_ARGS__)
#define MPI_Comm_free(...)                  SPW_AT(MPI_Comm_free, __VA_ARGS__)
#define MPI_Comm_set_errhandler(...)        SPW_AT(MPI_Comm_set_errhandler, __VA_ARGS__)
#define MPI_Dist_graph_create_adjacent(...) SPW_AT(MPI_Dist_graph_create_adjacent, __VA_ARGS__)
#define MPI_Type_size(...)                  SPW_AT(MPI_Type_size, __VA_ARGS__)
#define MPI_Get_count(...)                  SPW_AT(MPI_Get_count, __VA_ARGS__)

int spw_MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int spw_MPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int spw_MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                 MPI_Status *status);
int spw_MPI_Sendrecv(const void *out, int n_out, MPI_Datatype type_out, int to, int tag_out,
                     void *in, int n_in, MPI_Datatype type_in, int from, int tag_in, MPI_Comm comm,
                     MPI_Status *status);
int spw_MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request *request);
int spw_MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request *request);
int spw_MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                  MPI_Request *request);
int spw_MPI_Send_init(const void *data, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request *request);
int spw_MPI_Recv_init(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                      MPI_Request *request);
int spw_MPI_Start(MPI_Request *request);
int spw_MPI_Startall(int n, MPI_Request *requests);
int spw_MPI_Request_free(MPI_Request *request);
int spw_MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status);
int spw_MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
#define MPI_Send(...)         SPW_AT(MPI_Send, __VA_ARGS__)
#define MPI_Ssend(...)        SPW_AT(MPI_Ssend, __VA_ARGS__)
#define MPI_Recv(...)         SPW_AT(MPI_Recv, __VA_ARGS__)
#define MPI_Sendrecv(...)     SPW_AT(MPI_Sendrecv, __VA_ARGS__)
#define MPI_Isend(...)        SPW_AT(MPI_Isend, __VA_ARGS__)
#define MPI_Issend(...)       SPW_AT(MPI_Issend, __VA_ARGS__)
#define MPI_Irecv(...)        SPW_AT(MPI_Irecv, __VA_ARGS__)
#define MPI_Send_init(...)    SPW_AT(MPI_Send_init, __VA_ARGS__)
#define MPI_Recv_init(...)    SPW_AT(MPI_Recv_init, __VA_ARGS__)
#define MPI_Start(...)        SPW_AT(MPI_Start, __VA_ARGS__)
#define MPI_Startall(...)     SPW_AT(MPI_Startall, __VA_ARGS__)
#define MPI_Request_free(...) SPW_AT(MPI_Request_free, __VA_ARGS__)
#define MPI_Probe(...)        SPW_AT(MPI_Probe, __VA_ARGS__)
#define MPI_Iprobe(...)       SPW_AT(MPI_Iprobe, __VA_ARGS__)

int spw_MPI_Wait(MPI_Request *request, MPI_Status *status);
int spw_MPI_Waitall(int n, MPI_Request *requests, MPI_Status *statuses);
int spw_MPI_Waitany(int n, MPI_Request *requests, int *index, MPI_Status *status);
int spw_MPI_Waitsome(int n, MPI_Request *requests, int *n_done, int *indices, MPI_Status *statuses);
int spw_MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int spw_MPI_Testall(int n, MPI_Request *requests, int *flag, MPI_Status *statuses);
#define MPI_Wait(...)     SPW_AT(MPI_Wait, __VA_ARGS__)
#define MPI_Waitall(...)  SPW_AT(MPI_Waitall, __VA_ARGS__)
#define MPI_Waitany(...)  SPW_AT(MPI_Waitany, __VA_ARGS__)
#define MPI_Waitsome(...) SPW_AT(MPI_Waitsome, __VA_ARGS__)
#define MPI_Test(...)     SPW_AT(MPI_Test, __VA_ARGS__)
#define MPI_Testall(...)  SPW_AT(MPI_Testall, __VA_ARGS__)

int spw_MPI_Barrier(MPI_Comm comm);
int spw_MPI_Ibarrier(MPI_Comm comm, MPI_Request *request);
int spw_MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int spw_MPI_Reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
                   MPI_Comm comm);
int spw_MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm);
int spw_MPI_Iallreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm, MPI_Request *request);
int spw_MPI_Scan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int spw_MPI_Exscan(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm);
int spw_MPI_Gather(const void *in, int n_in, MPI_Datatype type_in, void *out, int n_out,
                   MPI_Datatype type_out, int root, MPI_Comm comm);
int spw_MPI_Gatherv(const void *in, int n_in, MPI_Datatype type_in, void *out, const int *n_out,
                    const int *first_out, MPI_Datatype type_out, int root, MPI_Comm comm);
int spw_MPI_Allgather(const void *in, int n_in, MPI_Datatype type_in, void *out, int n_out,
                      MPI_Datatype type_out, MPI_Comm comm);
int spw_MPI_Allgatherv(const void *in, int n_in, MPI_Datatype type_in, void *out, const int *n_out,
                       const int *first_out, MPI_Datatype type_out, MPI_Comm comm);
int spw_MPI_Scatter(const void *in, int n_in, MPI_Datatype type_in, void *out, int n_out,
                    MPI_Datatype type_out, int root, MPI_Comm comm);
int spw_MPI_Scatterv(const void *in, const int *n_in, const int *first_in, MPI_Datatype type_in,
                     void *out, int n_out, MPI_Datatype type_out, int root, MPI_Comm comm);
int spw_MPI_Alltoall(const void *in, int n_in, MPI_Datatype type_in, void *out, int n_out,
                     MPI_Datatype type_out, MPI_Comm comm);
int spw_MPI_Alltoallv(const void *in, const int *n_in, const int *first_in, MPI_Datatype type_in,
                      void *out, const int *n_out, const int *first_out, MPI_Datatype type_out,
                      MPI_Comm comm);
int spw_MPI_Neighbor_alltoallv(const void *in, const int *n_in, const int *first_in,
                               MPI_Datatype type_in, void *out, const int *n_out,
                               const int *first_out, MPI_Datatype type_out, MPI_Comm comm);
#define MPI_Barrier(...)            SPW_AT(MPI_Barrier, __VA_ARGS__)
#define MPI_Ibarrier(...)           SPW_AT(MPI_Ibarrier, __VA_ARGS__)
#define MPI_Bcast(...)              SPW_AT(MPI_Bcast, __VA_ARGS__)
#define MPI_Reduce(...)             SPW_AT(MPI_Reduce, __VA_ARGS__)
#define MPI_Allreduce(...)          SPW_AT(MPI_Allreduce, __VA_ARGS__)
#define MPI_Iallreduce(...)         SPW_AT(MPI_Iallreduce, __VA_ARGS__)
#define MPI_Scan(...)               SPW_AT(MPI_Scan, __VA_ARGS__)
#define MPI_Exscan(...)             SPW_AT(MPI_Exscan, __VA_ARGS__)
#define MPI_Gather(...)             SPW_AT(MPI_Gather, __VA_ARGS__)
#define MPI_Gatherv(...)            SPW_AT(MPI_Gatherv, __VA_ARGS__)
#define MPI_Allgather(...)          SPW_AT(MPI_Allgather, __VA_ARGS__)
#define MPI_Allgatherv(...)         SPW_AT(MPI_Allgatherv, __VA_ARGS__)
#define MPI_Scatter(...)            SPW_AT(MPI_Scatter, __VA_ARGS__)
#define MPI_Scatterv(...)           SPW_AT(MPI_Scatterv, __VA_ARGS__)
#define MPI_Alltoall(...)           SPW_AT(MPI_Alltoall, __VA_ARGS__)
#define MPI_Alltoallv(...)          SPW_AT(MPI_Alltoallv, __VA_ARGS__)
#define MPI_Neighbor_alltoallv(...) SPW_AT(MPI_Neighbor_alltoallv, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
