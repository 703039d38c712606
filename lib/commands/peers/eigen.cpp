/* commands/peers/eigen.cpp -- Eigen: a row-major SparseMatrix, its loops in parallel by OpenMP.
 * needs: libeigen3-dev
 * build: $CXX -std=c++17 $OPT $OPENMP $(pkg-config --cflags eigen3 2>/dev/null || echo -I/usr/include/eigen3)
 */
#include "commands/peers/peer.h"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#include <chrono>

namespace {
using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int32_t>;
using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Product {
    Matrix A;
    Eigen::VectorXd x, y;
    Block X, Y;
};

Matrix matrix_of(const peer_problem *p) {
    return Eigen::Map<const Matrix>(p->n_rows, p->n_cols, p->nnz, p->row_ptr, p->col_idx, p->val);
}

void *make_spmv(const peer_problem *p, const char *) {
    auto *made = new Product;
    made->A = matrix_of(p);
    made->x = Eigen::Map<const Eigen::VectorXd>(p->x, p->n_cols);
    made->y = Eigen::VectorXd::Zero(p->n_rows);
    return made;
}

int run_spmv(void *made, int calls, double *) {
    auto *m = static_cast<Product *>(made);
    for (int c = 0; c < calls; c++) m->y.noalias() = m->A * m->x;
    return 0;
}

void result_spmv(void *made, const peer_problem *p) {
    Eigen::Map<Eigen::VectorXd>(p->y, p->n_rows) = static_cast<Product *>(made)->y;
}

void *make_spmm(const peer_problem *p, const char *) {
    auto *made = new Product;
    made->A = matrix_of(p);
    made->X = Eigen::Map<const Block>(p->x, p->n_cols, p->nv);
    made->Y = Block::Zero(p->n_rows, p->nv);
    return made;
}

int run_spmm(void *made, int calls, double *) {
    auto *m = static_cast<Product *>(made);
    for (int c = 0; c < calls; c++) m->Y.noalias() = m->A * m->X;
    return 0;
}

void result_spmm(void *made, const peer_problem *p) {
    Eigen::Map<Block>(p->y, p->n_rows, p->nv) = static_cast<Product *>(made)->Y;
}

void destroy(void *made) { delete static_cast<Product *>(made); }

/* Conjugate gradients, with both halves of A, which is what runs in parallel. */
template <class Precond> struct Solver {
    Matrix A;
    Eigen::VectorXd b, x;
    Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Precond> cg;
    double setup;
};

template <class Precond> void *make_cg(const peer_problem *p, const char *parameters) {
    if (p->n_rows != p->n_cols) return peer_refuse("the matrix is not square");
    auto *made = new Solver<Precond>;
    made->A = matrix_of(p);
    made->b = Eigen::Map<const Eigen::VectorXd>(p->x, p->n_rows);
    made->x = Eigen::VectorXd::Zero(p->n_rows);
    made->cg.setMaxIterations(static_cast<int>(peer_number(parameters, "iterations", 100000)));
    made->cg.setTolerance(peer_number(parameters, "tolerance", 1e-30));
    const auto begin = std::chrono::steady_clock::now();
    made->cg.compute(made->A);
    made->setup = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return made;
}

template <class Precond> int run_cg(void *made, int calls, double *numbers) {
    auto *m = static_cast<Solver<Precond> *>(made);
    for (int c = 0; c < calls; c++) m->x = m->cg.solve(m->b);
    numbers[0] = static_cast<double>(m->cg.iterations());
    numbers[1] = m->setup;
    return 2;
}

template <class Precond> void result_cg(void *made, const peer_problem *p) {
    Eigen::Map<Eigen::VectorXd>(p->y, p->n_rows) = static_cast<Solver<Precond> *>(made)->x;
}

template <class Precond> void destroy_cg(void *made) {
    delete static_cast<Solver<Precond> *>(made);
}

using None = Eigen::IdentityPreconditioner;
using Jacobi = Eigen::DiagonalPreconditioner<double>;

const peer_method methods[] = {
    {"spmv", "row-major", 0, make_spmv, run_spmv, result_spmv, destroy},
    {"spmm", "row-major", 0, make_spmm, run_spmm, result_spmm, destroy},
    {"cg", "row-major", 0, make_cg<None>, run_cg<None>, result_cg<None>, destroy_cg<None>},
    {"pcg", "jacobi", 0, make_cg<Jacobi>, run_cg<Jacobi>, result_cg<Jacobi>, destroy_cg<Jacobi>},
    {nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr},
};
} // namespace

extern "C" const peer_plugin plugin = {
    "Eigen", PEER_VERSION(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION),
    nullptr, nullptr,
    nullptr, methods};
