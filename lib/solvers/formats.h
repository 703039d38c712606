/* solvers/formats.h -- the formats in which an operator may keep its matrix. Internal: solvers/operator.h chooses. */
#pragma once

#include "solvers/operator.h"

enum { SPW_OPERATOR_FORMATS = 5 };

/* Names, 0 .. SPW_OPERATOR_FORMATS - 1; 0 is "csr". */
const char *spw_operator_format(int k);

/* A in format k; it need not be square. On failure *op is all zero.
 *   SPW_ERR_ARG, SPW_ERR_RANGE  the format is not for this matrix
 *   SPW_ERR_MEMORY              no room for the copy; not of CSR, which is A itself */
spw_status spw_operator_take(const spw_csr *A, int k, spw_operator *op);
