/* commands/peers/cusparse.cu -- cuSPARSE on a GPU, generic API: CSR and sliced ELL.
 * needs: nvidia-cuda-toolkit
 * build: $NVCC -std=c++17 -O3 -Werror all-warnings -Xcompiler -Wall,-Wextra,-Wshadow -lcusparse
 */
#include "commands/peers/peer_cuda.cuh"

#include <algorithm>
#include <cusparse.h>
#include <numeric>
#include <vector>

namespace {
constexpr int SLICE = 32; /* rows, a warp */

cusparseHandle_t handle;

struct Product : PeerClock {
    void *offsets = nullptr, *columns = nullptr, *values = nullptr;
    void *x = nullptr, *y = nullptr, *workspace = nullptr;
    cusparseSpMatDescr_t A = nullptr;
    cusparseDnVecDescr_t X = nullptr, Y = nullptr;
    cusparseSpMVAlg_t algorithm = CUSPARSE_SPMV_ALG_DEFAULT;

    using PeerClock::check;
    void check(cusparseStatus_t status) { ok = ok && status == CUSPARSE_STATUS_SUCCESS; }

    template <class T> void *copy(const T *from_host, size_t count) {
        void *to_device = nullptr;
        check(cudaMalloc(&to_device, std::max<size_t>(count, 1) * sizeof(T)));
        if (ok && from_host)
            check(cudaMemcpy(to_device, from_host, count * sizeof(T), cudaMemcpyHostToDevice));
        return to_device;
    }
};

void start(int *, char ***) {
    if (cusparseCreate(&handle) != CUSPARSE_STATUS_SUCCESS) handle = nullptr;
}

void finish() {
    if (handle) cusparseDestroy(handle);
}

void destroy(void *made) {
    auto *m = static_cast<Product *>(made);
    if (m->A) cusparseDestroySpMat(m->A);
    if (m->X) cusparseDestroyDnVec(m->X);
    if (m->Y) cusparseDestroyDnVec(m->Y);
    for (void *block : {m->offsets, m->columns, m->values, m->x, m->y, m->workspace})
        cudaFree(block);
    delete m;
}

void multiply(Product *m) {
    const double one = 1, zero = 0;
    m->check(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m->A, m->X, &zero, m->Y,
                          CUDA_R_64F, m->algorithm, m->workspace));
}

double time_of(Product *m, int calls) {
    return m->seconds_of(calls, [m] { multiply(m); });
}

void prepare(Product *m) {
    const double one = 1, zero = 0;
    size_t bytes = 0;
    cudaFree(m->workspace);
    m->workspace = nullptr;
    m->check(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m->A, m->X,
                                     &zero, m->Y, CUDA_R_64F, m->algorithm, &bytes));
    m->workspace = m->copy<char>(nullptr, bytes);
    if (m->ok)
        m->check(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, m->A, m->X,
                                         &zero, m->Y, CUDA_R_64F, m->algorithm, m->workspace));
}

/* The fastest of the algorithms there are for the format. */
void choose(Product *m, const std::vector<cusparseSpMVAlg_t> &algorithms) {
    double best = 1e300;
    cusparseSpMVAlg_t chosen = algorithms[0];
    for (const auto algorithm : algorithms) {
        m->algorithm = algorithm;
        prepare(m);
        if (!m->ok) return;
        (void)time_of(m, 2);
        const double seconds = time_of(m, 5);
        if (seconds < best) chosen = algorithm;
        best = std::min(best, seconds);
    }
    m->algorithm = chosen;
    prepare(m);
}

void *finished(Product *m, const peer_problem *p,
               const std::vector<cusparseSpMVAlg_t> &algorithms) {
    m->x = m->copy(p->x, static_cast<size_t>(p->n_cols));
    m->y = m->copy<double>(nullptr, static_cast<size_t>(p->n_rows));
    m->check(cusparseCreateDnVec(&m->X, p->n_cols, m->x, CUDA_R_64F));
    m->check(cusparseCreateDnVec(&m->Y, p->n_rows, m->y, CUDA_R_64F));
    if (m->ok) choose(m, algorithms);
    if (m->ok) return m;
    destroy(m);
    return peer_refuse("cuSPARSE does not take the matrix, or no memory on the GPU");
}

