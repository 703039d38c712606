/* commands/peers/cublas.cu -- cuBLAS on a GPU: the product XᵀX of a tall block, by dgemm.
 * needs: nvidia-cuda-toolkit
 * build: $NVCC -std=c++17 -O3 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Wshadow -lcublas
 */
#include "commands/peers/peer_cuda.cuh"

#include <cublas_v2.h>

namespace {
cublasHandle_t handle;

struct Product : PeerClock {
    double *x = nullptr, *c = nullptr;
    int n = 0, nv = 0;

    using PeerClock::check;
    void check(cublasStatus_t status) { ok = ok && status == CUBLAS_STATUS_SUCCESS; }
};

void start(int *, char ***) {
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) handle = nullptr;
}

void finish() {
    if (handle) cublasDestroy(handle);
}

void destroy(void *made) {
    auto *m = static_cast<Product *>(made);
    cudaFree(m->x);
    cudaFree(m->c);
    delete m;
}

/* Row-major n x nv is column-major nv x n: C = X Xᵀ there. */
void multiply(Product *m) {
    const double one = 1, zero = 0;
    m->check(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, m->nv, m->nv, m->n, &one, m->x, m->nv,
                         m->x, m->nv, &zero, m->c, m->nv));
}

void *make(const peer_problem *p, const char *) {
    if (!handle || !peer_has_gpu()) return peer_refuse("no GPU is visible");
    if (p->n_cols < p->nv) return peer_refuse("the result has no room");
    auto *m = new Product;
    const size_t bytes =
        sizeof(double) * static_cast<size_t>(p->n_cols) * static_cast<size_t>(p->nv);
    m->n = p->n_cols;
    m->nv = p->nv;
    m->check(cudaMalloc(&m->x, bytes));
    m->check(cudaMalloc(&m->c, sizeof(double) * static_cast<size_t>(p->nv * p->nv)));
    if (m->ok) m->check(cudaMemcpy(m->x, p->x, bytes, cudaMemcpyHostToDevice));
    if (m->ok) return m;
    destroy(m);
    return peer_refuse("no memory on the GPU");
}

/* numbers[0]: seconds by the device's clock, which is what counts. */
int run(void *made, int calls, double *numbers) {
    auto *m = static_cast<Product *>(made);
    numbers[0] = m->seconds_of(calls, [m] { multiply(m); }) / calls;
    return m->ok ? 1 : -1;
}

void result(void *made, const peer_problem *p) {
    const auto *m = static_cast<const Product *>(made);
    cudaMemcpy(p->y, m->c, sizeof(double) * static_cast<size_t>(m->nv * m->nv),
               cudaMemcpyDeviceToHost);
}

const peer_method methods[] = {
    {"gram-cuda", "dgemm", 0, make, run, result, destroy},
    {nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr},
};
} // namespace

extern "C" const peer_plugin plugin = {
    "cuBLAS", PEER_TEXT(CUBLAS_VER_MAJOR) "." PEER_TEXT(CUBLAS_VER_MINOR), start, nullptr, finish,
    methods};
