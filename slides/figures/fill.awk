# awk -v n=8 -f fill.awk: the factor of the 5-point Laplacian on n x n points, by symbolic elimination: column, row, kind
# 1 an entry of A, 2 filled in. The last line, "# a l", are the entries of the lower triangles of A and of L.
BEGIN {
    OFS = "\t"; N = n * n
    for (i = 0; i < N; i++) {
        has[i, i] = 1
        if (i % n) has[i, i - 1] = 1
        if (i >= n) has[i, i - n] = 1
    }
    for (k = 0; k < N; k++)
        for (i = k + 1; i < N; i++) if ((i, k) in has)
            for (j = k + 1; j <= i; j++) if ((j, k) in has && !((i, j) in has)) has[i, j] = 2
    for (i = 0; i < N; i++) for (j = 0; j <= i; j++) if ((i, j) in has) { a += has[i, j] == 1; l++; print j, i, has[i, j] }
    print "# " a, l
}
