/* The five kernels of exercise 10. Each has one of the failures that you look for; find it, don't mend it.
 *
 * READ(x) is x. The judge compiles this file twice, and its second copy tells a simulated cache which
 * address is read. IN_VECTORS(s, t) is `#pragma omp simd reduction(+ : s, t)`. The structs are in diagnose.h. */

/* 1. The moment of a gas: the sum of mass times charge of all particles.
 *    Model: two doubles a particle, 16 n bytes. */
double KERNEL(moment)(int64_t n, const particle *gas) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += READ(gas[i].mass) * READ(gas[i].charge);
    return sum;
}

/* The sum of n numbers; 4 divides n. Four sums, in vectors: none waits for itself. */
static double KERNEL(add_up)(int64_t n, const double *a) {
    const int64_t q = n / 4;
    double s = 0, t = 0, u = 0, v = 0;
    IN_VECTORS(s, t, u, v)
    for (int64_t i = 0; i < q; i++) {
        s += READ(a[i]);
        t += READ(a[i + q]);
        u += READ(a[i + 2 * q]);
        v += READ(a[i + 3 * q]);
    }
    return s + t + u + v;
}

/* The same of their squared distances from mean. */
static double KERNEL(add_up_squares)(int64_t n, const double *a, double mean) {
    const int64_t q = n / 4;
    double s = 0, t = 0, u = 0, v = 0;
    IN_VECTORS(s, t, u, v)
    for (int64_t i = 0; i < q; i++) {
        const double d = READ(a[i]) - mean, e = READ(a[i + q]) - mean;
        const double f = READ(a[i + 2 * q]) - mean, g = READ(a[i + 3 * q]) - mean;
        s += d * d;
        t += e * e;
        u += f * f;
        v += g * g;
    }
    return s + t + u + v;
}

/* 2. The standard deviation of n_blocks blocks of BLOCK numbers.
 *    Model: each number once, 8 n_blocks BLOCK bytes. */
double KERNEL(deviation)(int64_t n_blocks, const double *a) {
    const double n = (double)n_blocks * BLOCK;
    double sum = 0, squares = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t b = 0; b < n_blocks; b++) sum += KERNEL(add_up)(BLOCK, a + b * BLOCK);
#pragma omp parallel for schedule(static) reduction(+ : squares)
    for (int64_t b = 0; b < n_blocks; b++)
        squares += KERNEL(add_up_squares)(BLOCK, a + b * BLOCK, sum / n);
    return sqrt(squares / n);
}

/* 3. Nested roots, sqrt(a + b / sqrt(a + b / ...)), one for each row of n_terms terms; their sum.
 *    Model: a and b of each term, 16 n_rows n_terms bytes. */
double KERNEL(roots)(int64_t n_rows, int64_t n_terms, const term *terms) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < n_rows; i++) {
        double root = 1;
        for (int64_t j = i * n_terms; j < (i + 1) * n_terms; j++)
            root = sqrt(READ(terms[j].a) + READ(terms[j].b) / root);
        sum += root;
    }
    return sum;
}

/* 4. The largest row sum of a sparse matrix, row i having the entries row_ptr[i] .. row_ptr[i+1]-1, a
 *    multiple of 4. Of 64 rows one has 16000 entries, the others have 4; the matrix has its long rows first.
 *    Model: values and row pointers once, 8 nz + 4 (n_rows + 1) bytes. */
double KERNEL(norm)(int64_t n_rows, const int32_t *row_ptr, const double *val) {
    double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
    for (int64_t i = 0; i < n_rows; i++) {
        const int32_t begin = READ(row_ptr[i]), end = READ(row_ptr[i + 1]);
        const double sum = KERNEL(add_up)(end - begin, val + begin);
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

/* 5. The sum of what lies along n_lists linked lists of length nodes each; list l begins at node l.
 *    Model: each node once, 128 n_lists length bytes. */
double KERNEL(tour)(int64_t n_lists, int64_t length, const node *nodes) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int64_t list = 0; list < n_lists; list++) {
        int64_t at = list;
        for (int64_t step = 0; step < length; step++) {
            for (int k = 0; k < PAYLOAD; k++) sum += READ(nodes[at].value[k]);
            at = READ(nodes[at].next);
        }
    }
    return sum;
}