bool no_gpu() { return !handle || !peer_has_gpu(); }

void *make_csr(const peer_problem *p, const char *) {
    if (no_gpu()) return peer_refuse("no GPU is visible");
    auto *m = new Product;
    m->offsets = m->copy(p->row_ptr, static_cast<size_t>(p->n_rows) + 1);
    m->columns = m->copy(p->col_idx, static_cast<size_t>(p->nnz));
    m->values = m->copy(p->val, static_cast<size_t>(p->nnz));
    m->check(cusparseCreateCsr(&m->A, p->n_rows, p->n_cols, p->nnz, m->offsets, m->columns,
                               m->values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    return finished(m, p, {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2});
}

/* Slices of 32 rows, column by column; cuSPARSE marks padding by the column -1. */
struct Slices {
    std::vector<int32_t> offsets, columns;
    std::vector<double> values;
};

bool slice(const peer_problem *p, Slices *s) {
    const int32_t n_slices = (p->n_rows + SLICE - 1) / SLICE;
    int64_t stored = 0;
    s->offsets.assign(1, 0);
    for (int32_t c = 0; c < n_slices; c++) {
        int32_t longest = 0;
        for (int32_t i = c * SLICE; i < std::min(p->n_rows, (c + 1) * SLICE); i++)
            longest = std::max(longest, p->row_ptr[i + 1] - p->row_ptr[i]);
        stored += static_cast<int64_t>(longest) * SLICE;
        if (stored > INT32_MAX || stored > 4 * static_cast<int64_t>(p->nnz) + 4096) return false;
        s->offsets.push_back(static_cast<int32_t>(stored));
    }
    s->columns.assign(static_cast<size_t>(stored), -1);
    s->values.assign(static_cast<size_t>(stored), 0);
    for (int32_t i = 0; i < p->n_rows; i++)
        for (int32_t k = p->row_ptr[i]; k < p->row_ptr[i + 1]; k++) {
            const size_t at = static_cast<size_t>(s->offsets[static_cast<size_t>(i / SLICE)]) +
                              static_cast<size_t>(k - p->row_ptr[i]) * SLICE + i % SLICE;
            s->columns[at] = p->col_idx[k];
            s->values[at] = p->val[k];
        }
    return true;
}

void *make_sell(const peer_problem *p, const char *) {
    Slices s;
    if (no_gpu()) return peer_refuse("no GPU is visible");
    if (!slice(p, &s)) return peer_refuse("slices would be several times as large as the matrix");
    auto *m = new Product;
    m->offsets = m->copy(s.offsets.data(), s.offsets.size());
    m->columns = m->copy(s.columns.data(), s.columns.size());
    m->values = m->copy(s.values.data(), s.values.size());
    m->check(cusparseCreateSlicedEll(&m->A, p->n_rows, p->n_cols, p->nnz,
                                     static_cast<int64_t>(s.values.size()), SLICE, m->offsets,
                                     m->columns, m->values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    return finished(m, p, {CUSPARSE_SPMV_SELL_ALG1});
}

/* numbers[0]: seconds by the device's clock, which is what counts. */
int run(void *made, int calls, double *numbers) {
    auto *m = static_cast<Product *>(made);
    numbers[0] = time_of(m, calls) / calls;
    return m->ok ? 1 : -1;
}

void result(void *made, const peer_problem *p) {
    const auto *m = static_cast<const Product *>(made);
    cudaMemcpy(p->y, m->y, static_cast<size_t>(p->n_rows) * sizeof(double), cudaMemcpyDeviceToHost);
}

const peer_method methods[] = {
    {"spmv-cuda", "csr", 0, make_csr, run, result, destroy},
    {"spmv-cuda", "sliced-ell", 0, make_sell, run, result, destroy},
    {nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr},
};
} // namespace

extern "C" const peer_plugin plugin = {
    "cuSPARSE", PEER_TEXT(CUSPARSE_VER_MAJOR) "." PEER_TEXT(CUSPARSE_VER_MINOR),
    start,      nullptr,
    finish,     methods};
