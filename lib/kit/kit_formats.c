/* How the matrices lie that a driver can name as an argument. */
#include "kit/kit.h"

#include "formats/ell.h"
#include "formats/sell.h"
#include "formats/sellp.h"
#include "judge/trial.h"
#include "kit/systems.h"

#define ARRAY(s, member, type, count, ...)                                                         \
    { #member, type, offsetof(s, member), offsetof(s, count), __VA_ARGS__ }
#define NUMBERS(s)                                                                                 \
    {"nz", offsetof(s, nnz)}, {"n_rows", offsetof(s, n_rows)}, { "n_cols", offsetof(s, n_cols) }
#define NUMBER(s, member)                                                                          \
    { #member, offsetof(s, member) }

const spw_kit_format spw_kit_csr = {
    sizeof(spw_csr),
    {ARRAY(spw_csr, row_ptr, SPW_INDEX, n_rows, 1, false),
     ARRAY(spw_csr, col_idx, SPW_INDEX, nnz, 0, false),
     ARRAY(spw_csr, val, SPW_DOUBLE, nnz, 0, false)},
    {NUMBERS(spw_csr)},
    "nz; n_rows; n_cols; (n_rows + 1)",
};

const spw_kit_format spw_kit_coo = {
    sizeof(spw_coo),
    {ARRAY(spw_coo, row_idx, SPW_INDEX, nnz, 0, false),
     ARRAY(spw_coo, col_idx, SPW_INDEX, nnz, 0, false),
     ARRAY(spw_coo, val, SPW_DOUBLE, nnz, 0, false)},
    {NUMBERS(spw_coo)},
    "nz; n_rows; n_cols; (n_rows + 1)",
};

const spw_kit_format spw_kit_ell = {
    sizeof(spw_ell),
    {ARRAY(spw_ell, row_len, SPW_INDEX, n_rows, 0, true),
     ARRAY(spw_ell, col_idx, SPW_INDEX, n_stored, 0, false),
     ARRAY(spw_ell, val, SPW_DOUBLE, n_stored, 0, false)},
    {NUMBERS(spw_ell), NUMBER(spw_ell, n_stored), NUMBER(spw_ell, width)},
    "nz; n_stored; n_rows; n_cols; (n_rows + 1)",
};

const spw_kit_format spw_kit_sell = {
    sizeof(spw_sell),
    {ARRAY(spw_sell, perm, SPW_INDEX, n_rows, 0, false),
     ARRAY(spw_sell, chunk_ptr, SPW_INDEX, n_chunks, 1, false),
     ARRAY(spw_sell, row_len, SPW_INDEX, n_rows, 0, true),
     ARRAY(spw_sell, col_idx, SPW_INDEX, n_stored, 0, false),
     ARRAY(spw_sell, val, SPW_DOUBLE, n_stored, 0, false)},
    {NUMBERS(spw_sell), NUMBER(spw_sell, n_stored), NUMBER(spw_sell, n_chunks)},
    "nz; n_stored; n_rows; n_cols; (n_chunks + 1)",
};

const spw_kit_format spw_kit_sellp = {
    sizeof(spw_sellp),
    {ARRAY(spw_sellp, slice_ptr, SPW_INDEX, n_slices, 1, false),
     ARRAY(spw_sellp, row_len, SPW_INDEX, n_rows, 0, true),
     ARRAY(spw_sellp, col_idx, SPW_INDEX, n_stored, 0, false),
     ARRAY(spw_sellp, val, SPW_DOUBLE, n_stored, 0, false)},
    {NUMBERS(spw_sellp), NUMBER(spw_sellp, n_stored), NUMBER(spw_sellp, n_slices)},
    "nz; n_stored; n_rows; n_cols; (n_slices + 1)",
};

const spw_csr *spw_kit_first_csr(const spw_trial *t, const void *at) {
    const spw_argument *a = t->part->kit->arguments;
    while (a->format != &spw_kit_csr) a++;
    return *(const spw_csr *const *)((const char *)at + a->at);
}

spw_status spw_kit_to_ell(spw_trial *t, const void *at, void *E) {
    return spw_ell_from_csr(spw_kit_first_csr(t, at), (spw_ell *)E);
}

spw_status spw_kit_to_sell(spw_trial *t, const void *at, void *S) {
    return spw_sell_from_csr(spw_kit_first_csr(t, at), (spw_idx)spw_kit_value(t, "C"),
                             (spw_idx)spw_kit_value(t, "sigma"), (spw_sell *)S);
}

spw_status spw_kit_to_sellp(spw_trial *t, const void *at, void *P) {
    return spw_sellp_from_csr(spw_kit_first_csr(t, at), (spw_idx)spw_kit_value(t, "b"),
                              (spw_idx)spw_kit_value(t, "t"), (spw_sellp *)P);
}

spw_status spw_kit_system(spw_trial *t, const void *at, void *A) {
    (void)at;
    const spw_status status = spw_system_load(spw_kit_case(t), t->seed, (spw_csr *)A);
    if (!status) spw_kit_quantity(t, "n", ((const spw_csr *)A)->n_rows);
    return status;
}
