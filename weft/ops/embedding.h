// Rows of a table.
#ifndef WEFT_OPS_EMBEDDING_H_
#define WEFT_OPS_EMBEDDING_H_

#include "weft/autograd/tape.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;

// y[n] = scale * table[ids[n]]; table [V, D], y [N, D]. Throws ShapeError for an id outside 0..V-1.
Tensor embedding(const Tensor& table, const Ids& ids, double scale, Tape* tape);

// Throws ShapeError for an id outside a table of this many rows.
void check_ids(int64_t rows, const Ids& ids);

// The fixed encoding of Vaswani et al. 2017 for each position: feature 2i is
// sin(position / 10000^(2i / D)), feature 2i + 1 the cosine. [N, D]
Tensor sinusoid(const std::vector<int32_t>& positions, int64_t features, DType dtype);

}  // namespace weft::ops

#endif  // WEFT_OPS_EMBEDDING_H_
