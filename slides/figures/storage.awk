# awk -v format=coo|csr|ell|sell -v sort=0|1 -f storage.awk matrices/slides6.mtx: the matrix, and how it is stored, as cells:
# x, y, text, kind: 0 nothing, 1 entry, 2 padding, 3 index. So the pictures cannot differ from the matrix.
BEGIN { OFS = "\t" }
/^%/ { next }
!n { n = $1; next }
{ i = $1 - 1; j = $2 - 1; e = length_[i]++ + 0; val[i, e] = $3; col[i, e] = j; at[i, j] = $3; k++; row[k] = i; c[k] = j; v[k] = $3 }
function cell(x, y, text, kind) { print x, y, text, kind }
END {
    for (i = 0; i < n; i++) for (j = 0; j < n; j++) cell(j, n - 1 - i, (i, j) in at ? at[i, j] : "", (i, j) in at ? 1 : 0)
    if (format == "coo" || format == "csr") {
        for (e = 1; e <= k; e++) {
            if (format == "coo") cell(7 + e, 4.6, row[e], 3)
            cell(7 + e, 2.6, c[e], 3)
            cell(7 + e, 0.6, v[e], 1)
        }
        if (format == "csr") for (i = 0; i <= n; i++) { cell(8 + i, 4.6, p + 0, 3); p += length_[i] }
        exit
    }
    for (i = 0; i < n; i++) perm[i] = i
    if (sort) for (i = 1; i < n; i++) { # stable, by insertion
        for (m = i; m > 0 && length_[perm[m - 1]] < length_[perm[m]]; m--) { t = perm[m]; perm[m] = perm[m - 1]; perm[m - 1] = t }
    }
    C = format == "ell" ? n : 2
    for (s = 0; s < n; s += C) {
        longest = 0
        for (r = s; r < s + C; r++) if (length_[perm[r]] > longest) longest = length_[perm[r]]
        for (r = s; r < s + C; r++) for (e = 0; e < longest; e++) {
            there = e < length_[perm[r]]
            cell(8 + e, n - 1 - r, there ? val[perm[r], e] : 0, there ? 1 : 2)
            cell(14.6 + e, n - 1 - r, there ? col[perm[r], e] : "–", there ? 3 : 2)
        }
        if (sort) for (r = s; r < s + C; r++) cell(6.7, n - 1 - r, perm[r], 3)
    }
}
