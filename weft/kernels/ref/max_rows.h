// Reference max pooling over the rows of a sequence.
#ifndef WEFT_KERNELS_REF_MAX_ROWS_H_
#define WEFT_KERNELS_REF_MAX_ROWS_H_

#include "weft/kernels/max_rows.h"

namespace weft::kernels::ref {

// Computes sequence b of a call.
void max_rows(const MaxRows& call, int64_t b);
void max_rows_backward(const MaxRowsBackward& call, int64_t b);

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_MAX_ROWS_H_
