/* Kernels whose lanes part and meet again: nested loops of different lengths, a branch in a loop, break
 * and continue, an early return with a binary search, a function called from both branches. */
#include <cuda_runtime.h>

/* Rows of rows: outer and inner lengths differ from lane to lane. */
__global__ void nested(int n, const int *outer, const int *inner, const double *x, double *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sum = 0;
    for (int a = 0; a < outer[i]; a++) {
        const int m = inner[(i + a) % n];
        for (int b = 0; b < m; b++) sum += x[(i * 7 + a * 31 + b) % n];
    }
    y[i] = sum;
}

__global__ void branch_in_loop(int n, const int *length, const double *x, double *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sum = 0;
    for (int k = 0; k < length[i]; k++) {
        if ((i + k) % 3 == 0)
            sum += x[(i + k) % n];
        else
            sum -= y[(i * 5 + k) % n];
        y[n + (i + k) % n] = sum;
    }
    y[2 * n + i] = sum;
}

__global__ void break_and_continue(int n, const int *length, const double *x, double *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sum = 0;
    for (int k = 0;; k++) {
        if (k == length[i]) break;
        if ((i ^ k) & 1) continue;
        sum += x[(i * 3 + k) % n];
    }
    y[i] = sum;
}

/* Where would each key be inserted? */
__global__ void search(int n, const int *keys, int m, const int *sorted, int *where) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int key = keys[i];
    if (key < 0) {
        where[i] = -1;
        return;
    }
    int low = 0, high = m;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    where[i] = low;
}

__device__ __noinline__ double gather(const double *x, const int *length, int at, int n) {
    double sum = 0;
    for (int k = 0; k < length[at]; k++) sum += x[(at * 11 + k) % n];
    return sum;
}

__global__ void two_callers(int n, const int *length, const double *x, double *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sum;
    if (i % 4 == 0)
        sum = gather(x, length, i, n);
    else
        sum = 2 * gather(x, length, n - 1 - i, n);
    y[i] = sum;
}

extern "C" void launch_nested(int n, const int *outer, const int *inner, const double *x,
                              double *y) {
    nested<<<(n + 127) / 128, 128>>>(n, outer, inner, x, y);
}

extern "C" void launch_branch_in_loop(int n, const int *length, const int *, const double *x,
                                      double *y) {
    branch_in_loop<<<(n + 127) / 128, 128>>>(n, length, x, y);
}

extern "C" void launch_break_and_continue(int n, const int *length, const int *, const double *x,
                                          double *y) {
    break_and_continue<<<(n + 127) / 128, 128>>>(n, length, x, y);
}

extern "C" void launch_search(int n, const int *keys, int m, const int *sorted, int *where) {
    search<<<(n + 127) / 128, 128>>>(n, keys, m, sorted, where);
}

extern "C" void launch_two_callers(int n, const int *length, const int *, const double *x,
                                   double *y) {
    two_callers<<<(n + 127) / 128, 128>>>(n, length, x, y);
}
